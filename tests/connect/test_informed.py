"""Windows, WinSave and near cells of the Connect family, against brute force."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Search, check_game
from ponderosa.compile.bits import count_bits
from ponderosa.connect.informed import InformedConnect
from ponderosa.connect.threats.windows import LINE, cell_at, line_through, place_on, stones_in
from ponderosa.games.connect import Connect
from tests.helpers import others_slow, plain

COMPILED = [(5, 6, 4, 1, 1), (6, 5, 4, 2, 1), (5, 6, 3, 3, 2)]
"""The sides decide what is compiled: it is the same for these."""
BOARDS = [*COMPILED, (4, 4, 3, 1, 1), (7, 7, 5, 2, 1), (5, 5, 4, 3, 2)]
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def windows(game):
    """Every window as its number and its cells as actions, in the order of their places on the line."""
    s = game.new_initial_state().record
    for direction, (up, right) in enumerate(DIRECTIONS):
        for row, column in itertools.product(range(game.m), range(game.n)):
            cells = [(row + up * step, column + right * step) for step in range(game.k)]
            if all(0 <= r < game.m and 0 <= c < game.n for r, c in cells):
                first = min(cells, key=lambda cell: place_on(direction, *cell))
                window = line_through(s, direction, row, column) * LINE + place_on(direction, *first)
                yield (
                    int(window),
                    [r * game.n + c for r, c in sorted(cells, key=lambda cell: place_on(direction, *cell))],
                )


def stones_of(game, actions):
    """Who has a stone where, from the list of actions alone."""
    owner, player, left = {}, 0, game.q
    for action in actions:
        owner[action] = player
        left -= 1
        if left == 0:
            player, left = 1 - player, game.p
    return owner, player, left


def hot_sets(game, owner, player, stones):
    """The sets of empty cells with which a player fills a window, with at most so many stones."""
    found = set()
    for _, cells in windows(game):
        empty = frozenset(cell for cell in cells if cell not in owner)
        mine = sum(owner.get(cell) == player for cell in cells)
        if mine + len(empty) == game.k and 0 < len(empty) <= stones:
            found.add(empty)
    return found


def can_stop(sets, cells):
    return all(window & cells for window in sets)


def blocks(game, owner, sets, stones):
    """First stones of all ways to stop every set with at most so many stones, each of which stops something."""
    useful = sorted(set().union(*sets))
    ways = [frozenset(way) for size in range(1, stones + 1) for way in itertools.combinations(useful, size)]
    return {cell for way in ways if can_stop(sets, way) for cell in way}


@st.composite
def positions(draw):
    """A game and a live position of it, reached by random play; most boards are played as plain Python."""
    board = draw(st.sampled_from(BOARDS))
    game = InformedConnect(*board, near=draw(st.integers(0, 3)))
    game = game if board in COMPILED else plain(game)
    rng = random.Random(draw(st.integers(0, 10**9)))
    state = game.new_initial_state()
    for _ in range(draw(st.integers(0, game.m * game.n - 1))):
        after = state.child(rng.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    return game, state


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(positions())
def test_windows_agree_with_a_scan_of_the_board(position):
    game, state = position
    owner, _, _ = stones_of(game, state.history())
    s = state.record
    for window, cells in windows(game):
        assert [cell_at(s, window // LINE, window % LINE + place) for place in range(game.k)] == cells
        for player in (0, 1):
            bits = [stones_in(s, window, player) >> place & 1 for place in range(game.k)]
            assert bits == [owner.get(cell) == player for cell in cells]
            assert count_bits(stones_in(s, window, player)) == sum(bits)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(positions())
def test_a_forced_side_considers_exactly_the_winning_or_blocking_moves(position):
    game, state = position
    owner, player, stones = stones_of(game, state.history())
    actions = np.zeros(game.max_actions, np.int32)
    found = set(actions[: abs(game.rules.candidates(state.data.copy(), actions))].tolist())
    wins = hot_sets(game, owner, player, stones)
    threats = hot_sets(game, owner, 1 - player, game.p)
    if wins:
        assert found <= set().union(*wins)
    elif threats and blocks(game, owner, threats, stones):
        assert found == blocks(game, owner, threats, stones)
    else:
        assert found == near(game, owner)


def near(game, owner):
    if not owner and game.near:
        return {game.m // 2 * game.n + game.n // 2}
    empty = {cell for cell in range(game.m * game.n) if cell not in owner}
    if not game.near:
        return empty
    return {cell for cell in empty if any(distance(game, cell, stone) <= game.near for stone in owner)}


def distance(game, one, other):
    return max(abs(one // game.n - other // game.n), abs(one % game.n - other % game.n))


def test_win_save_can_be_switched_off_in_the_tree():
    for forced, known, moves in ((True, 2, 1), (False, 0, 5)):
        game = plain(InformedConnect(1, 9, 3, near=0, forced=forced))
        state = game.state_after([0, 8, 1, 7])  # X wins with the third cell
        actions = np.zeros(game.max_actions, np.int32)
        assert int(game.rules.bounds(state.data.copy())) == known
        assert abs(game.rules.candidates(state.data.copy(), actions)) == moves


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(positions())
def test_what_is_certain_is_a_win_this_turn_or_a_win_that_cannot_be_stopped(position):
    game, state = position
    owner, player, stones = stones_of(game, state.history())
    known = int(game.rules.bounds(state.data.copy()))
    wins = hot_sets(game, owner, player, stones)
    threats = hot_sets(game, owner, 1 - player, game.p)
    lost = not wins and threats and not blocks(game, owner, threats, stones)
    assert (known == 2) == bool(wins)
    assert (known == 8) == bool(lost)


def test_the_blocks_of_the_worked_example():
    # k = 4, p = 2; O needs {1,2}, {2,5} or {5,6} of one row: X stops all with {1,5}, {2,5} or {2,6}
    sets = {frozenset(pair) for pair in ((1, 2), (2, 5), (5, 6))}
    ways = {frozenset(way) for way in itertools.combinations(range(10), 2) if can_stop(sets, frozenset(way))}
    assert ways == {frozenset((1, 5)), frozenset((2, 5)), frozenset((2, 6))}
    game = plain(InformedConnect(6, 10, 4, 2, 2))
    # X X elsewhere, then O on the cells 3 and 4 of the bottom row
    state = game.state_after([50, 59, 3, 4])
    actions = np.zeros(game.max_actions, np.int32)
    found = set(actions[: abs(game.rules.candidates(state.data.copy(), actions))].tolist())
    assert found == {1, 2, 5, 6}


@pytest.mark.slow
@pytest.mark.parametrize("board", others_slow([(board,) for board in BOARDS], [(board,) for board in BOARDS[:4]]))
def test_an_informed_game_keeps_every_promise(board):
    game = InformedConnect(*board) if board in COMPILED else plain(InformedConnect(*board))
    assert check_game(game, games=10 if board in COMPILED else 5) == []


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(positions())
def test_an_informed_playout_takes_a_win_and_stops_one(position):
    game, state = position
    owner, player, stones = stones_of(game, state.history())
    from ponderosa.core.rng import new_rng

    actions = np.zeros(game.max_actions, np.int32)
    move = int(game.rules.playout_action(state.data.copy(), new_rng(1), actions))
    wins = hot_sets(game, owner, player, stones)
    threats = hot_sets(game, owner, 1 - player, game.p)
    assert move not in owner
    if wins:
        assert any(move in window for window in wins)
    elif threats and blocks(game, owner, threats, stones):
        assert move in blocks(game, owner, threats, stones)


@pytest.mark.slow
def test_the_tree_of_an_informed_game_proves_what_the_plain_one_proves():
    for board, proven in (((3, 5, 3, 1, 1), "win"), ((2, 6, 4, 1, 1), "draw")):
        usual = Search(Connect(*board)).run(iterations=2_000_000)
        informed = Search(InformedConnect(*board, near=0), playout="informed").run(iterations=2_000_000)
        assert (usual.proven, informed.proven) == (proven, proven)
        assert proven == "draw" or informed.iterations < usual.iterations / 10


def test_exactly_five_does_not_count_a_longer_line():
    game = plain(InformedConnect(1, 9, 3, 1, 1, exact=True, near=0))
    # X . X X with O elsewhere: filling the gap makes four, which does not win
    state = game.state_after([0, 8, 2, 6, 3])
    state.apply_action(4)
    assert state.current_player() == 0
    assert (
        int(game.rules.winning_action(state.data.copy(), state.data.copy(), np.zeros(8, np.int32), np.zeros(2))) == -1
    )
    state.apply_action(1)
    assert not state.is_terminal()
