"""What is being compiled is told, to whoever listens and to the log `ponderosa.compile`. Start at listening.

with listening(lambda part: print("compiling", part)):
    Search(game)
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator

Listener = Callable[[str], object]
"""Called with the name of a part, such as a rule or a phase, before it is compiled; not for what is on disk already."""

_log = logging.getLogger("ponderosa.compile")
_listeners: list[tuple[Listener, int | None]] = []
"""Each with the thread that it listens to, if it is only one."""


@contextlib.contextmanager
def listening(listener: Listener, here: bool = False) -> Iterator[None]:
    """Meanwhile, tell somebody what is compiled in any thread of this process; with `here`, in this thread alone."""
    entry = listener, threading.get_ident() if here else None
    _listeners.append(entry)
    try:
        yield
    finally:
        _listeners.remove(entry)


def tell(part: str) -> None:
    """Whoever listens hears that a part is compiled, be it by another process that this thread waits for."""
    me = threading.get_ident()
    for listener, thread in tuple(_listeners):
        if thread in (None, me):
            listener(part)


@contextlib.contextmanager
def compiling(part: str, clock: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    """Tell that a part is compiled, and log how long it took."""
    tell(part)
    begun = clock()
    yield
    _log.info("compiled %s in %.2f s", part, clock() - begun)
