"""Boards that other packages print as text, read as cells. Start at printed_board."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

EMPTY = "."
SQUARE = re.compile(r"(?<![a-z])([a-z])(\d{1,2})(?!\d)")
"""A square by its labels, as in `a5a4`: the column's letter and the row's number."""
PAIR = re.compile(r"\((\d{1,2}),(\d{1,2})\)")
"""A square by row and column from 0, as in `x(0,2)`."""


@dataclass(frozen=True)
class Board:
    """What was printed, without its labels."""

    cells: list[list[str]]
    """The text of each cell, top row first; nothing where it is empty."""
    rows: list[str]
    """What stands before the rows, top row first; empty when nothing does."""
    columns: list[str]
    """What stands below the columns; empty when nothing does."""

    def named_cells(self, name: str) -> list[tuple[int, int]]:
        """Row and column of each square that an action's name has, in their order; none, if one is not there."""
        if self.rows and self.columns:
            squares = [(row, column) for column, row in SQUARE.findall(name.casefold())]
            if not all(row in self.rows and column in self.columns for row, column in squares):
                return []
            return [(self.rows.index(row), self.columns.index(column)) for row, column in squares]
        pairs = [(int(row), int(column)) for row, column in PAIR.findall(name)]
        height, width = len(self.cells), len(self.cells[0])
        return pairs if all(row < height and column < width for row, column in pairs) else []


def printed_board(text: str) -> Board | None:
    """The board that a text is, if it is one from its first to its last letter: rows of equal length, with labels."""
    lines = text.rstrip().split("\n")
    columns = []
    if len(lines) > 2 and _are_letters(lines[-1].strip()):
        columns = list(lines.pop().strip())
    labels = [line[:1] for line in lines]
    labelled = _are_numbers(labels)
    grid = [list(line[1:] if labelled else line) for line in lines]
    even = len(grid) > 1 and len(grid[0]) > 1 and len({len(row) for row in grid}) == 1
    if not even or any(cell.isspace() for row in grid for cell in row) or (columns and len(columns) != len(grid[0])):
        return None
    cells = [["" if cell == EMPTY else cell for cell in row] for row in grid]
    return Board(cells, labels if labelled else [], columns)


def _are_letters(text: str) -> bool:
    return len(text) > 1 and text == string.ascii_lowercase[: len(text)]


def _are_numbers(labels: list[str]) -> bool:
    """Whether they count the rows, upwards or downwards."""
    counted = [str(number + 1) for number in range(len(labels))]
    return labels in (counted, counted[::-1])
