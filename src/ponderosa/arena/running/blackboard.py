"""A few shared bytes on which a worker shows who is at work, without a word said. Start at Blackboard."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from typing import Any

SIGNAL = struct.Struct("=qqqqqqd")
"""What the board shows: how often it has changed, what is done, the game's number, the seat at work, plies played,
plies of opening, and the seconds that the move may take by the player's clock (0: there is none)."""
ACTION = struct.Struct("=q")
MOST_ACTIONS = 2000
"""How many actions of the game that is played follow at most; longer games show their beginning."""
SIZE = SIGNAL.size + MOST_ACTIONS * ACTION.size
RESTING, RULING, PREPARING, THINKING = range(4)
"""What is done: nothing that has a limit; the rules are at work; an agent makes itself ready; an agent moves."""
EMPTY = bytes(SIZE)


class Blackboard:
    """The board as the worker writes it."""

    def __init__(self, file: int | str) -> None:
        """A file that was passed on open, or its path where that cannot be done."""
        with open(file, "r+b") as opened:
            self._bytes = mmap.mmap(opened.fileno(), SIZE)
        self._changes = self._number = self._plies = self._opening = 0

    def thinking(self, number: int, seat: int, preparing: bool = False, limit: float = 0.0) -> None:
        self._number = number
        self._show(PREPARING if preparing else THINKING, seat, limit)

    def ruling(self) -> None:
        self._show(RULING)

    def rest(self) -> None:
        self._show(RESTING)

    def begin(self, opening: list[Any]) -> None:
        self._plies = 0
        for action in opening:
            self.moved(action)
        self._opening = self._plies

    def moved(self, action: Any) -> None:
        if type(action) is int and self._plies < MOST_ACTIONS:
            ACTION.pack_into(self._bytes, SIGNAL.size + self._plies * ACTION.size, action)
            self._plies += 1

    def _show(self, doing: int, seat: int = 0, limit: float = 0.0) -> None:
        self._changes += 1
        shown = (self._changes, doing, self._number, seat, self._plies, self._opening, limit)
        SIGNAL.pack_into(self._bytes, 0, *shown)


@dataclass(frozen=True)
class BoardView:
    """What a board shows at a moment."""

    changes: int
    doing: int
    """RESTING, RULING, PREPARING or THINKING."""
    number: int
    """Which game is played."""
    seat: int
    """Whose agent is at work, if one is."""
    moves: tuple[int, ...]
    opening: int
    """How many of the moves are the opening."""
    limit: float = 0.0
    """Seconds that the move may take by the player's clock; 0: there is none."""

    @classmethod
    def of(cls, board: mmap.mmap | bytes) -> BoardView:
        """What the bytes of a board show."""
        changes, doing, number, seat, plies, opening, limit = SIGNAL.unpack_from(board)
        plies = max(0, min(plies, MOST_ACTIONS))
        moves = struct.unpack_from(f"={plies}q", board, SIGNAL.size)
        return cls(changes, doing, number, seat, moves, opening, limit)

    @property
    def at_work(self) -> bool:
        """Whether an agent is."""
        return self.doing in (PREPARING, THINKING)
