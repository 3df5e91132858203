"""A forest's tasks as kernels for CUDA cards, a thread a tree. Start at kernel_of; card.py runs them.

The tasks are those of kernel.py, and the loop is that of mcts/loops: nothing is written a second time for the card.
Rules and phases are compiled into the kernel, because cards call no functions by address; so a kernel is compiled for
one game and one composition of policies. What a worker needs while it is busy lies in memory of its thread.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ponderosa.compile import cuda
from ponderosa.errors import PonderosaError, RuleError
from ponderosa.forest.card_blocks import Blocks, Kind
from ponderosa.forest.cores import found_type, trees_type
from ponderosa.forest.cuda_exchange import CudaExchange
from ponderosa.forest.kernel import Found, Room, Trees
from ponderosa.forest.linking import at_hand, task_of
from ponderosa.forest.plan import Plan
from ponderosa.mcts.loops.leaf_playouts import SPARE_STATES

NEW_ARRAYS = ("numpy_empty_nd", "np_array", "_ol_array_allocate", "Only accept returning of array")
"""What the compiler speaks of where a rule or a phase makes an array."""

ON_CARD = "_on_card"
"""How the names of tasks end that are told while they are compiled."""
MOST_THREADS = 2**24
"""Of a launch: more than there are trees."""
PINNED = 2**16
"""Bytes, from which on an array of the processor's lies where the card finds it itself."""


def ptx_of(name: str, plan: Plan, deepest: int, capability: tuple[int, int]) -> str:
    """The code of a task for cards of a compute capability; it needs no card.

    A rule or phase that cards cannot run is named, with its line.
    """
    from ponderosa.compile import cuda_code
    from ponderosa.compile.native import INT, INTS

    signature = (trees_type(plan.layout), found_type(), INTS, INT)
    with explained(plan):
        return cuda_code.ptx_of(kernel_of(name, plan, deepest), signature, capability)


@contextlib.contextmanager
def explained(plan: Plan) -> Iterator[None]:
    """Say in words which rule or phase cannot be compiled, and in which line."""
    from ponderosa.compile.native import explained_among

    try:
        yield
    except PonderosaError:
        raise
    except Exception as error:  # the compiler fails in many ways, and none of them means anything to an author
        authored = [*plan.game.own_rules().values(), *(each.function for each in plan.policies.by_phase().values())]
        words = f"{explained_among(error, authored)}: this cannot be compiled for a CUDA card"
        arrays = any(sign in str(error) for sign in NEW_ARRAYS)
        raise RuleError(words + ", which makes no arrays: return a tuple" * arrays) from None


def kernel_of(name: str, plan: Plan, deepest: int) -> Callable[..., None]:
    """The function of a kernel: a task for the tree of the thread. Paths are no longer than the deepest."""
    from ponderosa.compile.cuda_code import card

    game, phases, choices = plan.on_card()
    task = cuda.device_function(task_of(name, plan, at_hand(game, phases, choices)))
    longer, players = plan.room_of_state, plan.game.players
    actions, dice = plan.game.max_actions, plan.game.max_actions if plan.game.chance else 1
    spare, number, whole, real, byte = SPARE_STATES, np.int32, np.int64, np.float64, np.uint8

    def kernel(trees: Trees, found: Found, orders: Any, first: int) -> None:
        tree = first + card.grid(1)
        if tree < len(trees.over):
            room = Room(
                card.local.array((1, longer), byte, 8),  # states begin where all their fields may lie
                card.local.array((1, spare, longer), byte, 8),
                card.local.array((1, deepest), whole),
                card.local.array((1, deepest), whole),
                card.local.array((1, actions), number),
                card.local.array((1, players), real),
                card.local.array((1, dice), real),
                card.local.array((1, deepest), whole),
                card.local.array((1, 2), real),
            )
            task(tree, 0, trees, room, found, 0, orders)

    kernel.__name__ = f"{name}{ON_CARD}"
    return kernel


