"""Threads that the system does not start: a sentence about it. Start at starting."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ponderosa.errors import RoomError


@contextlib.contextmanager
def starting(threads: int) -> Iterator[None]:
    """While this many threads are started; each takes some megabytes of the address space at once."""
    try:
        yield
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        raise RoomError(
            f"this process cannot start {threads} threads, for want of memory or by its limits: take fewer, "
            "or allow it more (ulimit -v, ulimit -u)"
        ) from None
