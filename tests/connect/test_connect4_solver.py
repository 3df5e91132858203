"""Connect Four solved: held against exhaustive search of the game's own rules."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa.connect.connect4_solver import (
    MIRRORED_STONES,
    NO,
    OPEN,
    YES,
    Board,
    Question,
    aligned,
    bits_of,
    claimeven_cells,
    fits,
    key_of,
    new_table,
    winning_cells,
)
from ponderosa.connect.connect4_values import Values
from tests.helpers import Exact, loaded, position, random_position

SMALL = ["connect4:rows=5,cols=4", "connect4:rows=4,cols=5", "connect4"]
"""Even and odd sides: on even ones, following everywhere is a defence."""
LEFT = 11
"""So many cells are left to exhaustive search in Python, at most."""


TABLES = {spec: new_table() for spec in SMALL}
"""Kept between examples: what one position leaves must not mislead another."""


def answers(game, state, table, slice_=10**9):
    """Whether the mover wins, and whether the opponent does."""
    board, (own, mask) = Board.of(game.rows, game.cols), bits_of(game, state)
    found = []
    for attacks in (True, False):
        question = Question(board, own, mask, attacks)
        while question.work(slice_, table) == OPEN:
            pass
        found.append(question.answer)
    return found


@given(st.sampled_from(SMALL), st.integers(0, 10**6), st.integers(0, LEFT))
@settings(max_examples=100)
def test_every_answer_is_that_of_exhaustive_search(spec, seed, left):
    game = loaded(spec)
    state = random_position(game, seed, game.max_game_length - left)
    if game.max_game_length - len(state.history()) > LEFT:
        return  # the game was over long before
    value = Exact().value(state) * (1 if state.current_player() == 0 else -1)
    expected = [YES if value == 1 else NO, YES if value == -1 else NO]
    assert answers(game, state, TABLES[spec]) == expected


def test_one_table_serves_many_questions_and_slices_change_nothing():
    game, table = loaded("connect4"), new_table()
    for seed in range(40):
        state = random_position(game, seed, 20)
        assert answers(game, state, table) == answers(game, state, new_table(), slice_=7 if seed < 5 else 1000)


def test_a_board_and_its_mirror_image_have_one_key_and_no_others_do():
    game, board = loaded("connect4"), Board.of(6, 7)
    keys = {}
    for seed in range(300):
        state = random_position(game, seed, seed % (MIRRORED_STONES + 1))
        mirrored = game.new_initial_state()
        for action in state.history():
            mirrored.apply_action(6 - action)
        key = key_of(*bits_of(game, state), board)
        assert key == key_of(*bits_of(game, mirrored), board)
        drawings = {str(state), str(mirrored)}
        assert keys.setdefault(key, drawings) == drawings


@given(st.integers(0, 10**6), st.integers(0, 30))
def test_winning_cells_are_those_that_would_win(seed, plies):
    game = loaded("connect4")
    state = random_position(game, seed, plies)
    own, mask = bits_of(game, state)
    cells = winning_cells(own, 6)
    for column in state.legal_actions():
        bit = (mask + (1 << column * 7)) & ~mask
        wins = state.child(column).returns()[state.current_player()] == 1.0
        assert (cells & bit != 0) == wins == aligned(own | bit, 6)


@given(st.integers(0, 10**6), st.integers(9, 16))
def test_what_the_oracle_knows_is_true_at_any_time(seed, plies):
    game, exact = loaded("connect4:rows=4,cols=5"), Exact()
    state = random_position(game, seed, plies)
    if len(state.history()) < 9:
        return
    truth = {action: (value + 1) / 2 for action, value in exact.action_values(state).items()}
    solver = Values(game, state, new_table())
    for _ in range(400):
        assert all(solver.bounds[action][0] <= truth[action] <= solver.bounds[action][1] for action in truth)
        if not solver.open:
            break
        solver.work(solver.open[0], 50)
    certain = max(least for least, _ in solver.bounds.values())
    assert certain == max(truth.values())


def test_a_winning_move_is_known_without_work():
    state = position(loaded("connect4"), "1 2 1 2 1 2")
    solver = Values(state.game, state, new_table())
    assert solver.bounds[0] == (1.0, 1.0) and solver.open == []


@given(st.integers(0, 10**6), st.integers(0, 34))
def test_an_opponent_who_always_follows_leaves_only_the_cells_that_are_said(seed, plies):
    game, board, draw = loaded("connect4"), Board.of(6, 7), random.Random(seed)
    state = random_position(game, seed, plies // 2 * 2)
    if len(state.history()) % 2 != 0:
        return  # the game was over before
    _, mask = bits_of(game, state)
    left, taken = claimeven_cells(mask, board), 0
    columns = [7 * column for column in range(7)]
    while mask != board.full:
        cell = draw.choice([cell for start in columns if (cell := (mask + (1 << start)) & (63 << start)) & board.full])
        taken, mask = taken | cell, mask | cell
        above = (cell << 1) & board.full
        odd = [cell for start in columns if (cell := (mask + (1 << start)) & (63 << start)) & ~board.lower]
        mask |= above or draw.choice(odd)
    assert taken & ~left == 0


@pytest.mark.parametrize(
    ("spec", "solvable"),
    [("connect4", True), ("connect4:rows=8,cols=7", False), ("connect4:k=5", False), ("connect4:rows=7,cols=7", True)],
)
def test_boards_that_do_not_fit_are_known(spec, solvable):
    assert fits(loaded(spec)) is solvable


def test_a_table_is_made_of_numbers_that_hold_a_board():
    assert new_table().dtype == np.int64 and not fits(loaded("gomoku"))
