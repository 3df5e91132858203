"""What visitors send that is no message fills no log. Start at calm.

Whoever can reach a socket can send nonsense to it, as fast as the network goes. The libraries below the page answer
each with a traceback; here it becomes a line, and the same line is not written again for a while.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Callable

LOGGERS = ("engineio.server", "socketio.server", "asyncio", "nicegui", "uvicorn.error", "ponderosa.web")
"""Who writes of what visitors send."""
LIBRARIES = {"socketio", "engineio", "uvicorn", "websockets", "nicegui"}
"""What fails in these, or is called by them and fails in no file of ours, was sent so."""
QUIET_SECONDS = 60.0
"""The same trouble is told once in so long."""
MOST_KNOWN = 1000
"""No more different troubles are remembered."""


def calm() -> None:
    """Calm all the loggers that visitors can make write."""
    noise = Noise()
    for name in LOGGERS:
        if not any(isinstance(known, Noise) for known in logging.getLogger(name).filters):
            logging.getLogger(name).addFilter(noise)


class Noise(logging.Filter):
    """Lets the same trouble through once a while, and without its traceback if a visitor made it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write it; what is no trouble, always."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, asyncio.CancelledError):
            return False  # the server ends, and says so itself
        if error is None:
            return self._news((record.name, record.msg))
        frames = [(frame.f_globals.get("__name__", ""), line) for frame, line in traceback.walk_tb(error.__traceback__)]
        if not _sent_so({name.partition(".")[0] for name, _ in frames}):
            return self._news((record.name, type(error), tuple(frames[-1:])))
        record.msg, record.args = "a visitor sent what is no message (%s)", (type(error).__name__,)
        record.exc_info = record.exc_text = None
        return self._news(type(error))

    def _news(self, trouble: object) -> bool:
        now = self._clock()
        if now - self._told.get(trouble, -QUIET_SECONDS) < QUIET_SECONDS:
            return False
        if len(self._told) >= MOST_KNOWN:
            self._told.clear()
        self._told[trouble] = now
        return True


def _sent_so(packages: set[str]) -> bool:
    """Whether an error comes of a message, and not of what we did with it."""
    return bool(packages & LIBRARIES) and "ponderosa" not in packages
