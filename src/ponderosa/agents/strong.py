"""The strongest agent: for the Connect family a tree over the best cells and a look for threats. Start at Strong."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, ClassVar

from ponderosa.agents.connect import needs_connect
from ponderosa.agents.connect4 import StrongConnectFour
from ponderosa.agents.mcts import MctsAgent
from ponderosa.core.budget import Budget
from ponderosa.games.connect4 import Connect4
from ponderosa.games.tactical import TacticalConnect
from ponderosa.search.node import LOSS, WIN
from ponderosa.search.report import ActionReport, Report
from ponderosa.search.search import Progress

SEARCH_SHARE = 0.85
"""Of the time, so much is for the tree; the rest for a closer look at threats."""

EFFORT_A_SECOND = 15_000
"""For every second of a move, a closer look at one move takes so much effort: about ten milliseconds."""


class Strong(MctsAgent):
    """The best cells, static values backed up as in minimax, and wins by threats; plays connect4 too.

    After the search it looks more closely: for a long win by threats of its own, else whether the opponent has one
    against the move that the search prefers.
    """

    __signature__: ClassVar[inspect.Signature]

    def __new__(cls, game: Any, *args: Any, **settings: Any) -> Any:
        """For Connect Four, the agent made for it."""
        return StrongConnectFour(game, *args, **settings) if isinstance(game, Connect4) else super().__new__(cls)

    def __init__(
        self,
        game: Any,
        seconds: float | None = None,
        iterations: int | None = None,
        branch: int = 10,
        effort: int = 60,
        root_effort: int = 300,
        threes: int = 1,
        check_effort: int = 20_000,
        check_threes: int = 4,
        checks: int = 4,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        """`branch`, `effort`, `root_effort` and `threes` are those of games/tactical.py.

        `check_effort`, `check_threes`: the same for the closer look; `checks`: so many moves get one.
        """
        connect = needs_connect(self, game)
        self.twin = TacticalConnect.of(connect, branch=branch, effort=effort, root_effort=root_effort, threes=threes)
        self.closer = TacticalConnect.of(connect, branch=branch, root_effort=check_effort, threes=check_threes)
        self.checks = checks
        own = {"max_length": 0, "at_cutoff": "evaluate", "c": 0.05, "backup": "best", "reuse": False}
        super().__init__(self.twin, seconds=seconds, iterations=iterations, seed=seed, **{**own, **settings})

    def seen(self, state: Any) -> Any:
        return self.twin.state_after(state.history())

    def step(self, state: Any, progress: Progress | None = None) -> Any:
        """The first move of a win by threats, else the first that is not refuted of those that the search prefers."""
        start = self._clock()
        position = self.closer.state_after(state.history())
        if position.is_terminal() and not state.is_terminal():
            self.last_report = None
            return state.legal_actions()[0]  # nobody can win any more: any move will do
        report = self._search(state, progress)
        if report.proven is None:
            report = self._winning(position, report, start) or self._checked(position, report, start)
        self.last_report = report
        return report.best_action

    def _search(self, state: Any, progress: Progress | None) -> Report:
        """What the tree says, within its share of the time."""
        whole = self.budget
        if whole.seconds is not None:
            self.budget = Budget(whole.iterations, whole.seconds * SEARCH_SHARE, whole.max_nodes)
        try:
            super().step(state, progress)
        finally:
            self.budget = whole
        assert self.last_report is not None
        return self.last_report

    def _winning(self, position: Any, report: Report, start: float) -> Report | None:
        """The report with a move that wins by threats, if there is one."""
        if self._known(position) != WIN:
            return None
        for entry in report.actions[: self.twin.branch]:
            if self._late(start):
                break
            if self._after(position, entry.action) == WIN:
                return _preferring(report, entry, 1.0, "win")
        return None

    def _checked(self, position: Any, report: Report, start: float) -> Report:
        """The report with the first of its moves that does not lose to threats."""
        for entry in report.actions[: self.checks]:
            if self._late(start):
                break
            if entry.visits > 0 and entry.proven != "loss" and self._after(position, entry.action) != LOSS:
                return _preferring(report, entry, report.value if entry.value is None else entry.value, report.proven)
        return report

    def _late(self, start: float) -> bool:
        return self.budget.seconds is not None and self._clock() - start > self.budget.seconds

    def _after(self, position: Any, action: Any) -> int:
        """What threats prove after an action, for the player who takes it."""
        after = position.child(action)
        if after.is_terminal():
            return WIN if after.returns()[position.current_player()] > 0 else 0
        known = self._known(after)
        if after.current_player() != position.current_player():
            known = {WIN: LOSS, LOSS: WIN}.get(known, 0)
        return known

    def _known(self, position: Any) -> int:
        """What threats prove for the player to move."""
        copy = position.clone()
        self.closer.prepare_for_search(copy.record)
        if self.budget.seconds is not None:
            copy.record.root_effort = min(self.closer.root_effort, int(self.budget.seconds * EFFORT_A_SECOND) + 1)
        return int(self.closer.rules.bounds(copy.data))


Strong.__signature__ = inspect.signature(Strong.__init__).replace(
    parameters=list(inspect.signature(Strong.__init__).parameters.values())[1:]
)


def _preferring(report: Report, entry: ActionReport, value: float, proven: str | None) -> Report:
    """The report with another best action."""
    return replace(report, best_action=entry.action, best_name=entry.name, value=value, proven=proven)
