"""One tree, and from every new leaf a playout on each of several threads. Start at LeafParallel.

Leaf parallelization (Cazenave & Jouandeau 2007, "On the parallelization of UCT"; Chaslot, Winands & van den Herik
2008). mcts/loops/leaf_playouts.py is what the threads do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ponderosa.core.budget import Budget
from ponderosa.errors import SettingError
from ponderosa.mcts.engines.record import RecordEngine
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree_search import TreeSearch, Watch


class LeafParallel(TreeSearch):
    """A search whose leaves are played out on all threads at once; the mean of their results is one visit."""

    def __init__(self, game: Any, settings: SearchSettings) -> None:
        if settings.evaluator is not None:
            raise SettingError("an evaluator judges the leaves of one thread: take threads=1, and a larger batch")
        super().__init__(game, settings)
        self.threads = settings.threads
        self.engine.restart(self.seed)

    def _check_threads(self, compiled: bool) -> None:
        if not compiled:
            raise SettingError("parallel='leaf' is for compiled games: Python states take turns anyway")
        if self.policies.select.moves or self.policies.playout.learn or self.game.players == 1:
            raise SettingError(
                "parallel='leaf' is for policies that do not learn from moves, and games of several players; "
                "parallel='merge' takes all"
            )

    def _grow(self, budget: Budget, start: float, watch: Watch | None) -> tuple[int, str]:
        assert isinstance(self.engine, RecordEngine) and self.engine.crew is not None
        with self.engine.crew:
            return super()._grow(budget, start, watch)

    def _report(self, iterations: int, seconds: float, stopped: str) -> Report:
        return replace(super()._report(iterations, seconds, stopped), threads=self.threads)
