"""A forest's evaluator on a CUDA card: it is handed arrays of the card, and answers with such. Start at CardJudge.

Nothing is fetched from round to round. What the evaluator says is checked where it is: a tree whose answer is wrong is
marked and left as it is, and the mark is seen when somebody looks, a few rounds later.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ponderosa.forest.judging import in_shape
from ponderosa.forest.kernel import GOES_ON, MISJUDGED, Trees
from ponderosa.forest.plan import Plan
from ponderosa.mcts.engines.evaluator import SLACK, check_rows

LOOK = 8
"""Rounds after which somebody looks, at the latest, whether anything is left to do."""
LOOK_SECONDS = 0.1
"""The same of slow evaluators: progress is told, and Ctrl-C heard, several times a second."""
FINISHED, LEFT, WRONG = range(3)
"""How a tree stands: nothing is left to do, there is, or what was said of it is wrong."""


class Exchange(Protocol):
    """What it takes to exchange arrays with an evaluator; cuda_exchange.py has the one for CUDA."""

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array on the card, with anything in it."""

    def fetch(self, card: Any, host: Any) -> None:
        """Copy an array from the card."""

    def wait(self) -> None:
        """Wait until all that was begun is done."""

    def read(self, what: str, given: Any) -> Any:
        """An evaluator's numbers as an array on the card; whatever is begun later comes after they are ready."""

    def column(self, array: Any) -> Any:
        """An array of one dimension as a table of one column."""

    def enter(self, trees: Trees, priors: Any, values: Any, low: float, high: float) -> None:
        """Begin `enter_answer` for every tree."""

    def tally(self, trees: Trees) -> Any:
        """How many trees stand how, by the numbers above."""


class CardJudge:
    """Shows the leaves of all trees of a card, in an array that is always as large: functions are compiled once."""

    def __init__(
        self,
        plan: Plan,
        card: Exchange,
        most: int,
        clock: Callable[[], float],
        observe: Callable[[Trees], None],
    ) -> None:
        """`most`: after how many rounds no tree has anything left; `observe` begins to fill in the planes of all."""
        assert plan.asker is not None
        self._plan, self._observe = plan, observe
        self._asker, self._card, self._most = plan.asker, card, most
        self._clock = clock
        self._rounds, self._looked = 0, clock()
        self._answer: Any = None

    def anything_left(self, trees: Trees) -> bool:
        late = self._clock() - self._looked >= LOOK_SECONDS
        if self._rounds < self._most and self._rounds % LOOK != LOOK - 1 and not late:
            return True
        tally = self._card.tally(trees)
        if tally[WRONG] > 0:
            self._complain(trees)
        self._looked = self._clock()
        return bool(tally[LEFT] > 0)

    def judged(self, trees: Trees) -> Trees:
        self._rounds += 1
        if self._plan.sees_planes:
            self._observe(trees)
        # An evaluator has streams of its own, and not all of them wait for ours: the leaves must be there by now.
        self._card.wait()
        # It is kept until we have waited again: a kernel reads its memory that may not have begun when this returns.
        self._answer = self._asker.asked(in_shape(self._plan, trees.planes) if self._plan.sees_planes else trees.leaves)
        priors, values = self._priors(trees), self._values(trees)
        answers = self._room(trees.priors, priors.shape[1]), self._room(trees.values, values.shape[1])
        if answers[0] is not trees.priors or answers[1] is not trees.values:  # else a kernel gets the same as before
            trees = trees._replace(priors=answers[0], values=answers[1])
        self._card.enter(trees, priors, values, *self._asker.range)
        return trees

    def _priors(self, trees: Trees) -> Any:
        if self._answer[0] is None:
            return self._room(trees.priors, 0)
        priors = self._card.read("priors", self._answer[0])
        check_rows(priors.shape, len(trees.over))
        return priors

    def _values(self, trees: Trees) -> Any:
        values = self._card.read("values", self._answer[1])
        self._asker.columns(values.shape, len(trees.over))
        return values if len(values.shape) == 2 else self._card.column(values)

    def _room(self, table: Any, columns: int) -> Any:
        """A table with as many columns: this one, if it has them."""
        return table if table.shape[1] == columns else self._card.empty((table.shape[0], columns), np.float64)

    def _complain(self, trees: Trees) -> None:
        """Raise what is wrong with the answer for a tree, in the words of the processor."""
        note = np.zeros(trees.note.shape, np.int32)
        self._card.fetch(trees.note, note)
        tree = int(np.flatnonzero(note == MISJUDGED)[0])
        priors, values = (np.zeros((1, table.shape[1])) for table in (trees.priors, trees.values))
        self._card.fetch(trees.priors[tree : tree + 1], priors)
        self._card.fetch(trees.values[tree : tree + 1], values)
        self._asker.checked(priors, values, 1)


def enter_answer(tree: int, trees: Trees, priors: Any, values: Any, low: float, high: float) -> None:
    """Take over what was said of the leaf of a tree, values from 0 to 1; as it is, and marked, if it must not be.

    Where no leaf waits, the evaluator was shown old bytes, and its answer is nothing.
    """
    if trees.counters[tree]["waiting"] == 0 or trees.note[tree] != GOES_ON:
        return
    slack, right = SLACK * (high - low), True
    for action in range(priors.shape[1]):
        trees.priors[tree, action] = priors[tree, action]
        right = right and trees.priors[tree, action] >= 0.0 and trees.priors[tree, action] < math.inf
    for column in range(values.shape[1]):
        trees.values[tree, column] = values[tree, column]
        right = right and trees.values[tree, column] >= low - slack and trees.values[tree, column] <= high + slack
    if not right:
        trees.note[tree] = MISJUDGED
        return
    for column in range(values.shape[1]):
        trees.values[tree, column] = min(max((trees.values[tree, column] - low) / (high - low), 0.0), 1.0)


def standing(tree: int, trees: Trees) -> int:
    """How a tree stands."""
    if trees.note[tree] == MISJUDGED:
        return WRONG
    more = trees.note[tree] == GOES_ON and trees.over[tree] == 0 and trees.done[tree] < trees.wanted[tree]
    return LEFT if more else FINISHED
