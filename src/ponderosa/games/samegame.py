"""SameGame: take blocks of one colour off the board, the larger the better. Start at SameGame."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.coloured_cells import COLOURS, drawn_board, read_board
from ponderosa.games.boards.line_board import column_letters
from ponderosa.games.boards.lines import room_for

FILLS = ("#e5484d", "#3b82f6", "#2f9e5b", "#f2c037", "#a855c7", "#f08c3a", "#2aa5b8", "#e879a9", "#8fae2b", "#8b8f98")
"""The colours of the blocks, as pictures show them; letters tell apart what is more."""
TRIES = 8
"""How many cells for each column are drawn before an informed playout gives up to spare a colour."""
CLEARED = 1000
"""What an empty board is worth."""


class SameGame(Game):
    """Take blocks of two or more neighbours of one colour: n give (n - 2) squared points, an empty board 1000 more.

    What lies above falls down, and columns close up to the left. What is left at the end costs nothing. Boards follow
    from the seed, or are read from a text file, `board`: a line a row, a letter or digit a colour, a dot for nothing.
    The action of a block is its cell furthest left, the lowest of these: column * (rows + 1) + row, from the bottom.
    """

    name = "samegame"
    label = "SameGame"
    players = 1
    files = ("board",)
    scratch = ("block", "size", "found")
    min_utility = 0.0

    def __init__(self, rows: int = 15, columns: int = 15, colours: int = 5, seed: int = 0, board: str = "") -> None:
        if board:
            self.symbols, self.start = read_board(board)
        else:
            self.symbols, self.start = COLOURS[:colours], drawn_board(rows, columns, colours, seed)
        self.columns, self.rows = self.start.shape
        self.observation_shape = self.rows, self.columns, int(self.start.max()) + 1
        self.max_actions = self.max_game_length = max(1, self.start.size // 2)
        # all cells of a colour in one block give more than the same cells in several
        counts = Counter(self.start[self.start > 0].tolist())
        self.max_utility = float(CLEARED + sum((count - 2) ** 2 for count in counts.values() if count > 2))
        side = room_for(self.rows, self.columns)
        self.dtype = np.dtype(
            [
                # colours from 1 on, 0 for an empty cell: an empty column, then each column from its bottom up with an
                # empty cell on top, and an empty column; so every cell has four neighbours
                ("board", "i1", (side + 2) * (side + 1)),
                ("block", "i2", side * side),  # the cells of the block that was looked at last
                ("size", "i2"),  # how many they are
                ("found", "i2"),  # the least of them; 0: none was looked at
                ("score", "i4"),
                ("max_utility", "i4"),  # of this board: the same machine code serves others
                ("stride", "i1"),  # from a cell to its neighbour on the right
                ("width", "i1"),  # columns that are not empty
                ("spared", "i1"),  # the colour that informed playouts take last
                ("over", "i1"),
            ]
        )

    def setup(self, s: Record) -> None:
        s.stride = self.rows + 1
        self.shown(s)[:] = self.start
        s.width = (self.start[:, 0] > 0).sum()
        s.spared = np.bincount(self.start[self.start > 0], minlength=2).argmax()
        s.over = not any_block(s)

    def shown(self, s: Record) -> Any:
        """The cells that people see, by column and row."""
        return s.board[: (self.columns + 2) * s.stride].reshape(self.columns + 2, s.stride)[1:-1, :-1]

    @rule
    def current_player(s: Record) -> Any:
        return 0

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        count = 0
        for cell in range(s.stride, s.stride * (s.width + 1)):
            if may_be_least(s, cell) and least_of_block(s, cell) == cell:
                actions[count] = cell - s.stride
                count += 1
        return count

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return drawn_block(s, rng)

    @rule
    def playout_action(s: Record, rng: Rng) -> Any:
        # Schadd et al. 2008, "Single-player Monte-Carlo tree search": one colour is left to grow into large blocks
        for _ in range(TRIES * s.width):
            cell = drawn_cell(s, rng)
            if s.board[cell] != s.spared and may_be_least(s, cell) and least_of_block(s, cell) == cell:
                return cell - s.stride
        return drawn_block(s, rng)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        if s.found != a + s.stride:
            least_of_block(s, a + s.stride)
        s.score += points(s.size)
        take_block(s)
        if s.width == 0:
            s.score += CLEARED
        s.over = not any_block(s)

    @rule
    def is_terminal(s: Record) -> Any:
        return s.over != 0

    @rule
    def returns(s: Record) -> Any:
        return (float(s.score),)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """A plane for each colour, row 0 at the bottom, and one for the share of the highest score."""
        for row in range(planes.shape[0]):
            for column in range(planes.shape[1]):
                colour = s.board[(column + 1) * s.stride + row]
                if colour != 0:
                    planes[row, column, colour - 1] = 1.0
        planes[:, :, planes.shape[2] - 1] = s.score / s.max_utility

    def action_to_string(self, s: Record, a: int) -> str:
        column, row = divmod(a, self.rows + 1)
        return f"{column_letters(column)}{row + 1}"

    def ending(self, s: Record) -> str:
        return "no block is left to take" if s.width else "the board is cleared"

    def player_name(self, player: int) -> str:
        return "player"

    def cells(self, s: Record) -> list[list[str]]:
        marks = ["", *(Cell(mark, fill=FILLS[place % len(FILLS)]) for place, mark in enumerate(self.symbols))]
        board = self.shown(s).tolist()
        return [[marks[column[row]] for column in board] for row in reversed(range(self.rows))]

    def cell_actions(self, s: Record) -> list[list[int | None]]:
        meant: dict[int, int] = {}
        for cell in range(s.stride, s.stride * (s.width + 1)):
            if may_be_least(s, cell) and least_of_block(s, cell) == cell:
                meant.update(dict.fromkeys(s.block[: s.size].tolist(), cell - s.stride))
        columns = range(1, self.columns + 1)
        return [[meant.get(column * s.stride + row) for column in columns] for row in reversed(range(self.rows))]

    def row_labels(self) -> list[str]:
        return [str(row) for row in range(self.rows, 0, -1)]

    def column_labels(self) -> list[str]:
        return [column_letters(column) for column in range(self.columns)]

    def draw(self, s: Record) -> str:
        return f"{super().draw(s)}\nscore: {s.score}"


def points(size: Int) -> Any:
    """What a block gives."""
    return (size - 2) * (size - 2)


@inlined
def drawn_block(s: Record, rng: Rng) -> Any:
    """Any block: each has one least cell, so all are equally likely."""
    while True:
        cell = drawn_cell(s, rng)
        if may_be_least(s, cell) and least_of_block(s, cell) == cell:
            return cell - s.stride


@inlined
def drawn_cell(s: Record, rng: Rng) -> Any:
    """Any cell of the columns that are not empty."""
    return s.stride + below(rng, s.stride * s.width)


@inlined
def may_be_least(s: Record, cell: Int) -> Any:
    """Whether a cell has a neighbour of its colour, and none on the left or below."""
    colour = s.board[cell]
    if colour == 0 or s.board[cell - s.stride] == colour or s.board[cell - 1] == colour:
        return False
    return s.board[cell + s.stride] == colour or s.board[cell + 1] == colour


def least_of_block(s: Record, cell: Int) -> Any:
    """List the block that a cell belongs to; returns its least cell."""
    colour = s.board[cell]
    s.block[0] = cell
    s.board[cell] = 0  # what is listed already
    size, looked, least = 1, 0, cell
    while looked < size:
        here = np.int64(s.block[looked])
        least = min(least, here)
        looked += 1
        for neighbour in (here - s.stride, here - 1, here + 1, here + s.stride):
            if s.board[neighbour] == colour:
                s.board[neighbour] = 0
                s.block[size] = neighbour
                size += 1
    for index in range(size):
        s.board[s.block[index]] = colour
    s.size, s.found = size, least
    return least


def take_block(s: Record) -> None:
    """Take the listed block away: what is above it falls, and empty columns close."""
    last = s.found
    for index in range(s.size):
        s.board[s.block[index]] = 0
        last = max(last, s.block[index])
    first, last = s.found // s.stride, last // s.stride
    kept = first
    for column in range(first, s.width + 1):
        if kept == column and column > last:
            break  # nothing changes from here on
        if fall(s, column, kept):
            kept += 1
    else:
        s.width = kept - 1
    s.size = s.found = 0


@inlined
def fall(s: Record, column: Int, place: Int) -> Any:
    """Let a column fall into its place, this one or one further left; says whether anything is in it."""
    target = place * s.stride
    for cell in range(column * s.stride, (column + 1) * s.stride):
        colour = s.board[cell]
        if colour != 0:
            s.board[cell] = 0
            s.board[target] = colour
            target += 1
    return target != place * s.stride


def any_block(s: Record) -> Any:
    """Whether two neighbours have one colour."""
    for cell in range(s.stride, s.stride * (s.width + 1)):
        colour = s.board[cell]
        if colour != 0 and (s.board[cell + 1] == colour or s.board[cell + s.stride] == colour):
            return True
    return False
