"""A network plays against itself, at many tables at once. Start at SelfPlay.step, one move at each table.

Every position is searched anew by `gumbel`; where a game has ended, all its positions become lessons. Move number i at
every table follows from the seed, the weights and the moves before it, so that a run that was stopped goes on as if it
had not been.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.forest.forest import Forest
from ponderosa.forest.report import ForestReport
from ponderosa.learning.rows import joined
from ponderosa.learning.settings import LearnSettings
from ponderosa.learning.tables import Tables, words
from ponderosa.learning.targets import policy_targets, search_values, value_targets

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
        improved = self._by_action(report.improved, 0.0)
        known = self._known(report, improved)
        tables.seed([*seed, GAMES])
        chosen = self._chosen(report, improved, np.random.default_rng([*seed, DRAWS]))
        tables.play(chosen)
        ended = tables.over, tables.results.astype(np.float32)
        self._log.append(known._replace(over=ended[0], results=ended[1], actions=chosen))
        self.moves += 1
        self.games += int(tables.over.sum())

    def _known(self, report: ForestReport, improved: Array) -> Move:
        """What the search has found, before the move is played."""
        tables, values = self.tables, self._by_action(report.values, np.nan)
        certain = report.certain_values
        return Move(
            records=joined([tables.records]),
            players=tables.rows.movers.astype(np.int8),
            policies=policy_targets(improved, self._by_action(report.proven, np.nan), certain).astype(np.float16),
            searched=search_values(improved, values, report.best_values).astype(np.float32),
            certain=certain.astype(np.float32),
            over=np.zeros(0),
            results=np.zeros(0),
            told=np.zeros(len(tables), np.bool_),
            actions=np.zeros(0),
        )

    def _chosen(self, report: ForestReport, improved: Array, luck: np.random.Generator) -> npt.NDArray[np.int32]:
        """Early in a game, a move drawn from the improved policy; later the best one."""
        with np.errstate(divide="ignore"):
            drawn = (np.log(improved) + luck.gumbel(size=improved.shape)).argmax(axis=1)
        early = self.tables.rows.lengths < (self._settings.drawn or 0)
        return np.where(early, drawn, report.best_actions).astype(np.int32)

    def _by_action(self, table: Array, nothing: float) -> Array:
        """A table with a column for every action of the game."""
        wide = np.full((len(table), self._settings.actions or 0), nothing)
        wide[:, : table.shape[1]] = table
        return wide

    def harvest(self) -> Lessons:
        """The positions of games that have ended, each once, the oldest first."""
        self.newest = self._played() or self.newest
        results = np.full((len(self.tables), self.tables.game.players), np.nan, np.float32)
        found = []
        for move in reversed(self._log):
            results = np.where(move.over[:, np.newaxis], move.results, results)
            ready = np.isfinite(results[:, 0]) & ~move.told
            move.told[:] |= ready
            found.append(self._lessons(move, results, np.flatnonzero(ready)))
        self._log = [move for move in self._log if not move.told.all()]
        found.reverse()
        return Lessons(*(joined(column) for column in zip(*found, strict=True)))

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

    def _lessons(self, move: Move, results: Array, ready: Array) -> Lessons:
        got, players, searched, certain = (
            column.take(ready, axis=0) for column in (results, move.players, move.searched, move.certain)
        )
        values = value_targets(got, players, searched, certain, self._settings.result_share)
        return Lessons(move.records.take(ready), move.policies.take(ready, axis=0), values)

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
