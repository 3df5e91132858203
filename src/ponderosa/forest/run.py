"""One run of a forest: new trees, or those that there are, in rounds if they are too many. Start at Run.from_new."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ponderosa.core.turns import CHANCE
from ponderosa.errors import GameError, RoomError
from ponderosa.forest.grove import FoundLater, begin_anew, guessed_nodes, joined, new_trees, nodes_for
from ponderosa.forest.kernel import BROKEN, CRAMPED, GOES_ON, GROWS, LIMIT, SLICE, STOP, Found, Trees
from ponderosa.forest.positions import Records
from ponderosa.forest.report import ForestReport
from ponderosa.mcts.loops import loop
from ponderosa.mcts.loops.endings import no_end
from ponderosa.mcts.tree.memory import INDEX_LIMIT

if TYPE_CHECKING:
    from ponderosa.forest.forest import Forest

PROGRESS_SECONDS = 0.1
FAULTS = (loop.BAD_ACTION_COUNT, loop.BAD_PRIOR, loop.BAD_PLAYER, loop.BAD_CHANCE)

Progress = Callable[[int, int], Any]
"""Called about ten times a second with the iterations that all trees have done, and how many there will be; False ends
the run."""


class Run:
    """One run of a forest."""

    def __init__(
        self,
        forest: Forest,
        iterations: int,
        max_nodes: int | None,
        progress: Progress | None,
        only: Any = None,
        most: int | None = None,
        left: Callable[[], float] = lambda: math.inf,
    ) -> None:
        """`only`: which trees are searched and reported of, by tree; None: all. `most`: see Forest.think. `left`: how
        many seconds are left."""
        self._forest, self._plan, self._progress = forest, forest._plan, progress
        self._left = left
        self._iterations, self._max_nodes, self._only, self._most = iterations, max_nodes, only, most
        self._start = self._told = time.perf_counter()
        self._before = 0
        """Iterations of earlier rounds."""
        self.stopped = "iterations"
        forest._orders[[STOP, SLICE, GROWS]] = 0, iterations, 0
        forest._orders[LIMIT] = INDEX_LIMIT if max_nodes is None else max_nodes

    def on_these(self, rows: Trees) -> ForestReport:
        """Search the trees that there are, and say what was found."""
        rows = self.grown(rows)
        return self._report([rows], [self.gathered(rows)])

    def grown(self, rows: Trees) -> Trees:
        """Search the trees that there are."""
        needed = int(rows.counters["used"].max(initial=1, where=self._which)) + nodes_for(
            self._plan, self._iterations, None
        )
        needed = needed if self._max_nodes is None else min(needed, self._max_nodes + 1)
        there = rows.nodes.shape[1]
        if needed > there:
            if (capacity := self._capacity(needed)) > there:
                rows = self._forest._rows = self._forest._hands.enlarged(rows, capacity)
            if self._most is not None and rows.nodes.shape[1] < needed:
                raise no_room(self._forest.trees, needed)
        return self._search(rows)

    def _capacity(self, needed: int) -> int:
        """How large trees become that need so many nodes: of games in lockstep, larger, as more moves will come."""
        if self._most is None:
            return needed if self._max_nodes is not None else min(needed, self._most_nodes())
        if needed > self._most:
            raise no_room(self._forest.trees, needed)
        return min(needed + needed // 2, self._most)

    @property
    def _which(self) -> Any:
        """The trees that are searched, to index tables with."""
        return True if self._only is None else self._only

    def from_new(self, roots: Records) -> ForestReport:
        """Search new trees, in several rounds if they do not fit into memory together."""
        forest = self._forest
        kept, forest._rows = forest._rows, None
        forest._lines.forget()
        capacity, fitting = self._round(roots, kept)
        if kept is not None and not fits(kept, fitting, capacity):
            kept = None  # its memory is free now
        parts, found = [], []
        for begin in range(0, forest.trees, fitting):
            end = min(begin + fitting, forest.trees)
            rows = self._planted(kept, roots[begin:end], forest._rng[begin:end], capacity)
            if not self._ended():
                rows = self._search(rows)
            forest._rng[begin:end] = rows.rng
            found.append(self.gathered(rows))
            kept = rows
            parts.append(rows if end - begin == forest.trees else _counts(rows))
        if fitting >= forest.trees:
            forest._rows = rows
        return self._report(parts, found)

    def _round(self, roots: Records, kept: Trees | None) -> tuple[int, int]:
        """How many nodes a new tree has room for, and how many trees are searched at once.

        Room for all nodes that there might be, if it is there; else for a guess, and it grows.
        """
        forest, most = self._forest, nodes_for(self._plan, self._iterations, self._max_nodes)
        if kept is not None and fits(kept, forest.trees, most):
            return most, forest.trees  # a card takes long to say how much of its memory is free
        room = forest._hands.memory_without(kept) // self._plan.layout.itemsize
        capacity = most
        if most * forest.trees > room:
            capacity = min(most, guessed_nodes(self._plan, self._iterations, roots))
            forest._orders[GROWS] = capacity < most
        rounds = -(-forest.trees // max(1, room // capacity))
        return capacity, -(-forest.trees // rounds)

    def planted(self, kept: Trees | None, roots: Records, capacity: int) -> Trees:
        """New trees at these roots, where dice may decide first."""
        return self._planted(kept, roots, self._forest._rng, capacity, dice=True)

    def _most_nodes(self) -> int:
        return max(2, self._forest._hands.memory // (self._forest.trees * self._plan.layout.itemsize))

    def _planted(self, kept: Trees | None, roots: Records, rng: Any, capacity: int, dice: bool = False) -> Trees:
        """New trees at these roots, in the memory of those that were there before if it is enough."""
        count = len(roots)
        if kept is not None and len(kept.over) == count and fits(kept, count, capacity):
            rows = kept
            begin_anew(self._plan, rows, self._iterations)
        elif kept is not None and fits(kept, count, capacity):
            rows = self._new_trees(kept.nodes[:count])
            rows.counters["used"] = kept.counters["used"][:count]
        else:
            rows = self._new_trees(self._forest._hands.nodes(len(roots), capacity))
        rows.rng[:] = rng
        self._forest._hands.lay(rows, roots)
        self._forest._do("plant", rows)
        for tree in np.flatnonzero((rows.player == CHANCE) & (rows.over == 0) & (not dice))[:1]:
            raise GameError(f"dice decide at state {tree}, and nobody else: play an outcome first")
        return rows

    def _new_trees(self, nodes: Any) -> Trees:
        return new_trees(self._plan, nodes, self._iterations, self._forest._solve, self._forest._hands.zeros)

    def _search(self, rows: Trees) -> Trees:
        """Grow the trees, and ask the evaluator for each leaf, until all have their iterations."""
        forest = self._forest
        rows.done[:], rows.wanted[:], rows.note[:] = 0, np.where(self._which, self._iterations, 0), GOES_ON
        if forest.settings.paranoid:
            rows.settings["against"] = rows.player
        endless = rows.playout_params[:, loop.ENDLESS].copy()
        try:
            while True:
                forest._hands.search(rows, forest._room, forest._found, forest._orders, self._watch(rows))
                cramped = rows.note == CRAMPED
                if self._ended() or not cramped.any():
                    break
                rows = self._with_more_room(rows)
                rows.note[cramped] = GOES_ON
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        finally:
            if self._plan.asks and rows.counters["waiting"].any():
                forest._orders[STOP] = 0
                forest._do("withdraw", rows)
        self._check(rows, rows.playout_params[:, loop.ENDLESS] - endless)
        self._before += int(rows.done.sum())
        return rows

    def _with_more_room(self, rows: Trees) -> Trees:
        """The trees with room for twice as many nodes; where there is none, full ones give up what they visit least."""
        forest, there = self._forest, rows.nodes.shape[1]
        most = forest._hands.memory // (len(rows.over) * self._plan.layout.itemsize)
        if most <= there:
            forest._orders[GROWS] = 0
            return rows
        larger = forest._hands.enlarged(rows, min(2 * there, most))
        if forest._rows is rows:
            forest._rows = larger
        return larger

    def _watch(self, rows: Trees) -> Callable[[], float]:
        return lambda: self._seconds_left(rows)

    def _seconds_left(self, rows: Trees) -> float:
        """How many seconds are left; 0: the run ends."""
        now = time.perf_counter()
        if self._progress is not None and now - self._told >= PROGRESS_SECONDS:
            self._told = now
            todo = self._forest.trees * self._iterations
            done = self._before + int(self._forest._hands.bring(rows, "done").sum())
            if self._progress(done, todo) is False:
                self.stopped = "progress"
        left = self._left()
        if left <= 0 and not self._ended():
            self.stopped = "seconds"
        return 0.0 if self._ended() else left

    def _ended(self) -> bool:
        return self.stopped != "iterations"

    def _check(self, rows: Trees, endless: Any) -> None:
        """Raise what the game or the evaluator did that it must not."""
        noted = np.flatnonzero(rows.note)  # nothing is wrong with the others
        wrong = np.isin(rows.counters["status"][noted], FAULTS) | (rows.note[noted] == BROKEN)
        for tree in noted[wrong][:1]:
            nodes = self._forest._hands.nodes_of(rows, int(tree))
            fault = self._plan.fault(SimpleNamespace(counters=rows.counters[tree], nodes=nodes))  # type: ignore[arg-type]
            if fault is not None:
                raise fault
        cut_off = np.flatnonzero(endless > 1)
        for tree in cut_off[endless[cut_off] >= rows.done[cut_off]][:1]:
            raise no_end(self._forest.game, int(rows.done[tree]))

    def gathered(self, rows: Trees) -> FoundLater:
        """What was found at the roots."""
        hands, found, scaled = self._forest._hands, self.looked(rows), self._scale(rows)
        return FoundLater(lambda name: scaled(name, hands.told(getattr(found, name))))

    def looked(self, rows: Trees) -> Found:
        """The same where it is, and with means that are not scaled."""
        forest, orders = self._forest, self._forest._orders
        orders[STOP] = 0
        forest._do("choose", rows)
        if rows is forest._rows:
            forest._lines.prefer(rows)
        columns = max(1, int(rows.note.max())) if self._only is None else 0
        hands, found = forest._hands, forest._hands.found(len(rows.over), columns)
        hands.run("gather", rows, forest._room, found, orders)
        return found

    def _scale(self, rows: Trees) -> Callable[[str, Any], Any]:
        """Means as numbers from 0 to 1: of a single player's scores, by the least and the most of each tree so far."""
        if not self._plan.policies.select.scaled:
            return lambda name, table: table
        least, most = rows.best["least"], rows.best["most"]
        known = (least < most) & np.isfinite(least) & np.isfinite(most)
        low, width = np.where(known, least, 0.0), np.where(known, most - least, 1.0)

        def scaled(name: str, table: Any) -> Any:
            by_tree = (slice(None), *[np.newaxis] * (table.ndim - 1))
            return np.clip((table - low[by_tree]) / width[by_tree], 0.0, 1.0) if name.startswith("value") else table

        return scaled

    def _report(self, parts: Sequence[Any], found: Sequence[FoundLater]) -> ForestReport:
        whole, only = joined(found), self._only
        if only is not None:
            every, whole = whole, FoundLater(lambda name: getattr(every, name)[only])
            parts = [_counts(part, self._only) for part in parts]
        return ForestReport(
            best_actions=np.concatenate([part.chosen for part in parts]),
            iterations=np.concatenate([part.done for part in parts]),
            nodes=np.concatenate([part.counters["used"] for part in parts]),
            seconds=time.perf_counter() - self._start,
            stopped=self.stopped,
            seed=self._forest.seed,
            device=self._forest.device,
            found=whole,
        )


def fits(rows: Trees, count: int, capacity: int) -> bool:
    """Whether there is room for so many trees with so many nodes."""
    return len(rows.over) >= count and bool(rows.nodes.shape[1] >= capacity)


def _counts(rows: Trees, which: Any = slice(None)) -> SimpleNamespace:
    """What the report needs of trees that others will take the place of, or of some of them."""
    return SimpleNamespace(**{name: getattr(rows, name)[which].copy() for name in ("chosen", "done", "counters")})


def no_room(trees: int, needed: int) -> RoomError:
    """What to say of trees that do not fit into memory together."""
    return RoomError(
        f"{trees:,} trees of {needed:,} nodes do not fit into memory together: take fewer, or set max_nodes"
    )
