"""Where games run: processes on this machine, or a cluster. Start at place."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from ponderosa.arena import supervisor
from ponderosa.arena.event import Event
from ponderosa.arena.play import Place
from ponderosa.core.errors import SettingError

LEAST_MEMORY = 4.0
"""Gigabytes of address space that a process gets at least, unless told otherwise: libraries reserve some themselves."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_of(event: Event) -> int:
    """How many threads an agent of the event takes, at most."""
    from ponderosa.registry import split_spec

    given = [split_spec(text)[1].get("threads", "1") for text in event.agents]
    return max((int(threads) for threads in given if threads.isdecimal()), default=1)


def default_concurrency(event: Event) -> int:
    """As many games as there are cores for."""
    return max(1, cores() // threads_of(event))


def default_memory(concurrency: int) -> float | None:
    """A fair share of the machine's memory, in gigabytes; None where that is not known."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, ValueError, OSError):
        return None
    return max(LEAST_MEMORY, round(total / concurrency, 1))


@contextlib.contextmanager
def on_this_machine(concurrency: int, memory: float | None = None) -> Iterator[Place]:
    """Threads that each look after one process, in which the agents live."""
    if isinstance(concurrency, bool) or not isinstance(concurrency, int) or not 1 <= concurrency <= 1024:
        raise SettingError(f"concurrency, the games at a time, must be from 1 to 1024, not {concurrency!r}")
    if memory is not None and not 0 < memory < 1e6:
        raise SettingError(f"memory is a number of gigabytes, not {memory!r}")
    executor = ThreadPoolExecutor(concurrency, "ponderosa-arena")
    limit = default_memory(concurrency) if memory is None else memory
    try:
        yield Place(executor, concurrency, supervisor.close_processes, memory=limit)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        supervisor.close_processes()
        executor.shutdown(wait=True)
