"""A search that is watched while it converges: it rests after few iterations, then after more. Start at Convergence."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.mcts.report.reader import TreeReader
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.web.model.analyst import Analyst
from ponderosa.web.model.runner import Job, Runner
from ponderosa.web.model.shares import NO_VISITOR, Visitor

AGENT = "mcts"
STEPS = tuple(digit * 10**power for power in range(7) for digit in (1, 2, 5))
"""After so many iterations in all it is looked at."""
MOST_SECONDS = 20.0
"""It is not taken up again after so long."""


@dataclass(frozen=True)
class Moment:
    """What the search believed after so many iterations."""

    iterations: int
    """Iterations in all."""
    actions: tuple[ActionReport, ...]
    """What it knew of each move."""


class Convergence:
    """One search of one position, step by step."""

    def __init__(
        self, runner: Runner, game: Game, visitor: Visitor = NO_VISITOR, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._analyst = Analyst(runner, game, visitor)
        self._clock = clock
        self._state: State | None = None
        self._step, self._begun = 0, 0.0
        self._done = 0
        self._last: Report | None = None
        """What the last step that is over has found, after `_done` iterations in all."""
        self.moments: list[Moment] = []
        """What it believed after each step."""

    def look(self, state: State) -> None:
        """Begin to search a position."""
        self._analyst.close()
        self._analyst.take(AGENT)
        self._state, self._step, self._begun, self.moments = state, 0, self._clock(), []
        self._done, self._last = 0, None
        self._go()

    def _go(self) -> None:
        assert self._state is not None
        before = STEPS[self._step - 1] if self._step else 0
        self._analyst.look(self._state, STEPS[self._step] - before)

    def poll(self) -> None:
        """Take what has been found, and go on to the next step."""
        if self._analyst.job is None:
            return
        self._analyst.poll()
        report = self.report
        if self._analyst.job is not None or report is None or self.message:
            return
        self._done, self._last = self._done + report.iterations, report
        self.moments.append(Moment(self._done, report.actions))
        stopped = report.stopped != "iterations" or self._clock() - self._begun > MOST_SECONDS
        self._step += 1
        if not stopped and self._step < len(STEPS):
            self._go()

    @property
    def iterations(self) -> int:
        """Iterations in all, those of the step that goes on as far as its report tells of them."""
        report = self.report
        return self._done + (0 if report is None or report is self._last else report.iterations)

    @property
    def report(self) -> Report | None:
        """What it believes now."""
        return self._analyst.report

    @property
    def job(self) -> Job | None:
        """The step that is searched now."""
        return self._analyst.job

    @property
    def message(self) -> str:
        """Why there is nothing to see, if that is so."""
        return self._analyst.message

    @property
    def version(self) -> int:
        """Counts up whenever there is something new to see."""
        return self._analyst.version

    def tree(self) -> TreeReader | None:
        """The tree as it is now."""
        return self._analyst.tree()

    def stop(self) -> None:
        """Rest; what was found stays."""
        self._step = len(STEPS) - 1
        self._analyst.stop()

    def close(self) -> None:
        """Let go of the tree."""
        self._analyst.close()
