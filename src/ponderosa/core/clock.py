"""Clocks: how much time a player has for a whole game. Start at TimeControl, then Clock."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from ponderosa.core.budget import MOST_SECONDS
from ponderosa.errors import SettingError, shortly

TIME = r"\d{1,6}(?:\.\d{1,3})?[smh]?"
WRITTEN = re.compile(rf"(?P<main>{TIME})(?:\+(?:(?P<periods>\d{{1,3}})x(?P<period>{TIME})|(?P<increment>{TIME})))?")
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
EXAMPLES = "'60' (seconds for all moves), '5m+3' (and 3 more a move), '10m+5x30' (then five periods of 30 s)"
HORIZON = 30
"""Time is kept for this many moves of one's own, or for those that the game can still have."""
LAG = 0.02
"""Seconds of every move that are not thought with: they pass on the way from one program to another."""
HARD = 2.5
"""So many times the time that is planned may go to a hard move."""
SHARE = 0.9
"""Of what a move may take at most, no more than this is planned."""


@dataclass(frozen=True)
class TimeControl:
    """What each player gets for a game: `TimeControl.of("5m+3")`."""

    main: float
    """Seconds at the start."""
    increment: float = 0.0
    """Seconds that every move adds (Fischer)."""
    periods: int = 0
    """Byoyomi: how many periods follow when the main time is over. A move within one does not use it up."""
    period: float = 0.0
    """Seconds of a period."""

    def __post_init__(self) -> None:
        for seconds in (self.main, self.increment, self.period):
            if not 0 <= seconds <= MOST_SECONDS:
                raise SettingError(f"a time is from 0 to {MOST_SECONDS:,.0f} seconds, not {shortly(seconds)}")
        if not (self.main or (self.periods and self.period)):
            raise SettingError(f"a clock begins with some time: {EXAMPLES}")

    @classmethod
    def of(cls, given: str | TimeControl) -> TimeControl:
        """The control that a text says, as people write it."""
        if isinstance(given, TimeControl):
            return given
        found = WRITTEN.fullmatch(given.strip().lower()) if isinstance(given, str) else None
        if found is None:
            raise SettingError(f"a clock is written like {EXAMPLES}, not {shortly(given)}")
        main, increment, period = (_seconds(found[name]) for name in ("main", "increment", "period"))
        return cls(main, increment, int(found["periods"] or 0), period)

    def __str__(self) -> str:
        more = f"+{self.periods}x{_text(self.period)}" if self.periods else ""
        return _text(self.main) + (f"+{_text(self.increment)}" if self.increment else more)

    def start(self) -> Clock:
        """A player's clock before the first move."""
        return Clock(self, self.main, self.periods)


@dataclass(frozen=True)
class Clock:
    """What one player has left; it changes with every move."""

    control: TimeControl
    left: float
    """Seconds of the main time."""
    periods: int = 0
    """Periods of byoyomi."""

    @property
    def limit(self) -> float:
        """The most seconds that the next move may take."""
        return self.left + self.periods * self.control.period

    def after(self, seconds: float) -> Clock | None:
        """The clock after a move that took so long; None: its flag fell."""
        over = seconds - self.left
        if over <= 0:
            return replace(self, left=self.left - seconds + self.control.increment)
        used = math.floor(over / self.control.period) if self.control.period else self.periods
        return replace(self, left=self.control.increment, periods=self.periods - used) if used < self.periods else None

    def plan(self, moves: int = HORIZON) -> float:
        """How long to think about the next move, with about so many of one's own to come, this one included."""
        each = self.left / max(moves, 1) + SHARE * self.control.increment
        if self.periods:  # what is not used of a period is lost
            each = max(each, SHARE * self.control.period)
            return max(min(each, SHARE * (self.left + self.control.period)) - LAG, 1e-3)
        return max(min(each, SHARE * self.left) - LAG, 1e-3)

    def most(self, moves: int = HORIZON) -> float:
        """How long a hard move may take where clear ones are played early: more than planned, if time is kept at all.

        It is what is planned where nothing is kept for later: for the last move, and in a period of byoyomi.
        """
        there = self.left + (self.control.period if self.periods else 0.0)
        return max(min(HARD * self.plan(moves), SHARE * there - LAG), 1e-3)

    def __str__(self) -> str:
        """As a clock shows it: 4:59, 0:09.3, 0:00 and 3x30."""
        tenths = math.floor(10 * max(self.left, 0.0) + 1e-6)
        minutes, rest = divmod(tenths, 600)
        shown = f"{minutes}:{rest // 10:02}" + (f".{rest % 10}" if tenths < 100 else "")
        return f"{shown} and {self.periods}x{_text(self.control.period)}" if self.periods else shown


def moves_to_come(ply: int, players: int, longest: int | None) -> int:
    """For how many moves of one's own time is kept, after so many moves of all; no game is longer than `longest`."""
    possible = HORIZON if longest is None else math.ceil((longest - ply) / max(players, 1))
    return max(1, min(HORIZON, possible))


def _seconds(text: str | None) -> float:
    if not text:
        return 0.0
    return float(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else float(text)


def _text(seconds: float) -> str:
    if seconds >= 60 and seconds % 60 == 0:
        return f"{seconds / 60:g}m"
    return f"{seconds:g}"
