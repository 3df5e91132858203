"""Wins by threats: each is replayed against every defence."""

from __future__ import annotations

import random as randomness

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Search, check_game
from ponderosa.connect.tactical import TacticalConnect
from ponderosa.core.bounds import LOSS, WIN
from ponderosa.mcts.policies.backup.averages import best
from ponderosa.mcts.policies.playout.playouts import random

pytestmark = pytest.mark.slow

BOARDS = [(8, 8, 5, 1, 1, False), (6, 5, 4, 1, 1, True), (5, 6, 4, 2, 1, False)]
GAMES = {board: TacticalConnect(*board, branch=64, root_effort=500, threes=2) for board in BOARDS}


def known(game, state):
    """What the threats prove for the player to move, as at the root of a search."""
    copy = state.clone()
    game.prepare_for_search(copy.record)
    return int(game.rules.bounds(copy.data))


def winning_moves(game, state):
    """The moves after which the mover is known to win."""
    actions = np.zeros(game.max_actions, np.int32)
    count = abs(game.rules.candidates(state.data.copy(), actions))
    for move in actions[:count].tolist():
        after = state.child(move)
        wins = LOSS if not after.is_terminal() and after.current_player() != state.current_player() else WIN
        if after.is_terminal() or known(game, after) == wins:
            yield move


def wins_against_everything(game, state, attacker):
    """Whether the attacker, playing what the threats say, wins against every line of the defender."""
    if state.is_terminal():
        return state.returns()[attacker] == 1.0
    if state.current_player() != attacker:
        return all(wins_against_everything(game, state.child(move), attacker) for move in state.legal_actions())
    if known(game, state) != WIN:
        return False
    return wins_against_everything(game, state.child(next(winning_moves(game, state))), attacker)


@st.composite
def positions(draw):
    """A position in which the stones lie close together, so that there are threats."""
    game = GAMES[draw(st.sampled_from(sorted(GAMES)))]
    rng = randomness.Random(draw(st.integers(0, 10**9)))
    state = game.new_initial_state()
    rows, columns = range(game.m // 2 - 2, game.m // 2 + 3), range(game.n // 2 - 2, game.n // 2 + 3)
    middle = [row * game.n + column for row in rows for column in columns]
    for _ in range(draw(st.integers(4, 16))):
        moves = [move for move in state.legal_actions() if move in middle] or state.legal_actions()
        after = state.child(rng.choice(moves))
        if after.is_terminal():
            break
        state = after
    return game, state


@settings(max_examples=12, deadline=None)
@given(positions())
def test_a_win_by_threats_wins_against_every_defence(position):
    game, state = position
    if known(game, state) == WIN:
        assert wins_against_everything(game, state, state.current_player())


@settings(max_examples=150, deadline=None)
@given(positions())
def test_who_is_lost_to_threats_loses_with_every_move(position):
    game, state = position
    if known(game, state) == LOSS:
        assert wins_against_everything(game, state, 1 - state.current_player())


def test_a_win_is_still_known_in_the_middle_of_a_turn():
    """The first of two stones makes threats that count together with those of the second."""
    game = GAMES[5, 6, 4, 2, 1, False]
    for moves in ([13, 7, 5, 15, 22], [3, 4, 28, 25, 19], [21, 10, 23, 13, 16]):
        state = game.state_after(moves)
        assert known(game, state) == WIN
        assert list(winning_moves(game, state))


FIVE = TacticalConnect(8, 8, 5, threes=2)


def drawn(text):
    """A position drawn as rows, top first; X and O must have placed equally many stones."""
    rows = [line.split() for line in text.strip().splitlines()]
    stones = {mark: [] for mark in "XO"}
    for row, line in enumerate(reversed(rows)):
        for column, mark in enumerate(line):
            if mark in stones:
                stones[mark].append((row + 1) * 8 + column)
    assert len(stones["X"]) == len(stones["O"])
    return FIVE.state_after([move for pair in zip(stones["X"], stones["O"], strict=True) for move in pair])


def test_two_crossing_twos_are_a_win():
    state = drawn(
        """
        . . . . . . . .
        . . X . . . . O
        . . X . . . . .
        . . . . X X . .
        . . . . . . . O
        O . O . . . . .
        """
    )
    assert known(FIVE, state) == WIN
    report = Search(FIVE, playout=random(max_length=0, at_cutoff="evaluate"), backup=best()).run(
        state, iterations=2_000
    )
    assert report.proven == "win"
    assert report.best_action in winning_moves(FIVE, state)


def test_a_three_that_is_not_answered_loses():
    state = drawn(
        """
        . . . . . . . .
        . . . . . . . X
        . . O O O . . .
        . . . . . . X .
        . . . . . . . .
        X . . . . . . .
        """
    )
    report = Search(FIVE, playout=random(max_length=0, at_cutoff="evaluate"), backup=best()).run(
        state, iterations=3_000
    )
    row = 1 + 3
    stops = {row * 8 + column for column in (1, 5)}
    lost = {action.action for action in report.actions if action.proven == "loss"}
    assert report.best_action in stops
    assert lost
    assert not lost & stops


@pytest.mark.parametrize("board", BOARDS)
def test_a_tactical_game_keeps_every_promise(board):
    assert check_game(GAMES[board], games=4) == []
