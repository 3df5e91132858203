"""The tree in memory: growth and reuse. Start at Tree; node.py says what a node is."""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from ponderosa.core.rules import jit_enabled
from ponderosa.search.loop import STATUS, USED
from ponderosa.search.node import NODE, ROOT, UNPROVEN, UNTRIED, Nodes

FIRST_CAPACITY = 2**16
INDEX_LIMIT = 2**31 - 1


class Tree:
    """Nodes in one array that doubles when it is full; the root is node 0."""

    def __init__(self, player: int) -> None:
        self.nodes: Nodes = np.zeros(FIRST_CAPACITY, NODE)
        self.counters = np.zeros(3, np.int64)
        self.counters[USED] = 1
        self.nodes[ROOT]["mover"] = player

    @property
    def used(self) -> int:
        """How many nodes there are."""
        return int(self.counters[USED])

    @property
    def status(self) -> int:
        """Why the loop returned last: one of the numbers in loop.py."""
        return int(self.counters[STATUS])

    def limit(self, max_nodes: int | None) -> Nodes:
        """The part of the array that the loop may use: never more than max_nodes nodes, and one place behind them."""
        return self.nodes if max_nodes is None else self.nodes[: max(max_nodes, self.used) + 1]

    def make_room(self, max_nodes: int | None) -> bool:
        """Let the array grow to twice its length; False when it must not or cannot."""
        most = min(INDEX_LIMIT, default_max_nodes() if max_nodes is None else max_nodes + 1)
        length = min(2 * len(self.nodes), most)
        if length <= len(self.nodes):
            return False
        try:
            nodes = np.zeros(length, NODE)
        except MemoryError:
            return False
        nodes[: self.used] = self.nodes[: self.used]
        self.nodes = nodes
        return True

    def child_with(self, action: int) -> int | None:
        """The root's child for an action, if it is in the tree."""
        root = self.nodes[ROOT]
        for child in range(root["first"], root["first"] + root["count"]):
            if self.nodes[child]["action"] == action:
                return int(child)
        return None

    def subtree(self, node: int) -> Tree:
        """A tree of its own from a node down; the counts stay as they are."""
        tree = Tree(int(self.nodes[node]["mover"]))
        tree.nodes = np.zeros(len(self.nodes), NODE)
        tree.counters[USED] = _subtree_copier()(self.nodes, node, tree.nodes)
        if tree.nodes[ROOT]["count"] == 0:
            tree.nodes[ROOT]["proven"] = UNPROVEN  # a root needs moves to choose from; they will prove it again
        return tree


def copy_subtree(nodes: Any, node: Any, target: Any) -> Any:
    """Copy a node and all below it, block by block, to the beginning of another array; returns how many there are."""
    target[ROOT] = nodes[node]
    used = 1
    scanned = 0
    while scanned < used:
        begin = target[scanned]["first"]
        if begin > 0:
            size = target[scanned]["count"] + 0
            target[scanned]["first"] = used
            while nodes[begin + size]["first"] == UNTRIED:
                size += 1
            for index in range(size):
                target[used + index] = nodes[begin + index]
            used += size
        scanned += 1
    return used


@functools.cache
def _subtree_copier() -> Any:
    if not jit_enabled():
        return copy_subtree
    from numba import from_dtype

    from ponderosa.core.native import INT, compiled

    nodes = from_dtype(NODE)[::1]
    return compiled(copy_subtree, INT(nodes, INT, nodes))


def default_max_nodes() -> int:
    """As many nodes as fit into half of this machine's memory."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        memory = 4 * 2**30
    return int(memory // 2 // NODE.itemsize)
