"""A network plays against itself, at many tables at once. Start at SelfPlay.step, one move at each table.

Every position is searched anew by `gumbel`; where a game has ended, all its positions become lessons. Move number i at
every table follows from the seed, the weights and the moves before it, so that a run that was stopped goes on as if it
had not been.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.forest.forest import Forest
from ponderosa.learning.pieces import in_pieces
from ponderosa.learning.rows import joined, taken
from ponderosa.learning.settings import LearnSettings
from ponderosa.learning.tables import Tables, words
from ponderosa.learning.targets import Said, said_of, value_targets

Array = npt.NDArray[Any]
GAMES, TREES, DRAWS = range(3)
"""What random numbers are for: each has its own."""


class Lessons(NamedTuple):
    """Positions, and what a network shall say of them; a row each."""

    records: Array
    policies: Array
    values: Array


class Move(NamedTuple):
    """One move at every table, a row each."""

    records: Array
    """The states before it."""
    players: Array
    """Who moved."""
    policies: Array
    searched: Array
    certain: Array
    """What the search said for the player to move, from 0 to 1; nan: nothing is certain."""
    over: Array
    """Whether it ended the game."""
    results: Array
    """What each seat got then."""
    told: Array
    """Whether the position was handed out."""
    actions: Array
    """What was played."""


class Played(NamedTuple):
    """A game, one row a position; of the random moves that it began with, nothing is known but where they led."""

    records: Array
    players: Array
    """Who moved."""
    actions: Array
    searched: Array
    """What the search said for the player to move, from 0 to 1."""
    certain: Array
    """What it had proven, likewise; nan: nothing."""
    results: Array
    """What each seat got."""


class SelfPlay:
    """Games of a network against itself."""

    def __init__(self, game: Game, evaluator: Any, settings: LearnSettings, device: str) -> None:
        assert settings.tables is not None and settings.actions is not None and settings.openings is not None
        self._settings = settings
        self.seed = settings.seed
        """All that is random follows from it."""
        self.tables = Tables(game, settings.tables, settings.openings)
        self._forest = Forest(game, settings.tables, device=device, select="gumbel", evaluator=evaluator)
        self._log: list[Move] = []
        self.moves = 0
        """Moves at each table so far."""
        self.games = 0
        """Games that have ended."""
        self.newest: Played | None = None
        """One of the games whose positions were handed out last."""

    def step(self) -> None:
        """One move at each table."""
        seed, tables = [self.seed, self.moves], self.tables
        if self.moves == 0:
            tables.begin([*seed, GAMES, 0])
        rng = words([*seed, TREES], len(tables))[:, np.newaxis]
        simulations = self._settings.simulations
        report = self._forest.run_anew(tables.rows.states, rng, simulations, self._settings.nodes(simulations))
        if report.stopped == "interrupted":
            raise KeyboardInterrupt
        luck = np.random.default_rng([*seed, DRAWS]).random(len(tables))
        said = said_of(report.found, self._settings.actions or 0, luck)
        early = tables.rows.lengths < (self._settings.drawn or 0)  # drawn from the improved policy, later the best one
        chosen = np.where(early, said.drawn, report.best_actions).astype(np.int32)
        before = joined([tables.records]), tables.rows.movers.astype(np.int8)
        tables.seed([*seed, GAMES])
        tables.play(chosen)
        self._log.append(self._move(before, said, chosen))
        self.moves += 1
        self.games += int(tables.over.sum())

    def _move(self, before: tuple[Array, Array], said: Said, chosen: Array) -> Move:
        """The move that was just made, at every table."""
        return Move(
            records=before[0],
            players=before[1],
            policies=said.policies,
            searched=said.searched,
            certain=said.certain,
            over=self.tables.over,
            results=self.tables.results.astype(np.float32),
            told=np.zeros(len(self.tables), np.bool_),
            actions=chosen,
        )

    def harvest(self) -> Lessons:
        """The positions of games that have ended, each once, the oldest first."""
        self.newest = self._played() or self.newest
        results = np.full((len(self.tables), self.tables.game.players), np.nan, np.float32)
        ready: list[tuple[Move, Array, Array]] = []
        for move in reversed(self._log):
            results = np.where(move.over[:, np.newaxis], move.results, results)
            ended = np.isfinite(results[:, 0]) & ~move.told
            move.told[:] |= ended
            ready.append((move, results, np.flatnonzero(ended)))
        self._log = [move for move in self._log if not move.told.all()]
        return self._lessons(ready[::-1])

    def _played(self) -> Played | None:
        """A game that has ended last of those in the log."""
        end = next((place for place in reversed(range(len(self._log))) if self._log[place].over.any()), None)
        if end is None:
            return None
        table, moves = int(self._log[end].over.argmax()), [self._log[end]]
        for move in reversed(self._log[:end]):
            if move.over[table] or move.told[table]:
                break
            moves.insert(0, move)
        columns = {name: [getattr(move, name)[table] for move in moves] for name in Played._fields[:-1]}
        return Played(**{name: np.array(found) for name, found in columns.items()}, results=moves[-1].results[table])

    def _lessons(self, ready: Sequence[tuple[Move, Array, Array]]) -> Lessons:
        """Of each move, the positions in the rows that are named, with what the games there came to; by all cores."""
        ends = np.cumsum([0, *(len(rows) for _, _, rows in ready)])
        count, players = int(ends[-1]), self.tables.game.players
        found = Lessons(
            np.empty(count, self.tables.game.dtype),
            np.empty((count, self._settings.actions or 0), np.float16),
            np.empty((count,) if players <= 2 else (count, players), np.float32),
        )

        def take(place: int, _: int) -> None:
            move, results, rows = ready[place]
            here = slice(ends[place], ends[place + 1])
            taken(move.records, rows, found.records[here])
            taken(move.policies, rows, found.policies[here])
            got, movers, searched, certain = (
                column.take(rows, axis=0) for column in (results, move.players, move.searched, move.certain)
            )
            found.values[here] = value_targets(got, movers, searched, certain, self._settings.result_share)

        in_pieces(take, len(ready), 1)
        return found

    def kept(self) -> dict[str, Array]:
        """All that the next move follows from, as arrays."""
        rows = self.tables.rows
        now = {name: getattr(rows, name) for name in ("states", "lengths", "movers")}
        counts = {"counts": np.array([self.moves, self.games])}
        log = {f"log_{name}": np.stack(column) for name, column in self._columns() if self._log}
        return now | counts | log

    def _columns(self) -> list[tuple[str, tuple[Array, ...]]]:
        return list(zip(Move._fields, zip(*self._log, strict=True), strict=False))

    def restore(self, kept: Mapping[str, Array]) -> None:
        """Go on where `kept` was taken."""
        for name in ("states", "lengths", "movers"):
            getattr(self.tables.rows, name)[:] = kept[name]
        self.moves, self.games = map(int, kept["counts"])
        columns = [kept.get(f"log_{name}", ()) for name in Move._fields]
        moves = min(map(len, columns))  # 0 of a checkpoint that lacks a column: games under way begin here then
        self._log = [Move(*(np.array(column[at]) for column in columns)) for at in range(moves)]
