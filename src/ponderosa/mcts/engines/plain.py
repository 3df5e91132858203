"""Running a loop over Python objects with the methods of a state. Start at PlainEngine."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from ponderosa.core.plain import ActionTable, Box, PlainGame, plain_rules
from ponderosa.core.rng import Rng
from ponderosa.core.rules import jit_enabled
from ponderosa.core.turns import SIMULTANEOUS
from ponderosa.errors import SettingError
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.common import NO_MOVES, Searching
from ponderosa.mcts.engines.engine import Policies
from ponderosa.mcts.engines.phases import Phases, operations_of
from ponderosa.mcts.loops import general, loop
from ponderosa.mcts.loops.leaf_playouts import SPARE_STATES
from ponderosa.mcts.loops.workspace import Game as Operations
from ponderosa.mcts.loops.workspace import Grow, Workspace
from ponderosa.mcts.loops.workspace import Phases as LoopPhases
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.node import Nodes
from ponderosa.mcts.tree.tree import Tree


class PlainEngine(Searching):
    """Any Python object with the methods of a state; the tree is handled by compiled phases all the same."""

    def __init__(self, game: PlainGame, policies: Policies, rng: Rng, seed: int, settings: SearchSettings) -> None:
        self.game = game
        self._prepare(game, policies, settings)
        self._table = ActionTable()
        self._chance = random.Random(seed)
        rules = plain_rules(game, self._table, self._chance)
        self._phases = Phases(policies, rules, self.layout, False, settings, game.longest)
        self._rules = operations_of(rules, self._phases.needs, Operations._fields)
        self._best_line: list[Any] = []
        self._grow = self._loop()
        spare = [Box() for _ in range(SPARE_STATES)]
        if self._recorded:
            raise SettingError("policies that learn from moves need a game with a dtype")
        self._work = self._workspace(Box(game.new_initial_state()), Box(), spare, game.max_actions, rng, NO_MOVES)
        if settings.evaluator is not None:
            room = [Box() for _ in range(settings.batch)]
            scale, actions = (game.low, game.high), self._table.actions
            self._ask(room, scale, lambda count: [box.state for box in room[:count]], actions)

    def _loop(self) -> Grow:
        """The loop as Python, with what Python states need in some of its steps."""
        if self._kind in ("views", "bounded", "batches"):
            return kernels.LOOPS[self._kind]
        if self._kind != "usual":
            return loop.loop_of(general.walk, general.expand_leaf, general.evaluate, self._update)
        return kernels.plain_grow(self._phases.for_loop(), self.layout) if jit_enabled() else loop.grow

    def set_root(self, state: Any) -> None:
        self._work.root.state = state.clone()
        self._forget_results()

    def player(self) -> int:
        return self.game.searcher(self._work.root.state)

    def restart(self, seed: int) -> None:
        self._chance.seed(seed)
        self._table.clear()
        self._forget_results()

    def root_state(self) -> Any:
        return self._work.root.state.clone()

    def snapshot(self) -> dict[str, Any]:
        own = {"actions": [*self._table.actions], "chance": self._chance.getstate(), "best_line": self.best_line()}
        return super().snapshot() | own

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        super().resume(snapshot)
        self._table.clear()
        for action in snapshot["actions"]:
            self._table.number(action)
        self._chance.setstate(snapshot["chance"])
        self._best_line = snapshot["best_line"]

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        work = self._on(tree, ordered=False, solve=solve)
        if self.viewed:
            return self._until_it_fits(iterations, tree, work, lambda room, most: self._run(most, nodes, room))
        if self._asker is None:
            return self._run(iterations, nodes, work)
        return self._asker.grow(
            iterations, nodes, work.counters, lambda most, batch: self._run(most, nodes, work._replace(batch=batch))
        )

    def _run(self, iterations: int, nodes: Nodes, work: Workspace) -> int:
        return int(self._grow(iterations, nodes, self._rules, self._phases.for_loop(), work))

    def play(self, state: Any, action: Any) -> None:
        state.apply_action(action)

    def _update(self, nodes: Nodes, depth: int, plies: int, phases: LoopPhases, work: Workspace) -> None:
        """Python states know their way: they need no random numbers to repeat it."""
        if self._alone and plies <= phases.playout_params[loop.LONGEST] and work.values[0] > work.best["result"]:
            self._best_line = list(work.state.moves)
        general.update(nodes, depth, plies, phases, work)

    def best_line(self) -> list[Any]:
        return list(self._best_line)

    def legal_actions(self, state: Any) -> list[Any]:
        player = (self.player(),) if self.game.simultaneous and state.current_player() == SIMULTANEOUS else ()
        return list(state.legal_actions(*player))

    def action(self, number: int) -> Any:
        return self._table.actions[number]

    def number(self, action: Any) -> int:
        return self._table.number(action)

    def action_name(self, state: Any, action: Any) -> str:
        return self.game.action_name(state, action)
