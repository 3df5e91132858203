"""A forest's tasks on a CUDA card, a thread a tree. Start at Card.run.

The nodes of the trees are on the card, and stay there. All else that belongs to a tree is small, and is there twice:
two tables say what is sent before a task, because the forest may have written it, and what is fetched after it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ponderosa.compile import cuda
from ponderosa.compile.enabled import jit_enabled
from ponderosa.errors import RoomError, SettingError
from ponderosa.forest.card_blocks import Kind
from ponderosa.forest.card_judging import CardJudge, Exchange
from ponderosa.forest.cores import Watch
from ponderosa.forest.grove import new_found
from ponderosa.forest.judging import ROUND, in_rounds
from ponderosa.forest.kernel import SLICE, STOP, Found, Room, Trees
from ponderosa.forest.plan import Plan

SENT: dict[str, tuple[str, ...]] = {
    "plant": ("rng", "best", "select_params", "playout_params"),
    "tend": ("settings", "wanted", "done", "note"),
    "choose": ("wanted",),
    "gather": ("chosen",),
    "check": ("chosen",),
    "advance": ("chosen",),
}
FETCHED: dict[str, tuple[str, ...]] = {
    "plant": ("over", "player"),
    "tend": ("counters", "rng", "done", "note", "playout_params", "best", "best_moves"),
    "withdraw": ("counters",),
    "choose": ("chosen", "note"),
    "check": ("note",),
    "advance": ("counters", "over", "player", "best"),
}
FIRST = ("counters", "settings", "best", "blank", "rng", *(name for name in Trees._fields if name.endswith("_params")))
"""What is sent of trees that are new there; the rest is written by tasks, or sent before them."""
BEST = ("best", "best_moves")
SHARE = 0.8
"""How much of the card's free memory nodes may take: the rest is for what is small, and for the threads."""
FIRST_SLICE = 32
"""Iterations that every tree gets at first before the card is asked again."""
QUICK = 0.12
"""Seconds: whoever is done sooner gets twice as many iterations the next time, also in the next forest of a game."""


class Driver(Protocol):
    """What the forest needs of a card; card_code.py has the one for CUDA."""

    @property
    def exchange(self) -> Exchange:
        """How arrays are exchanged with an evaluator."""

    def free(self) -> int:
        """Bytes of memory that nobody uses."""

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array on the card, with anything in it."""

    def empties(self, kinds: Sequence[Kind]) -> list[Any]:
        """Such arrays, of these shapes and dtypes, in memory that is used again when nobody holds one of them."""

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array that is not on the card, in memory from which it is sent fast."""

    def send(self, host: Any, card: Any) -> None:
        """Copy an array to the card."""

    def fetch(self, card: Any, host: Any) -> None:
        """Copy an array from the card."""

    def task(self, name: str, plan: Plan) -> Callable[[Trees, Found, Any], None]:
        """A task for all trees, which is begun after all that was begun before; `wait` waits for it."""

    def wait(self) -> None:
        """Wait until all that was begun is done."""

    def clear(self, nodes: Any, counters: Any) -> None:
        """Make the nodes that each tree uses empty: zeros."""

    def zero(self, card: Any) -> None:
        """Make an array zeros."""

    def spread(self, row: Any, card: Any) -> None:
        """Make every row of an array this one."""

    def copy(self, nodes: Any, larger: Any, counters: Any) -> None:
        """Copy all trees into a larger table of nodes."""

    def forget(self) -> None:
        """Give back what is kept to be used again."""


