"""2048: slide the tiles, equal ones merge, and a new one appears by chance. Start at Game2048."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record, Values
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import CHANCE, Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError

UP, RIGHT, DOWN, LEFT = range(4)
NAMES = ("up", "right", "down", "left")
FOURS = 10
"""One new tile in this many is a 4, the others are 2."""
SMALLEST, LARGEST = 2, 6
FILLS = [
    "#cdc1b4",
    "#eee4da",
    "#ede0c8",
    "#f2b179",
    "#f59563",
    "#f67c5f",
    "#f65e3b",
    "#edcf72",
    "#edcc61",
    "#edc850",
    "#edc53f",
    "#edc22e",
    "#3c3a32",
]
"""The colours of an empty cell, of a 2, a 4 and so on, as players know them."""


class Game2048(Game):
    """Slide all tiles one way; two equal ones merge and give their sum in points. After that a 2 or a 4 appears.

    Cells are numbered row by row from the top left. What chance shows is cell * 2, plus 1 when the new tile is a 4.
    """

    name = "2048"
    label = "2048"
    players = 1
    chance = True
    min_utility, max_utility = 0.0, math.inf

    def __init__(self, size: int = 4) -> None:
        if not SMALLEST <= size <= LARGEST:
            raise SettingError(f"2048 boards have {SMALLEST} to {LARGEST} rows and columns, not {size}")
        self.size = size
        cells = size * size
        self.max_actions = 2 * cells
        self.observation_shape = size, size, cells + 3
        # n cells cannot hold more than the tiles 4, 8, .. 2 ** (n + 1); every move is followed by a tile of at least 2
        self.max_game_length = 2 ** (cells + 2)
        self.dtype = np.dtype(
            [
                ("score", "i8"),
                ("board", "i1", cells),  # the tile 2 ** n as n; 0: empty
                ("size", "i1"),
                ("empty", "i1"),  # how many cells are
                ("due", "i1"),  # tiles that appear before the next move
                ("ways", "i1"),  # a bit for each way in which something moves
            ]
        )

    def setup(self, s: Record) -> None:
        s.size, s.empty, s.due = self.size, self.size * self.size, 2

    @rule
    def current_player(s: Record) -> Any:
        return CHANCE if s.due > 0 else 0

    @rule
    def chance_outcomes(s: Record, outcomes: Actions, probabilities: Values) -> Any:
        count = 0
        for cell in range(s.size * s.size):
            if s.board[cell] == 0:
                outcomes[count], outcomes[count + 1] = 2 * cell, 2 * cell + 1
                probabilities[count] = (FOURS - 1.0) / (FOURS * s.empty)
                probabilities[count + 1] = 1.0 / (FOURS * s.empty)
                count += 2
        return count

    @rule
    def chance_outcome(s: Record, rng: Rng) -> Any:
        skipped, cell = below(rng, s.empty), 0
        while s.board[cell] != 0 or skipped > 0:
            skipped -= s.board[cell] == 0
            cell += 1
        return 2 * cell + (below(rng, FOURS) == 0)

    @rule
    def legal_actions(s: Record) -> Any:
        for way in range(4):
            if s.ways >> way & 1:
                yield way

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        way = below(rng, 4)
        while s.ways >> way & 1 == 0:
            way = below(rng, 4)
        return way

    @rule
    def apply_action(s: Record, a: Int) -> None:
        if s.due == 0:
            for line in range(s.size):
                slide(s, first_cell(s, a, line), step_of(s, a))
            s.due = 1
        else:
            s.board[a // 2] = 1 + a % 2
            s.empty -= 1
            s.due -= 1
            if s.due == 0:
                s.ways = open_ways(s)

    @rule
    def is_terminal(s: Record) -> Any:
        return s.due == 0 and s.ways == 0

    @rule
    def returns(s: Record) -> Any:
        return (float(s.score),)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """A plane for each tile from 2 on, one for the score and one for the tiles that are due."""
        tiles = planes.shape[2] - 2
        for cell in range(s.size * s.size):
            if s.board[cell] != 0:
                planes[cell // s.size, cell % s.size, s.board[cell] - 1] = 1.0
        planes[:, :, tiles] = math.log1p(s.score)
        planes[:, :, tiles + 1] = s.due

    def action_to_string(self, s: Record, a: int) -> str:
        return NAMES[a]

    def outcome_to_string(self, s: Record, outcome: int) -> str:
        row, column = divmod(outcome // 2, self.size)
        return f"{2 << outcome % 2} at {chr(ord('a') + column)}{self.size - row}"

    def ending(self, s: Record) -> str:
        return "no tile can be moved"

    def player_name(self, player: int) -> str:
        return "player"

    def cells(self, s: Record) -> list[list[str]]:
        fills = [FILLS[min(tile, len(FILLS) - 1)] for tile in s.board]
        texts: list[str] = [
            Cell(str(2**tile) if tile else "", fill=fill) for tile, fill in zip(s.board, fills, strict=True)
        ]
        return [texts[row * self.size : (row + 1) * self.size] for row in range(self.size)]

    def row_labels(self) -> list[str]:
        return [str(row) for row in range(self.size, 0, -1)]

    def column_labels(self) -> list[str]:
        return [chr(ord("a") + column) for column in range(self.size)]

    def draw(self, s: Record) -> str:
        return f"{super().draw(s)}\nscore: {s.score}"


def first_cell(s: Record, way: Int, line: Int) -> Any:
    """The cell of a row or column towards which its tiles slide."""
    last = s.size - 1
    if way == UP:
        return line
    if way == DOWN:
        return last * s.size + line
    return line * s.size + (last if way == RIGHT else 0)


def step_of(s: Record, way: Int) -> Any:
    """From a cell to the next one, away from where tiles slide to."""
    if way == UP or way == DOWN:
        return s.size if way == UP else -s.size
    return 1 if way == LEFT else -1


def slide(s: Record, first: Int, step: Int) -> None:
    """Slide one row or column towards its first cell; a tile merges once, those in front before those behind."""
    place, waiting = first, 0  # the next free place; the last tile that may still merge
    for index in range(s.size):
        cell = first + index * step
        tile = s.board[cell]
        if tile == 0:
            continue
        s.board[cell] = 0
        if tile == waiting:
            s.board[place - step] = tile + 1
            s.score += np.int64(2) << tile
            s.empty += 1
            waiting = 0
        else:
            s.board[place] = tile
            place += step
            waiting = tile


def open_ways(s: Record) -> Any:
    """A bit for each way in which a tile slides or merges."""
    ways = 0
    for cell in range(s.size * s.size):
        tile = s.board[cell]
        if (cell + 1) % s.size != 0:
            right = s.board[cell + 1]
            ways |= moves_onto(tile, right) << RIGHT | moves_onto(right, tile) << LEFT
        if cell + s.size < s.size * s.size:
            lower = s.board[cell + s.size]
            ways |= moves_onto(tile, lower) << DOWN | moves_onto(lower, tile) << UP
    return ways


@inlined
def moves_onto(tile: Int, target: Int) -> Any:
    """1 if a tile can move to the neighbouring cell with this tile, or none, in it."""
    return int(tile != 0 and (target == 0 or target == tile))
