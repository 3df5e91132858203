"""One search, several Python threads: one of them at a time has its turn, the others wait. Start at in_turn."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from ponderosa.errors import BusyError

PATIENCE = 1.0
"""Seconds after which somebody who waits looks whom for."""

Method = TypeVar("Method", bound=Callable[..., Any])


class Turn:
    """Whose turn it is with a search. What it calls in the midst of its work gets no turn to change it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._thinks = False
        self._without_end = False

    @contextlib.contextmanager
    def taken(self, doing: str, amidst: bool = False) -> Iterator[None]:
        """Wait for one's turn, and have it; `amidst` says that what the search calls may do that, too."""
        while not self._lock.acquire(timeout=PATIENCE):  # Ctrl-C ends the waiting
            if self._without_end:
                raise BusyError(f"this search ponders in another thread, without an end: stop that before you {doing}")
        try:
            if self._thinks and not amidst:
                raise BusyError(
                    f"this search is at work, and what it calls meanwhile cannot {doing} it: do that when it has ended"
                )
            yield
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def thinking(self, without_end: bool = False) -> Iterator[None]:
        """While the tree grows, whoever is called from there may look and leave alone."""
        before, self._thinks, self._without_end = self._thinks, True, without_end
        try:
            yield
        finally:
            self._thinks, self._without_end = before, False


def in_turn(method: Method) -> Method:
    """A method that changes a search: it waits until no other thread uses it."""

    @functools.wraps(method)
    def waiting(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._turn.taken(method.__name__):
            return method(self, *args, **kwargs)

    return cast(Method, waiting)


def looking(method: Method) -> Method:
    """A method that changes nothing: it waits, too, but may be called from a callback where nothing grows meanwhile."""
    doing = method.__name__ if method.__name__ in ("report", "save") else "copy"

    @functools.wraps(method)
    def waiting(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._turn.taken(doing, amidst=not self.grows_beside):
            return method(self, *args, **kwargs)

    return cast(Method, waiting)
