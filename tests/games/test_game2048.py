"""2048 against its rules written down a second time, on lists."""

from __future__ import annotations

import itertools

import pytest

from ponderosa import CHANCE, check_game
from ponderosa.errors import SettingError
from tests.helpers import in_python, loaded, random_game

UP, RIGHT, DOWN, LEFT = range(4)


def slid(row: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """A row of tiles after sliding to its beginning, and the points."""
    tiles, done, points = [tile for tile in row if tile], [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            points += tile
        done.append(tile)
    return tuple(done) + (0,) * (len(row) - len(done)), points


def moved(board: list[tuple[int, ...]], way: int) -> tuple[list[tuple[int, ...]], int]:
    """A board of tiles after a move, and the points."""
    if way in (UP, DOWN):
        turned, points = moved(list(zip(*board, strict=True)), LEFT if way == UP else RIGHT)
        return list(zip(*turned, strict=True)), points
    rows = [slid(row if way == LEFT else row[::-1]) for row in board]
    return [row if way == LEFT else row[::-1] for row, _ in rows], sum(points for _, points in rows)


def tiles_of(state) -> list[tuple[int, ...]]:
    return [tuple(int(text or 0) for text in row) for row in state.game.cells(state.record)]


def with_board(game, exponents: list[int]):
    """A state with this board, reached by letting its last tile appear."""
    state = game.new_initial_state()
    state.record.board[:] = exponents
    last = next(cell for cell, tile in enumerate(exponents) if tile in (1, 2))
    state.record.board[last] = 0
    state.record.empty, state.record.due = exponents.count(0) + 1, 1
    return state.child(2 * last + exponents[last] - 1)


def check_moves(state) -> None:
    """Every way is legal if it changes the board, and leads where it should."""
    board = tiles_of(state)
    expected = {way: moved(board, way) for way in range(4)}
    legal = [way for way in range(4) if expected[way][0] != board]
    assert state.legal_actions() == legal
    assert state.is_terminal() == (not legal)
    for way in legal:
        after = state.child(way)
        assert (tiles_of(after), after.record.score - state.record.score) == expected[way]
        empty = [cell for cell, tile in enumerate(itertools.chain(*expected[way][0])) if tile == 0]
        assert after.chance_outcomes() == [
            (2 * cell + four, pytest.approx((0.1 if four else 0.9) / len(empty))) for cell in empty for four in (0, 1)
        ]


@pytest.mark.slow
@pytest.mark.parametrize("row", range(4))
def test_every_row_slides_as_it_should(row):
    """All rows of four tiles up to 8, in each row of the board, beside tiles that do not move."""
    game = loaded("2048")
    for tiles in itertools.product(range(4), repeat=4):
        if row != 0 or {1, 2} & set(tiles):
            board = [[9, 8, 9, 8], [8, 9, 8, 9], [9, 8, 9, 8], [1, 9, 8, 9]]
            board[row] = list(tiles)
            if {1, 2} & set(itertools.chain(*board)):
                check_moves(with_board(game, list(itertools.chain(*board))))


@pytest.mark.slow
def test_every_board_of_two_by_two_moves_as_it_should():
    game = loaded("2048:size=2")
    for board in itertools.product(range(6), repeat=4):
        if {1, 2} & set(board):
            check_moves(with_board(game, list(board)))


@pytest.mark.parametrize("spec", ["2048", "2048:size=3"])
def test_random_games_follow_the_rules(spec):
    states = random_game(loaded(spec), seed=4)
    for state in states[:: 1 + len(states) // 100] + states[-1:]:
        assert state.record.empty == list(state.record.board).count(0)
        if state.to_move() != CHANCE:
            check_moves(state)
    assert states[-1].returns() == [float(states[-1].record.score)]
    assert len(states) > 10


def test_the_largest_tile_of_two_by_two_is_32():
    """n cells hold no tile above 2 ** (n + 1): the ground that max_game_length stands on."""
    game = loaded("2048:size=2")
    seen, frontier = set(), {(0, 0, 0, 0)}
    while frontier:
        seen |= frontier
        after = set()
        for board in frontier:
            for cell, tile in itertools.product(range(4), (2, 4)):
                if board[cell] == 0:
                    full = [*board[:cell], tile, *board[cell + 1 :]]
                    rows = [tuple(full[:2]), tuple(full[2:])]
                    after |= {tuple(itertools.chain(*moved(rows, way)[0])) for way in range(4)}
        frontier = after - seen
    assert max(max(board) for board in seen) == 32
    assert max(sum(board) for board in seen) == 4 + 8 + 16 + 32  # of tiles of 2 or more, each before a move at most
    assert game.max_game_length >= 2 * (4 + 8 + 16 + 32) / 2


def test_a_game_begins_with_two_tiles():
    state = loaded("2048").new_initial_state()
    assert len(state.chance_outcomes()) == 32
    state = state.child(0).child(31)
    assert state.to_move() == 0
    assert str(state) == "4  2 . . .\n3  . . . .\n2  . . . .\n1  . . . 4\n   a b c d\nscore: 0"


def test_outcomes_and_moves_are_told_in_words():
    state = loaded("2048").new_initial_state()
    assert [state.action_to_string(outcome) for outcome in (0, 1, 31)] == ["2 at a4", "4 at a4", "4 at d1"]
    assert [state.child(0).child(31).action_to_string(way) for way in range(4)] == ["up", "right", "down", "left"]


def test_four_equal_tiles_become_two():
    state = with_board(loaded("2048"), [1, 1, 1, 1] + [0] * 12)
    after = state.child(LEFT)
    assert tiles_of(after)[0] == (4, 4, 0, 0)
    assert after.record.score == 8


@pytest.mark.parametrize("size", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
def test_all_sizes_keep_their_promises(size):
    assert check_game(in_python(f"2048:size={size}"), games=3) == []


@pytest.mark.parametrize("size", [1, 7])
def test_sizes_that_make_no_game_are_refused(size):
    with pytest.raises(SettingError, match=f"2048 boards have 2 to 6 rows and columns, not {size}"):
        loaded(f"2048:size={size}")
