"""Shapes are held against brute force on a line, and a board of shapes against a new one and against the rules."""

from __future__ import annotations

import functools
import itertools
import random as randomness

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import load_game
from ponderosa.connect.evaluations import CELLS
from ponderosa.connect.shapes.player import ShapePlayer, fits
from ponderosa.connect.shapes.pvs import static_value
from ponderosa.connect.shapes.shape_board import FIVE, FOUR, KINDS, MEETINGS, WAITING, WORD, WORDS
from ponderosa.connect.shapes.shape_table import DEAD, WAYS, reach_of, shape, shapes_of
from ponderosa.connect.shapes.shape_weights import WEIGHTS, meetings
from ponderosa.core.budget import Budget
from ponderosa.games.connect import Connect
from tests.helpers import plain, position

BOARDS = [(7, 7, 5, 1, False), (6, 7, 4, 1, True), (5, 6, 4, 1, False), (7, 6, 5, 2, False)]
GAMES = {board: plain(Connect(board[0], board[1], board[2], board[3], 1, board[4])) for board in BOARDS}


@functools.cache
def shape_player_of(board, copy=0):
    return ShapePlayer(GAMES[board], table=2**10)


def wins(line, middle, k, exact):
    """Whether the stones X of a line have k in a row through its middle."""
    left = right = middle
    while left > 0 and line[left - 1] == "X":
        left -= 1
    while right + 1 < len(line) and line[right + 1] == "X":
        right += 1
    return right - left + 1 == k or (right - left + 1 > k and not exact)


@functools.cache
def missing_and_ways(line, middle, k, exact):
    """The shape of a line, by trying all stones."""
    if wins(line, middle, k, exact):
        return 0, 0
    empty = [place for place, cell in enumerate(line) if cell == "."]
    after = [missing_and_ways(line[:at] + "X" + line[at + 1 :], middle, k, exact) for at in empty]
    missing = 1 + min((found for found, _ in after), default=k)
    forcing = {1: 0, 2: 2}.get(missing, 1)
    return min(missing, k), sum(found == missing - 1 and ways >= forcing for found, ways in after)


def around(line, reach):
    """A line as a number, its middle left out."""
    cells = line[:reach] + line[reach + 1 :]
    first = sum(1 << place for place, cell in enumerate(cells) if cell in "X#")
    return first | sum(1 << place for place, cell in enumerate(cells) if cell in "O#") << 2 * reach


@pytest.mark.parametrize(("k", "exact"), [(3, False), (3, True), (4, False)])
def test_every_shape_is_what_trying_all_stones_says(k, exact):
    reach, table = reach_of(k, exact), shapes_of(k, exact)
    for cells in itertools.product(".XO#", repeat=2 * reach):
        line = "".join(cells[:reach]) + "X" + "".join(cells[reach:])
        missing, ways = missing_and_ways(line, reach, k, exact)
        mine = DEAD if missing >= k - 1 else shape(missing, ways)
        assert table[around(line, reach)] & 255 == mine, line
        swapped = line.translate(str.maketrans("XO", "OX"))
        assert table[around(swapped[:reach] + "X" + swapped[reach + 1 :], reach)] >> 8 == mine, line


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("..XXX....", (2, 2)),
        (".XXXX....", (1, 2)),
        ("OXXXX....", (1, 1)),
        ("O.XXX.O..", (2, 0)),
        ("X.XXX.X..", (1, 2)),
        ("XXXXX....", (0, 0)),
        (".#.XX.#..", DEAD),
    ],
)
def test_shapes_that_players_know(line, found):
    middle = 4
    number = shapes_of(5, False)[around(line, middle)] & 255
    assert number == (found if found == DEAD else shape(*found))


