"""The one match that a server plays at a time, in the background. Start at Contest.start."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from ponderosa.arena.event import Event
from ponderosa.arena.match import Progress, play_match
from ponderosa.arena.results.store import Store
from ponderosa.arena.running.places import default_concurrency, place_for
from ponderosa.arena.running.play import Ledger
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

    def start(self, event: Event, games: int) -> int:
        """Begin a match, or go on with one that is in the file; its number there."""
        with self._lock:
            if self._closed:
                raise LimitError("the server ends")
            if self.running is not None:
                raise LimitError("a match is running, and this server plays one at a time; stop it, or wait")
            with Store(self._path) as store:
                self.event = Ledger.begin(store, event, games).id
            self._stop.clear()
            self.progress, self.trouble = None, ""
            self.version += 1
            self._thread = threading.Thread(target=self._run, args=(event, games), name="contest", daemon=True)
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

    def _run(self, event: Event, games: int) -> None:
        at_once = max(1, default_concurrency(event) // 2)  # the page needs cores too
        try:
            with Store(self._path) as store, place_for(event, at_once) as place:
                play_match(event, games, store, place, watch=self._watch)
        except _StoppedError:
            self.trouble = "stopped; starting the same match goes on with it"
        except PonderosaError as error:
            self.trouble = str(error)
        except Exception as error:  # whatever it is, the page goes on and says so
            log.exception("the match ended")
            self.trouble = f"{type(error).__name__}: {error}"
        finally:
            self.version += 1

    def _watch(self, progress: Progress) -> None:
        self.progress = progress
        if self._stop.is_set():
            raise _StoppedError


class _StoppedError(Exception):
    """Somebody wants no more games."""
