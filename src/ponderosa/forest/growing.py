"""A forest that is grown a piece at a time, and looked at between. Start at GrowingForest.grow."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from ponderosa.core.dice import roll_on
from ponderosa.core.seeds import new_rngs
from ponderosa.core.state import State
from ponderosa.forest.forest import Forest
from ponderosa.forest.kernel import Found, Trees
from ponderosa.forest.run import Run
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
        self._begins = False
        self._plant(state, max(self.nodes_for(1), self._first_room()))

    def _plant(self, state: State, capacity: int) -> None:
        kept, self._rows = self._rows, None
        self._lines.forget()
        self._rows = Run(self, 1, None, None).planted(kept, self._begun_at(state), capacity)

    def restart(self, seed: int) -> None:
        """Begin the random numbers anew with the next trees."""
        self.seed, self._begins = seed, True
        self._rng = new_rngs(seed, self.trees)

    def _first_room(self) -> int:
        """How many nodes new trees have room for; of a card's memory much at once, for to copy trees takes longer."""
        if self.device != "cuda" or self._rows is not None:
            return 0
        return min(self.nodes_that_fit // (CARD_SHARE * self.trees), INDEX_LIMIT)

    def warm_up(self) -> None:
        """Compile what there is to do now, so that it takes no time of the first run."""
        numbers, state = self._rng.copy(), self.game.new_initial_state()
        roll_on(state, random.Random(0))  # a search begins where somebody chooses
        self._plant(state, self.nodes_for(1))
        self.grow(1)
        rows, _ = self.look()
        for task in ("check", "advance"):
            self._do(task, rows)
        self._rows, self._rng = None, numbers

    def grow(
        self,
        iterations: int,
        which: Any = None,
        max_nodes: int | None = None,
        left: Callable[[], float] = lambda: math.inf,
    ) -> tuple[int, str]:
        """Search the trees further, all or `which`, and report nothing: how many iterations there were, and what ended
        them. `left` says how many seconds are left."""
        self._make_room(iterations, max_nodes)
        run = Run(self, iterations, max_nodes, None, which, left=left)
        return int(run.grown(self._grown("search")).done.sum()), run.stopped

    def _make_room(self, iterations: int, max_nodes: int | None) -> None:
        """Twice as much as there is, so that trees that grow again and again are seldom copied."""
        rows = self._grown("search")
        there, needed = rows.nodes.shape[1], self.used + self.nodes_for(iterations)
        most = self.nodes_that_fit // self.trees if max_nodes is None else max_nodes + 1
        if min(needed, most) > there:
            self._rows = self._hands.enlarged(rows, min(max(needed, 2 * there), most))

    def look(self) -> tuple[Trees, Found]:
        """The trees as they are, and what is found at their roots; means are not scaled."""
        rows = self._grown("show")
        rows.wanted[:] = 1  # nothing is chosen or gathered in trees of which nothing is wanted
        found = Run(self, 1, None, None).looked(rows)
        read = ("actions", "visits", "values", "proven")
        return rows, found._replace(**{name: self._hands.told(getattr(found, name)) for name in read})

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
