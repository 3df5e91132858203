"""The Connect family: k in a row on an m x n board, with p stones a turn. Start at Connect."""

from __future__ import annotations

from typing import Any, Self

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
    bounds_by_open_lines,
    in_a_row,
    lines_field,
    place_stone,
    returns_of,
    room_for,
    show_stones,
    span_of,
    stone_cells,
    winning_cells,
    would_win,
)

LEAST_CROSSINGS = 6
"""Boards of so many rows and columns are drawn as lines with stones on their crossings."""


class Connect(Game):
    """k in a row wins on m rows and n columns; q stones on the first turn, then p a turn.

    With `exact`, a longer line does not win. The action of a cell is row * n + column, row 0 at the bottom. With three
    players or more the winner gets 1 and all others -1.
    """

    name = "connect"
    label = "k in a row"
    scratch: tuple[str, ...] = ("empty", "place", "row")

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        """With more than two players, one of the class for many: the rules for two stay as they are."""
        game = super().__new__(cls, *args, **settings)
        players = game.parameters.get("players", 2)
        if players == 2 or cls is ConnectOfMany:
            return game
        if cls is not Connect:
            raise SettingError(f"{cls.title()} is for two players, not {players}")
        return super().__new__(ConnectOfMany, *args, **settings)  # type: ignore[return-value]

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

    @classmethod
    def of(cls, game: Connect, **settings: Any) -> Self:
        """The same board and rules in this class, a twin that knows more."""
        if game.players != 2:
            raise SettingError(f"{cls.title()} is for two players, and {game.spec} has {game.players}: take mcts")
        return cls(game.m, game.n, game.k, game.p, game.q, game.exact, **settings)

    def state_after(self, actions: list[int]) -> Any:
        """The state after actions that are known to be legal."""
        state = self.new_initial_state()
        for action in actions:
            state._apply(action)
            state._history.append(action)
        return state

    def turn(self, ply: int) -> tuple[int, int]:
        """Who places the stone number `ply`, counted from 0, and how many this player still places in the turn."""
        if ply < self.q:
            return 0, self.q - ply
        turns, placed = divmod(ply - self.q, self.p)
        return 1 - turns % 2, self.p - placed

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
    def apply_action(s: Record, a: Int) -> None:
        take_cell(s, a)
        row = s.row[a]
        if place_stone(s, row, a - row * s.columns, s.player):
            s.winner = s.player + 1
        end_move(s)

    @rule
    def is_terminal(s: Record) -> Any:
        return s.winner != 0 or s.left == 0

    @rule
    def returns(s: Record) -> Any:
        return returns_of(s.winner)

    @rule
    def bounds(s: Record) -> Any:
        return bounds_by_open_lines(s)

    @rule
    def winning_action(s: Record) -> Any:
        for index in range(s.left):
            action = s.empty[index]
            row = s.row[action]
            if would_win(s, row, action - row * s.columns, s.player):
                return np.int64(action)
        return np.int64(-1)

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


class ConnectOfMany(Connect):
    """The same for three players or more: Connect(players=3) makes one."""

    def __init__(
        self, m: int = 15, n: int = 15, k: int = 5, p: int = 1, q: int = 1, exact: bool = False, players: int = 2
    ) -> None:
        super().__init__(m, n, k, p, q, exact, players)
        assert self.dtype is not None
        self.dtype = np.dtype([*self.dtype.descr, ("players", "i1"), ("result", "i1", players)])

    @classmethod
    def own_rules(cls) -> dict[str, Any]:
        """All but the bounds, which are about two players."""
        return {name: found for name, found in super().own_rules().items() if name != "bounds"}

    def setup(self, s: Record) -> None:
        super().setup(s)
        s.players = self.players

    @rule
    def apply_action(s: Record, a: Int) -> None:
        take_cell(s, a)
        row = s.row[a]
        if place_stone(s, row, a - row * s.columns, s.player):
            s.winner = s.player + 1
            s.result[:] = -1
            s.result[s.player] = 1
        s.stones -= 1
        if s.stones == 0:
            s.player = s.player + 1 if s.player + 1 < s.players else 0
            s.stones = s.p

    @rule
    def returns(s: Record) -> Any:
        return s.result

    @rule
    def observe(s: Record, planes: Planes) -> None:
        show_stones(s, planes, s.players)
        show_turn(s, planes, s.players)


class Gomoku(Connect):
    """Five in a row on 15 x 15."""

    name = "gomoku"
    label = "Gomoku"

    def __init__(self, exact: bool = False) -> None:
        super().__init__(15, 15, 5, 1, 1, exact)


class Connect6(Connect):
    """Six in a row on 19 x 19: one stone, then two a turn."""

    name = "connect6"
    label = "Connect6"

    def __init__(self) -> None:
        super().__init__(19, 19, 6, 2, 1)


class TicTacToe(Connect):
    """Three in a row on 3 x 3, or as many as you say."""

    name = "tictactoe"
    label = "Tic-tac-toe"

    def __init__(self, n: int = 3, k: int | None = None) -> None:
        super().__init__(n, n, n if k is None else k, 1, 1)


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
