"""A board on which stones are placed and lines of them count. Start at LineBoard."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.game import Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError
from ponderosa.games.boards.lines import (
    LONGEST_SIDE,
    MARKS,
    board_symmetries,
    in_a_row,
    lines_field,
    returns_of,
    room_for,
    show_stones,
    span_of,
    stone_cells,
    winning_cells,
)

LEAST_CROSSINGS = 6
"""Boards of so many rows and columns are drawn as lines with stones on their crossings."""
STONES = ("Black", "White", "Blue", "Yellow", "Red", "Green")
"""What people call the players by these stones."""


class LineBoard(Game):
    """A board on which stones are placed and lines of them count: all but how a stone is judged, `apply_action`.

    The action of a cell is row * n + column, row 0 at the bottom.
    """

    scratch: tuple[str, ...] = ("empty", "place", "row")

    def __init__(
        self, m: int = 15, n: int = 15, k: int = 5, p: int = 1, q: int = 1, exact: bool = False, players: int = 2
    ) -> None:
        if not (1 <= m <= LONGEST_SIDE and 1 <= n <= LONGEST_SIDE):
            raise SettingError(f"{self.title()} boards have 1 to {LONGEST_SIDE} rows and columns, not {m} x {n}")
        if not 2 <= k <= max(m, n):
            raise SettingError(
                f"{self.title()}: k must be from 2 to the longer side of the board, {max(m, n)}, not {k}"
            )
        if not (1 <= p <= 16 and 1 <= q <= 16):
            raise SettingError(f"{self.title()}: p and q, the stones a turn, must be from 1 to 16, not {p=}, {q=}")
        if not 2 <= players <= len(MARKS):
            raise SettingError(f"{self.title()} is for 2 to {len(MARKS)} players, not {players}")
        self.m, self.n, self.k, self.p, self.q, self.exact, self.players = m, n, k, p, q, exact, players
        self.board = "crossings" if min(m, n) >= LEAST_CROSSINGS else "squares"
        self.max_game_length = self.max_actions = m * n
        self.observation_shape = m, n, players + (p > 1 or q > 1)
        side = room_for(m, n)
        self.dtype = np.dtype(
            [
                lines_field(side, players),
                ("empty", "i2", side * side),  # the first `left` are the actions that are still free
                ("place", "i2", side * side),  # where each action stands in empty
                ("row", "i1", side * side),  # the row of each action: a table is faster than a division
                ("left", "i2"),
                ("player", "i1"),
                ("stones", "i1"),  # stones that the player still places in this turn
                ("winner", "i1"),  # player + 1; 0: nobody yet
                ("rows", "i1"),
                ("columns", "i1"),
                ("span", "i1"),
                ("k", "i1"),
                ("exact", "i1"),  # whether a longer line does not win
                ("p", "i1"),
            ]
        )

    def setup(self, s: Record) -> None:
        s.rows, s.columns, s.span, s.k, s.p, s.stones = self.m, self.n, span_of(self.m, self.n), self.k, self.p, self.q
        s.exact, s.left = self.exact, self.m * self.n
        cells = np.arange(s.left)
        s.row[: s.left] = cells // self.n
        s.empty[: s.left] = s.place[: s.left] = cells

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        for index in range(s.left):
            actions[index] = s.empty[index]
        return s.left

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return s.empty[below(rng, s.left)]

    @rule
    def is_terminal(s: Record) -> Any:
        return s.winner != 0 or s.left == 0

    @rule
    def returns(s: Record) -> Any:
        return returns_of(s.winner)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        show_stones(s, planes, 2)
        show_turn(s, planes, 2)

    def action_to_string(self, s: object, a: int) -> str:
        return column_letters(a % self.n) + str(a // self.n + 1)

    def cells(self, s: Record) -> list[list[str]]:
        return stone_cells(s, self.m, self.n, self.players)

    def cell_actions(self, s: Record) -> list[list[int]]:
        return [[row * self.n + column for column in range(self.n)] for row in reversed(range(self.m))]

    def winning_cells(self, s: Record) -> list[tuple[int, int]]:
        return winning_cells(self.cells(s), MARKS[s.winner - 1], self.k, self.exact) if s.winner else []

    def ending(self, s: Record) -> str:
        return in_a_row(self.k) if s.winner else "the board is full"

    def symmetries(self) -> list[list[int]]:
        return board_symmetries(self.m, self.n)

    def shifts(self) -> tuple[int, int]:
        return self.m, self.n

    def row_labels(self) -> list[str]:
        return [str(row) for row in range(self.m, 0, -1)]

    def column_labels(self) -> list[str]:
        return [column_letters(column) for column in range(self.n)]

    def player_name(self, player: int) -> str:
        return MARKS[player]

    def people_call_player(self, player: int) -> str:
        return STONES[player] if self.board == "crossings" else MARKS[player]


@inlined
def take_cell(s: Record, a: Int) -> None:
    """Take a cell out of the list of empty ones: the last of the list moves into its place."""
    s.left -= 1
    moved = s.empty[s.left]
    s.empty[s.place[a]] = moved
    s.place[moved] = s.place[a]


@inlined
def end_move(s: Record) -> None:
    """One stone less in this turn; after the last one it is the other player's."""
    s.stones -= 1
    if s.stones == 0:
        s.player = 1 - s.player
        s.stones = s.p


@inlined
def show_turn(s: Record, planes: Planes, plane: Int) -> None:
    """Fill a plane, if there is one: the more stones follow in this turn, the nearer to 1."""
    if planes.shape[2] > plane:
        planes[:, :, plane] = 1.0 - 1.0 / s.stones


def column_letters(column: int) -> str:
    """a .. z, then aa, ab, ..."""
    letters = chr(ord("a") + column % 26)
    return letters if column < 26 else column_letters(column // 26 - 1) + letters
