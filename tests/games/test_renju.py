"""Renju's forbidden moves: known shapes, and every cell of random boards against the definitions word by word."""

from __future__ import annotations

import random

import pytest

from ponderosa import Search
from ponderosa.core.checks.check_game import check_game
from ponderosa.games.boards.lines import place_stone
from ponderosa.games.renju import ALLOWED, DOUBLE_FOUR, DOUBLE_THREE, FIVE, OVERLINE, Renju, turn_stone, verdict
from tests.helpers import in_python

SIDE = 15
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (-1, 1))

SHAPES = [
    (
        "two threes, crossing",
        DOUBLE_THREE,
        """
        . . . . . . .
        . . . X . . .
        . . . X . . .
        . X X * . . .
        . . . . . . .
        . . . . . . .
        """,
    ),
    (
        "two threes, one of them split",
        DOUBLE_THREE,
        """
        . . . . . . . .
        . . . X . . . .
        . . . X . . . .
        . . . . . . . .
        . X . * X . . .
        . . . . . . . .
        """,
    ),
    (
        "one three and one that White has stopped",
        ALLOWED,
        """
        . . . O . . .
        . . . X . . .
        . . . X . . .
        . X X * . . .
        . . . . . . .
        . . . . . . .
        """,
    ),
    (
        "a three and a four",
        ALLOWED,
        """
        . . . . X . .
        . . . . X . .
        . X X X * . .
        . . . . . . .
        . . . . . . .
        """,
    ),
    (
        "two fours, crossing",
        DOUBLE_FOUR,
        """
        . . . . O . .
        . . . . X . .
        . . . . X . .
        . . . . X . .
        O X X X * . .
        . . . . . . .
        """,
    ),
    ("two fours in one line, close", DOUBLE_FOUR, ". X . X * X . X ."),
    ("two fours in one line, wide", DOUBLE_FOUR, ". X X . X * . X X ."),
    ("two fours in one line, three at once", DOUBLE_FOUR, ". X X X . * . X X X ."),
    ("a straight four is one four", ALLOWED, ". X X X * . . ."),
    ("six in a row", OVERLINE, ". X X X * X X ."),
    ("seven in a row", OVERLINE, ". X X X * X X X ."),
    ("five in a row", FIVE, ". X X * X X ."),
    ("no four, because it would be six", ALLOWED, ". . X . X X * X . ."),
    (
        "five in a row comes before six",
        FIVE,
        """
        . . . X . . . .
        . . . X . . . .
        . . . X . . . .
        . . . X . . . .
        X X X * X X . .
        . . . . . . . .
        """,
    ),
    (
        "five in a row comes before two threes",
        FIVE,
        """
        . . . . . X . .
        . . . X . X . .
        . . . . X X . .
        . . . . . X . .
        . . . X X * . .
        . . . . . . . .
        . . . . . . . .
        """,
    ),
    (
        "no three, because any four would make six",
        ALLOWED,
        """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        X . . X X * . . X . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        """,
    ),
    (
        "no three, because both of its fours are forbidden",
        ALLOWED,
        """
        . . . . . . . . . .
        . . . . . X . . . .
        . . . . . X . . . .
        . . . X X * . . . .
        . . X . . . X . . .
        . . X . . . X . . .
        . . X . . . X . . .
        . . . . . . . . . .
        """,
    ),
    (
        "a three, because one of its fours is allowed",
        DOUBLE_THREE,
        """
        . . . . . . . . . .
        . . . . . X . . . .
        . . . . . X . . . .
        . . . X X * . . . .
        . . X . . . . . . .
        . . X . . . . . . .
        . . X . . . . . . .
        . . . . . . . . . .
        """,
    ),
    (
        "at the edge there is no room for a three",
        ALLOWED,
        """
        . . . . . . .
        X . . . . . .
        X . . . . . .
        * X X . . . .
        . . . . . . .
        . . . . . . .
        """,
    ),
]


def drawn(picture: str):
    """The record of a game in Python with these stones, and the cell that is asked about."""
    game = in_python("renju")
    record, asked = game.new_initial_state().record, None
    rows = [row.split() for row in picture.strip().splitlines()]
    top = (SIDE + len(rows)) // 2 if len(rows) == 1 else SIDE - 1 - 3
    for down, row in enumerate(rows):
        for column, mark in enumerate(row):
            if mark == "X":
                turn_stone(record, top - down, column)
            elif mark == "O":
                place_stone(record, top - down, column, 1)
            elif mark == "*":
                asked = top - down, column
    return record, asked


