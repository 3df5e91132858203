"""Wins that the prover finds: each is replayed against every defence; marks are held against a scan of the board."""

from __future__ import annotations

import functools
import random as randomness

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa.connect.threats.prover import Prover
from ponderosa.connect.threats.threat_marks import FIVE, FOUR, GROUPS, KINDS, THREE, TWICE
from ponderosa.connect.threats.windows import cell_at
from ponderosa.games.connect import Connect
from tests.helpers import plain, position

BOARDS = [(7, 7, 5, False), (6, 6, 4, True), (6, 7, 4, False), (5, 5, 3, False)]
GAMES = {(m, n, k, exact): plain(Connect(m, n, k, exact=exact)) for m, n, k, exact in BOARDS}
EFFORT = 2_000


@functools.cache
def prover_of(board):
    return Prover(GAMES[board])


@st.composite
def crowded(draw):
    """A board and a position in which the stones lie close together, so that there are threats."""
    board = draw(st.sampled_from(BOARDS))
    game = GAMES[board]
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
    return board, state


def stones(state):
    return [(cell, ply % 2) for ply, cell in enumerate(state.history())]


def wins_against_everything(prover, state, attacker):
    """Whether the attacker, playing what the prover says, wins against every line of the defender."""
    if state.is_terminal():
        return state.returns()[attacker] == 1.0
    if state.current_player() != attacker:
        return all(wins_against_everything(prover, state.child(move), attacker) for move in state.legal_actions())
    prover.place(stones(state))
    cell = prover.win(attacker, EFFORT)
    return cell >= 0 and wins_against_everything(prover, state.child(cell), attacker)


@settings(max_examples=15, deadline=None)
@given(crowded())
def test_a_win_by_threats_wins_against_every_defence(position):
    board, state = position
    prover = prover_of(board)
    prover.place(stones(state))
    if prover.win(state.current_player(), EFFORT) >= 0:
        assert wins_against_everything(prover, state, state.current_player())


@settings(max_examples=15, deadline=None)
@given(crowded())
def test_who_is_lost_to_threats_loses_with_every_move(position):
    board, state = position
    prover = prover_of(board)
    prover.place(stones(state))
    if prover.is_lost(state.current_player(), EFFORT):
        assert wins_against_everything(prover, state, 1 - state.current_player())


@settings(max_examples=60, deadline=None)
@given(crowded())
def test_marks_are_what_a_scan_of_the_board_finds(position):
    board, state = position
    prover = prover_of(board)
    if prover.game.k == 3:
        return  # windows without a stone lack three: nobody marks them
    prover.place(stones(state))
    for player in (0, 1):
        assert marked(prover.record, player) == scanned(GAMES[board], stones(state), player)


def marked(s, player):
    """For each kind, how often each cell is marked, once a line."""
    found = {}
    for kind in (FIVE, FOUR, THREE, TWICE):
        found[kind] = sorted(
            cell_at(s, line, place)
            for line in range(4 * s.span)
            for place in range(32)
            if s.marks[line * GROUPS + player * KINDS + kind] >> place & 1
        )
    return found


def scanned(game, placed, player):
    """The same by looking at every window."""
    own = {divmod(cell, game.n) for cell, owner in placed if owner == player}
    other = {divmod(cell, game.n) for cell, owner in placed if owner != player}
    found = {kind: [] for kind in (FIVE, FOUR, THREE, TWICE)}
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        count = {FIVE: {}, FOUR: {}, THREE: {}}
        for row in range(game.m):
            for column in range(game.n):
                window = [(row + step * down, column + step * right) for step in range(game.k)]
                ends = {(row - down, column - right), (row + game.k * down, column + game.k * right)}
                inside = all(0 <= r < game.m and 0 <= c < game.n for r, c in window)
                lacking = [cell for cell in window if cell not in own]
                fits = inside and not other & set(window) and not (game.exact and own & ends)
                if fits and 1 <= len(lacking) <= 3:
                    for cell in lacking:
                        kind = count[(FIVE, FOUR, THREE)[len(lacking) - 1]]
                        kind[cell] = kind.get(cell, 0) + 1
        for kind, cells in count.items():
            found[kind] += [row * game.n + column for row, column in cells]
        found[TWICE] += [row * game.n + column for (row, column), often in count[THREE].items() if often > 1]
    return {kind: sorted(cells) for kind, cells in found.items()}


GOMOKU = plain(Connect())


@pytest.fixture(scope="module")
def prover():
    return Prover(GOMOKU)


def test_two_crossing_twos_are_a_win(prover):
    state = position(GOMOKU, "g10 l10 g9 l7 i8 e6 j8 g6")
    prover.place(stones(state))
    assert prover.win(0, 1_000) >= 0
    assert prover.win(1, 1_000) < 0


def test_an_open_three_must_be_stopped(prover):
    state = position(GOMOKU, "a1 g8 a15 h8 o1 i8")
    prover.place(stones(state))
    assert prover.win(1, 1_000) >= 0
    assert not prover.is_lost(0, 1_000)
    for answer, lost in (("f8", False), ("j8", False), ("a8", True), ("h9", True)):
        after = position(GOMOKU, f"a1 g8 a15 h8 o1 i8 {answer}")
        prover.place(stones(after))
        assert (prover.win(1, 1_000) >= 0) == lost


def test_an_open_four_is_lost(prover):
    prover.place(stones(position(GOMOKU, "a1 g8 a15 h8 o1 i8 o15 j8")))
    assert prover.is_lost(0, 1_000)


def test_answers_to_a_threatened_win_touch_it_or_make_a_three(prover):
    moves = position(GOMOKU, "a1 g8 a15 h8 o1 i8").history()
    names = {GOMOKU.action_to_string(None, cell) for cell in prover.answers(moves, 1_000)}
    assert names >= {"f8", "j8"}
    assert not names & {"a8", "h9", "o15"}
    assert prover.answers(position(GOMOKU, "h8 a1").history(), 1_000) is None


@settings(max_examples=60, deadline=None)
@given(crowded())
def test_moves_that_are_no_answer_to_a_threatened_win_lose_to_it(position):
    board, state = position
    prover = prover_of(board)
    answers = prover.answers(state.history(), EFFORT)
    if answers is None or prover.proven(state.history(), EFFORT) == 1:
        return
    for move in set(state.legal_actions()) - set(answers):
        after = state.child(move)
        if not after.is_terminal():
            assert prover.proven(after.history(), 50 * EFFORT) == 1


def test_effort_that_runs_out_proves_nothing(prover):
    prover.forget()
    prover.place(stones(position(GOMOKU, "g10 l10 g9 l7 i8 e6 j8 g6")))
    assert prover.win(0, 1) < 0
    assert prover.exhausted
    assert prover.win(0, 1_000) >= 0
    assert not prover.exhausted
