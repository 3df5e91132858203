"""The Connect family: k in a row on an m x n board, with p stones a turn. Start at Connect."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ponderosa.compile.annotations import Int, Planes, Record
from ponderosa.core.game import rule
from ponderosa.errors import SettingError
from ponderosa.games.boards.line_board import LineBoard, end_move, show_turn, take_cell
from ponderosa.games.boards.lines import (
    bounds_by_open_lines,
    place_stone,
    show_stones,
    would_win,
)


class Connect(LineBoard):
    """k in a row wins on m rows and n columns; q stones on the first turn, then p a turn.

    With `exact`, a longer line does not win. With three players or more the winner gets 1 and all others -1.
    """

    name = "connect"
    label = "k in a row"

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        """With more than two players, one of the class for many: the rules for two stay as they are."""
        game = super().__new__(cls, *args, **settings)
        players = game.parameters.get("players", 2)
        if players == 2 or cls is ConnectOfMany:
            return game
        if cls is not Connect:
            raise SettingError(f"{cls.title()} is for two players, not {players}")
        return super().__new__(ConnectOfMany, *args, **settings)  # type: ignore[return-value]

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

    @rule
    def apply_action(s: Record, a: Int) -> None:
        take_cell(s, a)
        row = s.row[a]
        if place_stone(s, row, a - row * s.columns, s.player):
            s.winner = s.player + 1
        end_move(s)

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
