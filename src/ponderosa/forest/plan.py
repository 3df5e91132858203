"""A search taken apart: its loop, rules and phases, and how much room they need. Start at Plan."""

from __future__ import annotations

import copy
import functools
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from ponderosa.compile.cuda import device_function
from ponderosa.core.game import Game
from ponderosa.core.observation import cube_of
from ponderosa.core.rng import new_rng
from ponderosa.errors import GameError, SettingError
from ponderosa.forest.kernel import Choices
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.evaluator import Asker, wants_planes
from ponderosa.mcts.engines.phases import operations_of
from ponderosa.mcts.engines.record import RecordEngine
from ponderosa.mcts.loops import recorder
from ponderosa.mcts.loops.endings import bound_to, counted
from ponderosa.mcts.loops.workspace import Game as Operations
from ponderosa.mcts.loops.workspace import Grow, Settings
from ponderosa.mcts.loops.workspace import Phases as LoopPhases
from ponderosa.mcts.policies.base import Policies
from ponderosa.mcts.policies.choose.choices import robust
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.node import Fields, Nodes
from ponderosa.mcts.tree_search import policies_of

WORD = 8
"""Bytes that are copied at once on cards."""
BY_ROOT = ("copy", "apply_action", "is_terminal", "current_player", "legal_actions", "chance_outcomes", "scores")
"""What the tasks at the root call of a game, beside what the loop calls."""


def planned(game: Any, settings: SearchSettings, device: str = "cpu") -> Plan:
    """The plan of a forest on a device, or an error that says what would be right."""
    if not isinstance(game, Game) or game.dtype is None:
        raise GameError("a forest is for a Game with a dtype, whose rules are compiled: Python states need a Search")
    policies, kept = policies_of(game, settings)
    for words in misfits(game, policies, settings):
        raise SettingError(words)
    plan = Plan(aligned(game) if device == "cuda" else game, policies, new_rng(settings.seed), kept)
    plan.given, plan.made = game, {"cores": {}, **(kernels_of(game, settings) if device == "cuda" else {})}
    return plan


def kernels_of(game: Game, settings: SearchSettings) -> dict[str, dict[Any, Any]]:
    """The kernels of a game and settings, and how fast they are: the last few searches keep theirs."""
    asked = replace(settings, seed=0)
    for known, kind, before in _kept:
        if known is game and kind == asked:
            return before
    made: dict[str, dict[Any, Any]] = {"card": {}, "slices": {}}
    _kept.append((game, asked, made))
    return made


_kept: deque[tuple[Game, SearchSettings, dict[str, dict[Any, Any]]]] = deque(maxlen=8)


def misfits(game: Game, policies: Policies, settings: SearchSettings) -> list[str]:
    """What a forest does not do, in words."""
    asked = {
        f"{game.title()} has hidden things or choices at once, which a forest does not search": game.viewed,
        "threads are for one Search; a forest uses all cores, or as many as Forest(cores=...) says": settings.threads
        > 1,
        "device and trees of the settings are for one Search; a forest has its own": settings.many,
        "transpositions are for one Search, not for a forest": settings.transpositions,
        "symmetry is for one Search, not for a forest": settings.symmetry,
        "solve='bounded' is for one Search, not for a forest": settings.bounded,
        "restarts are for one Search, not for a forest": settings.restarts,
    }
    return [words for words, wrong in asked.items() if wrong]


def aligned(game: Game) -> Game:
    """The game with a record whose fields lie as cards need them: each at a multiple of its size, in whole words."""
    twin = copy.copy(game)
    assert game.dtype is not None and game.dtype.fields is not None
    fields = np.dtype([(name, game.dtype.fields[name][0]) for name in game.dtype.names or ()], align=True)
    assert fields.names is not None and fields.fields is not None
    places = [fields.fields[name] for name in fields.names]
    twin.dtype = np.dtype(
        {
            "names": fields.names,
            "formats": [place[0] for place in places],
            "offsets": [place[1] for place in places],
            "itemsize": (fields.itemsize + WORD - 1) // WORD * WORD,
        },
        align=True,
    )
    return twin


def moved(states: Any, before: Any, after: Any) -> Any:
    """States as bytes, a row each, with their fields at other places."""
    if before == after:
        return states
    records, found = states.view(before).reshape(len(states)), np.zeros(len(states), after)
    for name in before.names:
        found[name] = records[name]
    return found.view(np.uint8).reshape(len(states), -1)