@pytest.mark.parametrize(("words", "code", "picture"), SHAPES, ids=[words for words, _, _ in SHAPES])
def test_known_shapes(words, code, picture):
    record, (row, column) = drawn(picture)
    before = record.lines.tolist()
    assert verdict(record, row, column) == code
    assert record.lines.tolist() == before


def run(stones, cell, step):
    """The row of stones through a cell, in a direction."""
    found = [cell]
    for sign in (1, -1):
        at = cell
        while (at := (at[0] + sign * step[0], at[1] + sign * step[1])) in stones:
            found.append(at)
    return frozenset(found)


def by_definition(black, white, cell) -> int:
    """What a move of Black is, by the words of the rules: stones are sets of cells."""

    def empty(at):
        return 0 <= at[0] < SIDE and 0 <= at[1] < SIDE and at not in stones and at not in white

    stones = black | {cell}
    runs = [len(run(stones, cell, step)) for step in DIRECTIONS]
    if 5 in runs:
        return FIVE
    if max(runs) > 5:
        return OVERLINE
    fours, threes = set(), 0
    for step in DIRECTIONS:
        near = [(cell[0] + away * step[0], cell[1] + away * step[1]) for away in range(-5, 6)]
        three = False
        for more in filter(empty, near):
            longer = run(stones | {more}, more, step)
            if cell not in longer:
                continue
            if len(longer) == 5:
                fours.add((step, longer - {more}))
            if len(longer) == 4:
                ends = [at for at in near_ends(longer, step) if empty(at)]
                if len(ends) == 2 and all(len(run(stones | {more, end}, end, step)) == 5 for end in ends):
                    three = three or by_definition(stones, white, more) == ALLOWED
        threes += three
    return DOUBLE_FOUR if len(fours) >= 2 else DOUBLE_THREE if threes >= 2 else ALLOWED


def near_ends(row, step):
    first, last = min(row, key=lambda at: along(at, step)), max(row, key=lambda at: along(at, step))
    return (first[0] - step[0], first[1] - step[1]), (last[0] + step[0], last[1] + step[1])


def along(cell, step):
    return cell[0] * step[0] + cell[1] * step[1]


def test_every_cell_of_random_boards_is_judged_by_the_definition():
    draw, found = random.Random(5), set()
    for _ in range(12):
        record = in_python("renju").new_initial_state().record
        cells = [(row, column) for row in range(8) for column in range(8)]
        draw.shuffle(cells)
        count = draw.randint(10, 24)
        black, white = set(cells[:count]), set(cells[count : count + draw.randint(0, 8)])
        for row, column in black:
            turn_stone(record, row, column)
        for row, column in white:
            place_stone(record, row, column, 1)
        for row in range(9):
            for column in range(9):
                if (row, column) not in black | white:
                    wanted = by_definition(frozenset(black), white, (row, column))
                    assert verdict(record, row, column) == wanted, (sorted(black), sorted(white), row, column)
                    found.add(wanted)
    assert found == {FIVE, ALLOWED, OVERLINE, DOUBLE_FOUR, DOUBLE_THREE}


def after(moves: str):
    state = in_python("renju").new_initial_state()
    for move in moves.split():
        state.apply_action(state.game.parse_action(move, state))
    return state


CROSS = "f8 a1 g8 a15 h9 o1 h10 o15"


def test_a_forbidden_move_loses_at_once_and_says_why():
    state = after(f"{CROSS} h8")
    assert state.returns() == [-1.0, 1.0]
    assert state.game.ending(state.record) == "forbidden: two threes at once"


def test_white_may_do_what_black_may_not():
    assert not after("a1 f8 a15 g8 o1 h9 o15 h10 e1 h8").is_terminal()
    six = after("a1 f8 a15 g8 o1 h8 o15 j8 e1 k8 e15 i8")
    assert six.returns() == [-1.0, 1.0] and six.game.ending(six.record) == "five in a row"


def test_cells_that_black_must_not_take_are_marked_on_blacks_turn():
    drawn = str(after(CROSS))
    assert drawn.count("!") == 1 and "X ! " in next(line for line in drawn.splitlines() if line.startswith(" 8"))
    state = after(CROSS[:-4])
    assert "!" not in str(state)


@pytest.mark.slow
def test_a_search_plays_the_forbidden_cell_only_if_it_wants_to_lose():
    game = Renju()
    state = game.new_initial_state()
    for move in CROSS.split():
        state.apply_action(game.parse_action(move, state))
    actions = {each.name: each for each in Search(game).run(state, iterations=3000).actions}
    assert actions["h8"].proven == "loss"
    assert actions["i8"].proven is None


@pytest.mark.slow
def test_the_game_keeps_its_promises():
    assert check_game(Renju(), games=2) == []
