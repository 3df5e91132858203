"""Work in a thread that another thread can end. Start at Endable and within; web/model/runner.py decides when.

Python is ended by an exception that is raised in its thread. Machine code hears nothing until it returns: whoever waits
for it is told, and its thread goes on with the least priority.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from ponderosa.system.delegation import errand

IDLEST = 19


LOOK_SECONDS = 0.02
T = TypeVar("T")


class OverrunError(BaseException):
    """Raised in a thread whose work must end; no `except Exception` of an agent or a game keeps it."""


class Endable:
    """One piece of work, in one thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = self._native = 0

    def run(self, work: Callable[[], None]) -> None:
        """Do it here and now; OverrunError: it was ended."""
        with self._lock:
            self._thread, self._native = threading.get_ident(), threading.get_native_id()
        try:
            work()
        finally:
            self.leave()

    def leave(self) -> None:
        """It is over: nothing is raised here any more."""
        with self._lock:
            self._thread = 0
            _raise_in(threading.get_ident(), None)

    @property
    def prepares(self) -> bool:
        """Whether it compiles or imports something: that is for everybody, and must not be left half done."""
        return self._thread in errand.workers or _imports(self._thread)

    def interrupt(self) -> None:
        """End it, if it is Python that runs."""
        with self._lock:
            if self._thread and not self.prepares:
                _raise_in(self._thread, OverrunError)

    def slow_down(self) -> None:
        """Let everything else in the machine go first, where the system can do that for a thread."""
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self._native, IDLEST)


def within(seconds: float, work: Callable[[], T]) -> T | None:
    """What work in Python comes to; None: it was ended after this many seconds, in which nothing was compiled."""
    found: list[T] = []
    job, over = Endable(), threading.Event()

    def watch() -> None:
        left = seconds
        while not over.wait(LOOK_SECONDS):
            left -= 0.0 if job.prepares else LOOK_SECONDS
            if left <= 0.0:
                job.interrupt()

    watcher = threading.Thread(target=watch, name="watchdog", daemon=True)
    watcher.start()
    try:
        job.run(lambda: found.append(work()))
    except OverrunError:
        job.leave()
    finally:
        over.set()
        watcher.join()
    return found[0] if found else None


def _imports(thread: int) -> bool:
    """Whether a thread is in the middle of an import: then it holds the lock of a module.

    The frames of a thread would tell it too, but to walk them while it runs can crash the interpreter.
    """
    locks = [held() for held in list(getattr(importlib._bootstrap, "_module_locks", {}).values())]
    return any(lock is not None and lock.owner == thread for lock in locks)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread at its next step; None: no longer do so."""
    what = ctypes.py_object() if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
