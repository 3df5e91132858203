"""Memory for trees: how much there is, and how it is reserved and given back. Start at Room and reserved."""

from __future__ import annotations

import contextlib
import mmap
import sys
from typing import Any, NamedTuple

import numpy as np

from ponderosa.errors import RoomError
from ponderosa.mcts.tree.node import NODE, Nodes
from ponderosa.system.memory_limits import most_memory

REST = 384 * 2**20
"""Bytes for all that is no tree: interpreter, libraries, compiler and three compiled games take 260 MB."""
SHARE = 4
"""A tree may take one part in this many of what is left: two trees take half, and nobody else is pushed out."""
LEAST_CAPACITY = 2**16
INDEX_LIMIT = 2**31 - 1
TABLE_BYTES = 64
"""What a node takes in a table, as a rule: a position has two to eight places of twelve bytes, and a few nodes."""
GIVES_BACK = sys.platform == "linux"
"""Whether the system takes single pages back, and gives empty ones for them."""


class Room(NamedTuple):
    """What a tree has to share its memory with."""

    trees: int = 1
    """How many trees of one search share the room of one."""
    beside: int = 0
    """Bytes that a node takes elsewhere, as in a table of positions."""

    def nodes(self, layout: np.dtype[Any] = NODE) -> int:
        """How many nodes the tree may have by default."""
        room = tree_memory() // (layout.itemsize + self.beside) // self.trees
        return max(min(room, INDEX_LIMIT), 2)


ALONE = Room()


def tree_memory() -> int:
    """The bytes that a tree may take by default."""
    memory = most_memory()
    return max(memory - REST, memory // 8) // SHARE


def reserved(length: int, layout: np.dtype[Any] = NODE) -> Nodes:
    """An array of this many empty nodes, or of as many as the system is ready to promise."""
    while True:
        try:
            return _mapped(length, layout) if GIVES_BACK else np.zeros(length, layout)
        except (MemoryError, OSError):
            if length <= LEAST_CAPACITY:
                raise RoomError(
                    f"there is no memory left for a tree of {length:,} nodes: take fewer threads or searches at once, "
                    "or allow this process more (ulimit -v)"
                ) from None
            length = max(length // 2, LEAST_CAPACITY)


def _mapped(length: int, layout: np.dtype[Any]) -> Nodes:
    """Pages of memory that are nobody else's; large ones, for a search jumps from node to node."""
    pages = mmap.mmap(-1, max(length * layout.itemsize, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.ndarray(length, layout, buffer=pages)


def empty(nodes: Nodes, begin: int, end: int) -> None:
    """Make nodes of an array as new, and give their memory back as far as that goes."""
    size, pages = nodes.dtype.itemsize, nodes.base
    if isinstance(pages, mmap.mmap):
        first, last = -(-begin * size // mmap.PAGESIZE), end * size // mmap.PAGESIZE
        if first < last:
            pages.madvise(mmap.MADV_DONTNEED, first * mmap.PAGESIZE, (last - first) * mmap.PAGESIZE)
            middle, behind = first * mmap.PAGESIZE // size + 1, last * mmap.PAGESIZE // size
            nodes[begin:middle] = nodes[behind:end] = np.zeros(1, nodes.dtype)
            return
    nodes[begin:end] = np.zeros(1, nodes.dtype)
