"""The tree in memory, and the part of it that is kept. Start at Tree; node.py says what a node is."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ponderosa.core.bounds import UNPROVEN, tightened
from ponderosa.core.rules import jit_enabled
from ponderosa.mcts.tree.counters import copied, new_counters
from ponderosa.mcts.tree.memory import ALONE, Room, empty, reserved
from ponderosa.mcts.tree.node import NODE, ROOT, SURE, UNTRIED, Nodes
from ponderosa.mcts.tree.pruning import compiled_slide, fewest
from ponderosa.mcts.tree.solver import conclusion, prove
from ponderosa.system.interrupts import interrupts_waiting


class Tree:
    """Nodes in one array; the root is node 0.

    The array is reserved at once, as long as it may ever get: the system gives memory only to what is written, and
    copying a full array to a longer one would hold up a search for a third of a second. Nor is there ever a second
    array: what is given up of a tree is given up where it lies (mcts/tree/pruning.py).
    """

    def __init__(self, player: int, layout: np.dtype[Any] = NODE, room: Room = ALONE) -> None:
        self.room = room
        self.nodes: Nodes = reserved(room.nodes(layout), layout)
        self.counters = new_counters()
        self.nodes[ROOT]["mover"] = player
        self.thinned = False
        """Whether equal actions at the root were looked for already: mcts/tree/symmetry.py."""
        self.still = threading.RLock()
        """Held by those who read while others may search: nodes keep their places meanwhile."""

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles have: of the reserved array only what is used."""
        known = {name: value for name, value in vars(self).items() if name != "still"}
        return known | {"nodes": self.nodes[: self.used]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, counters=copied(state["counters"]), still=threading.RLock())
        layout = state["nodes"].dtype
        self.nodes = reserved(max(self.room.nodes(layout), self.used + 1), layout)
        self.nodes[: self.used] = state["nodes"]

    def snapshot(self) -> Self:
        """What there is of it now, for a pickle: it cannot grow."""
        tree = type(self).__new__(type(self))
        known = self.__getstate__().items()
        vars(tree).update(
            {name: value.copy() if isinstance(value, np.ndarray | np.void) else value for name, value in known}
        )
        return tree

    @property
    def used(self) -> int:
        """How many nodes there are."""
        return int(self.counters["used"])

    @used.setter
    def used(self, nodes: int) -> None:
        self.counters["used"] = nodes

    @property
    def positions(self) -> int | None:
        """How many different positions they are, if that is known."""
        return None

    @property
    def status(self) -> int:
        """Why the loop returned last: one of the numbers in mcts/loops/loop.py."""
        return int(self.counters["status"])

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
        """A copy of the tree from a node down; the counts stay as they are."""
        tree = type(self)(int(self.nodes[node]["mover"]), self.nodes.dtype, self.room)
        tree.used = _subtree_copier(self.nodes.dtype)(self.nodes, node, tree.nodes, ROOT, 1)
        tree._open_root()
        return tree

    def moved_to(self, node: int) -> Self:
        """The tree from a node down, in the memory of this one, which is empty then; the counts stay as they are."""
        tree = type(self).__new__(type(self))
        vars(tree).update(vars(self), counters=new_counters(), thinned=False)
        tree.used = self.used
        with self.still:
            self.nodes, self.counters = np.zeros(2, self.nodes.dtype), new_counters()
        tree._shrink(node, 0)
        tree._open_root()
        return tree

    def _open_root(self) -> None:
        """A root needs moves to choose from: without them nothing counts as proven, and they will prove it again."""
        root = self.nodes[ROOT]
        if root["count"] == 0:
            root["proven"] = UNPROVEN
            if SURE in (self.nodes.dtype.names or ()):
                root[SURE] = 0.0

    def graft(self, node: int, other: Tree) -> bool:
        """Put another tree in the place of a node and all below it; False: there is no room.

        What was below the node stays in the array, out of reach, until `subtree(ROOT)` leaves it out.
        """
        if self.used + other.used >= len(self.nodes):
            return False
        known = self.nodes[node]["proven"]
        self.used = _subtree_copier(self.nodes.dtype)(other.nodes, ROOT, self.nodes, node, self.used)
        self.nodes[node]["proven"] = tightened(known, self.nodes[node]["proven"])
        return True

    def recycle(self, most: int) -> bool:
        """Give up the least visited subtrees, until half of this many nodes are left; False: it does not help."""
        before, least = self.used, 2
        if 2 * self._fewest() > most:
            return False
        self._shrink(ROOT, least)
        while 2 * self.used > most:
            least *= 2
            self._shrink(ROOT, least)
        return self.used < before

    def _fewest(self) -> int:
        """How many nodes are left when all is given up but the root and its slots."""
        return int(fewest(self.nodes))

    def _shrink(self, node: int, least: int) -> None:
        """Keep what lies below a node, but nothing below nodes of fewer visits than the least."""
        with interrupts_waiting(), self.still:
            left, used = self._slide(node, least), self.used
            empty(self.nodes, left, used)  # beyond what is used, slots must be empty
            self.used = left

    def _slide(self, node: int, least: int) -> int:
        return int(compiled_slide(self.nodes.dtype)(self.nodes, node, self.used, least))

    def slots_moved(self, moved: dict[int, int]) -> None:
        """Told when slots have other places now, or none, which is 0."""


def copy_subtree(nodes: Nodes, node: int, target: Nodes, place: int, used: int) -> int:
    """Copy a node to a place in another array, and all below it, block by block, behind what is used there.

    Returns how much is used then.
    """
    target[place] = nodes[node]
    scanned, following = place, used
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
        scanned, following = following, following + 1
    return used


@functools.cache
def _subtree_copier(layout: np.dtype[Any]) -> Any:
    if not jit_enabled():
        return copy_subtree
    from ponderosa.compile.native import INT, compiled, records

    nodes = records(layout)
    return compiled(copy_subtree, INT(nodes, INT, nodes, INT, INT), scope=str(layout))
