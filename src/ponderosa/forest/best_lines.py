"""What a single player found best, kept from move to move as a Search keeps it. Start at BestLines."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ponderosa.forest.kernel import Trees
from ponderosa.forest.plan import Plan

Line = tuple[float, list[int]]
"""A result, and the actions that lead to it."""


class BestLines:
    """The best line of each tree since before the last advance, for games of one player without dice."""

    def __init__(self, plan: Plan, trees: int) -> None:
        self._plan = plan
        self._used = plan.game.players == 1 and not plan.game.chance and plan.policies.choose.best_line
        self._kept: list[Line | None] = [None] * (trees if self._used else 0)

    def forget(self) -> None:
        """New trees begin."""
        self._kept = [None] * len(self._kept)

    def prefer(self, rows: Trees) -> None:
        """Choose the first move of the line that was kept, where nothing better was found since."""
        for tree, kept in enumerate(self._kept) if self._used else ():
            if kept is not None and kept[1] and not rows.best["result"][tree] > kept[0] and rows.over[tree] == 0:
                rows.chosen[tree] = kept[1][0]

    def advance(self, rows: Trees, roots: Callable[[], Any]) -> None:
        """Keep what is left of each line when the chosen actions are played, of which the roots know nothing yet."""
        if not self._used:
            return
        begin = roots()
        for tree in range(len(self._kept)):
            line = self._line(rows, tree, begin)
            played = line is not None and line[1][:1] == [int(rows.chosen[tree])]
            self._kept[tree] = (line[0], line[1][1:]) if line is not None and played else None

    def _line(self, rows: Trees, tree: int, roots: Any) -> Line | None:
        """The best line at the root of a tree: that of its own results, or the one that was kept."""
        found, kept = float(rows.best["result"][tree]), self._kept[tree]
        if rows.over[tree] == 1 or math.isinf(found) or (kept is not None and not found > kept[0]):
            return kept
        return found, self._plan.line_of(roots[tree], rows.best[tree], rows.best_moves[tree], rows.playout_params[tree])
