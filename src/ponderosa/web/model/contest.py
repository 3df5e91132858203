"""The one match that a server plays at a time, in the background. Start at Contest.start."""

from __future__ import annotations

import contextlib
import logging
import threading
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from ponderosa.arena.match import PlannedMatch, run_match
from ponderosa.arena.planned import Door, Progress, Watch, enter_event
from ponderosa.arena.running.venues import default_concurrency
from ponderosa.errors import LimitError, PonderosaError

log = logging.getLogger("ponderosa.web")


class Contest:
    """Plays a match into a file of games; whoever reads the file sees how far it is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._closed = False
        self.event: int | None = None
        """The number of the match that was started last."""
        self.progress: Progress | None = None
        """How far it is."""
        self.trouble = ""
        """Why it ended before its time."""
        self.version = 0
        """Grows whenever a match begins or ends."""

    @property
    def running(self) -> int | None:
        """The number of the match that runs now."""
        alive = self._thread is not None and self._thread.is_alive()
        return self.event if alive else None

    def start(self, planned: PlannedMatch) -> int:
        """Begin a match, or go on with one that is in the file; its number there."""
        with self._lock:
            if self._closed:
                raise LimitError("the server ends")
            if self.running is not None:
                raise LimitError("a match is running, and this server plays one at a time; stop it, or wait")
            self.event = enter_event(planned.event, planned.games, self._path)
            self._stop.clear()
            self.progress, self.trouble = None, ""
            self.version += 1
            self._thread = threading.Thread(target=self._run, args=(planned,), name="contest", daemon=True)
            self._thread.start()
            return self.event

    def stop(self, seconds: float | None = None) -> None:
        """End the match: finished games stay; waits for its processes to end if `seconds` are given."""
        self._stop.set()
        thread = self._thread
        if thread is not None and seconds is not None:
            thread.join(seconds)

    def close(self) -> None:
        """The server ends: no process may be left."""
        with self._lock:
            self._closed = True
        self.stop(seconds=15.0)

    def _run(self, planned: PlannedMatch) -> None:
        at_once = max(1, default_concurrency(planned.event) // 2)  # the page needs cores too
        conditions = replace(planned.conditions, concurrency=at_once)
        try:
            run_match(replace(planned, conditions=conditions), self._path, Door(watching=self._watching))
        except _StoppedError:
            self.trouble = "stopped; starting the same match goes on with it"
        except PonderosaError as error:
            self.trouble = str(error)
        except Exception as error:  # whatever it is, the page goes on and says so
            log.exception("the match ended")
            self.trouble = f"{type(error).__name__}: {error}"
        finally:
            self.version += 1

    def _watching(self) -> AbstractContextManager[Watch]:
        return contextlib.nullcontext(self._watch)

    def _watch(self, progress: Progress) -> None:
        self.progress = progress
        if self._stop.is_set():
            raise _StoppedError


class _StoppedError(Exception):
    """Somebody wants no more games."""
