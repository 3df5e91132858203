"""Games that were played, as arrays; objects are made where somebody asks for one. Start at Games."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.core.state import RecordState, State
from ponderosa.forest.tables import Tables

MOVE = np.dtype(
    [
        ("game", "i8"),
        ("action", "i4"),
        ("seat", "i4"),  # who moved, or CHANCE
        ("seconds", "f8"),
        ("iterations", "i8"),
        ("nodes", "i8"),
        ("value", "f8"),
        ("proven", "f8"),
    ]
)
"""A move, and what went into it: see Thought."""


class Thought(NamedTuple):
    """What went into a move."""

    seat: int
    """Who moved, or CHANCE."""
    seconds: float = 0.0
    """A fair share of the time that all games took for it."""
    iterations: int = 0
    nodes: int = 0
    value: float = 0.5
    """What it is worth to the one who moved, from 0 to 1."""
    proven: float = math.nan
    """What is certain of the position before it, as in ForestReport.proven."""


def new_moves(games: npt.NDArray[np.int64]) -> Any:
    """A move in each of these games, into which nothing went yet."""
    moves = np.zeros(len(games), MOVE)
    moves["game"], moves["value"], moves["proven"] = games, 0.5, np.nan
    return moves


@dataclass(frozen=True)
class Games(Sequence["Played"]):
    """Games that were played, a row each."""

    game: Game
    tables: Tables
    moves: npt.NDArray[Any]
    """Every move since the beginning, as MOVE, one game after the other."""
    over: npt.NDArray[np.bool_]
    """Whether a game came to an end: else it was too long, or interrupted."""
    results: npt.NDArray[np.float64]
    """What each seat got in games that are over, from 0 to 1."""
    ends: npt.NDArray[np.uint8]
    """The last state of each, as bytes."""

    @classmethod
    def joined(cls, game: Game, tables: Tables, parts: Sequence[Games]) -> Games:
        """Games that were played in groups, one after the other."""
        begins = np.cumsum([0, *map(len, parts)])
        for begin, part in zip(begins, parts, strict=False):
            part.moves["game"] += begin
        columns = zip(*((part.moves, part.over, part.results, part.ends) for part in parts), strict=True)
        return cls(game, tables, *(np.concatenate(column) for column in columns))

    @functools.cached_property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many moves each game had since its beginning."""
        return np.bincount(self.moves["game"], minlength=len(self))

    @functools.cached_property
    def begins(self) -> npt.NDArray[np.int64]:
        """Where the moves of each game begin."""
        return np.cumsum(self.lengths) - self.lengths

    @functools.cached_property
    def returns(self) -> npt.NDArray[np.float64]:
        """What each seat got, in the game's measure; a game that did not end is a draw."""
        game = self.game
        found = np.full((len(self), game.players), (game.min_utility + game.max_utility) / 2)
        over = np.flatnonzero(self.over)
        if len(over) > 0:  # the rule is asked once for each kind of result
            _, first, kind = np.unique(self._kinds(over), axis=0, return_index=True, return_inverse=True)
            told = np.array([self[place].state.returns() for place in over[first]])
            found[over] = told[kind.reshape(-1)]
        return found

    def _kinds(self, games: npt.NDArray[np.int64]) -> Any:
        """Rows that are equal where the results are, in the game's measure too."""
        dtype: np.dtype[Any] = np.dtype(self.game.dtype)
        if "max_utility" not in (dtype.names or ()):
            return self.results[games]
        most = self.ends[games].view(dtype)["max_utility"]  # results are shares of what each start allows
        return np.column_stack([self.results[games], most.reshape(len(games))])

    def __len__(self) -> int:
        return len(self.over)

    @overload
    def __getitem__(self, index: int) -> Played: ...
    @overload
    def __getitem__(self, index: slice) -> list[Played]: ...
    def __getitem__(self, index: int | slice) -> Played | list[Played]:
        places = range(len(self))[index]
        return Played(self, places) if isinstance(places, int) else [Played(self, place) for place in places]

    def __iter__(self) -> Iterator[Played]:
        return (Played(self, place) for place in range(len(self)))


class Played(NamedTuple):
    """A game that was played."""

    games: Games
    place: int

    @property
    def over(self) -> bool:
        """Whether it came to an end: else it was too long, or interrupted."""
        return bool(self.games.over[self.place])

    @property
    def start(self) -> State:
        """Where it began."""
        tables = self.games.tables
        begun: State = tables.starts[int(tables.start[self.place])]
        return begun

    @property
    def moves(self) -> Any:
        """Its moves since then, as MOVE."""
        begin = self.games.begins[self.place]
        return self.games.moves[begin : begin + self.games.lengths[self.place]]

    @property
    def state(self) -> State:
        """How it ended; its history has the moves."""
        history = [*self.start.history(), *self.moves["action"].tolist()]
        return RecordState(self.games.game, self.games.ends[self.place].copy(), history)

    @property
    def thoughts(self) -> list[Thought]:
        """What went into each move since the beginning."""
        columns = (self.moves[name].tolist() for name in Thought._fields)
        return [Thought(*thought) for thought in zip(*columns, strict=True)]
