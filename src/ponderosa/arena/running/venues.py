"""Where games run: processes on this machine, or a cluster. Start at venue_for."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

from ponderosa.arena.conditions import Conditions
from ponderosa.arena.event import Event
from ponderosa.arena.running.play import Venue
from ponderosa.arena.running.supervisor import Processes
from ponderosa.errors import SettingError
from ponderosa.system.memory_limits import most_memory

SHARE = 0.8
"""How much of the machine's memory all games together may take by default."""
LEAST_MEMORY = 4.0
"""Gigabytes of address space that a process gets at least by default: libraries reserve some themselves."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_of(event: Event) -> int:
    """How many threads an agent of the event takes, at most."""
    from ponderosa.registry import split_spec

    given = [split_spec(text)[1] for text in event.agents]
    if any("trees" in settings or settings.get("device") == "cuda" for settings in given):
        return cores()  # many trees grow on all of them, or on the one card
    counts = [settings.get("threads", "1") for settings in given]
    return max((int(threads) for threads in counts if threads.isdecimal()), default=1)


def default_concurrency(event: Event) -> int:
    """As many games as there are cores for; one, if an agent learns from each for the next."""
    return 1 if memories_of(event) else max(1, cores() // threads_of(event))


def memories_of(event: Event) -> list[Path]:
    """The files in which agents of the event keep what they learn."""
    from ponderosa.registry import read_value, split_spec

    settings = [split_spec(text)[1] for text in event.agents]
    learn = [read_value("learn", given.get("learn", "true"), True, None) for given in settings]
    found = [given["memory"] for given, learns in zip(settings, learn, strict=True) if learns and "memory" in given]
    return [Path(path).expanduser().resolve() for path in found]


def check_memories(event: Event, conditions: Conditions) -> None:
    """One agent learns in a file at a time, and one game after the other."""
    files = memories_of(event)
    if len(set(files)) < len(files):
        raise SettingError("two agents cannot learn in one memory: let all but one read it, with learn=false")
    if files and (conditions.cluster is not None or (conditions.concurrency or 1) > 1):
        raise SettingError("an agent with a memory learns from one game after the other: concurrency=1, or learn=false")


def overload(event: Event, concurrency: int) -> str:
    """What is unfair about the clock at this concurrency; empty when nothing is."""
    busy = concurrency * threads_of(event)
    if not event.timed or busy <= cores():
        return ""
    return f"moves are timed while {busy} threads think on {cores()} cores; results depend on the load"


def default_memory(concurrency: int) -> float:
    """A fair share of the memory that there is for all, in gigabytes."""
    return max(LEAST_MEMORY, round(SHARE * most_memory() / 2**30 / concurrency, 1))


def venue_for(event: Event, conditions: Conditions) -> AbstractContextManager[Venue]:
    """Where the games of an event run; at its end every process that was started is ended."""
    check_memories(event, conditions)
    if conditions.device is not None:
        from ponderosa.arena.running.lockstep import in_lockstep, why_apart
        from ponderosa.forest.forest import device_of

        device_of(conditions.device)
        if conditions.cluster is not None or conditions.concurrency is not None:
            raise SettingError("with a device, all games are played together: leave concurrency and cluster out")
        apart = why_apart(event)
        if not apart:
            return in_lockstep(event, conditions.device)
        return _processes(event, conditions, f"games are not played together on a device: {apart}")
    if conditions.cluster is not None:
        from ponderosa.arena.running.cluster import on_cluster

        if conditions.concurrency is not None:
            raise SettingError("on a cluster as many games run as it has threads: leave concurrency out")
        return on_cluster(event, conditions.cluster, conditions.memory)
    return _processes(event, conditions)


def _processes(event: Event, conditions: Conditions, note: str = "") -> AbstractContextManager[Venue]:
    """Processes on this machine."""
    at_once = conditions.concurrency or default_concurrency(event)
    memory = default_memory(at_once) if conditions.memory is None else conditions.memory
    return on_this_machine(at_once, memory, "; ".join(filter(None, (note, overload(event, at_once)))))


@contextlib.contextmanager
def on_this_machine(concurrency: int, memory: float | None = None, note: str = "") -> Iterator[Venue]:
    """Threads that each look after one process, in which the agents live."""
    executor, processes = ThreadPoolExecutor(concurrency, "ponderosa-arena"), Processes()
    try:
        yield Venue(executor, lambda: concurrency, processes.play, note, memory=memory)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        processes.stop()
        executor.shutdown(wait=True)
