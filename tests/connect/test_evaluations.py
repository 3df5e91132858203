"""What cells and positions of the Connect family are worth, against a scan of the board."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import check_game
from ponderosa.connect.evaluations import EVALUATIONS, SequencesConnect, ThreatsConnect, WeighedConnect
from ponderosa.games.connect import Connect
from tests.helpers import others_slow, plain

COMPILED = [(5, 6, 4, 1, 1, False), (6, 5, 4, 1, 1, True), (5, 6, 4, 3, 2, False)]
"""Boards with room in eight by eight are compiled once."""
BOARDS = [*COMPILED, (3, 9, 4, 1, 1, True), (7, 6, 5, 3, 2, False)]
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def lines_of(game, row, column, up, right):
    """Every window of a direction through a cell."""
    for back in range(game.k):
        cells = [(row + up * (step - back), column + right * (step - back)) for step in range(game.k)]
        if all(0 <= r < game.m and 0 <= c < game.n for r, c in cells):
            yield cells


def stones_on(game, state):
    """Each player's cells."""
    shown = list(reversed(game.cells(state.record)))
    return [{(r, c) for r in range(game.m) for c in range(game.n) if shown[r][c] == mark} for mark in "XO"]


def window_is_open(game, cells, own, other, up, right):
    if any(cell in other for cell in cells):
        return False
    ends = [(cells[0][0] - up, cells[0][1] - right), (cells[-1][0] + up, cells[-1][1] + right)]
    return not (game.exact and any(end in own for end in ends))


def rank_by_scan(game, stones, player, row, column, up, right):
    own, other = stones[player], stones[1 - player]
    counts = [
        sum(cell in own for cell in cells) + 1
        for cells in lines_of(game, row, column, up, right)
        if window_is_open(game, cells, own, other, up, right)
    ]
    return 2 * max(counts) + (counts.count(max(counts)) > 1) if counts else 0


@st.composite
def positions(draw, kind):
    """A position that nobody has won; most boards are played as plain Python."""
    board = draw(st.sampled_from(BOARDS))
    game = kind(*board) if board in COMPILED else plain(kind(*board))
    rng, state = random.Random(draw(st.integers(0, 10**9))), game.new_initial_state()
    for _ in range(draw(st.integers(0, game.m * game.n - 1))):
        after = state.child(rng.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    return game, state


@pytest.mark.slow
@settings(max_examples=60)
@given(positions(ThreatsConnect))
def test_ranks_powers_and_counts_agree_with_a_scan_of_the_board(position):
    game, state = position
    stones, s, cells = stones_on(game, state), state.record, game.m * game.n
    for player in (0, 1):
        most = [0] * (game.k + 1)
        total = 0
        for row, column in itertools.product(range(game.m), range(game.n)):
            taken = (row, column) in stones[0] | stones[1]
            here = player * cells + row * game.n + column
            expected = [0 if taken else rank_by_scan(game, stones, player, row, column, *way) for way in DIRECTIONS]
            assert s.rank[here * 4 : here * 4 + 4].tolist() == expected
            assert s.standing[here] // 2 == max(expected) // 2
            most[max(expected) // 2] += 1
            total += s.power[here]
        assert s.reached[player * (game.k + 1) : (player + 1) * (game.k + 1)].tolist() == most
        assert s.total[player] == total
        assert s.forks[player] == sum(s.standing[player * cells + cell] % 2 for cell in range(cells))


@pytest.mark.slow
@settings(max_examples=60)
@given(positions(SequencesConnect))
def test_sequences_are_the_squares_of_stones_in_open_windows(position):
    game, state = position
    stones = stones_on(game, state)
    for player in (0, 1):
        expected = 0
        for (row, column), (up, right) in itertools.product(
            itertools.product(range(game.m), range(game.n)), DIRECTIONS
        ):
            cells = [(row + up * step, column + right * step) for step in range(game.k)]
            inside = all(0 <= r < game.m and 0 <= c < game.n for r, c in cells)
            if inside and not any(cell in stones[1 - player] for cell in cells):
                expected += sum(cell in stones[player] for cell in cells) ** 2
        assert state.record.squares[player] == expected


def outcomes_of_turn(state, player):
    """The states in which a player's turn can end, or the game within it."""
    if state.is_terminal() or state.current_player() != player:
        yield state
        return
    for action in state.legal_actions():
        yield from outcomes_of_turn(state.child(action), player)


def wins_this_turn(state):
    player = state.current_player()
    return any(end.is_terminal() and end.returns()[player] == 1 for end in outcomes_of_turn(state, player))


@settings(max_examples=40)
@given(st.sampled_from([(4, 4, 4, 1, 1, False), (4, 4, 4, 2, 1, False), (4, 4, 3, 2, 2, True)]), st.integers(0, 10**9))
def test_candidates_leave_out_only_moves_that_change_nothing(board, seed):
    """They win this turn if that can be; else they leave out only moves after which the opponent wins at once."""
    game, usual, rng = plain(WeighedConnect(*board)), plain(Connect(*board)), random.Random(seed)
    state = usual.new_initial_state()
    for _ in range(rng.randrange(5, 12)):
        after = state.child(rng.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    known = game.state_after(state.history())
    if known.is_terminal():
        return
    player = state.current_player()
    actions = [0] * game.max_actions
    listed = set(actions[: game.own_rules()["candidates"](known.record, actions)])
    if wins_this_turn(state):
        assert len(listed) == 1
        after = state.child(*listed)
        assert after.is_terminal() or wins_this_turn(after)
        return
    for action in set(state.legal_actions()) - listed:
        after = state.child(action)
        ends = [after] if after.is_terminal() else list(outcomes_of_turn(after, player))
        harmless = [end for end in ends if end.is_terminal() or not wins_this_turn(end)]
        for end in harmless:  # the same stones, a listed one first, reach the same position
            assert set(end.history()[len(state.history()) :]) & listed


@settings(max_examples=30)
@given(positions(ThreatsConnect))
def test_the_key_is_the_same_however_a_position_came_about(position):
    game, state = position
    if game.p == game.q == 1:
        moves = state.history()
        own, other = moves[::2], moves[1::2]
        again = [move for pair in itertools.zip_longest(own[::-1], other[::-1]) for move in pair if move is not None]
        turned = game.state_after(again)
        assert turned.record.key == state.record.key
        assert turned == state


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVALUATIONS.values())
@pytest.mark.parametrize("board", others_slow([(board,) for board in BOARDS], [(board,) for board in COMPILED]))
def test_the_weighed_games_keep_their_promises(kind, board):
    game = kind(*board) if board in COMPILED else plain(kind(*board))
    assert check_game(game, games=2) == []


def test_a_game_is_over_for_the_search_when_nobody_can_win_any_more():
    game = plain(WeighedConnect(3, 3, 3))
    state = game.state_after([0, 2, 1, 3, 5, 4, 6, 8])  # one cell is left, and no line through it
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
