"""The tree of a search, node by node, for people. Start at TreeNode; search_tree.py is where people find it."""

from __future__ import annotations

import functools
import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from ponderosa.core.bounds import PROVEN_NAMES, for_opponent, is_settled
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.core.turns import CHANCE
from ponderosa.errors import IllegalActionError, SettingError, listed
from ponderosa.mcts.tree.node import ROOT, certain_value

MOST_CHILDREN = 8
"""How many children of a node are unfolded, the most visited first."""
MOST_NODES = 400
"""How many nodes are unfolded or drawn at once, at most."""
DEEPEST = 100
GONE = "the tree of this report is gone: its search has ended or gone on to another position"

Path = tuple[int, ...]
"""The numbers of the actions from the root to a node."""


@with_field_texts
@dataclass(frozen=True, eq=False, repr=False)
class TreeNode:
    """One node of a tree: its numbers as they were when it was read; its children are read when they are asked for."""

    parent: TreeNode | None
    """The node above; None at the root."""
    action: Any
    """What led to it: a player's action, or what the dice showed; None at the root."""
    mover: int
    """Whose `value` and `proven` these are: the player who moved here; at the root, the player to move."""
    visits: int
    """Iterations that went through it."""
    value: float | None
    """The mean result for the mover, from 0 (loss) to 1 (win); None: never visited."""
    proven: str | None
    """"win", "draw" or "loss" for the mover, when that is certain."""
    child_count: int
    """How many children are in the tree."""
    path: Path
    """The numbers of the actions from the root to it."""
    _reader: TreeReader

    @property
    def depth(self) -> int:
        """How many actions it is away from the root."""
        return len(self.path)

    @property
    def share(self) -> float:
        """Its part of its parent's visits; with transpositions, others may have come here too."""
        return 1.0 if self.parent is None else min(self.visits / max(self.parent.visits, 1), 1.0)

    @functools.cached_property
    def name(self) -> str:
        """The action as people write it; empty at the root."""
        return "" if self.parent is None else self._reader.name_of(self)

    @functools.cached_property
    def state(self) -> Any:
        """The position; None below the root where players do not see all of it."""
        return self._reader.state_of(self)

    @functools.cached_property
    def chance(self) -> float | None:
        """How probable it is, when dice and not a player led to it."""
        return None if self.parent is None else self._reader.probability_of(self)

    @property
    def children(self) -> tuple[TreeNode, ...]:
        """The nodes below it, the most visited first; none below the actions where players see different things."""
        return self._reader.below(self)

    def child(self, action: Any) -> TreeNode:
        """The child that an action, or its name, leads to."""
        children = self.children
        by_name = {child.name.casefold(): child for child in children} if isinstance(action, str) else {}
        found = next((child for child in children if child.action == action), None)
        found = by_name.get(str(action).strip().casefold()) if found is None else found
        if found is None:
            there = listed(child.name for child in children) or "none"
            raise IllegalActionError(f"{action!r} leads to no node of the tree here; its actions: {there}")
        return found

    @property
    def best_line(self) -> tuple[TreeNode, ...]:
        """The nodes below it that the search expects: of each, the most visited child."""
        return self._reader.best_line(self)

    def __iter__(self) -> Iterator[TreeNode]:
        """This node and all below it, a parent before its children, the most visited first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def __repr__(self) -> str:
        known = f", proven {self.proven}" if self.proven else ""
        children = f"{self.child_count} {'child' if self.child_count == 1 else 'children'}"
        return f"<node {self.name or 'root'}: {self.visits:,} visits, {percent(self.value)}{known}, {children}>"


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
        self._search, self._engine, self._tree, self._scaled = search, search.engine, search.tree, search.scaled
        self._state = search.root_state if state is None else state

    @property
    def _nodes(self) -> Any:
        return self._tree.nodes

    @still
    def root(self) -> TreeNode:
        """The position that was searched."""
        node, player = self._nodes[ROOT], self._engine.player()
        proven = int(node["proven"]) if int(node["mover"]) == player else int(for_opponent(int(node["proven"])))
        children = self._order(ROOT)
        value = certain_value(node, player)
        value = self._mean(children[0] if children else ROOT) if value is None else value
        known = PROVEN_NAMES.get(proven)
        return TreeNode(None, None, player, int(node["visits"]), value, known, int(node["count"]), (), self)

    @still
    def below(self, parent: TreeNode) -> tuple[TreeNode, ...]:
        """All children of a node, the most visited first."""
        self._check_there()
        index = self._find(parent.path)
        if index is None or (self._engine.viewed and parent.path):
            return ()
        return tuple(self._read(child, parent) for child in self._order(index))

    @still
    def best_line(self, node: TreeNode) -> tuple[TreeNode, ...]:
        """The most visited line below a node."""
        self._check_there()
        line, index = [], self._find(node.path)
        while index is not None and self._order(index) and not (self._engine.viewed and node.path):
            index = int(self._engine.most_visited(self._nodes, index))
            node = self._read(index, node)
            line.append(node)
        return tuple(line)

    def _check_there(self) -> None:
        if self._search._tree is not self._tree:
            raise SettingError(GONE)

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
        """The most visited nodes, at most this many moves from the root, each behind its parent.

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
        index, nodes = ROOT, self._nodes
        first, count, actions = nodes["first"], nodes["count"], nodes["action"]
        for number in path:
            begin = int(first[index])
            there = actions[begin : begin + int(count[index])].tolist() if begin > 0 else []
            if number not in there:
                return None
            index = begin + int(there.index(number))
        return index

    def _order(self, index: int) -> list[int]:
        """The children of a node, the most visited first."""
        begin, count = int(self._nodes["first"][index]), int(self._nodes["count"][index])
        visits = self._nodes["visits"][begin : begin + count].tolist() if begin > 0 else []
        return [begin + place for place in sorted(range(len(visits)), key=lambda place: -visits[place])]

    def _mean(self, index: int) -> float | None:
        visits = int(self._nodes["visits"][index])
        return self._scaled(float(self._nodes["value"][index]) / visits) if visits else None

    def _read(self, index: int, parent: TreeNode) -> TreeNode:
        node = dict(zip(self._nodes.dtype.names, self._nodes[index].item(), strict=True))
        number, mover, proven = node["action"], node["mover"], node["proven"]
        value = certain_value(self._nodes[index], mover) if is_settled(proven) else None
        return TreeNode(
            parent=parent,
            action=self._engine.action(number),
            mover=mover,
            visits=node["visits"],
            value=self._mean(index) if value is None else value,
            proven=PROVEN_NAMES.get(proven),
            child_count=node["count"],
            path=(*parent.path, number),
            _reader=self,
        )

    def name_of(self, node: TreeNode) -> str:
        """How people write what led to a node below the root."""
        assert node.parent is not None
        return str(self._engine.action_name(node.parent.state, node.action))

    def state_of(self, node: TreeNode) -> Any:
        """The position of a node, if it has one."""
        if node.parent is None:
            return self._state
        return None if self._engine.viewed else self._after(node.parent.state, node.action)

    def probability_of(self, node: TreeNode) -> float | None:
        """How probable what led to a node is; None when a player moved."""
        assert node.parent is not None
        return None if self._engine.viewed else _probability(node.parent.state, node.action)

    def _after(self, state: Any, action: Any) -> Any:
        if isinstance(state, State):
            return state.child(action)
        after = state.clone()
        self._engine.play(after, action)
        return after


def _probability(state: Any, action: Any) -> float | None:
    """How probable an outcome is; None when a player moves."""
    if int(state.current_player()) != CHANCE:
        return None
    return next((float(share) for outcome, share in state.chance_outcomes() if outcome == action), 0.0)


def percent(value: float | None) -> str:
    """A value as people write it."""
    return "-" if value is None else f"{100 * value:.1f} %"
