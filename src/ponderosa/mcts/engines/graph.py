"""Running the loop of mcts/loops/graph.py: compiled, or as plain Python. Start at engine_for."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from ponderosa.core.ordering import key_of
from ponderosa.core.plain import Box, PlainGame
from ponderosa.core.rng import Rng
from ponderosa.core.rules import signatures
from ponderosa.core.state import State
from ponderosa.errors import SettingError
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.engine import Engine, Manner, Policies
from ponderosa.mcts.engines.phases import operation_of
from ponderosa.mcts.engines.plain import PlainEngine
from ponderosa.mcts.engines.record import RecordEngine
from ponderosa.mcts.loops import graph, loop
from ponderosa.mcts.loops.information_sets import CROWDED, MIX
from ponderosa.mcts.tree.graph import Graph
from ponderosa.mcts.tree.node import ROOT, Nodes
from ponderosa.mcts.tree.tree import Tree


def engine_for(game: Any, plain: PlainGame | None, policies: Policies, rng: Rng, seed: int, manner: Manner) -> Engine:
    """What runs the loop for a game; `plain` is it, if its states are Python objects."""
    if plain is None:
        return (GraphEngine if manner.transpositions else RecordEngine)(game, policies, rng, manner)
    return (PlainGraphEngine if manner.transpositions else PlainEngine)(plain, policies, rng, seed, manner)


def _until_it_fits(iterations: int, graph: Graph, grow: Any) -> int:
    """Run the loop, and give it a larger table whenever it asks for one."""
    done = int(grow(iterations))
    while graph.status == CROWDED:
        graph.widen()
        done += int(grow(iterations - done))
    return done


class GraphEngine(RecordEngine):
    """Games with a dtype."""

    own_fields = graph.FIELDS

    def new_tree(self) -> Tree:
        return Graph(self.player(), self.layout, self.tree_room())

    def _operations(self) -> Any:
        names = (name for name in graph.Game._fields if name != "key")
        rules = {name: operation_of(self.game.rules, name, self._phases.needs) for name in names}
        return graph.Game(**rules, key=key_of(self.game))

    def _compiled(self) -> Any:
        return compiled_graph(self.layout, self._policies.select.priors)

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        assert isinstance(tree, Graph)
        self._set_flags(tree, self.game.ordered)
        phases, counters = self._phases.for_loop(), tree.counters
        params = (phases.select_params, phases.expand_params, phases.playout_params, phases.backup_params)

        def grow(most: int) -> Any:
            work = _workspace(self._work, tree)
            if self._grow is None:
                return _loop(self._policies)(most, nodes, counters, self._rules, phases, work, solve)
            return self._grow(most, nodes, self._addresses, *params, *work, solve)

        return _until_it_fits(iterations, tree, grow)


class PlainGraphEngine(PlainEngine):
    """Any Python states that can be told apart."""

    own_fields = graph.FIELDS

    def __init__(self, game: PlainGame, policies: Policies, rng: Rng, seed: int, manner: Manner) -> None:
        super().__init__(game, policies, rng, seed, manner)
        rules = {name: getattr(self._rules, name) for name in graph.Game._fields if name != "key"}
        self._graph_rules = graph.Game(**rules, key=_plain_key(game.initial))
        self._keys_differ = False

    def new_tree(self) -> Tree:
        return Graph(self.player(), self.layout, self.tree_room())

    def snapshot(self) -> dict[str, Any]:
        return super().snapshot() | {"root_key": self._graph_rules.key(self._work.root)}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        super().resume(snapshot)
        self._keys_differ = snapshot["root_key"] != self._graph_rules.key(self._work.root)

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        assert isinstance(tree, Graph)
        if self._keys_differ:
            tree.rekey(self._keys_here(tree))
            self._keys_differ = False
        self._set_flags(tree, ordered=False)
        phases, counters = self._phases.for_loop(), tree.counters

        def grow(most: int) -> Any:
            work = _workspace(self._work, tree)
            return _loop(self._policies)(most, nodes, counters, self._graph_rules, phases, work, solve)

        return _until_it_fits(iterations, tree, grow)

    def _keys_here(self, tree: Graph) -> dict[int, int]:
        """The keys of all positions by their places, in a process that has other hashes than the tree's first one."""
        nodes, rules, known = tree.nodes, self._graph_rules, {*tree.places.tolist()}
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


def _loop(policies: Policies) -> Any:
    return graph.grow_by_priors if policies.select.priors else graph.grow


def _workspace(work: loop.Workspace, tree: Graph) -> graph.Workspace:
    """The path of an iteration, for those who look at it afterwards, is one of edges."""
    return graph.Workspace(
        root=work.root,
        state=work.state,
        spare=work.spare,
        path=work.parents,
        edges=work.path,
        actions=work.actions,
        values=work.values,
        rng=work.rng,
        keys=tree.keys,
        places=tree.places,
        counters=tree.counters,
    )


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


@functools.cache
def compiled_graph(layout: kernels.Layout, by_priors: bool) -> Any:
    """The loop of mcts/loops/graph.py as machine code."""
    from numba import types

    from ponderosa.compile import native
    from ponderosa.compile.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, STATES, VALUES

    rules, phases = signatures(), kernels.phase_signatures(layout)
    copy_at, player_at, candidates_at = (native.function_at(rules[n]) for n in ("copy", "current_player", "candidates"))
    apply_at, terminal_at, scores_at = (native.function_at(rules[n]) for n in ("apply_action", "is_terminal", "scores"))
    bounds_at, prior_at, key_at = (native.function_at(rules[n]) for n in ("bounds", "prior", "key"))
    select_at, expand_at, playout_at, backup_at, learn_at, study_at = (
        native.function_at(phases[n]) for n in kernels.LOOP_PHASES
    )
    Game, Phases, Workspace = graph.Game, loop.Phases, graph.Workspace
    grow = graph.grow_by_priors if by_priors else graph.grow

    def grow_at(
        iterations: Any, nodes: Any, at: Any,
        select_params: Any, expand_params: Any, playout_params: Any, backup_params: Any,
        root: Any, state: Any, spare: Any, path: Any, edges: Any, actions: Any, values: Any, rng: Any,
        keys: Any, places: Any, counters: Any, solve: Any,
    ) -> Any:  # fmt: skip
        game = Game(
            copy_at(at[0]), player_at(at[1]), candidates_at(at[2]), apply_at(at[3]), terminal_at(at[4]),
            scores_at(at[5]), bounds_at(at[6]), prior_at(at[7]), key_at(at[8]),
        )  # fmt: skip
        phases = Phases(
            select_at(at[9]), select_params, expand_at(at[10]), expand_params, playout_at(at[11]), playout_params,
            backup_at(at[12]), backup_params, learn_at(at[13]), study_at(at[14]),
        )  # fmt: skip
        work = Workspace(root, state, spare, path, edges, actions, values, rng, keys, places, counters)
        return grow(iterations, nodes, counters, game, phases, work, solve)

    integers = types.int64[::1]
    signature = INT(
        INT, kernels.nodes_type(layout), integers, PARAMS, PARAMS, PARAMS, PARAMS,
        STATE, STATE, STATES, PATH, PATH, ACTIONS, VALUES, RNG, integers, types.int32[::1], integers, types.boolean,
    )  # fmt: skip
    return native.compiled(grow_at, signature, scope=kernels.scope_of(layout), **kernels.OPTIONS)
