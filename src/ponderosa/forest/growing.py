"""A forest that is grown a piece at a time, and looked at between. Start at GrowingForest.grow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ponderosa.core.state import State
from ponderosa.forest.forest import Forest, Run, first_numbers
from ponderosa.forest.kernel import Found, Trees
from ponderosa.mcts.loops import loop
from ponderosa.mcts.tree.memory import INDEX_LIMIT

CARD_SHARE = 8
"""New trees on a card get one part in this many of its memory."""


class GrowingForest(Forest):
    """A forest whose trees all begin at one position."""

    _begins = True
    """Whether the random numbers begin anew with the next trees."""

    def plant(self, state: State) -> None:
        """New trees at a state, also where dice decide; their random numbers go on."""
        if self._rows is not None and not self._begins:
            self._rng[:] = self._rows.rng
        self._begins, run = False, Run(self, 1, None, None)
        self._lines.forget()
        self._rows = run.planted(self._records(state), self._first_room())

    def restart(self, seed: int) -> None:
        """Begin the random numbers anew with the next trees."""
        self.seed, self._begins = seed, True
        self._rng = first_numbers(seed, self.trees)

    def _first_room(self) -> int:
        """How many nodes new trees have room for; of a card's memory much at once, for to copy trees takes longer."""
        if self.device != "cuda" or self._rows is not None:
            return 0
        return min(self._hands.memory // (CARD_SHARE * self.trees * self._plan.layout.itemsize), INDEX_LIMIT)

    def warm_up(self) -> None:
        """Compile what there is to do now, so that it takes no time of the first run."""
        numbers = self._rng.copy()
        self.begin(self.game.new_initial_state(), numbers)
        self.grow(1)
        rows, _ = self.look()
        for task in ("check", "advance"):
            self._do(task, rows)
        self._rows, self._rng = None, numbers

    def grow(
        self,
        iterations: int,
        which: Any = True,
        max_nodes: int | None = None,
        left: Callable[[], float] = lambda: math.inf,
    ) -> tuple[int, str]:
        """Search the trees further, all or `which`, and report nothing: how many iterations there were, and what ended
        them. `left` says how many seconds are left."""
        run = Run(self, iterations, max_nodes, None, which, left)
        return int(run.grown(self._grown("search")).done.sum()), run.stopped

    def look(self) -> tuple[Trees, Found]:
        """The trees as they are, and what is found at their roots; means are not scaled."""
        rows = self._grown("show")
        Run(self, 1, None, None).gathered(rows)
        return rows, self._found

    def nodes_of(self, tree: int) -> Any:
        """The nodes of one tree that are in use."""
        rows = self._grown("show")
        return self._hands.nodes_of(rows, tree)[: int(rows.counters["used"][tree])]

    @property
    def used(self) -> int:
        """How many nodes the largest tree has."""
        return int(self._grown("show").counters["used"].max())

    @property
    def ended(self) -> bool:
        """Whether there is a tree in which nothing is left to do."""
        return bool((self._grown("show").note != 0).any())

    @property
    def endless(self) -> int:
        """How many iterations of these trees had playouts that came to no end."""
        return 0 if self._rows is None else int(self._rows.playout_params[:, loop.ENDLESS].sum())