@st.composite
def games_so_far(draw):
    board = draw(st.sampled_from(BOARDS))
    state, rng = GAMES[board].new_initial_state(), randomness.Random(draw(st.integers(0, 10**9)))
    for _ in range(draw(st.integers(0, 24))):
        after = state.child(rng.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    return board, state


FIELDS = ("bits", "shape", "sums", "kind", "sets", "counts", "total", "taken", "left", "key", "logged")


def content(shape_player):
    free = [cell for cell in range(shape_player.game.m * shape_player.game.n) if shape_player.record.taken[cell] == 0]
    shapes = [shape_player.record.shape[4 * cell : 4 * cell + 4].tolist() for cell in free]
    rest = [getattr(shape_player.record, name) for name in FIELDS if name not in ("shape", "sums", "kind")]
    return shapes, [value.tolist() if hasattr(value, "tolist") else value for value in rest]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(games_so_far())
def test_a_board_reached_by_other_stones_is_the_same(so_far):
    board, state = so_far
    moves = [int(move) for move in state.history()]
    used, fresh = shape_player_of(board), shape_player_of(board, 1)
    fresh.place([])
    fresh.place(moves)
    used.place(moves)
    assert content(used) == content(fresh)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(games_so_far())
def test_the_cells_that_complete_a_line_are_those_of_the_rules(so_far):
    board, state = so_far
    shape_player = shape_player_of(board)
    shape_player.place([int(move) for move in state.history()])
    player, s = state.current_player(), shape_player.record
    own = {int(cell) for ply, cell in enumerate(state.history()) if state.game.turn(ply)[0] == player}
    empty = set(state.legal_actions())
    winning = {cell for cell in empty if completes(state.game, own, cell)}
    base = (player * KINDS + FIVE) * WORDS
    found = {WORD * word + bit for word in range(WORDS) for bit in range(WORD) if s.sets[base + word] >> bit & 1}
    assert found == winning
    assert s.counts[player * KINDS + FIVE] == len(winning)
    for cell in empty if not winning else ():
        four = any(completes(state.game, own | {cell}, then) for then in empty - {cell})
        assert (s.kind[player * CELLS + cell] >= FOUR) == four


def completes(game, own, cell):
    """Whether a stone on a cell makes a line with those that a player has."""
    row, column = divmod(cell, game.n)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        places = [(row + away * down, column + away * right) for away in range(-game.k, game.k + 1)]
        line = "".join("X" if inside(game, *at) and at[0] * game.n + at[1] in own | {cell} else "." for at in places)
        if wins(line, game.k, game.k, game.exact):
            return True
    return False


def inside(game, row, column):
    return 0 <= row < game.m and 0 <= column < game.n


@pytest.mark.parametrize(
    ("board", "moves", "best"),
    [
        ((7, 7, 5, 1, False), "d4 a1 d5 a2 d3 g7 d6 c1", {"d2", "d7"}),  # takes a win
        ((7, 7, 5, 1, False), "a1 c4 g7 d4 a7 e4", {"b4", "f4", "a4", "g4"}),  # stops an open three
    ],
)
def test_it_takes_wins_and_stops_them(board, moves, best):
    state = position(GAMES[board], moves)
    thought = shape_player_of(board).think([int(move) for move in state.history()], Budget(iterations=3000))
    assert state.action_to_string(thought.best) in best


@pytest.mark.slow
def test_two_stones_that_threaten_too_much_are_a_win():
    board = (7, 6, 5, 2, False)
    moves = [int(move) for move in position(GAMES[board], "a1 c3 d3 f7 f1 c4 d4 a7 b7").history()]
    assert shape_player_of(board).think(moves, Budget(iterations=3000)).value == 1.0
    assert shape_player_of(board).forced_win(moves, 3000)


def test_it_knows_that_the_first_player_wins_four_in_a_row_on_a_board_of_six_by_six_with_open_sides():
    game = plain(Connect(6, 6, 4))
    thought = ShapePlayer(game, table=2**14).think([14, 35, 15, 30], Budget(iterations=20_000))
    assert thought.value == 1.0


@pytest.mark.slow
def test_on_a_small_board_the_shapes_of_the_player_who_searches_count_more():
    small, large = (ShapePlayer(plain(Connect(side, side, 6, 2, 1)), table=2**10) for side in (13, 19))
    moves = [int(move) for move in position(small.game, "g7 f6 h8 k3 k4 f7 g6").history()]
    small.place(moves)
    s, values = small.record, {}
    for s.root in (0, 1):
        for player in (0, 1):
            values[int(s.root), player] = static_value(s, player, 2)
    assert values[0, 0] > values[1, 0] and values[1, 1] > values[0, 1]
    assert s.contempt > 0 and large.record.contempt == 0


@pytest.mark.slow
def test_what_one_player_hopes_for_is_not_what_the_other_finds_in_the_table():
    game, budget = plain(Connect(13, 13, 6, 2, 1)), Budget(iterations=5_000)
    used, fresh = (ShapePlayer(game, table=2**18) for _ in range(2))
    moves = [int(move) for move in position(game, "g7 f6 h8").history()]
    turn = used.think(moves, budget)
    moves += [turn.best, used.think([*moves, turn.best], budget).best]
    for shape_player in (used, fresh):
        shape_player.record.history[:] = 0
    assert used.think(moves, budget) == fresh.think(moves, budget)


def test_boards_without_tables_do_not_fit():
    assert fits(Connect(15, 15, 5)) and fits(Connect(19, 19, 6, 2, 1)) and fits(Connect(15, 15, 5, exact=True))
    assert not fits(Connect(9, 9, 8)) and not fits(Connect(9, 9, 5, 3, 1)) and not fits(Connect(5, 5, 2))


@pytest.mark.parametrize("board", [(7, 7, 5, 1, False), (7, 6, 5, 2, False)])
def test_plain_python_finds_what_machine_code_finds(board, monkeypatch):
    moves, budget = [24, 16, 17, 25, 31, 10], Budget(iterations=300)
    compiled = ShapePlayer(GAMES[board], table=2**10).think(moves, budget)
    monkeypatch.setattr("ponderosa.connect.shapes.player.jit_enabled", lambda: False)
    assert ShapePlayer(GAMES[board], table=2**10).think(moves, budget) == compiled


def test_a_win_that_it_believes_in_is_won_against_random_answers():
    board = BOARDS[0]
    state, shape_player = position(GAMES[board], "d4 a1 d5 g7 e5 a7"), shape_player_of(board)
    player = state.current_player()
    assert shape_player.think([int(move) for move in state.history()], Budget(iterations=20_000)).value == 1.0
    rng = randomness.Random(1)
    for _ in range(10):
        now = state.clone()
        while not now.is_terminal():
            best = shape_player.think([int(move) for move in now.history()], Budget(iterations=5_000)).best
            now.apply_action(best if now.current_player() == player else rng.choice(now.legal_actions()))
        assert now.returns()[player] == 1.0


@settings(max_examples=20, deadline=None)
@given(games_so_far(), st.integers(0, 4))
def test_what_the_cells_are_worth_is_added_up_from_the_shapes_that_meet_on_them(so_far, stage):
    board, state = so_far
    moves = [int(move) for move in state.history()]
    shape_player, weights = shape_player_of(board), WEIGHTS[board[3]]
    worth = weights.stages[stage % len(weights.stages)]
    shape_player.enter_stage(worth.stones)
    shape_player.place(moves)
    s = shape_player.record
    for player in (0, 1):
        moving = waiting = 0
        for cell in state.legal_actions():
            shapes = [int(s.shape[4 * cell + direction]) >> 8 * player & 255 for direction in range(4)]
            met = [class_of(weights, number) for number in shapes if number != DEAD]
            moving += worth_of(worth.moving, [c for c in met if c > 0])
            waiting += worth_of(worth.waiting, [c for c in met if c > 0])
        assert s.total[player] == moving + (waiting << WAITING)


def test_a_game_of_many_stones_is_weighed_as_one():
    stages = WEIGHTS[1].stages
    assert [stage.stones for stage in stages] == sorted({0, *(stage.stones for stage in stages)})
    shape_player, order = ShapePlayer(load_game("gomoku"), table=2**10), randomness.Random(3).sample(range(225), 80)
    for stage, count in [(0, stages[1].stones - 1), (1, stages[1].stones), (-1, 80), (0, 0)]:
        shape_player.think(order[:count], Budget(iterations=10))
        assert shape_player.record.tempo == stages[stage].tempo
        alone = ShapePlayer(
            load_game("gomoku"), table=2**10, weights=WEIGHTS[1]._replace(stages=[stages[stage]._replace(stones=0)])
        )
        alone.place(order[:count])
        assert list(shape_player.record.total) == list(alone.record.total)


def class_of(weights, number):
    missing, ways = divmod(number - 1, WAYS)
    return weights.classes[missing][ways] if missing < len(weights.classes) else 0


def worth_of(table, classes):
    """Every shape alone, and every two of them together."""
    pairs = itertools.combinations(sorted(classes), 2)
    return sum(table[c - 1][0] for c in classes) + sum(table[high - 1][low] for low, high in pairs)


def test_shapes_that_meet_have_a_number_of_their_own():
    numbers = [number for number, _, _ in meetings(WEIGHTS[1].at(0))]
    assert len(set(numbers)) == len(numbers)
    assert max(numbers) < MEETINGS
