"""The rounds of a forest with an evaluator: leaves are shown, what is said of them is entered. Start at in_rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ponderosa.core.observation import shape_of
from ponderosa.forest.kernel import GOES_ON, Trees
from ponderosa.forest.plan import Plan

ROUND = 64
"""Iterations that a tree may end without the evaluator before the others are asked about."""


class Judge(Protocol):
    """Shows the leaves of all trees to an evaluator."""

    def anything_left(self, trees: Trees) -> bool:
        """Whether a tree wants more iterations; True without looking is no fault."""

    def judged(self, trees: Trees) -> Trees:
        """The trees with what the evaluator says of the leaves that wait."""


def in_rounds(trees: Trees, tend: Callable[[Trees], None], judge: Judge, goes_on: Callable[[], bool]) -> None:
    """Let every tree come to a leaf, and ask for all of them at once, until there is nothing left to do."""
    while True:
        tend(trees)
        if not goes_on() or not judge.anything_left(trees):
            return
        trees = judge.judged(trees)


class HostJudge:
    """Shows leaves as an array of records, or of planes: those of trees that wait."""

    def __init__(self, plan: Plan, observe: Callable[[Trees], None]) -> None:
        """`observe` fills in the planes of all trees."""
        self._plan, self._observe = plan, observe

    def anything_left(self, trees: Trees) -> bool:
        more = (trees.note == GOES_ON) & (trees.over == 0) & (trees.done < trees.wanted)
        return bool(more.any())

    def judged(self, trees: Trees) -> Trees:
        asker, waiting = self._plan.asker, np.flatnonzero(trees.counters["waiting"])
        assert asker is not None
        if len(waiting) == 0:
            return trees
        every = len(waiting) == len(trees.over)
        priors, values = asker.judged(self._seen(trees, slice(None) if every else waiting), len(waiting))
        if not every:
            priors, values = (_spread(rows, waiting, len(trees.over)) for rows in (priors, values))
        return trees._replace(priors=priors, values=values)

    def _seen(self, trees: Trees, which: Any) -> Any:
        """Some leaves as the evaluator sees them: a copy, which it may keep."""
        if self._plan.sees_planes:
            self._observe(trees)
            return np.array(in_shape(self._plan, trees.planes)[which])
        size, dtype = self._plan.game.state_bytes, np.dtype(self._plan.given.dtype)
        return np.array(trees.leaves[which, :size], order="C").view(dtype).reshape(-1)


def in_shape(plan: Plan, planes: Any) -> Any:
    """Planes of all trees in the shape that the game declares."""
    return planes.reshape(len(planes), *shape_of(plan.given))


def _spread(rows: Any, waiting: Any, count: int) -> Any:
    """What was said of some trees, by tree; nobody looks at the other rows."""
    table = np.zeros((count, rows.shape[1]))
    table[waiting] = rows
    return table
