"""One agent that looks at positions, again and again: half of an analysis. Start at Analyst."""

from __future__ import annotations

from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.core.turns import CHANCE
from ponderosa.errors import PonderosaError
from ponderosa.mcts.report.reader import TreeReader
from ponderosa.mcts.report.report import Report
from ponderosa.web.model.runner import Job, Runner, Thinker
from ponderosa.web.model.shares import NO_VISITOR, Visitor


class Analyst:
    """An agent, the position that it looks at, and what it says of it."""

    def __init__(self, runner: Runner, game: Game, visitor: Visitor = NO_VISITOR) -> None:
        self._runner, self._game, self._visitor = runner, game, visitor
        self.spec = ""
        self.job: Job | None = None
        self.report: Report | None = None
        self.message = ""
        self.version = 0
        """Counts up whenever there is something new to see."""
        self._thinker: Thinker | None = None
        self._state: State | None = None

    def take(self, spec: str) -> None:
        """Be another agent; an empty text: be none."""
        if spec != self.spec:
            self.close()
            self.spec = spec

    def look(self, state: State, iterations: int | None = None) -> None:
        """Look at a position, for so many iterations, or as long as the agent's text says; the same one is searched
        further."""
        if self.job is not None:
            self.job.cancel()
        if state != self._state:
            self.report = None
        self._state = state
        self.version += 1
        if self.spec:
            self.message = ""
        if not self.spec or state.to_move() < 0:
            self.job = None
            if state.to_move() == CHANCE:
                self.message = "chance decides here: click what it shows"
            return
        try:
            if self._thinker is None:
                self._thinker = Thinker(self.spec, self._game)
            self._thinker.iterations = iterations
            self.job = self._runner.submit(self._thinker, state.observation(state.to_move()), self._visitor)
        except PonderosaError as error:
            self.message = str(error)

    def poll(self) -> None:
        """Take what the search has found."""
        job = self.job
        if job is None:
            return
        if job.report is not None and job.report is not self.report:
            self.report = job.report
            self.version += 1
        if job.over:
            self.job = None
            self.version += 1
            self.message = job.error or ""
            if job.error is None and job.report is None and self._state is not None:
                self.message = f"it would play {self._state.action_to_string(job.action)}, and does not say why"

    def stop(self) -> None:
        """End the search; what it has found stays."""
        if self.job is not None:
            self.job.stop()

    def tree(self) -> TreeReader | None:
        """The tree that grew from the position, if the agent grows one and it is still there.

        Trees over what players can tell apart have no positions to draw.
        """
        if self._game.viewed:
            return None
        if self._thinker is None or self._state is None or self._thinker.search is None:
            return None
        if self._thinker.history != self._state.history():
            return None
        return TreeReader(self._thinker.search, self._state)

    def close(self) -> None:
        """Let go of the agent and its tree."""
        if self.job is not None:
            self.job.cancel()
        self.job = self.report = None
        self.message = ""
        self.version += 1
        if self._thinker is not None:
            self._runner.forget(self._thinker)
            self._thinker = None
