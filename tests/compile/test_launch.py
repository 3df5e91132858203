"""How kernels are launched, and what they are handed. There is no card here: a stand-in notes it."""

from __future__ import annotations

import importlib.util
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

from ponderosa.compile.progress import listening
from ponderosa.core.rules import jit_enabled
from tests.compile.conftest import StandIn

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is missing"),
    pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled"),
]


class Pair(NamedTuple):
    """Two arrays."""

    numbers: Any
    places: Any


def adding() -> Any:
    """The function of a kernel that is handed two arrays and a number."""
    from ponderosa.compile.cuda_code import card as threads

    def kernel(pair: Pair, more: int) -> None:
        place = threads.grid(1)
        if place < len(pair.numbers):
            pair.numbers[place] += pair.places[place] + more

    return kernel


def pair(count: int, kind: Any = np.int32) -> Pair:
    from ponderosa.compile.cuda_code import card as memory

    return Pair(memory.device_array(count, np.float64), memory.device_array(count, kind))


def test_a_kept_kernel_is_launched_with_what_a_compiled_one_gets(card: StandIn) -> None:
    from ponderosa.compile import cuda_code

    given, other = pair(1000), pair(1000)
    for _ in range(2):
        cuda_code._kernels.clear()
        for arrays, count in ((given, 1000), (given, 1000), (other, 10)):
            cuda_code.launch(cuda_code.kernel(adding()), count, arrays, 3)
    assert card.compiled == 1
    assert card.launched[:3] == card.launched[3:] and len(set(card.launched)) == 2
    assert [begun[0] for begun in card.launched[:3]] == [8, 8, 1] and card.launched[0][-1] == 3


def test_other_arrays_of_the_same_kinds_are_handed_over_as_if_numba_had_looked_at_them(
    card: StandIn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ponderosa.compile import cuda_code

    kernel, arrays = cuda_code.kernel(adding()), [pair(1000), pair(1000), pair(70)]
    for each in arrays:
        kernel._kinds = None
        kernel._known.clear()
        cuda_code.launch(kernel, 1000, each, 3)
    looked_at = card.launched[:]
    card.launched.clear()
    monkeypatch.setattr(type(kernel._dispatcher), "call", None)  # it would look
    for each in [arrays[2], *arrays][1:]:
        cuda_code.launch(kernel, 1000, each, 3)
    assert card.launched == looked_at and len(set(looked_at)) == 3


def test_whoever_listens_is_told_of_a_kernel_that_is_compiled_and_not_of_one_that_is_kept(card: StandIn) -> None:
    from ponderosa.compile import cuda_code

    told: list[str] = []
    for _ in range(2):
        cuda_code._kernels.clear()
        with listening(told.append):
            cuda_code.launch(cuda_code.kernel(adding()), 1000, pair(1000), 3)
    assert told == ["kernel"]


def test_tuples_that_take_turns_are_looked_at_once(card: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.cuda import dispatcher

    from ponderosa.compile import cuda_code

    looked_at: list[Any] = []
    look = dispatcher.wrap_arg
    monkeypatch.setattr(dispatcher, "wrap_arg", lambda value, *more: looked_at.append(value) or look(value, *more))
    kernel, arrays = cuda_code.kernel(adding()), [pair(1000) for _ in range(3 * cuda_code.TUPLES)]
    for each in arrays[:3]:
        cuda_code.launch(kernel, 1000, each, 3)
    looked_at.clear()
    begun = card.launched[-2:]
    for each in arrays[1:3]:
        cuda_code.launch(kernel, 1000, each, 3)
    assert card.launched[-2:] == begun and looked_at == []
    for each in arrays:
        cuda_code.launch(kernel, 1000, each, 3)
    assert len(set(card.launched[-len(arrays) :])) == len(arrays)
    assert len(kernel._known) <= cuda_code.TUPLES


def test_what_was_handed_over_is_not_held(card: StandIn) -> None:
    from ponderosa.compile import cuda_code

    kernel, arrays = cuda_code.kernel(adding()), pair(1000)
    held = [weakref.ref(array) for array in arrays]
    for _ in range(2):
        cuda_code.launch(kernel, 1000, arrays, 3)
    del arrays
    assert [array() for array in held] == [None, None]


def test_arrays_of_other_kinds_get_another_kernel(card: StandIn) -> None:
    from ponderosa.compile import cuda_code

    kernel = cuda_code.kernel(adding())
    for kind in (np.int32, np.int64, np.int32):
        cuda_code.launch(kernel, 1000, pair(1000, kind), 3)
    names = [begun[1] for begun in card.launched]
    assert card.compiled == 2 and names[0] == names[2] != names[1]


def test_arrays_in_one_piece_of_memory_do_not_overlap(card: StandIn) -> None:
    from ponderosa.forest.card_code import CudaDriver

    kinds = [((1000, 7), np.int32), ((1000, 0), np.int64), ((1000, 7), np.float64), ((3,), np.int32), ((1,), np.uint64)]
    found = CudaDriver().empties(kinds)
    assert [(array.shape, array.dtype) for array in found] == [(shape, np.dtype(kind)) for shape, kind in kinds]
    ends = 0
    for array in (array for array in found if array.size):
        begin = array.device_ctypes_pointer.value
        assert begin >= ends and begin % 256 == 0 and array.is_c_contiguous()
        ends = begin + array.nbytes


def test_nodes_are_emptied_by_a_block_of_threads_a_tree(card: StandIn) -> None:
    from ponderosa.compile.cuda_code import card as memory
    from ponderosa.forest.card_code import CudaDriver
    from ponderosa.mcts.tree.counters import COUNTERS
    from ponderosa.mcts.tree.node import NODE

    nodes, counters = memory.device_array((300, 50), NODE), memory.device_array(300, COUNTERS)
    CudaDriver().clear(nodes, counters)
    assert card.launched[0][0] == 300 and card.launched[0][-1] == 3
