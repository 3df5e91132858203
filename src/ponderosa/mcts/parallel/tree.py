"""A search whose threads all grow one tree. Start at TreeParallel; loops/shared_tree.py is what each thread runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ponderosa.core.budget import Budget
from ponderosa.core.rules import jit_enabled
from ponderosa.errors import SettingError
from ponderosa.mcts.parallel.root import RootParallel, View, look
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.node import ROOT
from ponderosa.mcts.tree_search import Progress, TreeSearch
from ponderosa.mcts.turn import in_turn, looking


class Sharer(TreeSearch):
    """One thread's part of a search in which all grow one tree."""

    def _check_threads(self, compiled: bool) -> None:
        if not compiled or not jit_enabled():
            raise SettingError("parallel='tree' is for compiled games: Python states take turns anyway")
        select, playout = self.policies.select, self.policies.playout
        learns = select.learn or select.priors or playout.learn or not self.policies.backup.sums
        if learns or self.game.viewed or self.game.chance or self.game.players == 1:
            raise SettingError(
                "parallel='tree' is for backup=mean, policies that learn nothing, and games of several players "
                "without dice who see everything; parallel='merge' takes all"
            )


class TreeParallel(RootParallel):
    """All threads grow one tree. Which thread comes first is chance, so no two runs are the same."""

    member = Sharer

    def _of_member(self, settings: SearchSettings) -> SearchSettings:
        return settings

    @in_turn
    def advance(self, action: Any) -> None:
        self._count_nodes()
        self.trees[0].advance(action)
        for tree in self.trees[1:]:
            tree.engine.set_root(self.trees[0].root_state)
            tree._tree = self.trees[0]._tree

    @looking
    def save(self, path: str | Path) -> None:
        self._count_nodes()
        self.trees[0].save(path)

    @in_turn
    def ponder(self, keep_on: Callable[[], bool], max_nodes: int | None = None) -> None:
        self._share()
        super().ponder(keep_on, None if max_nodes is None else max_nodes * self.threads)
        self._count_nodes()

    def _set_root(self, state: Any) -> None:
        self.trees[0]._set_root(state)
        for tree in self.trees[1:]:
            tree.engine.set_root(self.trees[0].root_state)

    def _think(self, budget: Budget, start: float, progress: Progress | None) -> tuple[int, str]:
        self._share()
        try:
            return super()._think(budget, start, progress)
        finally:
            self._count_nodes()

    def _share(self) -> None:
        """Give all threads the one tree, and the count of its nodes to its root."""
        tree = self.trees[0].tree
        tree.nodes[ROOT]["action"] = tree.used
        for search in self.trees:
            search._tree = tree

    def _count_nodes(self) -> None:
        tree = self.trees[0].tree
        tree.used = max(int(tree.nodes[ROOT]["action"]), 1)

    def _joined(self, views: Sequence[View]) -> Report:
        """What the one tree says; what the others saw of it is the same."""
        iterations = sum(view.report.iterations for view in views)
        return replace(views[0].report, iterations=iterations, threads=self.threads)

    def _report(self, iterations: int, seconds: float, stopped: str) -> Report:
        view = look(self.trees[0], iterations, seconds, stopped)
        return replace(view.report, threads=self.threads)
