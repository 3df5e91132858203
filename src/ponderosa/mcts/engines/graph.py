"""Running the loop of mcts/loops/graph.py: compiled, or as plain Python. Start at engine_for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ponderosa.core.ordering import key_of
from ponderosa.core.plain import Box, PlainGame
from ponderosa.core.rng import Rng
from ponderosa.core.state import State
from ponderosa.errors import SettingError
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.engine import Engine, Policies
from ponderosa.mcts.engines.plain import PlainEngine
from ponderosa.mcts.engines.record import RecordEngine
from ponderosa.mcts.loops import graph
from ponderosa.mcts.loops.information_sets import MIX
from ponderosa.mcts.loops.loop import CROWDED
from ponderosa.mcts.loops.workspace import Game as Operations
from ponderosa.mcts.loops.workspace import Grow, Workspace
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.graph import Graph
from ponderosa.mcts.tree.node import ROOT, Nodes
from ponderosa.mcts.tree.tree import Tree


def engine_for(
    game: Any, plain: PlainGame | None, policies: Policies, rng: Rng, seed: int, settings: SearchSettings
) -> Engine:
    """What runs the loop for a game; `plain` is it, if its states are Python objects."""
    if plain is None:
        return (GraphEngine if settings.transpositions else RecordEngine)(game, policies, rng, settings)
    return (PlainGraphEngine if settings.transpositions else PlainEngine)(plain, policies, rng, seed, settings)


def _until_it_fits(iterations: int, graph: Graph, grow: Callable[[int], int]) -> int:
    """Run the loop, and give it a larger table whenever it asks for one."""
    done = grow(iterations)
    while graph.status == CROWDED:
        graph.widen()
        done += grow(iterations - done)
    return done


class GraphEngine(RecordEngine):
    """Games with a dtype."""

    own_fields = graph.FIELDS

    def new_tree(self) -> Tree:
        return Graph(self.player(), self.layout, self.tree_room())

    def _loop_kind(self) -> str:
        return _loop_kind(self._policies)

    def _operations(self, used: Collection[str]) -> Operations:
        return super()._operations(used)._replace(key=key_of(self.game))

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        assert isinstance(tree, Graph)
        work = self._on(tree, self.game.ordered, solve)
        return _until_it_fits(iterations, tree, lambda most: self._run(most, nodes, _room(work, tree)))


class PlainGraphEngine(PlainEngine):
    """Any Python states that can be told apart."""

    own_fields = graph.FIELDS

    def __init__(self, game: PlainGame, policies: Policies, rng: Rng, seed: int, settings: SearchSettings) -> None:
        super().__init__(game, policies, rng, seed, settings)
        self._rules = self._rules._replace(key=_plain_key(game.initial))
        self._keys_differ = False

    def _loop(self) -> Grow:
        return kernels.LOOPS[_loop_kind(self._policies)]

    def new_tree(self) -> Tree:
        return Graph(self.player(), self.layout, self.tree_room())

    def snapshot(self) -> dict[str, Any]:
        return super().snapshot() | {"root_key": self._rules.key(self._work.root)}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        super().resume(snapshot)
        self._keys_differ = snapshot["root_key"] != self._rules.key(self._work.root)

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        assert isinstance(tree, Graph)
        if self._keys_differ:
            tree.rekey(self._keys_here(tree))
            self._keys_differ = False
        work = self._on(tree, ordered=False, solve=solve)
        return _until_it_fits(iterations, tree, lambda most: self._run(most, nodes, _room(work, tree)))

    def _keys_here(self, tree: Graph) -> dict[int, int]:
        """The keys of all positions by their places, in a process that has other hashes than the tree's first one."""
        nodes, rules, known = tree.nodes, self._rules, {*tree.places.tolist()}
        found: dict[int, int] = {}
        waiting = [(ROOT, self._work.root)]
        while waiting:
            parent, box = waiting.pop()
            begin = max(int(nodes[parent]["first"]), 0)
            for edge in range(begin, begin + int(nodes[parent]["count"])):
                place = max(int(nodes[edge]["node"]), 0) or edge
                if place in known and place not in found:
                    after = Box()
                    rules.copy(after, box)
                    rules.apply_action(after, int(nodes[edge]["action"]))
                    found[place] = rules.key(after) ^ (int(nodes[edge]["mover"]) * MIX)
                    waiting.append((place, after))
        return found


def _loop_kind(policies: Policies) -> str:
    return "graph by priors" if policies.select.priors else "graph"


def _room(work: Workspace, tree: Graph) -> Workspace:
    """The path of an iteration, for those who look at it afterwards, is one of edges."""
    return work._replace(path=work.parents, edges=work.path, keys=tree.keys, places=tree.places)


def _plain_key(state: Any) -> Any:
    """A number for a boxed Python state: by its rule or method `key`, or its hash."""
    if isinstance(state, State) and "key" in state.game.own_rules():
        rule = state.game.own_rules()["key"]
        return lambda box: int(rule(box.state.record))
    if callable(getattr(state, "key", None)):
        return lambda box: int(box.state.key())
    own_hash: Any = type(state).__hash__
    if own_hash is None or own_hash is object.__hash__:
        raise SettingError(
            f"transpositions need states that can be told apart: {type(state).__name__} has neither a method key(), "
            "which gives equal positions the same number, nor a hash of its own"
        )

    def key(box: Box) -> int:
        return hash(box.state) >> 1

    return key
