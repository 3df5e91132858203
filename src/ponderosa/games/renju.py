"""Renju: five in a row with forbidden moves for black, who moves first. Start at Renju, then verdict.

The rules of the Renju International Federation. Black wins with exactly five in a row; a move of Black that makes two
threes, two fours or a row of six and more, and no five, is forbidden and loses. White wins with five or more. A four is
a row that one more stone makes five; a three one that one more stone, on a cell that is not forbidden, makes a straight
four: four in a row that both ends make five.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.bits import count_bits
from ponderosa.core.cell import Cell
from ponderosa.core.game import rule
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.line_board import LineBoard, end_move, take_cell
from ponderosa.games.boards.lines import place_stone, winning_cells, would_win

BLACK, WHITE = 0, 1
FIVE, ALLOWED, OVERLINE, DOUBLE_FOUR, DOUBLE_THREE, OPEN = -1, 0, 1, 2, 3, 4
"""What a move of Black is; all above ALLOWED are forbidden. OPEN: that is not known yet."""
FORBIDDEN = {OVERLINE: "six in a row", DOUBLE_FOUR: "two fours at once", DOUBLE_THREE: "two threes at once"}
REDRAWN = 8
"""How often a playout draws another cell for a forbidden one: who plays at random does not know the rules better."""
DEEPEST = 6
"""How many cells deep it is asked whether a three is one: no known position needs so many."""
FARTHEST = 3
CELLS_BESIDE = 2 * FARTHEST + 1
STEPS = 4 * CELLS_BESIDE
"""A step leads from a cell to one up to three away, in a direction: direction * 7 + 3 + how far."""


class Renju(LineBoard):
    """Gomoku on 15 x 15 for which Black has forbidden moves: two threes, two fours, six in a row.

    A forbidden move may be made, and loses at once.
    """

    name = "renju"
    label = "Renju"

    def __init__(self) -> None:
        super().__init__(15, 15, 5, 1, 1)
        assert self.dtype is not None
        self.dtype = np.dtype(
            [*self.dtype.descr, ("fault", "i1")]
        )  # why Black's last move was forbidden; 0: it was not

    @rule
    def apply_action(s: Record, a: Int) -> None:
        take_cell(s, a)
        row = np.int64(s.row[a])
        column = a - row * s.columns
        if s.player == WHITE:
            if place_stone(s, row, column, WHITE):
                s.winner = WHITE + 1
        else:
            found = verdict(s, row, column)
            place_stone(s, row, column, BLACK)
            if found == FIVE:
                s.winner = BLACK + 1
            elif found > ALLOWED:
                s.winner, s.fault = WHITE + 1, found
        end_move(s)

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return unforbidden(s, rng)

    @rule
    def winning_action(s: Record) -> Any:
        for index in range(s.left):
            action = np.int64(s.empty[index])
            row = np.int64(s.row[action])
            column = action - row * s.columns
            if s.player == WHITE:
                wins = would_win(s, row, column, WHITE)
            else:
                wins = would_win(s, row, column, BLACK) and verdict(s, row, column) == FIVE
            if wins:
                return action
        return np.int64(-1)

    def cells(self, s: Record) -> list[list[str]]:
        """Cells that Black must not take have a mark, !, while it is Black's turn."""
        cells = super().cells(s)
        if s.player != BLACK or s.winner != 0:
            return cells
        copy: Any = SimpleNamespace(
            lines=s.lines.tolist(), span=s.span, rows=s.rows, columns=s.columns
        )  # faster to ask
        for row in range(self.m):
            for column in range(self.n):
                if not cells[self.m - 1 - row][column] and verdict(copy, row, column) > ALLOWED:
                    cells[self.m - 1 - row][column] = Cell("!", sign="x", ink="#b00020")
        return cells

    def winning_cells(self, s: Record) -> list[tuple[int, int]]:
        return winning_cells(self.cells(s), "XO"[s.winner - 1], self.k, s.winner == BLACK + 1) if s.winner else []

    def ending(self, s: Record) -> str:
        return f"forbidden: {FORBIDDEN[int(s.fault)]}" if s.fault else super().ending(s)


def unforbidden(s: Record, rng: Rng) -> Any:
    """A random cell; Black draws some times more, if it is forbidden."""
    action = np.int64(s.empty[below(rng, s.left)])
    if s.player == BLACK:
        for _ in range(REDRAWN):
            row = np.int64(s.row[action])
            if verdict(s, row, action - row * s.columns) <= ALLOWED:
                return action
            action = np.int64(s.empty[below(rng, s.left)])
    return action


def verdict(s: Record, row: Int, column: Int) -> Any:
    """What a move of Black on an empty cell is; the state is as before afterwards.

    Whether a three is one may depend on what a further move is, and that on one more. Their stones all lie on the board
    meanwhile; `waiting` has, in six bits for each but the last, where its threes were looked for, and how many it has.
    """
    if not looks_dangerous(s, row, column):
        return ALLOWED
    turn_stone(s, row, column)
    found = judged(s, row, column)
    waiting, threes, depth = np.int64(0), np.int64(0), 0
    step: Int = np.int64(0)
    while True:
        if found != OPEN:
            turn_stone(s, row, column)
            if depth == 0:
                return found
            step, threes = (waiting >> 1) & 31, waiting & 1
            waiting, depth = waiting >> 6, depth - 1
            row, column = cell_at(row, column, step, -1)
            if found == ALLOWED:
                threes += 1
                step += CELLS_BESIDE - step % CELLS_BESIDE
            else:
                step += 1
            found = OPEN
        step = next_straight_four(s, row, column, step) if threes < 2 else STEPS
        if step == STEPS:
            found = DOUBLE_THREE if threes == 2 else ALLOWED
            continue
        at, beside = cell_at(row, column, step, 1)
        if depth == DEEPEST or not looks_dangerous(s, at, beside):
            threes += 1
            step += CELLS_BESIDE - step % CELLS_BESIDE
        else:
            waiting, depth = waiting << 6 | step << 1 | threes, depth + 1
            row, column, step, threes = at, beside, np.int64(0), np.int64(0)
            turn_stone(s, row, column)
            found = judged(s, row, column)


