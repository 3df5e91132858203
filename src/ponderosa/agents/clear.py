"""Moves that are played early by the clock: no other one can overtake them any more. Start at UntilClear."""

from __future__ import annotations

from ponderosa.mcts.report.report import Report
from ponderosa.mcts.search import Progress


class UntilClear:
    """What is asked on the way: whether to search on, when the most visited move is played and time can be saved."""

    def __init__(self, seconds: float, progress: Progress | None = None) -> None:
        """`seconds` are those of the search; `progress` is asked, too."""
        self._seconds, self._progress = seconds, progress
        self.clear = False
        """Whether the search was ended because its choice was clear."""

    def __call__(self, report: Report) -> bool:
        """Whether to search on: not when no other move can get as many visits in the time that is left."""
        to_come = report.iterations / max(report.seconds, 1e-9) * max(self._seconds - report.seconds, 0.0)
        most, *others = sorted((entry.visits for entry in report.actions), reverse=True)
        self.clear = most - max(others, default=0) > to_come or not others
        return not self.clear and (self._progress is None or self._progress(report) is not False)
