"""Work on the rows of tables, a piece at a time, by all cores. Start at in_pieces."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ponderosa.forest.cores import core_count


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


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(core_count(), "rows")
