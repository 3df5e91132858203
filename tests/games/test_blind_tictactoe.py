"""Blind tic-tac-toe against OpenSpiel's phantom tic-tac-toe, and what is drawn for the unseen marks against all."""

from __future__ import annotations

import collections
import itertools
import math
import random
from typing import Any

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import check_game
from ponderosa.games.blind_tictactoe import WINS
from ponderosa.games.boards.sets import numbers_in
from tests.helpers import loaded, position

GAME = loaded("blind_tictactoe")
PHANTOM = pyspiel.load_game("phantom_ttt")
LINES = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]


def has_line(squares: set[int]) -> bool:
    return any(line <= squares for line in LINES)


def as_bits(squares: Any) -> int:
    return sum(1 << square for square in squares)


def placings(own: int, found: int, count: int) -> list[int]:
    """Every set of the other's marks that agrees with what a player knows."""
    free = [square for square in range(9) if not (own | found) >> square & 1]
    choices = itertools.combinations(free, count - found.bit_count())
    return [found | as_bits(more) for more in choices if not has_line({*numbers_in(found), *more})]


def test_the_lines_are_those_of_the_board():
    assert [bool(won) for won in WINS] == [has_line(set(numbers_in(marks))) for marks in range(512)]


@given(st.integers(0, 10**6))
def test_random_games_are_those_of_phantom_tictactoe(seed):
    draw, ours, theirs = random.Random(seed), GAME.new_initial_state(), PHANTOM.new_initial_state()
    while not theirs.is_terminal():
        assert ours.current_player() == theirs.current_player()
        assert ours.legal_actions() == theirs.legal_actions()
        action = draw.choice(ours.legal_actions())
        ours.apply_action(action)
        theirs.apply_action(action)
    assert ours.is_terminal()
    assert ours.returns() == theirs.returns()


def test_there_are_as_many_sequences_as_in_phantom_tictactoe():
    def count(state, depth):
        if depth == 0 or state.is_terminal():
            return 1
        return sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    found = [count(GAME.new_initial_state(), depth) for depth in range(5)]
    assert found == [count(PHANTOM.new_initial_state(), depth) for depth in range(5)]
    assert found[:4] == [1, 9, 81, 9 * (1 * 8 + 8 * 8)]


def test_who_is_refused_knows_the_square_and_chooses_again():
    state = position(GAME, "b2")
    before = state.observation(0)
    state.apply_action(4)
    assert state.current_player() == 1
    assert str(state.observation(1)) == "3  . . .\n2  . X .\n1  . . .\n   a b c"
    assert 4 not in state.legal_actions()
    assert state.observation(0) == before, "the other does not notice"
    assert str(state.observation(0)) == str(state.observation(1))


def test_marks_are_not_seen_before_the_end():
    state = position(GAME, "a1 b1 a2 b2")
    assert str(state.observation(0)) == "3  . . .\n2  X . .\n1  X . .\n   a b c"
    assert str(state.observation(1)) == "3  . . .\n2  . O .\n1  . O .\n   a b c"
    state.apply_action(6)
    assert state.returns() == [1.0, -1.0]
    assert str(state.observation(1)) == str(state) == "3  X . .\n2  X O .\n1  X O .\n   a b c"
    assert GAME.winning_cells(state.record) == [(0, 0), (1, 0), (2, 0)]


def test_the_longest_game_has_17_actions():
    """Each tries every square of the other before a new one; the board fills without a line."""
    state = GAME.new_initial_state()
    marks = [[0, 2, 3, 7, 8], [1, 4, 5, 6]]  # of X and of O, in the order in which they are placed
    for number in range(9):
        mover, other = number % 2, 1 - number % 2
        for square in marks[other][: number // 2 + mover]:
            if square in state.legal_actions():
                state.apply_action(square)
                assert state.current_player() == mover
        state.apply_action(marks[mover][number // 2])
    assert state.is_terminal() and state.returns() == [0.0, 0.0]
    assert len(state.history()) == GAME.max_game_length == 17


def test_there_is_always_a_placing_and_it_is_found_by_trying():
    """So that MOST_DRAWS random placings have one without a line, but for one time in 10^22."""
    shares = []
    for squares in itertools.product((0, 1, 2), repeat=9):  # each nobody's, one's own, or found to be the other's
        own, found = (as_bits(square for square in range(9) if squares[square] == owner) for owner in (1, 2))
        for count in range(max(own.bit_count() - 1, found.bit_count()), own.bit_count() + 2):
            fitting = [] if WINS[own] else placings(own, found, count)
            if fitting:
                unknown = 9 - own.bit_count() - found.bit_count()
                shares.append(len(fitting) / math.comb(unknown, count - found.bit_count()))
    assert min(shares) >= 1 / 20


@pytest.mark.parametrize("moves", ["a1", "a1 a1 b2 b2", "a1 b2 b2 c3", "a1 b2 c3 c3 c1", "a2 b3 c1 c2 a3 a2 c1 a1"])
@pytest.mark.parametrize("player", [0, 1])
def test_every_placing_is_drawn_equally_often(moves, player):
    state, draws = position(GAME, moves), 4000
    other = 1 - player
    own, found = state.record.marks[player], state.record.found[player]
    expected = placings(own, found, state.record.marks[other].bit_count())
    drawn = [state.resample_from_infostate(player, seed).record for seed in range(draws)]
    times = collections.Counter(record.marks[other] for record in drawn)
    assert set(times) == set(expected)
    even = draws / len(expected)
    assert all(abs(count - even) < 5 * even**0.5 for count in times.values())
    assert all(record.found[other] & ~own == 0 for record in drawn)


def test_what_the_other_may_have_found_out_is_drawn_as_if_it_had_tried_at_random():
    """After two marks each, against players who try at random; nobody can have a line so early."""
    state, rng, times = position(GAME, "a1 b1 c2 b3"), random.Random(5), 20_000
    drawn, played = collections.Counter(), collections.Counter()
    for seed in range(times):
        drawn[state.resample_from_infostate(0, seed).record.found[1].bit_count()] += 1
        marks, found = (set(), set()), (set(), set())
        for turn in (0, 1, 0, 1):
            while True:
                square = rng.choice([one for one in range(9) if one not in marks[turn] | found[turn]])
                if square not in marks[1 - turn]:
                    break
                found[turn].add(square)
            marks[turn].add(square)
        played[len(found[1])] += 1
    for count in range(3):
        assert abs(drawn[count] - played[count]) < 5 * (2 * played[count]) ** 0.5


def test_it_keeps_its_promises():
    assert check_game(GAME, games=300) == []
