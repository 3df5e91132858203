"""Time as the Go Text Protocol tells it: main time, then stones in a time, periods or increments. Start at settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.clock import Clock, TimeControl

LEAST = 1e-3
"""A clock begins with some time; a flag that has fallen is the business of whoever watches it."""
KINDS = "none", "absolute", "canadian", "byoyomi", "fischer"
"""What time_settings of Go servers and of KataGo call them."""


def canadian(main: float, seconds: float, stones: int) -> Clock | None:
    """Main time, then so many stones in so many seconds, again and again; None: no limit."""
    if seconds > 0 and stones == 0:
        return None
    return _started(main, periods=1 if seconds else 0, period=seconds / max(stones, 1))


def settings(words: Sequence[str]) -> Clock | None:
    """The clock of a kind and its numbers, as in `byoyomi 600 30 5`; a ValueError says that it is none."""
    kind, numbers = words[0].lower() if words else "", [float(word) for word in words[1:]]
    if kind == "none":
        return None
    if kind == "absolute" and len(numbers) == 1:
        return _started(numbers[0])
    if kind == "canadian" and len(numbers) == 3:
        return canadian(numbers[0], numbers[1], int(numbers[2]))
    if kind == "byoyomi" and len(numbers) == 3:
        return _started(numbers[0], periods=int(numbers[2]), period=numbers[1])
    if kind == "fischer" and len(numbers) == 2:
        return _started(numbers[0], increment=numbers[1])
    raise ValueError(kind)


def told(clock: Clock | None, seconds: float, stones: int) -> Clock:
    """What is left, as time_left says it: of the main time, or of a period for so many stones (or so many periods)."""
    if clock is None:
        return _started(seconds) if stones == 0 else _started(0, periods=1, period=seconds / stones)
    if stones == 0:
        return replace(clock, left=max(seconds, 0.0))
    if clock.control.periods > 1:  # byoyomi: this period ends after so many seconds, others follow
        return replace(clock, left=0.0, periods=stones)
    control = TimeControl(0.0, periods=1, period=min(max(seconds / stones, LEAST), MOST_SECONDS))
    return Clock(replace(control, main=clock.control.main), 0.0, 1)


def after(clock: Clock, seconds: float) -> Clock:
    """The clock after a move; one that has run out stays at its end."""
    return clock.after(seconds) or replace(clock, left=0.0)


def _started(main: float, *, increment: float = 0.0, periods: int = 0, period: float = 0.0) -> Clock:
    main, increment, period = (min(max(each, 0.0), MOST_SECONDS) for each in (main, increment, period))
    if not (periods and period):
        main = max(main, LEAST)
    return TimeControl(main, increment, max(periods, 0), period).start()
