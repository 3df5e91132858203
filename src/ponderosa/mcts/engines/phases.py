"""The phases of a search as functions, compiled where that is possible. Start at Phases."""

from __future__ import annotations

import types as python_types
from collections.abc import Collection
from typing import Any

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.rng import Rng
from ponderosa.core.rules import Rules, jit_enabled, no_prior, no_value
from ponderosa.errors import SettingError
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.engine import Manner, Policies
from ponderosa.mcts.loops import bounded, leaf_playouts, loop
from ponderosa.mcts.loops.endings import Watch, bound_to, counted
from ponderosa.mcts.loops.leaf_playouts import SPARE_STATES
from ponderosa.mcts.policies.base import PlayoutPolicy
from ponderosa.mcts.policies.choose.choices import robust
from ponderosa.mcts.tree.node import NODE, Nodes


def nothing_learned(nodes: Any, path: Any, parents: Any, depth: Any, values: Any, moves: Any, params: Any) -> None:
    """What most select policies learn."""


def nothing_studied(params: Any, values: Any, moves: Any) -> None:
    """What most playout policies learn."""


class Phases:
    """The phases as functions, compiled where that is possible."""

    def __init__(
        self, policies: Policies, rules: Rules, compiled: Any, playout_compiled: bool, manner: Manner, longest: int
    ) -> None:
        """`compiled` is the layout of nodes to compile for, `longest` the most moves of a game."""
        self.needs = {need for policy in policies.by_phase().values() for need in policy.needs}
        if policies.select.priors and hasattr(rules, "prior"):
            self.needs.add("prior")
        for policy in policies.by_phase().values():
            for need in policy.needs:
                if not hasattr(rules, need):
                    raise SettingError(f"{policy} needs a game with the rule {need!r}")
        functions = {name: policy.function for name, policy in policies.by_phase().items()}
        self.counts = playout_compiled and manner.evaluator is None and not policies.playout.lengths
        """Whether playouts need room behind their state to count moves."""
        self.watch: Watch | None = None if jit_enabled() and playout_compiled else Watch()
        functions["playout"] = self.single_playout = self._played(policies.playout, rules)
        if manner.helpers:
            functions["playout"] = leaf_playouts.side_by_side(self.single_playout, rules.copy)
        functions["learn"] = policies.select.learn or nothing_learned
        functions["study"] = policies.playout.learn or nothing_studied
        functions["most_visited"] = robust().function
        if manner.bounded:
            functions |= {name: bounded.deciding(functions[name]) for name in ("choose", "most_visited")}
        self.functions = {
            name: kernels.compiled_phase(name, function, compiled)
            if jit_enabled() and (name != "playout" or playout_compiled)
            else function
            for name, function in functions.items()
        }
        self.params = {name: np.array(policy.params, dtype=np.float64) for name, policy in policies.by_phase().items()}
        playout = policies.playout
        self.params["playout"] = np.concatenate([playout_params(playout, longest), np.zeros(playout.memory)])
        self.params["select"] = np.concatenate([self.params["select"], np.zeros(policies.select.memory)])
        self.memories = {"select": policies.select.memory, "playout": policies.playout.memory}
        if policies.select.scaled:
            self.params["select"] = np.concatenate([self.params["select"], [0.0, 0.0]])

    def _played(self, policy: PlayoutPolicy, rules: Rules) -> Any:
        """A playout policy as the loop calls it."""
        bind = counted if self.counts else bound_to
        if self.watch is None:
            return bind(rules, policy.function)
        return self.watch.keeps(bind(self.watch.over(rules), policy.function))

    def for_loop(self) -> loop.Phases:
        f, p = self.functions, self.params
        return loop.Phases(
            f["select"], p["select"], f["expand"], p["expand"], f["playout"], p["playout"],
            f["backup"], p["backup"], f["learn"], f["study"],
        )  # fmt: skip

    def forget(self) -> None:
        """Empty what policies have learned outside of the tree."""
        for name, size in self.memories.items():
            if size:
                self.params[name][-size:] = 0.0

    def choose(self, nodes: Nodes, parent: int) -> int:
        return int(self.functions["choose"](nodes, parent, self.params["choose"]))

    def most_visited(self, nodes: Nodes, parent: int) -> int:
        return int(self.functions["most_visited"](nodes, parent, self.params["choose"]))


class Playout:
    """A playout policy that knows its lengths, of a game with a dtype, without a tree: call it with a state's bytes."""

    def __init__(self, game: Game, policy: PlayoutPolicy) -> None:
        assert game.dtype is not None
        function = bound_to(game.rules, policy.function)
        self._play = kernels.compiled_phase("playout", function, NODE) if jit_enabled() else function
        self._params = playout_params(policy, game.longest)
        self._spare = np.zeros((SPARE_STATES, game.dtype.itemsize), np.uint8)
        self._actions = np.zeros(game.max_actions, np.int32)

    def __call__(self, state: Any, rng: Rng, values: Any) -> int:
        """Play on the state to the end; each player's result, in [0, 1], is in values. How many plies it took."""
        return int(self._play(state, self._spare, self._actions, self._params, rng, values))


def playout_params(policy: PlayoutPolicy, longest: int) -> Any:
    """The numbers of a playout policy, behind those of mcts/loops/loop.py and the rollouts."""
    own = np.array(policy.params, dtype=np.float64)
    for place in policy.lengths:
        own[place] = min(own[place], longest + 1)  # one move more tells that it has not ended
    return np.concatenate([[float(longest), 0.0], [float(policy.rollouts)], own])


def operation_of(rules: Any, name: str, needs: Collection[str]) -> Any:
    """An operation of a game, or one that does nothing in the place of a rule that nobody needs."""
    function: Any = {"prior": no_prior, "evaluate": no_value}.get(name)
    if function is None or name in needs:
        return getattr(rules, name)
    if not jit_enabled() or isinstance(rules.copy, python_types.FunctionType):
        return function
    return kernels.compiled_operation(name, function)
