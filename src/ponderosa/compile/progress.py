"""What is being compiled is told, to whoever listens and to the log `ponderosa.compile`. Start at listening.

with listening(lambda part: print("compiling", part)):
    Search(game)
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator

Listener = Callable[[str], object]
"""Called with the name of a part, such as a rule or a phase, before it is compiled; not for what is on disk already."""

_log = logging.getLogger("ponderosa.compile")
_listeners: list[Listener] = []


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Meanwhile, tell somebody what is compiled, in any thread of this process."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextlib.contextmanager
def compiling(part: str, clock: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    """Tell that a part is compiled, and log how long it took."""
    for listener in tuple(_listeners):
        listener(part)
    begun = clock()
    yield
    _log.info("compiled %s in %.2f s", part, clock() - begun)
