"""A forest's tasks on the cores of the processor, as machine code or as plain Python. Start at Cores.run."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from ponderosa.compile.atomics import add_to_item
from ponderosa.compile.enabled import jit_enabled
from ponderosa.core.rules import signatures
from ponderosa.forest.grove import APART, new_found
from ponderosa.forest.judging import ROUND, HostJudge, in_rounds
from ponderosa.forest.kernel import NEXT, SLICE, STOP, Choices, Found, Room, Task, Trees
from ponderosa.forest.linking import Linked, at_hand, task_of
from ponderosa.forest.plan import BY_ROOT, Plan
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.kernels import Layout
from ponderosa.mcts.loops import general
from ponderosa.mcts.loops.workspace import Game, Phases
from ponderosa.mcts.tree.counters import COUNTERS
from ponderosa.mcts.tree.memory import reserved, tree_memory

MEMORY_SHARE = 2
"""A forest may take this many times the memory that one tree takes by default: half of all."""
ADDRESSES = "addresses"
"""Where rules and phases are, beside the tasks that find them there."""
WAIT = 0.02
"""Seconds between two looks at how far the threads are."""
MOST_AT_ONCE = 16
"""How many trees a thread takes at once: their small rows share lines of the cache, for which threads would wait."""
LEFT_FOR_OTHERS = 8
"""A thread takes no more than this part of what would be its share of the rest: all are done at about the same time."""

Watch = Callable[[], float]
"""Called while threads are busy: how many seconds are left; 0 or less ends the run."""


def core_count() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Cores:
    """Threads that do the tasks of a forest: each takes the next trees when it is done with some."""

    def __init__(self, plan: Plan, threads: int) -> None:
        self.workers = threads if jit_enabled() else 1
        self._plan = plan
        self._pool = ThreadPoolExecutor(self.workers, "forest") if self.workers > 1 else None
        self._tasks = plan.made["cores"]
        if jit_enabled() and ADDRESSES not in self._tasks:
            self._tasks[ADDRESSES] = _addresses(plan)
        self._addresses = self._tasks.get(ADDRESSES)

    def run(self, name: str, trees: Trees, room: Room, found: Found, orders: Any, watch: Watch | None = None) -> None:
        """Do a task for every tree. Ctrl-C ends it when the trees at hand are done with a few hundred iterations."""
        orders[NEXT] = 0
        if name not in self._tasks:
            self._tasks[name] = self._made(name)
        task = self._tasks[name]
        if self._pool is None and watch is None:
            task(0, trees, room, found, self._addresses, orders)
            return
        pool = self._pool or ThreadPoolExecutor(1, "forest")
        busy = [
            pool.submit(task, worker, trees, room, found, self._addresses, orders)
            for worker in range(0, len(room.state), APART)
        ]
        try:
            pause = None if watch is None else WAIT
            while wait(busy, pause)[1]:
                left = math.inf if watch is None else watch()
                if left <= 0:
                    orders[STOP] = 1
                pause = min(WAIT, left) if left > 0 else WAIT
        except KeyboardInterrupt:
            orders[STOP] = 1
            wait(busy)
            raise
        finally:
            if pool is not self._pool:
                pool.shutdown()
        for done in busy:
            done.result()

    def search(self, trees: Trees, room: Room, found: Found, orders: Any, watch: Watch) -> None:
        """Grow all trees until they have their iterations; leaves may be left waiting when it ends before."""
        if not self._plan.asks:
            self.run("tend", trees, room, found, orders, watch)
            return
        orders[SLICE] = ROUND
        in_rounds(
            trees,
            lambda now: self.run("tend", now, room, found, orders, watch),
            HostJudge(self._plan, lambda now: self.run("observe", now, room, found, orders)),
            lambda: orders[STOP] == 0 and watch() > 0,
        )

    @property
    def memory(self) -> int:
        """The bytes that all trees together may take by default: half of what there is."""
        return MEMORY_SHARE * tree_memory()

    def memory_without(self, trees: Trees | None) -> int:
        """The same, when these trees are gone."""
        return self.memory

    def nodes(self, trees: int, capacity: int) -> Any:
        """Room for empty nodes, a row for each tree; shorter rows, where the system promises no more."""
        table = reserved(trees * capacity, self._plan.layout)
        capacity = len(table) // trees
        return table[: trees * capacity].reshape(trees, capacity)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Zeros in memory that all threads see."""
        return np.zeros(shape, dtype)

    def enlarged(self, trees: Trees, capacity: int) -> Trees:
        """The same trees, with room for more nodes."""
        table, used = self.nodes(len(trees.over), capacity), int(trees.counters["used"].max())
        bytes_of(table)[:, : used * table.itemsize] = bytes_of(trees.nodes)[:, : used * table.itemsize]
        return trees._replace(nodes=table)

    def bring(self, trees: Trees, name: str) -> Any:
        """A table of what belongs to the trees."""
        return getattr(trees, name)

    def nodes_of(self, trees: Trees, tree: int) -> Any:
        """The nodes of one tree, to look at."""
        return trees.nodes[tree]

    def lay(self, trees: Trees, roots: Any) -> None:
        """Put a state at each root."""
        trees.roots[:] = roots

    def found(self, trees: int, columns: int) -> Found:
        """Room for what is found at the roots."""
        return new_found(trees, columns)

    def told(self, table: Any) -> Any:
        """A table of what was found, to be read."""
        return table

    def _made(self, name: str) -> Any:
        plan = self._plan
        if jit_enabled():
            return _compiled_task(name, plan)
        return over_all(task_of(name, plan, at_hand(plan.operations(), plan.phases(), plan.choices())))

    def forget(self) -> None:
        """No trees are left: theirs was the memory."""

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def bytes_of(table: Any) -> Any:
    """A table of records as a table of bytes, which is copied faster."""
    return table.view(np.uint8).reshape(len(table), -1)