class Plan(RecordEngine):
    """What every tree of a forest has in common. It runs no iteration itself."""

    given: Game
    """The game as its author wrote it; that of the plan may have its fields at other places."""
    made: dict[str, dict[Any, Any]]
    """What was compiled for it on cores and on cards, for all forests of the plan."""

    def _compile_ahead(self) -> None:
        """A forest compiles its own loop."""

    def _made_loop(self) -> Callable[..., int]:
        return _no_loop

    @property
    def policies(self) -> Policies:
        return self._policies

    @property
    def loop(self) -> Grow:
        """The loop that all trees run."""
        return kernels.LOOPS[self._kind]

    @property
    def fields(self) -> Fields:
        """What a node holds beside the rest."""
        return self._fields

    @property
    def deepest(self) -> int:
        """How long a path may be."""
        return int(self._deepest)

    def operations(self) -> Operations:
        """The rules that the loop and the tasks at the root call."""
        used: Collection[str] = kernels.names_in(self.loop) | set(BY_ROOT)
        return self._operations({*used, "observe"} if self.sees_planes else used)

    def phases(self) -> LoopPhases:
        """The phases as functions."""
        return self._phases.for_loop()

    def choices(self) -> Choices:
        """How a child of the root is chosen."""
        return Choices(*(self._phases.functions[name] for name in Choices._fields))

    def on_card(self) -> tuple[Operations, LoopPhases, Choices]:
        """Rules, phases and choices as code for CUDA cards."""
        rules = self.game.rules_at("cuda")
        noting = recorder.recording(self.game, rules, "cuda") if self._recorded else rules
        policies, bind = self._policies, functools.partial(counted, speed="cuda") if self._phases.counts else bound_to
        functions: dict[str, Any] = {name: policy.function for name, policy in policies.by_phase().items()}
        functions["playout"] = bind(noting, policies.playout.function)
        functions["learn"], functions["study"] = (
            policies.select.learn or _no_lesson,
            policies.playout.learn or _no_study,
        )
        functions["most_visited"] = robust().function
        made = {name: device_function(function) for name, function in functions.items()}
        used = kernels.names_in(self.loop)
        phases = LoopPhases._make(made.get(name) if name in used else None for name in LoopPhases._fields)
        operations = operations_of(rules, self._phases.needs, used | {*BY_ROOT, "observe"})
        return (
            Operations._make(device_function(operation) for operation in operations),
            phases,
            Choices(*(made[name] for name in Choices._fields)),
        )

    def params(self, phase: str, iterations: int) -> Any:
        """The numbers of a phase as they are before a run; some policies plan their iterations."""
        numbers = self._phases.params[phase].copy()
        if phase == "select" and self._policies.select.planned:
            numbers[-1] = iterations
        return numbers

    def settings(self, solve: bool) -> Settings:
        """What the loops must know of the search."""
        return self._settings(self.game.ordered, solve)

    @property
    def moves_at(self) -> tuple[int, int]:
        """From which byte to which moves are noted behind a state."""
        begin = (self.game.state_bytes + 7) // 8 * 8
        return begin, begin + 4 * len(self._work.played)

    @property
    def room_of_state(self) -> int:
        """How many bytes a state takes with the room that policies need behind it."""
        return max(len(self._work.state), (self.moves_at[1] + 7) // 8 * 8)

    @property
    def blank(self) -> Any:
        """One empty node."""
        return np.zeros(1, self.layout)

    @property
    def asker(self) -> Asker | None:
        """Who asks the evaluator, if there is one."""
        return self._asker

    @property
    def asks(self) -> bool:
        return self._asker is not None

    @property
    def record(self) -> np.dtype[Any]:
        """A state of the plan as a record, with the room that is behind it."""
        dtype = np.dtype(self.game.dtype)
        assert dtype.names is not None and dtype.fields is not None
        kinds, places = zip(*(dtype.fields[name][:2] for name in dtype.names), strict=True)
        return np.dtype({"names": dtype.names, "formats": kinds, "offsets": places, "itemsize": self.room_of_state})

    @property
    def sees_planes(self) -> bool:
        """Whether the evaluator is handed what `observe` fills, and not records."""
        return wants_planes(self._search_settings.evaluator)

    @property
    def planes(self) -> tuple[int, int, int]:
        """The shape of what is seen of a tree's leaf."""
        return cube_of(self.given) if self.sees_planes else (0, 0, 0)

    def laid_out(self, states: Any) -> Any:
        """States of the given game, as bytes, with their fields where the plan wants them."""
        return moved(states, self.given.dtype, self.game.dtype)

    def told(self, states: Any) -> Any:
        """States of the plan, with or without room behind them, as bytes of the given game."""
        return moved(np.ascontiguousarray(states[:, : self.game.state_bytes]), self.game.dtype, self.given.dtype)

    def first_result(self) -> Any:
        """The best result of a single player before there is any."""
        self._forget_results()
        return np.array([self.best])

    def line_of(self, root: Any, best: Any, moves: Any, playout_params: Any) -> list[int]:
        """The actions that lead from a root to a single player's best result."""
        self._work.root[:] = root
        self.take_result(best, moves, playout_params)
        return self.best_line()

    def take_result(self, best: Any, moves: Any, playout_params: Any) -> None:
        """Make a tree's best result of a single player its own."""
        self.best_moves[:] = moves
        self._phases.params["playout"][:] = playout_params
        for name in best.dtype.names:
            self.best[name] = best[name]

    @property
    def unchanged(self) -> set[str]:
        """The tables that are the same in every run."""
        select = self._policies.select
        known = {
            "select_params": select.learn is not None or select.planned,
            "settings": self._search_settings.paranoid,
        }
        return {name for name, changes in known.items() if not changes}

    @property
    def keeps_best(self) -> bool:
        """Whether anything is kept of the best results."""
        return bool(self._alone) or self._policies.select.scaled

    @property
    def deepest_best(self) -> int:
        return len(self.best_moves)


def _no_lesson(nodes: Nodes, path: Any, parents: Any, depth: int, values: Any, moves: Any, params: Any) -> None:
    """What a select policy learns that learns nothing."""


def _no_study(params: Any, values: Any, moves: Any) -> None:
    """What a playout policy learns that learns nothing."""


def _no_loop(iterations: int, nodes: Nodes, work: Any) -> int:
    raise NotImplementedError("the trees of a forest are searched together")
