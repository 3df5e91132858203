"""How the games of a match, tournament, sweep, tuning or training are played. Start at Conditions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict

from ponderosa.arena.event import TIMEOUT, TOLERANCE, check_limits
from ponderosa.arena.openings import NONE
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.numbers import is_number
from ponderosa.errors import SettingError

MOST_AT_ONCE = 1024
"""No machine plays more games at a time."""


class GameConditions(TypedDict, total=False):
    """The short keywords for what decides the games; Conditions says what they mean."""

    openings: str
    iterations: int | None
    seconds: float | None
    time_control: str | None
    seed: int
    tolerance: float
    timeout: float


class AnyConditions(GameConditions, total=False):
    """The short keywords for all of the conditions."""

    concurrency: int | None
    cluster: str | None
    device: str | None
    memory: float | None
    strict: bool
    count_repeats: bool


@with_field_texts
@dataclass(frozen=True)
class Conditions:
    """What holds for every game of an event, where the games run, and which of them count."""

    openings: str = NONE
    """Where games begin: none, random:PLIES, balanced:PLIES, or the name of a file with a move list a line."""
    iterations: int | None = None
    """A budget for each move of the agents that take one and have none of their own."""
    seconds: float | None = None
    """The same in seconds; it is also the limit of every move of an agent that has no `seconds` of its own."""
    seed: int = 0
    """Openings, agents and dice follow from it."""
    tolerance: float = TOLERANCE
    """A move may take this many seconds more than its limit; after that it loses the game."""
    timeout: float = TIMEOUT
    """The limit in seconds of a move that has no other."""
    concurrency: int | None = None
    """How many games run at a time; None: as many as there are cores for."""
    cluster: str | None = None
    """A Dask cluster that plays the games, local:N or tcp://HOST:PORT; None: this machine."""
    memory: float | None = None
    """Gigabytes of address space for the agents of one game; None: a fair share."""
    strict: bool = False
    """Whether the first game that an agent loses by its own fault ends the event."""
    count_repeats: bool = False
    """Whether a game that was played before, move by move, counts again."""
    device: str | None = None
    """Where games are played together, move by move, by agents that only count iterations: "cpu" is all cores of this
    machine, "cuda" a card; None: each game has a process of its own."""

    time_control: str | None = None
    """Time for all moves of a game, in the place of seconds for each: 60+1, 5m+3, 10m+5x30 (core/clock.py)."""

    def __post_init__(self) -> None:
        check_limits(self)
        if self.memory is not None and not 0 < self.memory < 1e6:
            raise SettingError(f"memory is a number of gigabytes, not {self.memory!r}")
        if self.concurrency is not None and not is_number(self.concurrency, 1, MOST_AT_ONCE, whole=True):
            words = f"concurrency, the games at a time, must be from 1 to {MOST_AT_ONCE}"
            raise SettingError(f"{words}, not {self.concurrency!r}")


def as_conditions(given: Conditions | None, keywords: AnyConditions | GameConditions) -> Conditions:
    """The conditions that are given, with the short keywords in the place of their fields."""
    return replace(given or Conditions(), **keywords)
