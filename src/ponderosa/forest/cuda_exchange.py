"""Exchanging arrays with an evaluator that is on a CUDA card, whoever made them. Start at CudaExchange.read.

Arrays of JAX, PyTorch and CuPy say where they are (`__cuda_array_interface__`), and are read there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.compile import cuda
from ponderosa.errors import SettingError
from ponderosa.forest.card_judging import enter_answer, standing
from ponderosa.forest.kernel import Trees
from ponderosa.mcts.engines.evaluator import as_numbers

READ = ("<f4", "<f8")
"""The numbers that an evaluator may answer with."""
OUR_STREAM = 1
"""The name that DLPack has for the stream in which all of our kernels run, the default one."""


class CudaExchange:
    """How the card that numba-cuda has chosen reads what an evaluator says."""

    def __init__(self) -> None:
        from ponderosa.compile import cuda_code

        self._code = cuda_code
        self._enter, self._tally = cuda_code.kernel(enterer()), cuda_code.kernel(counter())

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self._code.card.device_array(shape, dtype)

    def fetch(self, card: Any, host: Any) -> None:
        if host.size > 0:
            host[...] = card.copy_to_host()

    def wait(self) -> None:
        self._code.card.synchronize()

    def read(self, what: str, given: Any) -> Any:
        if hasattr(given, "detach"):  # a tensor of PyTorch, which may still carry its gradient
            given = given.detach()
        interface = getattr(given, "__cuda_array_interface__", None)
        if interface is None:
            return self._code.card.to_device(np.ascontiguousarray(as_numbers(what, given)))
        if interface["typestr"] not in READ:
            raise SettingError(f"an evaluator returns {what} as float32 or float64, not {interface['typestr']}")
        self._after(given)
        return self._code.card.from_cuda_array_interface(interface, owner=given, sync=False)

    def _after(self, given: Any) -> None:
        """Let our stream wait for whoever computes an array, without waiting here if that can be had.

        The streams of JAX do not wait for the default one, nor it for them. DLPack is the protocol by which the maker
        of an array lets another stream wait for it: it is asked for that, and not for what it returns.
        """
        with contextlib.suppress(Exception):  # what cannot be exported so, and old makers who know no streams
            given.__dlpack__(stream=OUR_STREAM)
            return
        if hasattr(given, "block_until_ready"):  # JAX may not have begun yet
            given.block_until_ready()
        self._code.card.synchronize()

    def column(self, array: Any) -> Any:
        interface = dict(array.__cuda_array_interface__)
        (count,), step = interface["shape"], array.strides[0]
        interface |= {"shape": (count, 1), "strides": None if step == array.dtype.itemsize else (step, step)}
        return self._code.card.from_cuda_array_interface(interface, owner=array, sync=False)

    def enter(self, trees: Trees, priors: Any, values: Any, low: float, high: float) -> None:
        self._code.launch(self._enter, len(trees.over), trees, priors, values, low, high)

    def tally(self, trees: Trees) -> Any:
        counts = self._code.card.to_device(np.zeros(3, np.int64))
        self._code.launch(self._tally, len(trees.over), trees, counts)
        return counts.copy_to_host()


def enterer() -> Callable[..., None]:
    """The function of a kernel that takes over the answer for the tree of its thread."""
    from ponderosa.compile.cuda_code import card

    enter = cuda.device_function(enter_answer)

    def kernel(trees: Trees, priors: Any, values: Any, low: float, high: float) -> None:
        tree = card.grid(1)
        if tree < len(trees.over):
            enter(tree, trees, priors, values, low, high)

    return kernel


def counter() -> Callable[..., None]:
    """The function of a kernel that counts how trees stand."""
    from ponderosa.compile.cuda_code import card

    stands = cuda.device_function(standing)

    def kernel(trees: Trees, counts: Any) -> None:
        tree = card.grid(1)
        if tree < len(trees.over):
            card.atomic.add(counts, stands(tree, trees), 1)

    return kernel