def looks_dangerous(s: Record, row: Int, column: Int) -> Any:
    """Whether there are enough black stones around for a five, or for anything forbidden."""
    lines = 0
    for direction in range(4):
        line, place = line_at(s, direction, row, column)
        first = max(0, place - 5)
        around = count_bits((np.int64(s.lines[line]) >> first) & ((1 << (place - first + 6)) - 1))
        if around >= 4:
            return True
        lines += around >= 2
    return lines >= 2


def judged(s: Record, row: Int, column: Int) -> int:
    """The same for a stone that lies there, a five before everything; OPEN: its threes decide."""
    longest, fours = 0, 0
    for direction in range(4):
        line, place = line_at(s, direction, row, column)
        length = run_through(np.int64(s.lines[line]), place)
        if length == 5:
            return FIVE
        longest = max(longest, length)
    if longest > 5:
        return OVERLINE
    for direction in range(4):
        line, place = line_at(s, direction, row, column)
        fours += fours_through(np.int64(s.lines[line]), free_on(s, direction, row, column), place)
    if fours >= 2:
        return DOUBLE_FOUR
    return OPEN


def next_straight_four(s: Record, row: Int, column: Int, step: Int) -> Any:
    """The first step from this one on to a cell that makes a straight four with the stone; STEPS: there is none."""
    for direction in range(step // CELLS_BESIDE, 4):
        line, place = line_at(s, direction, row, column)
        own, free = np.int64(s.lines[line]), free_on(s, direction, row, column)
        for candidate in range(max(step, CELLS_BESIDE * direction), CELLS_BESIDE * (direction + 1)):
            other = place + candidate - CELLS_BESIDE * direction - FARTHEST
            if other < 0 or other == place or (free >> other) & 1 == 0:
                continue
            if straight_four(own | (1 << other), free, place, other):
                return np.int64(candidate)
    return np.int64(STEPS)


def cell_at(row: Int, column: Int, step: Int, forth: Int) -> Any:
    """The cell that a step leads to, or, with forth = -1, the one that it came from."""
    direction, away = step // CELLS_BESIDE, (step % CELLS_BESIDE - FARTHEST) * forth
    if direction == 0:
        return row, column + away
    if direction == 1:
        return row + away, column
    return row + away if direction == 2 else row - away, column + away


def straight_four(own: Int, free: Int, one: Int, other: Int) -> Any:
    """Whether two stones lie in one row of exactly four that both ends make exactly five."""
    low, high = min(one, other), max(one, other)
    first = low
    while first > 0 and (own >> (first - 1)) & 1 != 0:
        first -= 1
    if run_through(own, low) != 4 or high >= first + 4 or first == 0:
        return False
    ends = (free >> (first - 1)) & 1 != 0 and (free >> (first + 4)) & 1 != 0
    longer = (first > 1 and (own >> (first - 2)) & 1 != 0) or (own >> (first + 5)) & 1 != 0
    return ends and not longer


def fours_through(own: Int, free: Int, place: Int) -> int:
    """How many fours a stone belongs to on its line: different sets of four that one more stone makes exactly five."""
    count, last = 0, np.int64(0)
    for first in range(max(0, place - 4), place + 1):
        window = np.int64(31) << first
        stones = own & window
        if count_bits(stones) != 4 or (free & window) != (window & ~own):
            continue
        before = first > 0 and (own >> (first - 1)) & 1 != 0
        if before or (own >> (first + 5)) & 1 != 0:
            continue  # it would be six
        if stones != last:  # the two ways to complete a straight four are one four
            count += 1
        last = stones
    return count


def run_through(own: Int, place: Int) -> int:
    """How many stones lie in a row through a place."""
    length: int = 1
    while (own >> (place + length)) & 1 != 0:
        length += 1
    behind = place - 1
    while behind >= 0 and (own >> behind) & 1 != 0:
        length += 1
        behind -= 1
    return length


def line_at(s: Record, direction: int, row: Int, column: Int) -> Any:
    """Which of Black's lines a cell lies on in a direction, and where."""
    if direction == 0:
        return np.int64(row), np.int64(column)
    if direction == 1:
        return np.int64(s.span + column), np.int64(row)
    if direction == 2:
        return np.int64(2 * s.span + row - column + s.columns - 1), np.int64(column)
    return np.int64(3 * s.span + row + column), np.int64(column)


def free_on(s: Record, direction: int, row: Int, column: Int) -> Any:
    """The empty cells of a line, as bits."""
    first: Int = 0
    last: Int = s.columns - 1
    if direction == 1:
        last = s.rows - 1
    elif direction == 2:
        first, last = max(0, column - row), min(s.columns - 1, s.rows - 1 + column - row)
    elif direction == 3:
        first, last = max(0, row + column - s.rows + 1), min(s.columns - 1, row + column)
    line, _ = line_at(s, direction, row, column)
    cells = ((np.int64(1) << (last - first + 1)) - 1) << first
    return cells & ~np.int64(s.lines[line]) & ~np.int64(s.lines[4 * s.span + line])


def turn_stone(s: Record, row: Int, column: Int) -> None:
    """Put a black stone on a cell, or take it back."""
    for direction in range(4):
        line, place = line_at(s, direction, row, column)
        s.lines[line] ^= 1 << place
