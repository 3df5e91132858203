"""Wins of two stones a turn are replayed against every answer that stops the threats, found by brute force."""

from __future__ import annotations

import functools
import itertools
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa.agents.connect.strong import Strong
from ponderosa.connect.shapes.player import ShapePlayer
from ponderosa.core.budget import Budget
from ponderosa.games.connect import Connect
from tests.helpers import plain, position

GAME = plain(Connect(9, 9, 6, 2, 1))
EFFORT = 4_000
"""Enough to find the rest of a win again after a real answer, which leaves more to try than all answers at once."""
LINES = [
    [(row + step * down) * 9 + column + step * right for step in range(6)]
    for row in range(9)
    for column in range(9)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    if row + 5 * down < 9 and 0 <= column + 5 * right < 9
]


@functools.cache
def on_nine():
    """Made when a test asks for it: every worker imports this file, and few need the machine code."""
    return ShapePlayer(GAME, table=2)


def lacking(moves, player):
    """The empty cells of every window that the player can fill in one turn."""
    stones = [{cell for ply, cell in enumerate(moves) if GAME.turn(ply)[0] == who} for who in (player, 1 - player)]
    windows = [set(line) - stones[0] for line in LINES if not stones[1] & set(line)]
    return [empty for empty in windows if len(empty) <= 2]


def wins(moves):
    """Whether the player to move, at the beginning of a turn, wins whatever the opponent answers."""
    player = GAME.turn(len(moves))[0]
    turn = on_nine().forced_win(moves, EFFORT)
    if not turn:
        return False
    if lacking(moves, player):
        assert any(turn[0] in window for window in lacking(moves, player))
        return True
    return holds([*moves, *turn], player)


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
    if moves is not None and on_nine().forced_win(moves, EFFORT):
        assert wins(moves)


def test_wins_are_found_where_there_are_some():
    found = 0
    for seed in range(400):
        moves = crowded(seed)
        found += moves is not None and len(on_nine().forced_win(moves, EFFORT)) > 0
    assert found >= 10


def test_two_open_threes_win_and_half_of_a_turn_is_not_looked_at():
    row, column = [40, 41, 42], [13, 22, 31]
    moves = [row[0], 0, 8, row[1], row[2], 72, 80, *column[:2], 7, 1]
    assert GAME.turn(len(moves)) == (0, 2)
    assert on_nine().forced_win([*moves[:-2], 7], EFFORT) == []
    assert wins(moves)


def test_strong_plays_both_stones_of_the_turn_that_wins():
    played = 0
    for seed in range(120):
        moves = crowded(seed)
        turn = [] if moves is None else on_nine().forced_win(moves, 30_000)
        if len(turn) == 2:
            agent, state = Strong(GAME, iterations=50), GAME.state_after(moves)
            for _ in range(2):
                state.apply_action(agent.step(state))
                assert agent.last_report.proven == "win"
            assert holds([int(move) for move in state.history()], GAME.turn(len(moves))[0])
            played += 1
    assert played >= 3


def test_where_longer_lines_do_not_win_nothing_is_forced():
    exact = ShapePlayer(plain(Connect(9, 9, 5, 2, 1, True)), table=2)
    usual = ShapePlayer(plain(Connect(9, 9, 5, 2, 1)), table=2)
    found = [moves for moves in map(crowded, range(100)) if moves and usual.forced_win(moves, EFFORT)]
    assert found
    assert not any(exact.forced_win(moves, EFFORT) for moves in found)


def test_a_stone_that_completes_a_line_is_found_in_the_middle_of_a_turn_too():
    moves = [40, 0, 8, 41, 42, 72, 80, 43, 44, 1, 7, 3]
    assert GAME.turn(len(moves)) == (0, 1)
    assert on_nine().forced_win(moves, EFFORT)[0] in (39, 45)


def turn_of(shape_player, moves, positions=60_000):
    """The stones that the search chooses for a whole turn."""
    first = shape_player.think(moves, Budget(iterations=positions)).best
    return [first, shape_player.think([*moves, first], Budget(iterations=positions)).best]


def test_the_turn_that_is_chosen_allows_no_forced_win_if_another_does_not():
    game = plain(Connect(19, 19, 6, 2, 1))
    shape_player = ShapePlayer(game, table=2**16)
    names = "s3 l12 n12 m12 j10 m13 l14 k15 l16 j14 k13"
    moves = [int(move) for move in position(game, names).history()]
    assert not shape_player.forced_win(moves + turn_of(shape_player, moves), 20_000)


def test_stones_far_from_each_other_are_not_left_alone_for_the_middle():
    game = plain(Connect(19, 19, 6, 2, 1))
    moves = [4 * 19 + 1, 15 * 19 + 16]
    for cell in turn_of(ShapePlayer(game, table=2**16), moves):
        assert any(max(abs(cell // 19 - other // 19), abs(cell % 19 - other % 19)) <= 5 for other in moves)
