"""Connect Four: drop stones into columns, four in a line win. Start at Connect4."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.game import Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError
from ponderosa.games.boards.connect4_weights import has_weights, lead_by_weights
from ponderosa.games.boards.lines import (
    LONGEST_SIDE,
    MARKS,
    bounds_by_open_lines,
    in_a_row,
    lines_field,
    no_line_left,
    open_worth,
    place_stone,
    returns_of,
    room_for,
    show_stones,
    span_of,
    stone_cells,
    winning_cells,
    would_win,
)

WORTH_SCALE = 15.0
"""Open lines that are worth so much more than the opponent's make a win nearly three times as likely as a loss."""
MOVE_WORTH = 10.0
"""What it is worth to have the move; both fitted to solved positions, roughly."""
WINS_NEXT = 5.0
"""The logarithm of the odds of a player who can win at once."""
STONES = ("Red", "Yellow")
"""What people call the players by the colour of their stones."""
EXACT_BITS = 62
PRIMES = 2**31 - 1, 2**31 - 19


class Connect4(Game):
    """Drop stones into columns; the first to have four in a line wins, or as many as you say.

    The action of a column is its number less one.
    """

    name = "connect4"
    label = "Connect Four"
    scratch = ("open_columns", "place")

    def __init__(self, rows: int = 6, cols: int = 7, k: int = 4, early_draw: bool = False) -> None:
        if not (1 <= rows <= LONGEST_SIDE and 1 <= cols <= LONGEST_SIDE):
            raise SettingError(f"connect4 boards have 1 to {LONGEST_SIDE} rows and cols, not {rows} x {cols}")
        if not 2 <= k <= max(rows, cols):
            raise SettingError(
                f"connect4: k must be from 2 to the longer side of the board, {max(rows, cols)}, not {k}"
            )
        self.rows, self.cols, self.k, self.early_draw = rows, cols, k, early_draw
        self.max_game_length = rows * cols
        self.max_actions = cols
        self.observation_shape = rows, cols, 2
        side = room_for(rows, cols)
        self.dtype = np.dtype(
            [
                lines_field(side),
                ("height", "i1", side),  # stones in each column
                ("open_columns", "i1", side),  # the first `open` are the columns that are not full
                ("place", "i1", side),  # where each column stands in open_columns
                ("left", "i2"),  # empty cells
                ("open", "i1"),
                ("player", "i1"),
                ("winner", "i1"),  # player + 1; 0: nobody yet
                ("rows", "i1"),
                ("columns", "i1"),
                ("span", "i1"),
                ("k", "i1"),
                ("exact", "i1"),  # always 0: longer lines win too
                ("early_draw", "i1"),  # whether to look for draws before the board is full
                ("drawn", "i1"),  # whether one was found
            ]
        )

    def setup(self, s: Record) -> None:
        s.rows, s.columns, s.k, s.early_draw = self.rows, self.cols, self.k, self.early_draw
        s.span = span_of(self.rows, self.cols)
        s.left = self.rows * self.cols
        s.open = self.cols
        s.open_columns[: self.cols] = s.place[: self.cols] = range(self.cols)

    def prepare_for_search(self, s: Record) -> None:
        s.early_draw = 0  # playing on without a line to make ends in the same draw

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        for index in range(s.open):
            actions[index] = s.open_columns[index]
        return s.open

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return s.open_columns[below(rng, s.open)]

    @rule
    def apply_action(s: Record, a: Int) -> None:
        row = s.height[a]
        s.height[a] = row + 1
        if row + 1 == s.rows:
            close_column(s, a)
        s.left -= 1
        if place_stone(s, row, a, s.player):
            s.winner = s.player + 1
        elif s.early_draw != 0 and no_line_left(s):
            s.drawn = 1
        s.player = 1 - s.player

    @rule
    def is_terminal(s: Record) -> Any:
        return s.winner != 0 or s.left == 0 or s.drawn != 0

    @rule
    def returns(s: Record) -> Any:
        return returns_of(s.winner)

    @rule
    def bounds(s: Record) -> Any:
        return bounds_by_open_lines(s)

    @rule
    def winning_action(s: Record) -> Any:
        return winning_column(s)

    @rule
    def evaluate(s: Record) -> Any:
        if winning_column(s) >= 0:
            odds = WINS_NEXT if s.player == 0 else -WINS_NEXT
        else:
            odds = lead_by_weights(s) if has_weights(s.rows, s.columns, s.k) else lead_by_squares(s)
        worth = 2.0 / (1.0 + np.exp(-odds)) - 1.0
        return worth, -worth

    @rule
    def prior(s: Record, a: Int) -> Any:
        return -abs(2.0 * a - s.columns + 1)  # more lines go through the centre

    @rule
    def key(s: Record) -> Any:
        return position_key(s)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        show_stones(s, planes, 2)

    def action_to_string(self, s: Record, a: int) -> str:
        return str(a + 1)

    def cells(self, s: Record) -> list[list[str]]:
        return stone_cells(s, self.rows, self.cols)

    def cell_actions(self, s: Record) -> list[list[int]]:
        return [list(range(self.cols)) for _ in range(self.rows)]

    def winning_cells(self, s: Record) -> list[tuple[int, int]]:
        return winning_cells(self.cells(s), MARKS[s.winner - 1], self.k, False) if s.winner else []

    def ending(self, s: Record) -> str:
        if s.winner:
            return in_a_row(self.k)
        return "the board is full" if s.left == 0 else "nobody can make a line any more"

    def symmetries(self) -> list[list[int]]:
        return [list(reversed(range(self.cols)))]

    def shifts(self) -> tuple[int, int]:
        return 1, self.cols  # the row follows from the stones below

    def column_labels(self) -> list[str]:
        return [str(column + 1) for column in range(self.cols)]

    def player_name(self, player: int) -> str:
        return MARKS[player]

    def people_call_player(self, player: int) -> str:
        return STONES[player]


@inlined
def winning_column(s: Record) -> Any:
    """A column that wins for the player to move, or -1."""
    for index in range(s.open):
        column = s.open_columns[index]
        if would_win(s, s.height[column], column, s.player):
            return np.int64(column)
    return np.int64(-1)


def lead_by_squares(s: Record) -> Any:
    """How well the first player stands, on any board: the logarithm of the odds to win, roughly."""
    lead = (open_worth(s, s.player) - open_worth(s, 1 - s.player) + MOVE_WORTH) / WORTH_SCALE
    return lead if s.player == 0 else -lead


@inlined
def close_column(s: Record, column: Int) -> None:
    """Take a full column out of the list of open ones: the last of the list moves into its place."""
    s.open -= 1
    moved = s.open_columns[s.open]
    s.open_columns[s.place[column]] = moved
    s.place[moved] = s.place[column]


def position_key(s: Record) -> Any:
    """A number for a position: in every column the first player's stones and a bit above all stones, side by side.

    On boards of more than EXACT_BITS such bits it is a hash. The stones say whose turn it is.
    """
    width = s.rows + 1
    exact = width * s.columns <= EXACT_BITS
    key = np.int64(0)
    low = np.int64(0)
    for column in range(s.columns):
        stones = np.int64(s.lines[s.span + column]) | (np.int64(1) << s.height[column])
        if exact:
            key = (key << width) | stones
        else:
            key = (key * 2_000_003 + stones) % PRIMES[0]
            low = (low * 3_000_017 + stones) % PRIMES[1]
    return key if exact else (key << 31) | low