def over_all(task: Task) -> Callable[..., None]:
    """What a worker does: the task for some trees after the others, whichever are next."""

    def work(worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
        count, parts = len(trees.over), LEFT_FOR_OTHERS * (1 + len(room.state) // APART)
        begin = 0
        while begin < count and orders[STOP] == 0:
            some = max(1, min((count - orders[NEXT]) // parts, MOST_AT_ONCE))
            begin = add_to_item(orders, NEXT, some)
            for tree in range(begin, min(begin + some, count)):
                if orders[STOP] == 0:
                    task(tree, worker, trees, room, found, addresses, orders)

    return work


def _functions(plan: Plan, observes: bool) -> dict[str, Any]:
    """The signatures of all functions that a task calls, in the order of their addresses.

    What only one of them calls is the last: the others are compiled without it.
    """
    kinds = kernels.functions_of(plan.layout, kernels.names_in(plan.loop) | set(BY_ROOT))
    kinds |= {name: kernels.phase_signatures(plan.layout)[name] for name in Choices._fields}
    return kinds | ({"observe": signatures()["observe"]} if observes else {})


def _addresses(plan: Plan) -> Any:
    functions = plan.operations()._asdict() | plan.phases()._asdict() | plan.choices()._asdict()
    return kernels.addresses_of(functions, _functions(plan, plan.sees_planes))


def _compiled_task(name: str, plan: Plan) -> Any:
    """A task as machine code, which finds rules and phases by their addresses: one for all games and policies."""
    from ponderosa.compile import native
    from ponderosa.compile.native import INT, INTS, PATH, VOID

    functions = _functions(plan, name == "observe")
    linked = Linked(*(native.functions_in(kind, functions) for kind in (Game, Phases, Choices)))
    signature = VOID(INT, trees_type(plan.layout), room_type(), found_type(), PATH, INTS)
    task = over_all(task_of(name, plan, linked))
    return native.compiled(task, signature, scope=kernels.scope_of(plan.layout), **kernels.OPTIONS)


@functools.cache
def trees_type(layout: Layout) -> Any:
    from ponderosa.compile.native import (
        FLOAT_ROWS,
        INT_ROWS,
        INTS,
        PLACES,
        PLANE_ROWS,
        STATES,
        WORDS,
        named_type,
        record,
        records,
        rows,
    )

    return named_type(
        Trees,
        {
            "nodes": rows(record(layout)),
            "counters": records(COUNTERS),
            "settings": records(kernels.SETTINGS),
            "best": records(general.BEST),
            "blank": records(layout),
            "rng": WORDS,
            "planes": PLANE_ROWS,
            **dict.fromkeys(("roots", "leaves"), STATES),
            **dict.fromkeys(("over", "player", "note", "chosen"), PLACES),
            **dict.fromkeys(("best_moves", "paths"), INT_ROWS),
            **dict.fromkeys([name for name in Trees._fields if name.endswith("_params")], FLOAT_ROWS),
            **dict.fromkeys(("results", "priors", "values"), FLOAT_ROWS),
            **dict.fromkeys(("wanted", "done"), INTS),
        },
    )


@functools.cache
def room_type() -> Any:
    from ponderosa.compile.native import ACTION_ROWS, FLOAT_ROWS, INT_ROWS, SPARE, STATES, named_type

    return named_type(
        Room,
        {
            "state": STATES,
            "spare": SPARE,
            "actions": ACTION_ROWS,
            **dict.fromkeys(("path", "moves", "parents"), INT_ROWS),
            **dict.fromkeys(("values", "probabilities", "window"), FLOAT_ROWS),
        },
    )


@functools.cache
def found_type() -> Any:
    from ponderosa.compile.native import ACTION_ROWS, FLOAT_ROWS, PLACES, VALUES, named_type

    return named_type(
        Found,
        {
            **dict.fromkeys(("actions", "visits", "proven"), ACTION_ROWS),
            **dict.fromkeys(("values", "improved"), FLOAT_ROWS),
            "value": VALUES,
            "certain": PLACES,
        },
    )
