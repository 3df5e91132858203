"""A finished game as a lesson: at each large mistake, find a better move. Start at GameLesson."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from ponderosa.core.state import State
from ponderosa.errors import PonderosaError
from ponderosa.mcts.report.report import Report
from ponderosa.web.model.catalogue import takes, with_seconds
from ponderosa.web.model.director import REVIEW_SECONDS, Director
from ponderosa.web.model.runner import Job, Thinker
from ponderosa.web.model.session import GameSession, Mistake

LEAST = 0.1
"""A move that gives away less is nothing to learn from."""
MOST = 6
"""So many mistakes of each player are looked at."""
GOOD_ENOUGH = 0.05
"""A move that gives away no more counts as found."""


def lessons_of(session: GameSession, players: Sequence[int]) -> list[Mistake]:
    """The large mistakes of these players, in the order of the game."""
    found = session.mistakes(LEAST, MOST)
    return sorted((move for player in players for move in found[player]), key=lambda move: move.ply)


class GameLesson:
    """One mistake after the other: asked, tried, shown."""

    def __init__(self, director: Director, players: Sequence[int]) -> None:
        """`players` are those whose mistakes are looked at; there must be some."""
        self.session = director.session
        self._runner, self._visitor = director.runner, director.visitor
        self.mistakes = lessons_of(self.session, players)
        self.number = 0
        self.tried: Any = None
        """The action that is tried now."""
        self.shown = False
        """Whether the better move is shown."""
        self.loss: float | None = None
        """What the tried move gives away; None: not known yet, or not at all."""
        self.trouble = ""
        """Why nothing could be found out about the tried move."""
        spec = director.adviser
        spec = with_seconds(spec, REVIEW_SECONDS) if takes(spec, "seconds") else spec
        self._thinker = Thinker(spec, self.session.game, self.session.seed)
        self._job: Job | None = None

    @property
    def mistake(self) -> Mistake:
        """The mistake that is looked at."""
        return self.mistakes[self.number]

    @property
    def report(self) -> Report:
        """What the adviser says of the position in which it was made."""
        return self.session.thoughts[self.mistake.ply]

    @property
    def state(self) -> State:
        """The position that is looked at: the one of the mistake, or the one after the tried move."""
        state = self.session.states[self.mistake.ply]
        return state if self.tried is None else state.child(self.tried)

    @property
    def before(self) -> State | None:
        """The position before it."""
        ply = self.mistake.ply
        if self.tried is not None:
            return self.session.states[ply]
        return self.session.states[ply - 1] if ply else None

    @property
    def ply(self) -> int:
        """How many moves lead to it."""
        return self.mistake.ply + (self.tried is not None)

    @property
    def asking(self) -> bool:
        """Whether a move is to be found now."""
        return self.tried is None and not self.shown

    @property
    def thinking(self) -> bool:
        """Whether the tried move is being looked at."""
        return self._job is not None

    @property
    def found(self) -> bool:
        """Whether the tried move is as good as the best, or nearly."""
        return self.loss is not None and self.loss <= GOOD_ENOUGH

    @property
    def line(self) -> tuple[str, ...]:
        """The line that the adviser expects, when it is shown."""
        return self.report.pv if self.shown and self.tried is None else ()

    @property
    def last(self) -> bool:
        """Whether no mistake follows."""
        return self.number == len(self.mistakes) - 1

    def name_of_tried(self) -> str:
        """The tried move, as people write it."""
        return str(self.session.states[self.mistake.ply].action_to_string(self.tried))

    def attempt(self, action: Any) -> None:
        """Try a move instead of the one that was played."""
        self._forget()
        self.tried = self.session.states[self.mistake.ply].legal_action(action)
        name, state = self.name_of_tried(), self.state
        if name == self.mistake.played:
            self.loss = self.mistake.loss
        elif name == self.report.best_name:
            self.loss = 0.0
        elif not self.session.plain:
            self._judge(next((entry.value for entry in self.report.actions if entry.name == name), None))
        elif state.is_terminal():
            low, high = self.session.game.min_utility, self.session.game.max_utility
            self._judge((state.returns()[self.mistake.player] - low) / (high - low))
        else:
            try:
                self._job = self._runner.submit(self._thinker, state, self._visitor)
            except PonderosaError as error:
                self.trouble = str(error)

    def _judge(self, value: float | None) -> None:
        if value is None:
            self.trouble = "the adviser has not looked at this move"
        else:
            self.loss = max(0.0, self.report.value - value)

    def tick(self) -> bool:
        """Hear what was found out about the tried move; True: something has changed."""
        job = self._job
        if job is None or not job.over:
            return False
        self._job = None
        if job.report is None:
            self.trouble = job.error or "nothing was found out about this move"
        else:
            mine = job.report.player == self.mistake.player
            self._judge(job.report.value if mine else 1.0 - job.report.value)
        return True

    def again(self) -> None:
        """Look for another move."""
        self._forget()
        self.shown = False

    def reveal(self) -> None:
        """Show the better move."""
        self._forget()
        self.shown = True

    def next(self) -> None:
        """Go on to the next mistake."""
        self.again()
        self.number = min(self.number + 1, len(self.mistakes) - 1)

    def _forget(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job, self.tried, self.loss, self.trouble = None, None, None, ""

    def close(self) -> None:
        """The lesson is over."""
        self._forget()
        with contextlib.suppress(PonderosaError):
            self._runner.forget(self._thinker)
