"""Optional rules of Connect Four: static value, key, and order of columns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import load_game
from ponderosa.connect.connect4_solver import YES, Board, Question, bits_of, new_table
from ponderosa.core.rules import jit_enabled
from ponderosa.games.boards.connect4_weights import BEFORE, SHAPE, WEIGHTS, WINDOWS, spread
from ponderosa.games.connect4 import MOVE_WORTH, WORTH_SCALE
from tests.helpers import loaded, plain, random_position

BOARDS = {spec: loaded(spec) for spec in ("connect4", "connect4:rows=4,cols=5")} | {
    "large": plain(load_game("connect4:rows=12,cols=9,k=5"))
}
RULES = loaded("connect4").own_rules()


def open_squares(state, player):
    """The squares of stones in open lines, cell by cell."""
    rows, columns, k = state.game.rows, state.game.cols, state.game.k
    marks = state.game.cells(state.record)[::-1]
    own, other = "XO"[player], "OX"[player]
    total = 0
    for row in range(rows):
        for column in range(columns):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + step * up, column + step * right) for step in range(k)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
                    line = [marks[r][c] for r, c in cells]
                    total += line.count(own) ** 2 if other not in line else 0
    return total


@given(st.sampled_from(sorted(BOARDS)), st.integers(0, 10**6), st.integers(0, 40))
def test_the_static_value_comes_from_open_lines(spec, seed, plies):
    state = random_position(BOARDS[spec], seed, plies)
    values = RULES["evaluate"](state.record)
    assert values[0] == -values[1] and -1 <= values[0] <= 1
    player = int(state.record.player)
    lead = open_squares(state, player) - open_squares(state, 1 - player) + MOVE_WORTH
    if RULES["winning_action"](state.record) >= 0:
        assert values[player] > 0.9
    elif spec != "connect4":  # that board has weights of its own
        assert values[player] == pytest.approx(math.tanh(lead / WORTH_SCALE / 2))


def open_windows(state):
    """The open lines with stones: whose, where, and which of the cells are taken."""
    marks = state.game.cells(state.record)[::-1]
    for window in WINDOWS:
        line = "".join(marks[row][column] or "." for row, column in window.cells)
        if ("X" in line) != ("O" in line):
            yield window, line


@given(st.integers(0, 10**6), st.integers(0, 40))
def test_on_the_usual_board_each_open_line_has_its_weight(seed, plies):
    state = random_position(loaded("connect4"), seed, plies)
    if RULES["winning_action"](state.record) >= 0:
        return
    turn = int(state.record.player)
    lead = BEFORE[turn]
    for window, line in open_windows(state):
        stones = sum(1 << place for place, mark in enumerate(line) if mark != ".")
        lead += WEIGHTS[turn, WINDOWS.index(window), stones << (4 if "O" in line else 0)]
    assert RULES["evaluate"](state.record)[0] == pytest.approx(math.tanh(lead / 2))


@given(st.integers(0, 10**6), st.integers(0, 40))
def test_a_mirrored_board_has_the_same_static_value(seed, plies):
    state = random_position(loaded("connect4"), seed, plies)
    mirrored = state.game.new_initial_state()
    for action in state.history():
        mirrored.apply_action(6 - action)
    assert RULES["evaluate"](mirrored.record) == pytest.approx(RULES["evaluate"](state.record))


def test_every_line_of_four_cells_has_weights_of_its_own_but_for_its_mirror_image():
    numbers = spread(np.arange(1, math.prod(SHAPE) + 1).reshape(SHAPE))
    assert len({frozenset(window.cells) for window in WINDOWS}) == len(WINDOWS) == 69
    assert set(numbers.ravel()) == set(range(math.prod(SHAPE) + 1))


def test_the_static_value_speaks_for_the_side_that_wins():
    game, table, agree, decided = loaded("connect4"), new_table(), 0, 0
    for seed in range(100):
        state = random_position(game, seed, 16)
        guess = RULES["evaluate"](state.record)[state.current_player()]
        answers = [Question(Board.of(6, 7), *bits_of(game, state), attacks) for attacks in (True, False)]
        wins, loses = (question.work(10**6, table) == YES for question in answers)
        if wins != loses:
            decided += 1
            agree += (guess > 0) == wins
    assert decided > 50 and agree / decided > 0.75


@given(st.sampled_from(sorted(BOARDS)), st.integers(0, 10**6), st.integers(0, 30))
def test_equal_positions_share_a_key_whatever_led_to_them(spec, seed, plies):
    state = random_position(BOARDS[spec], seed, plies)
    again = state.game.new_initial_state()
    for action in _other_order(state):
        again.apply_action(action)
    assert RULES["key"](again.record) == RULES["key"](state.record)


def _other_order(state):
    """The same moves with two of a player's neighbouring ones swapped, where that leads to the same position."""
    history = state.history()
    for place in range(len(history) - 2):
        swapped = [*history]
        swapped[place], swapped[place + 2] = swapped[place + 2], swapped[place]
        other = state.game.new_initial_state()
        legal = all(
            not other.is_terminal() and a in other.legal_actions() and not other.apply_action(a) for a in swapped
        )
        if legal and swapped != history and str(other) == str(state):
            return swapped
    return history


def test_different_positions_have_different_keys():
    for game in BOARDS.values():
        seen = {}
        for seed in range(400):
            state = random_position(game, seed, seed % 17)
            assert seen.setdefault(RULES["key"](state.record), str(state)) == str(state)


def test_the_centre_comes_first():
    game = loaded("connect4")
    record = game.new_initial_state().record
    assert sorted(range(7), key=lambda a: -RULES["prior"](record, a)) == [3, 2, 4, 1, 5, 0, 6]


def test_the_compiled_static_value_is_the_plain_one():
    if not jit_enabled():
        return
    for seed in range(20):
        state = random_position(loaded("connect4"), seed, 20)
        values = np.zeros(2)
        state.game.rules.evaluate(state.data, values)
        assert np.allclose(values * 2 - 1, RULES["evaluate"](state.record))
