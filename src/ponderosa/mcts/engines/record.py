"""Running a loop for a game with a dtype, as machine code or plain Python. Start at RecordEngine."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from ponderosa.core.checks.rehearsal import hunted, rehearse_once
from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.core.rng import Rng, seed_of
from ponderosa.core.rules import jit_enabled
from ponderosa.errors import GameError
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.common import NO_MOVES, Searching
from ponderosa.mcts.engines.engine import Policies
from ponderosa.mcts.engines.evaluator import wants_planes
from ponderosa.mcts.engines.phases import Phases, operations_of
from ponderosa.mcts.loops import leaf_playouts, recorder
from ponderosa.mcts.loops.endings import COUNT_BYTES, bound_to
from ponderosa.mcts.loops.leaf_playouts import SPARE_STATES
from ponderosa.mcts.loops.workspace import Game as Operations
from ponderosa.mcts.loops.workspace import Workspace
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.node import Nodes
from ponderosa.mcts.tree.tree import Tree


class RecordEngine(Searching):
    """Games with a dtype."""

    def __init__(self, game: Game, policies: Policies, rng: Rng, settings: SearchSettings) -> None:
        assert game.dtype is not None
        self.game = game
        self._prepare(game, policies, settings)
        self._compile_ahead()
        rehearse_once(game)
        rules = recorder.recording(game) if self._recorded else game.rules
        self._phases = Phases(policies, rules, self.layout, True, settings, game.longest)
        size = game.state_bytes
        state, played, longer = self._room(COUNT_BYTES if self._phases.counts else 0)
        spare = self._margins.around((SPARE_STATES, longer), np.uint8)
        self.crew = None
        if settings.helpers:
            spare = leaf_playouts.new_desk(longer, game.players, settings.helpers)
            state = np.zeros(spare.shape[1], np.uint8)
            serve = kernels.compiled_serving(self._phases.single_playout, game.rules.copy) if jit_enabled() else None
            self.crew = leaf_playouts.Crew(spare, serve, self._phases.params["playout"], game.max_actions, game.players)
        self._work = self._workspace(np.zeros(size, np.uint8), state, spare, game.max_actions, rng, played)
        if settings.evaluator is not None:
            room = np.zeros((settings.batch, size), np.uint8)
            scale = (game.min_utility, game.max_utility)
            look = functools.partial(observed, game) if wants_planes(settings.evaluator) else lambda records: records
            self._ask(room, scale, lambda count: look(shown(room[:count], game)))
        self._run = self._made_loop()
        self.set_root(game.new_initial_state())

    def _compile_ahead(self) -> None:
        """Let another process compile the loop meanwhile."""
        if jit_enabled():
            kernels.compile_ahead(self._loop_kind(), self._fields, self.game.players, self._policies.select)

    def _made_loop(self) -> Callable[[int, Nodes, Workspace], int]:
        """The loop, for this game and these policies."""
        loop, phases = kernels.LOOPS[self._loop_kind()], self._phases.for_loop()
        operations = self._operations(kernels.names_in(loop))
        if jit_enabled():
            return kernels.CompiledLoop(loop, self.layout, operations, phases)
        return lambda iterations, nodes, work: loop(iterations, nodes, operations, phases, work)

    def _room(self, more: int) -> tuple[Any, Any, int]:
        """A state with the room that policies need behind it, the part of that for moves, and how long it all is."""
        if self._recorded:
            return recorder.room(self.game, more, self._margins.around)
        size = self.game.state_bytes
        longer = (size + 7) // 8 * 8 + more if more else size
        return self._margins.around(longer, np.uint8), NO_MOVES, longer

    def _loop_kind(self) -> str:
        """Which of the loops it runs."""
        return self._kind

    def _operations(self, used: Collection[str]) -> Operations:
        """What the loop calls of the game."""
        return operations_of(self.game.rules, self._phases.needs, used)

    def set_root(self, state: Any) -> None:
        self._shown = state.clone()
        if self.viewed and state.viewer is None and not state.is_terminal() and not state.is_chance_node():
            self._shown = state.observation(state.to_move())
        searched = self._shown.clone()
        self.game.prepare_for_search(searched.record)
        self._work.root[:] = searched.data
        self._forget_results()

    def player(self) -> int:
        return int(self._shown.to_move())

    def restart(self, seed: int) -> None:
        self._forget_results()
        self._phases.forget()
        if self.crew is not None:
            self.crew.seed([seed_of(seed, index) for index in range(1, self._search_settings.helpers + 1)])

    def root_state(self) -> Any:
        return self._shown.clone()

    def snapshot(self) -> dict[str, Any]:
        return super().snapshot() | {"crew": [] if self.crew is None else self.crew.random_numbers()}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        super().resume(snapshot)
        for helper, numbers in enumerate(snapshot["crew"]):
            assert self.crew is not None
            self.crew.rng(helper)[:] = numbers

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        work = self._on(tree, self.game.ordered, solve)
        if self.viewed:
            return self._until_it_fits(iterations, tree, work, lambda room, most: self._run(most, nodes, room))
        if self._search_settings.shared:  # a thread has counters of its own; the root counts the nodes in use
            work = work._replace(counters=self._counters)
        if self._asker is None:
            return self._run(iterations, nodes, work)
        return self._asker.grow(
            iterations, nodes, work.counters, lambda most, batch: self._run(most, nodes, work._replace(batch=batch))
        )

    def _blamed(self, words: str) -> GameError:
        return hunted(self.game, None if self.viewed else self._shown.data, words)

    def play(self, state: Any, action: Any) -> None:
        state._apply(action)

    def best_line(self) -> list[int]:
        """The path in the tree, then the playout once more, as plain Python that notes its moves."""
        depth = int(self.best["depth"])
        line = [int(action) for action in self.best_moves[1 : depth + 1]]
        rules, state = self.game.build_rules(compiled=False), self._work.root.copy()
        for action in line:
            rules.apply_action(state, action)
        apply_action = rules.apply_action

        def noted(target: Any, action: Any) -> None:
            if target is state:  # what is tried elsewhere is not played
                line.append(int(action))
            apply_action(target, action)

        rules.apply_action = noted
        playout = bound_to(rules, self._policies.playout.function)
        rng = np.array([self.best["playout"]], np.uint64)
        spare = [self._work.root.copy() for _ in range(SPARE_STATES)]
        params, room = self._phases.params["playout"], np.zeros(self.game.max_actions, np.int32)
        if not rules.is_terminal(state):
            playout(state, spare, room, params, rng, np.zeros(self.players))
        return line

    def legal_actions(self, state: Any) -> list[Any]:
        return list(state.legal_actions())

    def action(self, number: int) -> int:
        return int(number)

    def number(self, action: Any) -> int:
        return int(action)

    def action_name(self, state: Any, action: Any) -> str:
        return str(state.action_to_string(action))


def shown(states: Any, game: Game) -> Any:
    """States as the evaluator sees them: a copy of their records."""
    return states.view(game.dtype).reshape(len(states)).copy()
