"""Wins of two stones a turn are replayed against every answer that stops the threats, found by brute force."""

from __future__ import annotations

import itertools
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa.games.connect import Connect
from ponderosa.games.duelist import Duelist
from tests.helpers import plain

GAME = plain(Connect(9, 9, 6, 2, 1))
EFFORT = 400
LINES = [
    [(row + step * down) * 9 + column + step * right for step in range(6)]
    for row in range(9)
    for column in range(9)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    if row + 5 * down < 9 and 0 <= column + 5 * right < 9
]
DUELIST = Duelist(GAME, table=2)


def lacking(moves, player):
    """The empty cells of every window that the player can fill in one turn."""
    stones = [{cell for ply, cell in enumerate(moves) if GAME.turn(ply)[0] == who} for who in (player, 1 - player)]
    windows = [set(line) - stones[0] for line in LINES if not stones[1] & set(line)]
    return [empty for empty in windows if len(empty) <= 2]


def wins(moves):
    """Whether the player to move, at the beginning of a turn, wins whatever the opponent answers."""
    player = GAME.turn(len(moves))[0]
    first = DUELIST.forced_win(moves, EFFORT)
    if first < 0:
        return False
    if lacking(moves, player):
        assert any(first in window for window in lacking(moves, player))
        return True
    return any(holds([*moves, first, second], player) for second in range(81) if second not in [*moves, first])


def holds(moves, player):
    """Whether a whole turn wins."""
    threats = lacking(moves, player)
    if len(threats) < 2 or lacking(moves, 1 - player):
        return False
    cells = sorted(set().union(*threats))
    answers = [pair for pair in itertools.combinations(cells, 2) if all(window & set(pair) for window in threats)]
    one_is_enough = any(all(cell in window for window in threats) for cell in cells)
    return not one_is_enough and all(wins([*moves, *pair]) for pair in answers)


def crowded(seed):
    """A position in the middle of which stones stand close together, and nobody can win at once."""
    rng = random.Random(seed)
    cells = [row * 9 + column for row in range(1, 8) for column in range(1, 8)]
    moves = rng.sample(cells, 1 + 4 * rng.randint(2, 5))
    return None if lacking(moves, 0) or lacking(moves, 1) else moves


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_a_win_is_a_win_against_every_answer(seed):
    moves = crowded(seed)
    if moves is not None and DUELIST.forced_win(moves, EFFORT) >= 0:
        assert wins(moves)


def test_wins_are_found_where_there_are_some():
    found = 0
    for seed in range(400):
        moves = crowded(seed)
        found += moves is not None and DUELIST.forced_win(moves, EFFORT) >= 0
    assert found >= 10


def test_two_open_threes_win_and_half_of_a_turn_is_not_looked_at():
    row, column = [40, 41, 42], [13, 22, 31]
    moves = [row[0], 0, 8, row[1], row[2], 72, 80, *column[:2], 7, 1]
    assert GAME.turn(len(moves)) == (0, 2)
    assert DUELIST.forced_win([*moves[:-2], 7], EFFORT) == -1
    assert wins(moves)