class Card:
    """Does the tasks of a forest, as Cores does."""

    workers = 1
    """The forest keeps room for one: threads of a card have their own."""

    def __init__(self, plan: Plan, driver: Driver, clock: Callable[[], float] = time.perf_counter) -> None:
        self._plan, self._driver, self._clock = plan, driver, clock
        self._tasks = plan.made["card"]
        self._mirrored: Any = None
        """The counters of the trees that are on the card: nobody else's are the same array."""
        self._there: dict[str, Any] = {}
        self._trees: Trees | None = None
        """The same as trees: a driver knows again what it was handed before."""
        self._slices: dict[int, int] = plan.made["slices"]
        """How many iterations so many trees get at once."""
        self._orders: Any = None

    @property
    def memory(self) -> int:
        """The bytes that all trees together may take."""
        return int(SHARE * self._driver.free())

    def memory_without(self, trees: Trees | None) -> int:
        """The same, when these trees are gone."""
        return self.memory if trees is None else self.memory + int(trees.nodes.nbytes)

    def nodes(self, trees: int, capacity: int) -> Any:
        """Room for empty nodes, a row for each tree."""
        self.forget()  # what was there before makes room
        size = self._plan.layout.itemsize * capacity
        if size * trees > self.memory:
            fitting = self.memory // size
            raise RoomError(
                f"{trees:,} trees of {capacity:,} nodes take {size * trees / 2**20:,.0f} MB, and {fitting:,} would fit "
                "on the card: take fewer trees or iterations, or set max_nodes"
            )
        table = self._driver.empty((trees, capacity), self._plan.layout)
        self._driver.zero(table)
        return table

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Zeros that are sent and fetched often."""
        return self._driver.zeros(shape, dtype)

    def enlarged(self, trees: Trees, capacity: int) -> Trees:
        """The same trees, with room for more nodes."""
        there = self._there, self._mirrored
        table = self.nodes(len(trees.over), capacity)
        self._there, self._mirrored = there
        self._driver.copy(trees.nodes, table, self._there["counters"])
        return trees._replace(nodes=table)

    def bring(self, trees: Trees, name: str) -> Any:
        """A table of what belongs to the trees, as it is on the card now."""
        if trees.counters is self._mirrored:
            self._fetch(trees, (name,))
        return getattr(trees, name)

    def nodes_of(self, trees: Trees, tree: int) -> Any:
        """The nodes of one tree, to look at."""
        found = self._plan.blank.repeat(trees.nodes.shape[1])
        self._driver.fetch(trees.nodes[tree], found)
        return found

    def run(self, name: str, trees: Trees, room: Room, found: Found, orders: Any) -> None:
        """Do a task for every tree."""
        if name == "plant":
            self._emptied(trees)
        there = self._sent(name, trees)
        try:
            self._task(name)(there, found, self._ordered(orders))
            self._driver.wait()
        finally:
            self._fetch(trees, self._used(FETCHED.get(name, ())))

    def lay(self, trees: Trees, roots: Any) -> None:
        """Put a state at each root; one for all is sent once. `bring` tells them."""
        self._mirror(trees)
        if roots.strides[0] == 0:
            self._driver.spread(roots[0], self._there["roots"])
        else:
            self._driver.send(roots, self._there["roots"])

    def _emptied(self, trees: Trees) -> None:
        """Empty all trees, which is quicker than by a thread a tree."""
        self._driver.clear(trees.nodes, self._there["counters"])
        self._driver.zero(self._there["counters"])
        trees.counters["used"] = 1  # as the task will; the rest is fetched before somebody looks

    def search(self, trees: Trees, room: Room, found: Found, orders: Any, watch: Watch) -> None:
        """Grow all trees until they have their iterations; `watch` is asked, and Ctrl-C heard, several times a second.

        Leaves may be left waiting when it ends before.
        """
        there = self._sent("tend", trees)
        try:
            (self._in_rounds if self._plan.asks else self._in_slices)(there, trees, found, orders, watch)
        finally:
            self._fetch(trees, self._used(FETCHED["tend"]))

    def _used(self, names: Sequence[str]) -> list[str]:
        """Those of the tables that this search uses."""
        unused = self._plan.unchanged | set(() if self._plan.keeps_best else BEST)
        return [name for name in names if name not in unused]

    def found(self, trees: int, columns: int) -> Found:
        """Room on the card for what is found at the roots."""
        kinds = new_found(trees, columns, lambda shape, dtype: (shape, dtype))
        return Found._make(self._driver.empties(kinds))

    def told(self, table: Any) -> Any:
        """A table of what was found, fetched."""
        host = np.empty(table.shape, table.dtype)
        self._driver.fetch(table, host)
        return host

    def _in_slices(self, there: Trees, trees: Trees, found: Found, orders: Any, watch: Watch) -> None:
        """Run the search a few iterations at a time: a kernel that was begun hears nothing.

        Nothing is fetched between: `watch` brings what it wants to see.
        """
        task, count, left = self._task("tend"), len(trees.over), int((trees.wanted - trees.done).max())
        fitting = left
        while left > 0 and orders[STOP] == 0:
            most = self._slices.get(count, FIRST_SLICE)
            size = orders[SLICE] = max(1, min(left, most, fitting))
            begin = self._clock()
            task(there, found, self._ordered(orders))
            self._driver.wait()
            took = self._clock() - begin
            if took < QUICK and size == most:
                self._slices[count] = 2 * most
            left -= int(size)
            seconds = watch()
            fitting = fits(int(size), took, seconds, 2 * most)
            if seconds <= 0:
                orders[STOP] = 1

    def _in_rounds(self, there: Trees, trees: Trees, found: Found, orders: Any, watch: Watch) -> None:
        """Run the search from leaf to leaf; nothing comes from the card but how far it is, now and then."""
        task, orders[SLICE] = self._task("tend"), ROUND
        copied = self._ordered(orders)
        searched = (trees.over == 0) & (trees.wanted > 0)
        rounds = (trees.wanted - trees.done + (trees.counters["used"] == 1))[searched]  # a new root is judged, too
        judge = CardJudge(
            self._plan,
            self._driver.exchange,
            int(rounds.max(initial=0)),
            self._clock,
            lambda now: self._task("observe")(now, found, copied),
        )
        in_rounds(there, lambda now: task(now, found, copied), judge, lambda: orders[STOP] == 0 and watch() > 0)

    def _task(self, name: str) -> Any:
        if name not in self._tasks:
            self._tasks[name] = self._driver.task(name, self._plan)
        return self._tasks[name]

    def _sent(self, name: str, trees: Trees) -> Trees:
        """The trees on the card, as they are now."""
        self._mirror(trees)
        for table in self._used(SENT.get(name, ())):
            self._driver.send(getattr(trees, table), self._there[table])
        if self._trees is None or self._trees.nodes is not trees.nodes:
            self._trees = trees._replace(**self._there)
        return self._trees

    def _mirror(self, trees: Trees) -> None:
        """Make room on the card for what belongs to the trees, if they are new there."""
        if trees.counters is self._mirrored:
            return
        self._mirrored, self._there, self._trees = trees.counters, {}, None
        for name, host in trees._asdict().items():
            if name != "nodes":
                self._there[name] = self._driver.empty(host.shape, host.dtype)
                if name in FIRST:
                    self._driver.send(host, self._there[name])

    def _fetch(self, trees: Trees, names: Sequence[str]) -> None:
        for name in names:
            self._driver.fetch(self._there[name], getattr(trees, name))

    def _ordered(self, orders: Any) -> Any:
        """The orders, on the card."""
        if self._orders is None:
            self._orders = self._driver.empty(orders.shape, orders.dtype)
        self._driver.send(orders, self._orders)
        return self._orders

    def forget(self) -> None:
        """Give the memory back."""
        self._mirrored, self._there, self._trees = None, {}, None
        self._driver.forget()


def fits(ran: int, took: float, seconds: float, most: int) -> int:
    """How many iterations are done within so many seconds, if the last ones took so long; no more than the most."""
    fitting = ran * max(seconds, 0.0) / max(took, 1e-9)
    return most if fitting >= most else int(fitting)


def check_card() -> None:
    """Raise in words what is missing for a search on a card."""
    if not jit_enabled():
        raise SettingError("device='cuda' needs the compiler: unset NUMBA_DISABLE_JIT, or take device='cpu'")
    reason = cuda.missing()
    if reason is not None:
        raise SettingError(f"{reason}; device='cpu' searches on all cores")
