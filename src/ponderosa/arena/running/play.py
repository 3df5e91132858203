"""Plays the games of an event that are missing in the store, wherever they run. Start at play_missing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from ponderosa.arena.event import Event
from ponderosa.arena.results.store import Outcome, Store
from ponderosa.arena.running.judge import RESIGNED, Record
from ponderosa.arena.schedule import Fixture
from ponderosa.errors import ArenaError, PonderosaError

BUNDLE_SECONDS = 0.5
"""How long a bundle of games takes, about: short games are handed out together, long ones alone."""
LARGEST_BUNDLE = 500
TICK = 0.25
"""Seconds between two calls of whoever watches."""
RETRIES = 5
"""How often a bundle is played again whose worker was lost, for each that runs at once."""


@dataclass(frozen=True)
class Venue:
    """Where games run."""

    executor: Executor
    """Anything of the standard protocol: threads that each supervise a process here, or a cluster."""
    slots: Callable[[], int]
    """How many bundles run at once."""
    play: Callable[[dict[str, Any], list[list[Any]], float | None], list[Record]]
    """What is run there: event, games and memory go in, records come out."""
    note: str = ""
    """What is unfair about it, for people."""
    lost: tuple[type[BaseException], ...] = (CancelledError,)
    """Errors that mean that a worker was lost, not that a game went wrong."""
    memory: float | None = None
    """Gigabytes of address space that a process may take; None: as much as there is."""
    bundle: int | None = None
    """How many games are handed out together; None: as many as take about half a second."""


@dataclass(frozen=True)
class Ledger:
    """An event's place in a store."""

    store: Store
    event: Event
    id: int

    @classmethod
    def begin(cls, store: Store, event: Event, wanted: int | None) -> Ledger:
        """Enter the event, unless it is there."""
        return cls(store, event, store.begin(event, wanted, version("ponderosa"), time.time()))

    def write(self, records: list[Record]) -> None:
        """Write finished games down."""
        self.store.add(self.id, self.event.names, records, version("ponderosa"), time.time())


def play_missing(
    ledger: Ledger,
    fixtures: Iterable[Fixture],
    venue: Venue,
    count: Callable[[Outcome], bool],
    tell: Callable[[int], None] = lambda games: None,
    strict: bool = False,
) -> None:
    """Play games until all are stored or `count` says that it is enough.

    `count` gets every game, in the order of the fixtures and only after it is stored, so what it decides does not
    depend on which of two games ended first; `tell` gets the number of games that are stored.
    """
    _Run(ledger, fixtures, venue, count, tell, strict).run()


class _Run:
    def __init__(
        self,
        ledger: Ledger,
        fixtures: Iterable[Fixture],
        venue: Venue,
        count: Callable[[Outcome], bool],
        tell: Callable[[int], None],
        strict: bool,
    ) -> None:
        self.ledger, self.venue, self.count, self.tell, self.strict = ledger, venue, count, tell, strict
        self.known = {outcome.number: outcome for outcome in ledger.store.outcomes(ledger.id)}
        """Stored games that are not counted yet."""
        self.stored = len(self.known)
        self.to_play = (fixture for fixture in self._expected(fixtures) if fixture.number not in self.known)
        self.expected: list[int] = []
        """Numbers in the order in which they are counted; those before `counted` are."""
        self.counted = 0
        self.running: dict[Future[list[Record]], list[Fixture]] = {}
        self.game_seconds: float | None = None
        self.losses = 0
        self.enough = False

    def _expected(self, fixtures: Iterable[Fixture]) -> Iterator[Fixture]:
        for fixture in fixtures:
            self.expected.append(fixture.number)
            yield fixture

    def run(self) -> None:
        try:
            self._fill()
            self._count()
            while self.running and not self.enough:
                done, _ = wait(self.running, timeout=TICK, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(future)
                if done:
                    self._count()
                    self._fill()
                self.tell(self.stored)
            self.tell(self.stored)
        finally:
            for future in self.running:
                future.cancel()

    def _fill(self) -> None:
        """Keep every slot busy, with one bundle more so that none waits for us."""
        while not self.enough and len(self.running) < self.venue.slots() + 1:
            bundle = self._bundle()
            if not bundle:
                return
            self._submit(bundle)
            self._count()  # games that are stored already may decide

    def _bundle(self) -> list[Fixture]:
        size = self.venue.bundle or 1
        if self.game_seconds is not None and self.venue.bundle is None:
            size = max(1, min(LARGEST_BUNDLE, math.floor(BUNDLE_SECONDS / max(self.game_seconds, 1e-6))))
        return [fixture for _, fixture in zip(range(size), self.to_play, strict=False)]

    def _submit(self, bundle: list[Fixture]) -> None:
        event, lines = self.ledger.event, self.ledger.event.lines
        games: list[list[Any]] = [
            [game.number, list(game.seats), game.opening, lines[game.opening % len(lines)] if lines else None]
            for game in bundle
        ]
        settings = event.without_lines().to_dict()
        future = self.venue.executor.submit(self.venue.play, settings, games, self.venue.memory)
        self.running[future] = bundle

    def _take(self, future: Future[list[Record]]) -> None:
        """Store what a bundle gave; play it again when its worker was lost."""
        bundle = self.running.pop(future)
        try:
            records = future.result()
        except self.venue.lost as error:
            self.losses += 1
            if self.losses > RETRIES * (self.venue.slots() + 1):
                raise ArenaError(f"workers are lost again and again: {error}") from None
            self._submit(bundle)
            return
        except PonderosaError:
            raise
        except Exception as error:  # of the cluster, or of a worker's machine: no game's fault
            raise ArenaError(f"games could not be played: {type(error).__name__}: {error}") from error
        groups = {fixture.number: fixture.group for fixture in bundle}
        for record in records:
            record["group"] = groups[record["number"]]
        self.ledger.write(records)
        self.stored += len(records)
        for record in records:
            self.known[record["number"]] = outcome_of(record)
        mean = sum(record["seconds"] for record in records) / len(records)
        self.game_seconds = mean if self.game_seconds is None else (self.game_seconds + mean) / 2
        self._check_strictly(records)

    def _check_strictly(self, records: list[Record]) -> None:
        for record in records:
            if self.strict and record["fault"] is not None and record["reason"] != RESIGNED:
                culprit = self.ledger.event.names[record["seats"][record["fault"]]]
                raise ArenaError(f"game {record['number']}: {culprit}: {record['reason']}. {record['detail']}".strip())

    def _count(self) -> None:
        """Pass on the games whose turn it is."""
        while not self.enough and self.counted < len(self.expected):
            outcome = self.known.pop(self.expected[self.counted], None)
            if outcome is None:
                return
            self.counted += 1
            self.enough = self.count(outcome)


def outcome_of(record: Record) -> Outcome:
    """A record as statistics need it."""
    return Outcome(
        record["number"],
        record["group"],
        tuple(record["seats"]),
        tuple(record["scores"]),
        tuple(record["returns"]),
        record["reason"],
        record["fault"],
        record["canon"],
        tuple(tuple(effort) for effort in record["efforts"]),
    )
