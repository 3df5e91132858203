"""Lazy SMP: threads that search the same position and share the transposition table alone. Start at LazySmp.

What they find reaches the first thread through the table: they go deeper on their own, every other one a ply ahead,
and nobody waits for anybody. Two threads may write one entry at once; its key is kept xored with its
content, so that a mixed entry is nobody's (Hyatt & Mann, ICGA Journal 25(1), 2002).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ponderosa.compile.annotations import StateBytes
from ponderosa.compile.record_view import PlainRecord
from ponderosa.system.starting import starting

NO_LIMIT = 1 << 60
JOIN_SECONDS = 0.001


class LazySmp:
    """Boards, each for a thread of its own."""

    def __init__(self, count: int, dtype: np.dtype[Any]) -> None:
        self._bytes = np.zeros((count, dtype.itemsize), np.uint8)
        self._boards = [PlainRecord(data, dtype) for data in self._bytes]
        self._over = False

    @property
    def nodes(self) -> int:
        """How many positions they have looked at since they began."""
        return sum(int(board.nodes) for board in self._boards)

    @contextmanager
    def searching(self, data: StateBytes, search: Callable[[Any, int], int], deepest: int) -> Iterator[None]:
        """Search the position of these bytes in the threads meanwhile, each by `search(its own bytes, depth)`."""
        self._over = False
        self._bytes[:] = data
        threads = [
            threading.Thread(target=self._deepen, args=(number, search, deepest), daemon=True)
            for number in range(len(self._boards))
        ]
        try:
            with starting(len(threads)):
                for thread in threads:
                    thread.start()
            yield
        finally:
            self._over = True
            for thread, board in zip(threads, self._boards, strict=True):
                while thread.is_alive():
                    board.limit = -1  # again and again: the thread may have been about to set it
                    thread.join(JOIN_SECONDS)

    def _deepen(self, number: int, search: Callable[[Any, int], int], deepest: int) -> None:
        """Search one ply deeper at a time until it is over."""
        board = self._boards[number]
        for depth in range(2 - number % 2, deepest + 1):
            if self._over:
                break
            search(self._bytes[number], depth)
            board.preferred = board.best
