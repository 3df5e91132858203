"""Games to play, as arrays. Start at Tables.of."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ponderosa.core.rng import new_rng
from ponderosa.core.state import State
from ponderosa.errors import SettingError


@dataclass(frozen=True)
class Table:
    """A game to play."""

    state: State
    """Where it begins."""
    seats: tuple[int, ...]
    """The contender in each seat."""
    seeds: tuple[int, ...]
    """The seed of each of them."""
    dice: random.Random | None = None
    """What is rolled, where dice decide."""


@dataclass(frozen=True)
class Tables:
    """Many games to play, a row each."""

    starts: Sequence[Any]
    """The states that games begin with, each once."""
    start: npt.NDArray[np.int64]
    """Which of them a game begins with."""
    seats: npt.NDArray[np.int64]
    """The contender in each seat."""
    rng: npt.NDArray[np.uint64]
    """The random numbers of each seat: new_rng of its seed."""
    dice: Sequence[random.Random | None]
    """What is rolled in each game, where dice decide; else empty."""

    @classmethod
    def of(cls, tables: Sequence[Table]) -> Self:
        """Tables, one after the other."""
        return cls(
            [table.state for table in tables],
            np.arange(len(tables)),
            np.array([table.seats for table in tables]),
            np.array([[new_rng(seed)[0] for seed in table.seeds] for table in tables]),
            [table.dice for table in tables],
        )

    def some(self, which: slice) -> Tables:
        """Some of the tables, in their order, with dice of their own that show the same."""
        numbers, start = np.unique(self.start[which], return_inverse=True)
        starts = [self.starts[number] for number in numbers]
        return Tables(starts, start, self.seats[which], self.rng[which], list(map(copy.copy, self.dice[which])))

    def rolling(self, game: int) -> random.Random:
        """The dice of a game."""
        found = self.dice[game] if self.dice else None
        if found is None:
            raise SettingError("dice decide in this game: every table needs some")
        return found

    def begun(self) -> npt.NDArray[np.int64]:
        """How many moves there were before each game."""
        lengths = np.array([len(state.history()) for state in self.starts])
        return lengths[self.start]

    def __len__(self) -> int:
        return len(self.seats)
