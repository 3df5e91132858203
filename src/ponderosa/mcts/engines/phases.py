"""The phases of a search as functions, compiled where that is possible. Start at Phases."""

from __future__ import annotations

import types as python_types
from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.core.rng import Rng
from ponderosa.core.rules import Rules, jit_enabled, no_prior, no_value
from ponderosa.errors import SettingError
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.engine import Policies
from ponderosa.mcts.loops import bounded, leaf_playouts
from ponderosa.mcts.loops.endings import Watch, bound_to, counted
from ponderosa.mcts.loops.leaf_playouts import SPARE_STATES
from ponderosa.mcts.loops.workspace import Game as Operations
from ponderosa.mcts.loops.workspace import Params, Play, Values
from ponderosa.mcts.loops.workspace import Phases as LoopPhases
from ponderosa.mcts.policies.base import PlayoutPolicy
from ponderosa.mcts.policies.choose.choices import robust
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.node import NODE, Nodes


class Phases:
    """The phases as functions, compiled where that is possible."""

    def __init__(
        self,
        policies: Policies,
        rules: Rules,
        compiled: kernels.Layout,
        playout_compiled: bool,
        settings: SearchSettings,
        longest: int,
    ) -> None:
        """`compiled` is the layout of nodes to compile for, `longest` the most moves of a game."""
        self.needs = {need for policy in policies.by_phase().values() for need in policy.needs}
        if policies.select.priors and hasattr(rules, "prior"):
            self.needs.add("prior")
        for policy in policies.by_phase().values():
            for need in policy.needs:
                if not hasattr(rules, need):
                    words = f"{policy} needs a game with the rule {need!r}"
                    raise SettingError(f"{words}, and with a dtype: rules of Python states are not asked for it")
        functions = {name: policy.function for name, policy in policies.by_phase().items()}
        self.counts = playout_compiled and settings.evaluator is None and not policies.playout.lengths
        """Whether playouts need room behind their state to count moves."""
        self.watch: Watch | None = None if jit_enabled() and playout_compiled else Watch()
        functions["playout"] = self.single_playout = self._played(policies.playout, rules)
        if settings.helpers:
            functions["playout"] = leaf_playouts.side_by_side(self.single_playout, rules.copy)
        if policies.select.learn is not None:
            functions["learn"] = policies.select.learn
        if policies.playout.learn is not None:
            functions["study"] = policies.playout.learn
        functions["most_visited"] = robust().function
        if settings.bounded:
            functions |= {name: bounded.deciding(functions[name]) for name in ("choose", "most_visited")}
        order = sorted(functions, key=lambda name: name == "select")  # last: another process may be about to compile it
        self.functions = {
            name: kernels.compiled_phase(name, functions[name], compiled)
            if jit_enabled() and (name != "playout" or playout_compiled)
            else functions[name]
            for name in order
        }
        self.params = {name: np.array(policy.params, dtype=np.float64) for name, policy in policies.by_phase().items()}
        playout = policies.playout
        self.params["playout"] = np.concatenate([playout_params(playout, longest), np.zeros(playout.memory)])
        self.params["select"] = np.concatenate([self.params["select"], np.zeros(policies.select.memory)])
        self.memories = {"select": policies.select.memory, "playout": policies.playout.memory}
        if policies.select.scaled:
            self.params["select"] = np.concatenate([self.params["select"], [0.0, 0.0]])

    def _played(self, policy: PlayoutPolicy, rules: Rules) -> Play:
        """A playout policy as the loop calls it."""
        bind = counted if self.counts else bound_to
        if self.watch is None:
            return bind(rules, policy.function)
        return self.watch.keeps(bind(self.watch.over(rules), policy.function))

    def for_loop(self) -> LoopPhases:
        """The phases as the loop wants them."""
        params = {f"{name}_params": self.params[name] for name in ("select", "expand", "playout", "backup")}
        functions = {name: self.functions.get(name) for name in LoopPhases._fields if name not in params}
        return LoopPhases(**functions, **params)  # type: ignore[arg-type]  # policies say what their functions are

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

    def __call__(self, state: npt.NDArray[np.uint8], rng: Rng, values: Values) -> int:
        """Play on the state to the end; each player's result, in [0, 1], is in values. How many plies it took."""
        return int(self._play(state, self._spare, self._actions, self._params, rng, values))


def playout_params(policy: PlayoutPolicy, longest: int) -> Params:
    """The numbers of a playout policy, behind those of mcts/loops/loop.py and the rollouts."""
    own = np.array(policy.params, dtype=np.float64)
    for place in policy.lengths:
        own[place] = min(own[place], longest + 1)  # one move more tells that it has not ended
    return np.concatenate([[float(longest), 0.0], [float(policy.rollouts)], own])


def operations_of(rules: Rules, needs: Collection[str], used: Collection[str]) -> Operations:
    """The operations of a game that a loop uses; what the others are does not matter to it."""
    return Operations._make(_operation_of(rules, name, needs) if name in used else None for name in Operations._fields)


def _operation_of(rules: Rules, name: str, needs: Collection[str]) -> Any:
    """An operation of a game, or one that does nothing in the place of a rule that nobody needs."""
    function: Any = {"prior": no_prior, "evaluate": no_value}.get(name)
    if function is None or name in needs:
        return getattr(rules, name, None)
    if not jit_enabled() or isinstance(rules.copy, python_types.FunctionType):
        return function
    return kernels.compiled_operation(name, function)
