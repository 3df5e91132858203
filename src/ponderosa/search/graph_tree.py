"""The graph in memory, the table of its positions, and the part of it that is kept. Start at Graph."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ponderosa.core.rules import jit_enabled
from ponderosa.search.graph import place_of
from ponderosa.search.node import ROOT, UNTRIED, tightened
from ponderosa.search.solver import conclusion
from ponderosa.search.tree import Tree
from ponderosa.search.views import KNOWN

LEAST_TABLE = 2**12
ALL = np.zeros(1, np.int32)
"""Nothing has moved."""


class Graph(Tree):
    """Positions and edges in one array (search/graph.py), and a table that finds positions by their keys."""

    def __init__(self, player: int, layout: np.dtype[Any]) -> None:
        super().__init__(player, layout)
        self.keys, self.places = _empty_table(LEAST_TABLE)
        self._moved = ALL

    @property
    def positions(self) -> int:
        """How many different positions there are."""
        return int(self.counters[KNOWN]) + 1

    def widen(self) -> None:
        """Give the table more room."""
        old = self.keys, self.places
        self.keys, self.places = _empty_table(4 * len(self.keys))
        _machine("enter", self.nodes.dtype)(*old, ALL, self.keys, self.places)

    def rekey(self, keys: Mapping[int, int]) -> None:
        """Enter the positions, by their places, under other keys."""
        known = np.array([*keys.values()], np.int64), np.array([*keys], np.int32)
        self.keys, self.places = _empty_table(len(self.keys))
        self.counters[KNOWN] = _machine("enter", self.nodes.dtype)(*known, ALL, self.keys, self.places)

    def settle(self, path: Sequence[int], proven: int) -> None:
        """Enter what is certain of where a path of edges leads, and what follows from it on the way."""
        for edge in reversed(path):
            shared = int(self.nodes[edge]["node"])
            position = shared if shared > 0 else edge
            last = edge == path[-1]
            known = tightened(self.nodes[position]["proven"], proven) if last else conclusion(self.nodes, position)
            self.nodes[position]["proven"] = self.nodes[edge]["proven"] = known

    def subtree(self, node: int) -> Tree:
        """A graph of its own from where an edge leads; the counts stay as they are."""
        shared = int(self.nodes[node]["node"])
        graph = super().subtree(shared if shared > 0 else node)
        assert isinstance(graph, Graph)
        graph._take_table(self.keys, self.places, self._moved)
        self._moved = ALL
        return graph

    def recycle(self, most: int) -> bool:
        """Give up what lies below the least visited positions, and what nothing else leads to."""
        helped = super().recycle(most)
        if helped:
            self._take_table(self.keys, self.places, self._moved)
        self._moved = ALL
        return helped

    def slots_moved(self, moved: dict[int, int]) -> None:
        places = np.arange(self.used, dtype=np.int32)
        places[list(moved)] = list(moved.values())
        self._take_table(self.keys, self.places, places)

    def _copy(self, node: int, target: Any, least: int) -> int:
        self._moved = np.zeros(self.used, np.int32)
        return int(_machine("copy", self.nodes.dtype)(self.nodes, node, target, self._moved, least))

    def _take_table(self, keys: Any, places: Any, moved: Any) -> None:
        """Enter those positions of another table that were moved here."""
        known = int(np.count_nonzero(moved))
        size = LEAST_TABLE
        while size < 4 * known:
            size *= 4
        self.keys, self.places = _empty_table(size)
        self.counters[KNOWN] = _machine("enter", self.nodes.dtype)(keys, places, moved, self.keys, self.places)


def _empty_table(size: int) -> tuple[Any, Any]:
    return np.zeros(size, np.int64), np.zeros(size, np.int32)


def enter(keys: Any, places: Any, moved: Any, new_keys: Any, new_places: Any) -> Any:
    """Enter the positions of a table into an empty one, at the places where they are now; returns how many."""
    entered = 0
    for index in range(len(keys)):
        node = places[index]
        if node != 0 and len(moved) > 1:
            node = moved[node]
        if node != 0:
            place = place_of(keys[index], len(new_keys))
            while new_places[place] != 0:
                place = (place + 1) & (len(new_keys) - 1)
            new_keys[place] = keys[index]
            new_places[place] = node
            entered += 1
    return entered


def copy_graph(nodes: Any, node: Any, target: Any, moved: Any, least: Any) -> Any:
    """Copy a position and all that can be reached from it to the beginning of another array; returns how many records.

    `moved` says where each record went. Positions of fewer visits than the least are leaves again, and so is an edge
    that leads back to the new root.
    """
    target[ROOT] = nodes[node]
    target[ROOT]["node"] = 0
    used = 1
    scanned = 0
    while scanned < used:
        record = target[scanned]
        begin, shared = record["first"] + 0, record["node"] + 0
        record["passed"] = 0
        if shared > 0 and shared != node:
            if moved[shared] == 0:
                target[used] = nodes[shared]
                moved[shared] = used
                used += 1
            record["node"] = moved[shared]
        elif begin > 0 and scanned > 0 and (shared > 0 or record["visits"] < least):
            record["node"] = min(shared, 0)
            record["first"] = 0
            record["count"] = 0
        elif begin > 0:
            size = record["count"] + 0
            record["first"] = used
            while nodes[begin + size]["first"] == UNTRIED:
                size += 1
            for index in range(size):
                target[used + index] = nodes[begin + index]
                moved[begin + index] = used + index
            used += size
        scanned += 1
    show_children(target, used)
    return used


def show_children(nodes: Any, used: Any) -> None:
    """Let edges lead to the children of the positions that they share, for those who read the graph as a tree."""
    for place in range(1, used):
        edge = nodes[place]
        if edge["node"] > 0:
            edge["first"] = nodes[edge["node"]]["first"]
            edge["count"] = nodes[edge["node"]]["count"]


@functools.cache
def _machine(name: str, layout: np.dtype[Any]) -> Any:
    function = {"copy": copy_graph, "enter": enter}[name]
    if not jit_enabled():
        return function
    from numba import from_dtype, types

    from ponderosa.core.native import INT, compiled

    nodes, keys, places = from_dtype(layout)[::1], types.int64[::1], types.int32[::1]
    signature = INT(nodes, INT, nodes, places, INT) if name == "copy" else INT(keys, places, places, keys, places)
    return compiled(function, signature, scope=str(layout))
