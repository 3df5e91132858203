"""The tree of a search, node by node, for people. Start at TreeReader; Kept is the tree behind a report."""

from __future__ import annotations

import functools
import heapq
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from ponderosa.core.bounds import PROVEN_NAMES, for_opponent
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.core.turns import CHANCE
from ponderosa.errors import SettingError
from ponderosa.mcts.tree.node import ROOT, certain_value

MOST_CHILDREN = 8
"""So many children of a node are unfolded, the most visited first."""
MOST_NODES = 400
"""So many nodes are unfolded or drawn at once, at most."""
DEEPEST = 100

Path = tuple[int, ...]
"""The numbers of the actions from the root to a node."""


@dataclass(frozen=True)
class TreeNode:
    """One node as people see it."""

    path: Path
    """The way to it."""
    name: str
    """The move, or the outcome of chance, that led to it."""
    state: Any
    """The position; None below the root where players do not see all of it."""
    visits: int
    """Iterations that went through it."""
    share: float
    """Its part of its parent's visits."""
    value: float | None
    """The mean result for the player who moved into it, from 0 to 1; at the root, for the player to move."""
    proven: str | None
    """What is certain, for the same player."""
    children: int
    """How many children are in the tree."""
    chance: float | None = None
    """How probable it is, when not a player but chance led to it."""


Method = TypeVar("Method", bound=Callable[..., Any])


def still(method: Method) -> Method:
    """A method that reads a tree: whoever searches it does not make room in it meanwhile."""

    @functools.wraps(method)
    def read(self: TreeReader, *args: Any, **kwargs: Any) -> Any:
        with self._tree.still:
            return method(self, *args, **kwargs)

    return cast(Method, read)


class TreeReader:
    """Reads the tree of a search, which may still grow."""

    def __init__(self, search: Any, state: Any = None) -> None:
        """`state` is the position that the tree grows from, if it is known better than the search knows it."""
        self._engine, self._tree, self._scaled = search.engine, search.tree, search.scaled
        self._state = search.root_state if state is None else state

    @property
    def _nodes(self) -> Any:
        return self._tree.nodes

    @still
    def root(self) -> TreeNode:
        """The position that was searched."""
        node = self._nodes[ROOT]
        visits, mover = int(node["visits"]), int(node["mover"])
        proven = int(node["proven"]) if mover == self._engine.player() else int(for_opponent(int(node["proven"])))
        children = self._order(ROOT)
        value = certain_value(node, self._engine.player())
        value = self._mean(children[0] if children else ROOT) if value is None else value
        return TreeNode((), "", self._state, visits, 1.0, value, PROVEN_NAMES.get(proven), int(node["count"]))

    @still
    def children(self, parent: TreeNode) -> list[TreeNode]:
        """The most visited children of a node, those first."""
        index = self._find(parent.path)
        return [] if index is None else [self._read(child, parent) for child in self._order(index)[:MOST_CHILDREN]]

    @still
    def unfolded(self, paths: Iterable[Path]) -> list[TreeNode]:
        """The root, and the children of every node whose path is given, in the order of a book."""
        wanted, found = set(paths), [self.root()]
        place = 0
        while place < len(found) and len(found) < MOST_NODES:
            if found[place].path in wanted:
                found[place + 1 : place + 1] = self.children(found[place])
            place += 1
        return found

    @still
    def top(self, depth: int = 3, min_visits: int = 1, most: int = MOST_NODES) -> list[TreeNode]:
        """The most visited nodes, at most so many moves from the root, each behind its parent.

        Of trees of views, in which a node has no position, these are the root and its actions.
        """
        check_number("depth", depth, 1, DEEPEST, whole=True)
        check_number("min_visits", min_visits, 0, whole=True)
        check_number("most", most, 1, 100_000, whole=True)
        found: list[TreeNode] = []
        waiting: list[tuple[int, int, int, TreeNode]] = [(0, 0, ROOT, self.root())]
        count = 1
        while waiting and len(found) < most:
            _, _, index, node = heapq.heappop(waiting)
            found.append(node)
            if len(node.path) == (1 if self._engine.viewed else depth):
                continue
            for child in self._order(index):
                if self._nodes[child]["visits"] >= min_visits:
                    heapq.heappush(waiting, (-int(self._nodes[child]["visits"]), count, child, self._read(child, node)))
                    count += 1
        return found

    def _find(self, path: Path) -> int | None:
        """The node at the end of a path."""
        index = ROOT
        for number in path:
            index = next((child for child in self._order(index) if int(self._nodes[child]["action"]) == number), -1)
            if index < 0:
                return None
        return index

    def _order(self, index: int) -> list[int]:
        first, count = int(self._nodes[index]["first"]), int(self._nodes[index]["count"])
        children = range(first, first + count) if first > 0 else range(0)
        return sorted(children, key=lambda child: -int(self._nodes[child]["visits"]))

    def _mean(self, index: int) -> float | None:
        visits = int(self._nodes[index]["visits"])
        return self._scaled(float(self._nodes[index]["value"]) / visits) if visits else None

    def _read(self, index: int, parent: TreeNode) -> TreeNode:
        node = self._nodes[index]
        visits, proven, number = int(node["visits"]), int(node["proven"]), int(node["action"])
        action, value = self._engine.action(number), certain_value(node, int(node["mover"]))
        return TreeNode(
            path=(*parent.path, number),
            name=self._engine.action_name(parent.state, action),
            state=None if self._engine.viewed else self._after(parent.state, action),
            visits=visits,
            share=min(visits / max(parent.visits, 1), 1.0),  # with transpositions, others may have come here too
            value=self._mean(index) if value is None else value,
            proven=PROVEN_NAMES.get(proven),
            children=int(node["count"]),
            chance=None if self._engine.viewed else _probability(parent.state, action),
        )

    def _after(self, state: Any, action: Any) -> Any:
        if isinstance(state, State):
            return state.child(action)
        after = state.clone()
        self._engine.play(after, action)
        return after


class Kept:
    """The tree behind a report, for as long as the search has not gone on to another one."""

    def __init__(self, search: Any) -> None:
        self._search: Callable[[], Any] = lambda: search
        self._tree = weakref.ref(search.tree)

    def loosen(self) -> None:
        """Let the search go when nobody else needs it: a tree may be large."""
        self._search = weakref.ref(self._search())

    def reader(self) -> TreeReader:
        """Reads the tree as it is now."""
        search, tree = self._search(), self._tree()
        if search is None or tree is None or search._tree is not tree:
            raise SettingError("the tree of this report is gone: its search has ended or gone on to another position")
        return TreeReader(search)


def _probability(state: Any, action: Any) -> float | None:
    """How probable an outcome is; None when a player moves."""
    if int(state.current_player()) != CHANCE:
        return None
    return next((float(share) for outcome, share in state.chance_outcomes() if outcome == action), 0.0)


def percent(value: float | None) -> str:
    """A value as people write it."""
    return "-" if value is None else f"{100 * value:.1f} %"
