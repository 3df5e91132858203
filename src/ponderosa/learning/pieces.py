"""Work by all cores: on the rows of tables, a piece at a time, or on what will be wanted next. Start at in_pieces."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ponderosa.forest.cores import core_count

Made = TypeVar("Made")


def in_pieces(work: Callable[[int, int], object], count: int, size: int) -> None:
    """Call `work(begin, end)` for all rows; while it runs code that lets other threads run, several pieces at once.

    A piece has no more than `size` rows, and begins where it would on any number of cores.
    """
    begins = range(0, count, size)
    if len(begins) < 2 or core_count() < 2:
        for begin in begins:
            work(begin, min(begin + size, count))
        return
    for done in [_pool().submit(work, begin, min(begin + size, count)) for begin in begins]:
        done.result()


def ahead(work: Callable[[int], Made], count: int) -> Iterator[Made]:
    """`work(0)`, `work(1)` and so on, so many; while one is used, all cores are at the next ones."""
    if count < 2 or core_count() < 2:
        yield from map(work, range(count))
        return
    yield work(0)  # what is to be compiled is, once
    begun: deque[Future[Made]] = deque()
    for number in range(1, count):
        begun.append(_pool().submit(work, number))
        if len(begun) >= 2 * core_count():
            yield begun.popleft().result()
    while begun:
        yield begun.popleft().result()


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(core_count(), "rows")
