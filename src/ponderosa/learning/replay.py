"""The positions that training draws from: the newest ones, more of them as there are more. Start at Replay.

The window grows slower than what was played, as in KataGo (Wu 2019): early games are bad and soon forgotten, later ones
are kept for longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.learning.rows import put
from ponderosa.learning.selfplay import Lessons

EXPONENT, FACTOR = 0.75, 0.4
"""How the window grows: like a power of all positions, and how fast at first."""
SHARE = 10
"""One part in so many of the largest window is kept whole before it grows slower."""


class Replay:
    """A ring of positions."""

    def __init__(self, game: Game, actions: int, window: int) -> None:
        assert game.dtype is not None
        values = (window,) if game.players <= 2 else (window, game.players)
        self._ring = Lessons(
            np.zeros(window, game.dtype), np.zeros((window, actions), np.float16), np.zeros(values, np.float32)
        )
        self.total = 0
        """Positions that were ever put into it."""

    @property
    def reach(self) -> int:
        """How many of the newest positions training draws from."""
        begin = max(1, len(self._ring.records) // SHARE)
        if self.total <= begin:
            return self.total
        grown = begin * (1.0 + FACTOR * ((self.total / begin) ** EXPONENT - 1.0) / EXPONENT)
        return min(int(grown), self.total, len(self._ring.records))

    def add(self, lessons: Lessons) -> None:
        """Put positions in, in the place of the oldest."""
        room = len(self._ring.records)
        newest = Lessons(*(column[-room:] for column in lessons))
        self.total += len(lessons.records)
        begin = (self.total - len(newest.records)) % room
        end = min(begin + len(newest.records), room) - begin
        for column, more in zip(self._ring, newest, strict=True):
            put(more[:end], column, begin)
            put(more[end:], column, 0)

    @property
    def size(self) -> int:
        """The most positions that there may be."""
        return len(self._ring.records)

    def drawn(self, count: int, luck: np.random.Generator) -> npt.NDArray[np.int64]:
        """The numbers of so many positions, drawn from the window."""
        ages: npt.NDArray[np.int64] = luck.integers(1, self.reach + 1, count)
        return self.total - ages

    def draw(self, count: int, luck: np.random.Generator) -> Lessons:
        """So many positions, drawn from the window."""
        return self.at(self.drawn(count, luck))

    def since(self, total: int) -> Lessons:
        """The positions that were added after there were so many, as far as they are in the window."""
        return self.at(np.arange(max(total, self.total - self.reach), self.total))

    def at(self, numbers: npt.NDArray[np.int64]) -> Lessons:
        """Positions by their numbers, counted from the first that was ever added."""
        places: Any = numbers % self.size
        return Lessons(*(column.take(places, axis=0) for column in self._ring))
