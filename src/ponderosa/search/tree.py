"""The tree in memory, and the part of it that is kept. Start at Tree; node.py says what a node is."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.core.rules import jit_enabled
from ponderosa.search.loop import COUNTERS, STATUS, USED
from ponderosa.search.node import NODE, ROOT, SURE, UNPROVEN, UNTRIED, Nodes, tightened
from ponderosa.search.solver import conclusion, prove

LEAST_CAPACITY = 2**16
INDEX_LIMIT = 2**31 - 1


class Tree:
    """Nodes in one array; the root is node 0.

    The array is reserved at once, as long as it may ever get: the system gives memory only to what is written, and
    copying a full array to a longer one would hold up a search for a third of a second.
    """

    def __init__(self, player: int, layout: np.dtype[Any] = NODE) -> None:
        self.nodes: Nodes = reserved(default_max_nodes(layout), layout)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.counters[USED] = 1
        self.nodes[ROOT]["mover"] = player
        self.thinned = False
        """Whether equal actions at the root were looked for already: search/symmetry.py."""

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles have: of the reserved array only what is used."""
        return vars(self) | {"nodes": self.nodes[: self.used]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.nodes = reserved(max(default_max_nodes(state["nodes"].dtype), self.used + 1), state["nodes"].dtype)
        self.nodes[: self.used] = state["nodes"]

    @property
    def used(self) -> int:
        """How many nodes there are."""
        return int(self.counters[USED])

    @property
    def positions(self) -> int | None:
        """How many different positions they are, if that is known."""
        return None

    @property
    def status(self) -> int:
        """Why the loop returned last: one of the numbers in loop.py."""
        return int(self.counters[STATUS])

    def limit(self, max_nodes: int | None) -> Nodes:
        """The part of the array that the loop may use: never more than max_nodes nodes, and one place behind them."""
        return self.nodes if max_nodes is None else self.nodes[: max(max_nodes, self.used) + 1]

    def child_with(self, action: int, parent: int = ROOT) -> int | None:
        """A node's child for an action, if it is in the tree."""
        begin, count = int(self.nodes[parent]["first"]), int(self.nodes[parent]["count"])
        found = np.flatnonzero(self.nodes["action"][begin : begin + count] == action)
        return begin + int(found[0]) if len(found) else None

    def opened(self, action: int, parent: int = ROOT) -> int | None:
        """A node's child for an action, put into the tree if it waits beside it; None: it is no candidate there."""
        found, node = self.child_with(action, parent), self.nodes[parent]
        place = slot = int(node["first"]) + int(node["count"])
        while found is None and node["first"] > 0 and self.nodes[slot]["first"] == UNTRIED:
            if self.nodes[slot]["action"] == action:
                self.nodes[[place, slot]] = self.nodes[[slot, place]]
                self.nodes[place]["first"] = 0
                node["count"] += 1
                found = place
            slot += 1
        return found

    def prove_anew(self) -> None:
        """Keep of what is proven at the root only what its children prove: then there is a move that does it."""
        self.nodes[ROOT]["proven"] = UNPROVEN
        if self.nodes[ROOT]["count"] > 0:
            self.nodes[ROOT]["proven"] = conclusion(self.nodes, ROOT)

    def settle(self, path: Sequence[int], proven: int) -> None:
        """Enter what is certain of the last node of a path from the root, and what follows from it."""
        self.nodes[path[-1]]["proven"] = tightened(self.nodes[path[-1]]["proven"], proven)
        prove(self.nodes, path, len(path) - 1)

    def subtree(self, node: int) -> Tree:
        """A tree of its own from a node down; the counts stay as they are."""
        tree = type(self)(int(self.nodes[node]["mover"]), self.nodes.dtype)
        tree.counters[USED] = self._copy(node, tree.nodes, 0)
        if tree.nodes[ROOT]["count"] == 0:
            tree.nodes[ROOT]["proven"] = UNPROVEN  # a root needs moves to choose from; they will prove it again
            if SURE in (tree.nodes.dtype.names or ()):
                tree.nodes[ROOT][SURE] = 0.0
        return tree

    def graft(self, node: int, other: Tree) -> bool:
        """Put another tree in the place of a node and all below it; False: there is no room.

        What was below the node stays in the array, out of reach, until `subtree(ROOT)` leaves it out.
        """
        if self.used + other.used >= len(self.nodes):
            return False
        known = self.nodes[node]["proven"]
        self.counters[USED] = _subtree_copier(self.nodes.dtype)(other.nodes, ROOT, self.nodes, node, self.used, 0)
        self.nodes[node]["proven"] = tightened(known, self.nodes[node]["proven"])
        return True

    def recycle(self, most: int) -> bool:
        """Give up the least visited subtrees, until at most half of so many nodes are left; False: it does not help."""
        expanded = self.nodes[: self.used]
        expanded = expanded["visits"][(expanded["first"] > 0) & (expanded["count"] > 0)]
        spare = reserved(len(self.nodes), self.nodes.dtype)
        before, least = self.used, 2
        while least <= 2 * int(expanded.max(initial=0)):
            used = self._copy(ROOT, spare, least)
            if 2 * used <= most:
                self.nodes = spare
                self.counters[USED] = used
                return used < before
            spare[:used] = np.zeros(1, spare.dtype)  # beyond what is used, slots must be empty
            least *= 2
        return False

    def slots_moved(self, moved: dict[int, int]) -> None:
        """Told when slots have other places now, or none, which is 0."""

    def _copy(self, node: int, target: Nodes, least: int) -> int:
        """Copy what lies below a node; how many nodes that are."""
        return int(_subtree_copier(self.nodes.dtype)(self.nodes, node, target, ROOT, 1, least))


def copy_subtree(nodes: Any, node: Any, target: Any, place: Any, used: Any, least: Any) -> Any:
    """Copy a node to a place in another array, and all below it, block by block, behind what is used there.

    Returns how much is used then. What lies below a node of fewer visits than the least is left out: that node is a
    leaf again.
    """
    target[place] = nodes[node]
    scanned, following = place, used
    while scanned < used:
        begin = target[scanned]["first"]
        if begin > 0 and scanned != place and target[scanned]["visits"] < least:
            target[scanned]["first"] = 0
            target[scanned]["count"] = 0
        elif begin > 0:
            size = target[scanned]["count"] + 0
            target[scanned]["first"] = used
            while nodes[begin + size]["first"] == UNTRIED:
                size += 1
            for index in range(size):
                target[used + index] = nodes[begin + index]
            used += size
        scanned, following = following, following + 1
    return used


@functools.cache
def _subtree_copier(layout: np.dtype[Any]) -> Any:
    if not jit_enabled():
        return copy_subtree
    from numba import from_dtype

    from ponderosa.core.native import INT, compiled

    nodes = from_dtype(layout)[::1]
    return compiled(copy_subtree, INT(nodes, INT, nodes, INT, INT, INT), scope=str(layout))


def reserved(length: int, layout: np.dtype[Any] = NODE) -> Nodes:
    """An array of so many nodes, or of as many as the system is ready to promise."""
    while True:
        try:
            return np.zeros(length, layout)
        except MemoryError:
            if length <= LEAST_CAPACITY:
                raise
            length = max(length // 2, LEAST_CAPACITY)


@functools.cache
def default_max_nodes(layout: np.dtype[Any] = NODE) -> int:
    """As many nodes as fit into half of the memory that this process may use."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        memory = 4 * 2**30
    limit = Path("/sys/fs/cgroup/memory.max")  # a container's limit, on Linux
    if limit.is_file():
        text = limit.read_text().strip()
        memory = min(memory, int(text)) if text.isdigit() else memory
    memory = min(memory, _address_space() // 4)  # two players' trees, each with its successor, and room for the rest
    return min(INDEX_LIMIT, memory // 2 // layout.itemsize)


def _address_space() -> int:
    """How many bytes this process may reserve; what is reserved counts here even if it is never written."""
    try:
        import resource
    except ImportError:  # Windows
        return sys.maxsize
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit
