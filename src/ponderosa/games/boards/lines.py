"""Stones on a board as bits along its lines, so that a win check has no branches. Start at place_stone.

Every row, column, diagonal and antidiagonal is one number a player, with a bit for each of that player's stones on it.
The state has the fields lines (4 * span numbers a player), span, rows, columns, k and exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Planes, Record
from ponderosa.compile.bits import count_bits
from ponderosa.compile.marks import inlined

LONGEST_SIDE = 32
MARKS = ("X", "O", "A", "B", "C", "D")
"""How the players' stones are drawn."""


def span_of(rows: int, columns: int) -> int:
    """How many lines of one direction a board has, at most."""
    return rows + columns - 1


def room_for(rows: int, columns: int) -> int:
    """The side of a square with room for a board: boards that are given as much room share their machine code."""
    return -(-max(rows, columns) // 4) * 4


def lines_field(side: int, players: int = 2) -> tuple[str, str, int]:
    """The dtype field for all players' lines on a square board, in the smallest numbers that hold a line."""
    return "lines", "u1" if side <= 8 else "u2" if side <= 16 else "u4", players * 4 * span_of(side, side)


def lines_of(lines: Any, players: int, span: int) -> Any:
    """The lines of one state or several, by player, direction and number in the last dimensions."""
    return lines[..., : players * 4 * span].reshape(*lines.shape[:-1], players, 4, span)


def stone_cells(s: Record, rows: int, columns: int, players: int = 2) -> list[list[str]]:
    """What each cell shows, top row first."""
    stones = lines_of(s.lines, players, s.span)[:, 0, :].tolist()  # the rows of each player

    def mark(row: int, column: int) -> str:
        return "".join(mark for mark, own in zip(MARKS, stones, strict=False) if own[row] >> column & 1)

    return [[mark(row, column) for column in range(columns)] for row in reversed(range(rows))]


@inlined
def place_stone(s: Record, row: Int, column: Int, player: Int) -> Any:
    """Put a stone on an empty cell; says whether it completes a line."""
    rows = player * 4 * s.span
    columns, rising, falling = rows + s.span, rows + 2 * s.span, rows + 3 * s.span
    stones = s.lines[rows + row] | (1 << column)
    s.lines[rows + row] = stones
    wins = run_of(stones, s.k)
    stones = s.lines[columns + column] | (1 << row)
    s.lines[columns + column] = stones
    wins |= run_of(stones, s.k)
    stones = s.lines[rising + row - column + s.columns - 1] | (1 << column)
    s.lines[rising + row - column + s.columns - 1] = stones
    wins |= run_of(stones, s.k)
    stones = s.lines[falling + row + column] | (1 << column)
    s.lines[falling + row + column] = stones
    wins |= run_of(stones, s.k)
    return wins != 0 and (s.exact == 0 or exact_line(s, row, column, player))


def would_win(s: Record, row: Int, column: Int, player: Int) -> Any:
    """Whether a stone on an empty cell would complete a line."""
    rows = player * 4 * s.span
    columns, rising, falling = rows + s.span, rows + 2 * s.span, rows + 3 * s.span
    wins = run_of(s.lines[rows + row] | (1 << column), s.k)
    wins |= run_of(s.lines[columns + column] | (1 << row), s.k)
    wins |= run_of(s.lines[rising + row - column + s.columns - 1] | (1 << column), s.k)
    wins |= run_of(s.lines[falling + row + column] | (1 << column), s.k)
    return wins != 0 and (s.exact == 0 or exact_line(s, row, column, player))


def exact_line(s: Record, row: Int, column: Int, player: Int) -> Any:
    """Whether a stone at this cell, placed or about to be, makes a line of k and no longer."""
    rows = player * 4 * s.span
    columns, rising, falling = rows + s.span, rows + 2 * s.span, rows + 3 * s.span
    return (
        exact_run_of(s.lines[rows + row] | (1 << column), s.k)
        | exact_run_of(s.lines[columns + column] | (1 << row), s.k)
        | exact_run_of(s.lines[rising + row - column + s.columns - 1] | (1 << column), s.k)
        | exact_run_of(s.lines[falling + row + column] | (1 << column), s.k)
    ) != 0


def exact_run_of(stones: Int, k: Int) -> Any:
    """Not 0 if exactly k bits in a row are set somewhere: a run of k with nothing before and nothing behind."""
    stones = np.int64(stones)
    starts = stones
    for _ in range(k - 1):
        starts = stones & (starts >> 1)
    return starts & ~(stones << 1) & ~(stones >> k)


@inlined
def run_of(stones: Int, k: Int) -> Any:
    """Not 0 if k bits in a row are set: bits that start a run of length 1, then 2, 4, ... then k."""
    length = 1
    while 2 * length <= k:
        stones &= stones >> length
        length *= 2
    return stones & (stones >> (k - length))


@inlined
def show_stones(s: Record, planes: Planes, players: Int) -> None:
    """Fill a plane with each player's stones, the player to move first; row 0 is the lowest, as in actions."""
    for seat in range(players):
        first = (s.player + seat) % players * 4 * s.span
        for row in range(s.rows):
            stones = np.int64(s.lines[first + row])
            for column in range(s.columns):
                planes[row, column, seat] = stones >> column & 1


def winning_cells(cells: list[list[str]], mark: str, k: int, exact: bool) -> list[tuple[int, int]]:
    """Row and column of every cell that belongs to a winning line of a mark, for people to see."""
    found: set[tuple[int, int]] = set()
    own = {(row, column) for row, texts in enumerate(cells) for column, text in enumerate(texts) if text == mark}
    for row, column in own:
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if (row - down, column - right) in own:
                continue  # a line is looked at from its first cell
            line = [(row, column)]
            while (line[-1][0] + down, line[-1][1] + right) in own:
                line.append((line[-1][0] + down, line[-1][1] + right))
            if len(line) == k or (len(line) > k and not exact):
                found.update(line)
    return sorted(found)


def in_a_row(k: int) -> str:
    """A line that won, in words."""
    words = ("two", "three", "four", "five", "six")
    return f"{words[k - 2] if k - 2 < len(words) else k} in a row"


def returns_of(winner: Int) -> Any:
    """What both players get when this one (its number plus one; 0: nobody) has won."""
    if winner == 0:
        return 0.0, 0.0
    return (1.0, -1.0) if winner == 1 else (-1.0, 1.0)


def no_line_left(s: Record) -> Any:
    """Whether neither player can ever fill a line of k cells."""
    other = 1 - s.player  # numbers of one type, as in bounds_by_open_lines: line_open is compiled once
    return not line_open(s, other) and not line_open(s, 1 - other)


def line_open(s: Record, player: Int) -> Any:
    """Whether k cells in a line are free of the other player's stones."""
    others = (1 - player) * 4 * s.span
    for row in range(s.rows):
        if run_of(free_cells(s.lines[others + row], 0, s.columns - 1), s.k) != 0:
            return True
    for column in range(s.columns):
        if run_of(free_cells(s.lines[others + s.span + column], 0, s.rows - 1), s.k) != 0:
            return True
    for index in range(s.span):
        # rising: row - column + columns - 1 = index; falling: row + column = index; bits are columns
        first, last = max(0, s.columns - 1 - index), min(s.columns - 1, s.rows + s.columns - 2 - index)
        if run_of(free_cells(s.lines[others + 2 * s.span + index], first, last), s.k) != 0:
            return True
        first, last = max(0, index - s.rows + 1), min(s.columns - 1, index)
        if run_of(free_cells(s.lines[others + 3 * s.span + index], first, last), s.k) != 0:
            return True
    return False


def open_worth(s: Record, player: Int) -> Any:
    """The squares of a player's stones in lines of k cells that are free of the other's, summed over all such lines."""
    own, others = player * 4 * s.span, (1 - player) * 4 * s.span
    total = 0
    for row in range(s.rows):
        total += worth_along(s.lines[own + row], s.lines[others + row], 0, s.columns - 1, s.k)
    for column in range(s.columns):
        at = s.span + column
        total += worth_along(s.lines[own + at], s.lines[others + at], 0, s.rows - 1, s.k)
    for index in range(s.span):  # bits of diagonals are columns, as in line_open
        at = 2 * s.span + index
        first, last = max(0, s.columns - 1 - index), min(s.columns - 1, s.rows + s.columns - 2 - index)
        total += worth_along(s.lines[own + at], s.lines[others + at], first, last, s.k)
        at = 3 * s.span + index
        first, last = max(0, index - s.rows + 1), min(s.columns - 1, index)
        total += worth_along(s.lines[own + at], s.lines[others + at], first, last, s.k)
    return total


def worth_along(own: Int, others: Int, first: Int, last: Int, k: Int) -> Any:
    """The same for one line of the board, whose cells are the bits first .. last."""
    total = 0
    window = (1 << k) - 1
    for begin in range(first, last - k + 2):
        if (np.int64(others) >> begin) & window == 0:
            stones = count_bits((np.int64(own) >> begin) & window)
            total += stones * stones
    return total


def bounds_by_open_lines(s: Record) -> Any:
    """The least and the most that the player to move can still get: who has no open line left cannot win."""
    other = 1 - s.player
    return -1.0 if line_open(s, other) else 0.0, 1.0 if line_open(s, 1 - other) else 0.0


def free_cells(stones: Int, first: Int, last: Int) -> Any:
    """The bits first .. last that are not set."""
    return (((1 << (last - first + 1)) - 1) << first) & ~np.int64(stones)


def board_symmetries(rows: int, columns: int) -> list[list[int]]:
    """Where each cell, row * columns + column, goes when the board is mirrored or turned; the identity is left out."""
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    images = [
        [(row, columns - 1 - column) for row, column in cells],
        [(rows - 1 - row, column) for row, column in cells],
        [(rows - 1 - row, columns - 1 - column) for row, column in cells],
    ]
    if rows == columns:
        images += [[(column, row) for row, column in image] for image in [cells, *images]]
    return [[row * columns + column for row, column in image] for image in images]
