"""The graph in memory, the table of its positions, and the part of it that is kept. Start at Graph."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ponderosa.core.bounds import tightened
from ponderosa.core.rules import jit_enabled
from ponderosa.mcts.tree.memory import ALONE, Room
from ponderosa.mcts.tree.node import ROOT, UNTRIED, Nodes
from ponderosa.mcts.tree.solver import conclusion
from ponderosa.mcts.tree.tree import Tree

LEAST_TABLE = 2**12
PRIME, FACTOR = 2**31 - 1, 1_640_531_527
Keys = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]


class Graph(Tree):
    """Positions and edges in one array (mcts/loops/graph.py), and a table that finds positions by their keys."""

    def __init__(self, player: int, layout: np.dtype[Any], room: Room = ALONE) -> None:
        super().__init__(player, layout, room)
        self.keys, self.places = _empty_table(LEAST_TABLE)

    @property
    def positions(self) -> int:
        """How many different positions there are."""
        return int(self.counters["entries"]) + 1

    def widen(self) -> None:
        """Give the table more room."""
        old = self.keys, self.places
        self.keys, self.places = _empty_table(4 * len(self.keys))
        _machine("enter", self.nodes.dtype)(*old, self.keys, self.places)

    def rekey(self, keys: Mapping[int, int]) -> None:
        """Enter the positions, by their places, under other keys."""
        known = np.array([*keys.values()], np.int64), np.array([*keys], np.int32)
        self.keys, self.places = _empty_table(len(self.keys))
        self.counters["entries"] = _machine("enter", self.nodes.dtype)(*known, self.keys, self.places)

    def settle(self, path: Sequence[int], proven: int) -> None:
        """Enter what is certain of where a path of edges leads, and what follows from it on the way."""
        for edge in reversed(path):
            shared = int(self.nodes[edge]["node"])
            position = shared if shared > 0 else edge
            last = edge == path[-1]
            known = tightened(self.nodes[position]["proven"], proven) if last else conclusion(self.nodes, position)
            self.nodes[position]["proven"] = self.nodes[edge]["proven"] = known

    def moved_to(self, node: int) -> Self:
        """The graph from where an edge leads, in the memory of this one, which is empty then."""
        shared = int(self.nodes[node]["node"])
        graph = super().moved_to(shared if shared > 0 else node)
        self.keys, self.places = _empty_table(LEAST_TABLE)
        return graph

    def _fewest(self) -> int:
        begin, count = int(self.nodes[ROOT]["first"]), int(self.nodes[ROOT]["count"])
        return super()._fewest() + int(np.count_nonzero(self.nodes["node"][begin : begin + count] > 0))

    def _slide(self, node: int, least: int) -> int:
        """Give up what lies below the least visited positions, and what nothing else leads to."""
        moved, waiting = np.zeros(self.used, np.int32), np.zeros(self.used, np.int32)
        left = int(_machine("slide", self.nodes.dtype)(self.nodes, node, moved, waiting, least))
        del waiting
        self._take_table(moved)
        return left

    def slots_moved(self, moved: dict[int, int]) -> None:
        places = np.arange(self.used, dtype=np.int32)
        places[list(moved)] = list(moved.values())
        self._take_table(places)

    def _take_table(self, moved: Places) -> None:
        """Keep those positions of the table that are still there, at the places where they are now."""
        stay = moved[self.places] != 0
        keys, places = self.keys[stay], moved[self.places[stay]]
        size = LEAST_TABLE
        while size < 4 * len(keys):
            size *= 4
        self.keys, self.places = _empty_table(size)
        self.counters["entries"] = _machine("enter", self.nodes.dtype)(keys, places, self.keys, self.places)


def _empty_table(size: int) -> tuple[Keys, Places]:
    return np.zeros(size, np.int64), np.zeros(size, np.int32)


def place_of(key: int, size: int) -> int:
    """Where to look first in a table for a key; keys may be numbers with a meaning, and must be scattered."""
    mixed = (key % PRIME) * FACTOR
    return ((mixed >> 24) ^ mixed) & (size - 1)


def enter(keys: Keys, places: Places, new_keys: Keys, new_places: Places) -> int:
    """Enter the positions of a table into an empty one; returns how many."""
    entered = 0
    for index in range(len(keys)):
        if places[index] != 0:
            place = place_of(keys[index], len(new_keys))
            while new_places[place] != 0:
                place = (place + 1) & (len(new_keys) - 1)
            new_keys[place] = keys[index]
            new_places[place] = places[index]
            entered += 1
    return entered


def slide_graph(nodes: Nodes, node: int, moved: Places, waiting: Places, least: int) -> int:
    """Make a position the root, and slide all that can be reached from it to the front; returns how many records.

    `moved`, as long as what is used, says where each record is now, or 0. Positions of fewer visits than the least are
    leaves again, and so is an edge that leads back to the new root.
    """
    nodes[ROOT] = nodes[node]
    nodes[ROOT]["node"] = 0
    reach(nodes, node, moved, waiting, least)
    used = 1
    for place in range(1, len(moved)):
        if moved[place] != 0:
            moved[place] = used
            used += 1
    for place in range(len(moved)):
        if place == ROOT or moved[place] != 0:
            record = nodes[moved[place]]
            nodes[moved[place]] = nodes[place]
            record["passed"] = 0
            if record["node"] > 0:
                record["node"] = moved[record["node"]]
            elif record["first"] > 0:
                record["first"] = moved[record["first"]]
    show_children(nodes, used)
    return used


def reach(nodes: Nodes, node: int, moved: Places, waiting: Places, least: int) -> None:
    """Mark in `moved` all that stays; `waiting` is room for what was reached, and not yet looked at."""
    waiting[0], count = ROOT, 1
    while count > 0:
        count -= 1
        place = waiting[count]
        record = nodes[place]
        begin, shared = record["first"] + 0, record["node"] + 0
        if shared > 0 and shared != node:
            if moved[shared] == 0:
                moved[shared], waiting[count] = 1, shared
                count += 1
        elif begin > 0 and place != ROOT and (shared > 0 or record["visits"] < least):
            record["node"], record["first"], record["count"] = min(shared, 0), 0, 0
        elif begin > 0 and moved[begin] == 0:
            size = record["count"] + 0
            while nodes[begin + size]["first"] == UNTRIED:
                size += 1
            for slot in range(begin, begin + size):
                moved[slot], waiting[count] = 1, slot
                count += 1


def show_children(nodes: Nodes, used: int) -> None:
    """Let edges lead to the children of the positions that they share, for those who read the graph as a tree."""
    for place in range(1, used):
        edge = nodes[place]
        if edge["node"] > 0:
            edge["first"] = nodes[edge["node"]]["first"]
            edge["count"] = nodes[edge["node"]]["count"]


@functools.cache
def _machine(name: str, layout: np.dtype[Any]) -> Any:
    function: Any = {"slide": slide_graph, "enter": enter}[name]
    if not jit_enabled():
        return function
    from ponderosa.compile.native import INT, INTS, PLACES, compiled, records

    nodes, keys, places = records(layout), INTS, PLACES
    signature = INT(nodes, INT, places, places, INT) if name == "slide" else INT(keys, places, keys, places)
    return compiled(function, signature, scope=str(layout))