class CudaDriver:
    """The card that numba-cuda has chosen."""

    def __init__(self) -> None:
        from ponderosa.compile import cuda_code

        self.exchange = CudaExchange()
        self._blocks = Blocks(self.empty)
        self._code, self._kernels = (
            cuda_code,
            {name: cuda_code.kernel(maker()) for name, maker in MAKERS.items()},
        )

    def free(self) -> int:
        return self._code.free_memory()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self._code.card.device_array(shape, dtype)

    def empties(self, kinds: Sequence[Kind]) -> list[Any]:
        return self._blocks.arrays(kinds)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        if math.prod(shape) * np.dtype(dtype).itemsize < PINNED:
            return np.zeros(shape, dtype)
        pinned = self._code.card.pinned_array(shape, dtype)
        pinned.view(np.uint8)[...] = 0
        return pinned

    def send(self, host: Any, card: Any) -> None:
        if host.size > 0:
            card.copy_to_device(np.ascontiguousarray(host))

    def fetch(self, card: Any, host: Any) -> None:
        if host.size > 0:
            card.copy_to_host(host)

    def task(self, name: str, plan: Plan) -> Callable[[Trees, Found, Any], None]:
        kernel = self._code.kernel(kernel_of(name, plan, plan.deepest))
        most = self._crowd(plan.game.state_bytes) if name == "tend" and not plan.asks else MOST_THREADS

        def run(trees: Trees, found: Found, orders: Any) -> None:
            count = len(trees.over)
            crowd = -(-count // -(-count // most))
            with explained(plan):
                for first in range(0, count, crowd):
                    self._code.launch(kernel, min(crowd, count - first), trees, found, orders, first)

        return run

    def _crowd(self, state_bytes: int) -> int:
        """How many threads play at once: as many as have their states in the quickest memory of the card.

        At Gomoku (1.8 kB), an H200 searches half of 32,768 trees after the other 1.3 times as fast as all at once.
        """
        device = self._code.card.get_current_device()
        fitting = device.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR // (state_bytes * self._code.THREADS)
        return int(device.MULTIPROCESSOR_COUNT * self._code.THREADS * max(1, fitting))

    def wait(self) -> None:
        self._code.card.synchronize()

    def zero(self, card: Any) -> None:
        self._code.zero(card)

    def spread(self, row: Any, card: Any) -> None:
        words = self.empty((len(row) // 8,), np.int64)
        self.send(np.ascontiguousarray(row).view(np.int64), words)
        self._code.launch(self._kernels["spread"], card.size // 8, words, card.view(np.int64))

    def clear(self, nodes: Any, counters: Any) -> None:
        words = nodes.dtype.itemsize // 8
        self._code.launch(
            self._kernels["clear"], len(counters) * self._code.THREADS, nodes.view(np.int64), counters, words
        )

    def copy(self, nodes: Any, larger: Any, counters: Any) -> None:
        self._code.launch(self._kernels["copy"], len(counters), nodes, larger, counters)

    def forget(self) -> None:
        self._blocks.forget()


def clearer() -> Callable[..., None]:
    """The function of a kernel that makes the nodes in use zero: a block of threads a tree, a word a thread in turn."""
    from ponderosa.compile.cuda_code import card

    def kernel(words: Any, counters: Any, words_a_node: int) -> None:
        tree = card.blockIdx.x
        if tree < len(counters):
            for place in range(card.threadIdx.x, counters[tree]["used"] * words_a_node, card.blockDim.x):
                words[tree, place] = 0

    return kernel


def copier() -> Callable[..., None]:
    """The function of a kernel that copies the tree of its thread."""
    from ponderosa.compile.cuda_code import card

    def kernel(nodes: Any, larger: Any, counters: Any) -> None:
        tree = card.grid(1)
        if tree < len(counters):
            for place in range(counters[tree]["used"]):
                larger[tree, place] = nodes[tree, place]

    return kernel


def spreader() -> Callable[..., None]:
    """The function of a kernel that writes the word of its thread: every row is the given one."""
    from ponderosa.compile.cuda_code import card

    def kernel(row: Any, table: Any) -> None:
        place = card.grid(1)
        if place < table.size:
            table[place // len(row), place % len(row)] = row[place % len(row)]

    return kernel


MAKERS = {"clear": clearer, "copy": copier, "spread": spreader}
