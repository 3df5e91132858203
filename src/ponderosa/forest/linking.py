"""How tasks find rules and phases: at hand as functions, or by their addresses. Start at task_of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ponderosa.forest import kernel
from ponderosa.forest.kernel import Choices, Task
from ponderosa.forest.plan import Plan
from ponderosa.mcts.engines.kernels import PhaseParams
from ponderosa.mcts.loops.workspace import Game, Phases

At = Callable[[Any, PhaseParams], Any]
"""`(addresses, params)`: named functions."""


class Linked(NamedTuple):
    """What tasks call, to be found when they are busy."""

    game_at: At
    phases_at: At
    choices_at: At


def at_hand(game: Game, phases: Phases, choices: Choices) -> Linked:
    """Functions that are known when a task is made: in plain Python, and on cards."""

    def game_at(addresses: Any, params: PhaseParams) -> Game:
        return game

    def phases_at(addresses: Any, params: PhaseParams) -> Phases:
        return Phases(
            phases.select,
            params.select_params,
            phases.expand,
            params.expand_params,
            phases.playout,
            params.playout_params,
            phases.backup,
            params.backup_params,
            phases.learn,
            phases.study,
        )

    def choices_at(addresses: Any, params: PhaseParams) -> Choices:
        return choices

    return Linked(game_at, phases_at, choices_at)


def task_of(name: str, plan: Plan, linked: Linked) -> Task:
    """A task by its name, with what it calls."""
    makers: dict[str, Callable[[], Task]] = {
        "plant": lambda: kernel.planter(linked.game_at),
        "tend": lambda: kernel.tender(plan.loop, linked.game_at, linked.phases_at, *plan.moves_at),
        "withdraw": lambda: kernel.withdraw,
        "choose": lambda: kernel.chooser(
            linked.game_at, linked.choices_at, plan.policies.choose.best_line, plan.policies.choose.takes_wins
        ),
        "observe": lambda: kernel.observer(linked.game_at),
        "gather": lambda: kernel.gatherer(plan.policies.select.strategy or kernel.share_of_visits),
        "check": lambda: kernel.checker(linked.game_at),
        "advance": lambda: kernel.advancer(linked.game_at),
    }
    return makers[name]()
