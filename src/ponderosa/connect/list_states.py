"""The Connect family on plain Python lists, looked over from corner to corner for a win. Start at ListState.

The slow way to write a game, kept for comparisons: what a textbook does, without a dtype and without a clever board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from ponderosa.core.game import TERMINAL
from ponderosa.games.connect import Connect

EMPTY = -1
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class ListState:
    """A position as a list of rows; the same actions as in the game that it is of."""

    def __init__(self, game: Connect) -> None:
        self.game = game
        self.board = [[EMPTY] * game.n for _ in range(game.m)]
        self.player, self.stones = 0, game.q
        self.moves: list[int] = []

    @classmethod
    def after(cls, game: Connect, actions: list[int]) -> Self:
        """The state after actions that are known to be legal."""
        state = cls(game)
        for action in actions:
            state.apply_action(action)
        return state

    def num_players(self) -> int:
        """Two, in the whole family."""
        return 2

    def current_player(self) -> int:
        """The player to move, or TERMINAL."""
        return TERMINAL if self.is_terminal() else self.player

    def legal_actions(self) -> list[int]:
        """Every empty cell."""
        columns = self.game.n
        return [
            row * columns + column
            for row, cells in enumerate(self.board)
            for column, owner in enumerate(cells)
            if owner == EMPTY
        ]

    def apply_action(self, action: int) -> None:
        """Place a stone on an empty cell."""
        self.board[action // self.game.n][action % self.game.n] = self.player
        self.moves.append(action)
        self.stones -= 1
        if self.stones == 0:
            self.player, self.stones = 1 - self.player, self.game.p

    def is_terminal(self) -> bool:
        """Whether somebody has won or the board is full."""
        return self.winner() is not None or not self.legal_actions()

    def returns(self) -> list[float]:
        """1 for the winner, -1 for the loser, 0 for both without one."""
        winner = self.winner()
        return [0.0, 0.0] if winner is None else [1.0 if player == winner else -1.0 for player in (0, 1)]

    def clone(self) -> Self:
        """An independent copy."""
        copy = type(self)(self.game)
        copy.board = [row[:] for row in self.board]
        copy.player, copy.stones, copy.moves = self.player, self.stones, self.moves[:]
        return copy

    def history(self) -> list[int]:
        """The actions so far."""
        return self.moves[:]

    def action_to_string(self, action: int) -> str:
        """How people write the action."""
        return self.game.action_to_string(None, action)

    def winner(self) -> int | None:
        """Who has a line, found by looking along every line from every stone."""
        k, exact = self.game.k, self.game.exact
        for row, cells in enumerate(self.board):
            for column, owner in enumerate(cells):
                if owner == EMPTY:
                    continue
                for line in self._lines(row, column, owner):
                    if line == k or (line > k and not exact):
                        return owner
        return None

    def _lines(self, row: int, column: int, owner: int) -> Iterator[int]:
        """How many stones of the owner stand in a line from this one on, in each direction in which it is the first."""
        for up, right in DIRECTIONS:
            if self._owner(row - up, column - right) != owner:
                length = 1
                while self._owner(row + length * up, column + length * right) == owner:
                    length += 1
                yield length

    def _owner(self, row: int, column: int) -> int:
        inside = 0 <= row < self.game.m and 0 <= column < self.game.n
        return self.board[row][column] if inside else EMPTY

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ListState):
            return NotImplemented
        mine, theirs = (self.board, self.player, self.stones), (other.board, other.player, other.stones)
        return self.game.spec == other.game.spec and mine == theirs

    def __hash__(self) -> int:
        return hash(tuple(self.moves))

    def __str__(self) -> str:
        state: Any = self.game.new_initial_state()
        for action in self.moves:
            state.apply_action(action)
        return str(state)
