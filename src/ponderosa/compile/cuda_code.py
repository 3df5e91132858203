"""Python functions into code for CUDA cards. Start at device_function; cuda.py is for everybody else.

It needs numba-cuda (the extra `cuda`), which has types, models and intrinsics of its own beside those of Numba.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
import threading
import types as python_types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

if not hasattr(np, "row_stack"):  # numba-cuda 0.30 looks for it, and NumPy 2.5 has it no more
    setattr(np, "row_stack", np.vstack)  # noqa: B010

from numba import cuda
from numba.cuda import cgutils, compiler, config, dispatcher, types, ufuncs
from numba.cuda.cudadrv import driver, nvvm
from numba.cuda.cudadrv.devicearray import DeviceNDArray
from numba.cuda.datamodel.models import RecordModel
from numba.cuda.extending import intrinsic, register_model
from numba.cuda.mathimpl import get_unary_impl_for_fn_and_ty

from ponderosa.compile.fingerprint import fingerprint, reached_names
from ponderosa.compile.kernels_on_disk import KernelsOnDisk

MOST_NUMBERS = 16
"""How many numbers `few_numbers` has room for on a card: no game has more players."""


class StateRecord(types.Record):  # type: ignore[misc]
    """A record that is a place in memory; see record_code.py."""

    def __init__(self, record: types.Record) -> None:
        fields = [(name, field._asdict()) for name, field in record.fields.items()]
        super().__init__(fields, record.size, record.aligned)


@register_model(StateRecord)
class StateRecordModel(RecordModel):  # type: ignore[misc]
    """Its address, in structures too."""

    def get_data_type(self) -> Any:
        return self._be_ptr_type

    def as_data(self, builder: Any, value: Any) -> Any:
        return value

    def from_data(self, builder: Any, value: Any) -> Any:
        return value

    def load_from_data_pointer(self, builder: Any, ptr: Any, align: Any = None) -> Any:
        return builder.load(ptr, align=align)


def _as_of_math(function: Callable[[float], float]) -> dict[str, Callable[..., Any]]:
    """What a function of NumPy does with one number: what that of `math` does."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return get_unary_impl_for_fn_and_ty(function, signature.args[0])(context, builder, signature, arguments)

    return {"f->f": generate, "d->d": generate}


for _name in ("exp", "expm1", "log1p", "sqrt", "floor", "ceil", "fabs"):  # numba-cuda knows sines, and not these
    ufuncs.ufunc_db().setdefault(getattr(np, _name), _as_of_math(getattr(math, _name)))


@intrinsic  # type: ignore[untyped-decorator]
def record_of(context: Any, state: Any, dtype: Any) -> Any:
    """The record at the beginning of an array of bytes."""
    kind = StateRecord(dtype.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        return builder.bitcast(view.data, context.get_value_type(kind))

    return kind(state, dtype), generate


@intrinsic  # type: ignore[untyped-decorator]
def few_numbers(context: Any, count: Any) -> Any:
    """Zeros, as many as counted, in memory of the thread."""
    kind = types.Array(types.float64, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from numba.cuda.np.arrayobj import populate_array

        data = cgutils.alloca_once(builder, context.get_value_type(types.float64), size=MOST_NUMBERS)
        with cgutils.for_range(builder, arguments[0]) as loop:
            builder.store(context.get_constant(types.float64, 0.0), builder.gep(data, [loop.index]))
        array = context.make_array(kind)(context, builder)
        size = context.get_constant(types.intp, 8)
        populate_array(
            array,
            data=data,
            shape=cgutils.pack_array(builder, [arguments[0]]),
            strides=cgutils.pack_array(builder, [size]),
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return kind(types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(context: Any, bits: Any) -> Any:
    """The place of the lowest bit that is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def count_bits(context: Any, bits: Any) -> Any:
    """How many bits are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def leading_zeros(context: Any, bits: Any) -> Any:
    """How many bits above the highest one that is set are not."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], cgutils.false_bit)

    return types.int64(types.int64), generate


INSTRUCTIONS = {"ctpop": count_bits, "cttz": lowest_bit, "ctlz": leading_zeros}

_made: dict[Any, Any] = {}


def device_function(value: Any, inline: str = "never") -> Any:
    """A plain Python function, and those that it calls, for the card; what is no function stays as it is.

    `inline="always"`: it stands in the place of every call, as one must that returns an array.
    """
    if not isinstance(value, python_types.FunctionType) or value.__module__.partition(".")[0] == "numba":
        return value
    if hasattr(value, "instruction"):
        return INSTRUCTIONS[value.instruction]
    if hasattr(value, "few_numbers"):
        return few_numbers
    if value not in _made:
        known = dict(value.__globals__)
        cells = tuple(python_types.CellType(cell.cell_contents) for cell in value.__closure__ or ())
        copy = python_types.FunctionType(value.__code__, known, value.__name__, value.__defaults__, cells or None)
        copy.__qualname__, copy.__module__ = value.__qualname__, value.__module__
        _made[value] = cuda.jit(device=True, inline=inline)(copy)  # known before it is linked: it may call itself
        for name in reached_names(copy.__code__) & known.keys():
            known[name] = device_function(known[name])
        for cell in cells:
            cell.cell_contents = device_function(cell.cell_contents)
    return _made[value]


card: Any = cuda
"""What kernels call: `card.grid(1)` is the number of the thread, and `card.local.array(shape, kind)`, of constants, an
array in its memory."""


class _Card:
    """Stands in for a card while code is made for one that is not there."""

    def __init__(self, capability: tuple[int, int]) -> None:
        self.compute_capability = capability


_making = threading.RLock()
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # few trees are no mistake


@contextlib.contextmanager
def our_way() -> Iterator[None]:
    """Make kernels that round every step, as processors do, and never a product together with a sum; and whose tables
    are in global memory: constant memory is 64 KB, and answers the threads of a warp one after the other."""

    def exact(make: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(make)
        def made(*arguments: Any, nvvm_options: Any = None, **options: Any) -> Any:
            return make(*arguments, nvvm_options={**(nvvm_options or {}), "fma": 0}, **options)

        return made

    with _making:
        usual, constants = compiler.compile_cuda, nvvm.ADDRSPACE_CONSTANT
        compiler.compile_cuda = dispatcher.compile_cuda = exact(usual)
        nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL
        try:
            yield
        finally:
            compiler.compile_cuda = dispatcher.compile_cuda = usual
            nvvm.ADDRSPACE_CONSTANT = constants


def ptx_of(kernel: Any, signature: Any, capability: tuple[int, int]) -> str:
    """The code of a kernel for cards of a compute capability; it needs no card."""
    with our_way():
        asked, dispatcher.get_current_device = dispatcher.get_current_device, lambda: _Card(capability)
        try:
            code, _ = cuda.compile_ptx(kernel, tuple(signature), cc=capability)
        finally:
            dispatcher.get_current_device = asked
    return str(code)


THREADS = 128
"""Of a block."""
REGISTERS = 128
"""Of a thread, at most: with more, too few threads are at work to hide how long memory takes."""

TUPLES = 16
"""How many tuples of arrays a kernel knows again."""

_kernels: dict[str, Kernel] = {}


def kernel(function: Any) -> Kernel:
    """A function as a kernel, once for all that are alike."""
    mark = fingerprint((function, sys.modules[__name__]))  # intrinsics and options are those of this file
    if mark not in _kernels:
        _kernels[mark] = Kernel(function, mark)
    return _kernels[mark]


class Kernel:
    """A kernel, which is taken from disk when it is launched for the first time, or compiled and put there.

    Numba looks at every array of every launch, which takes longer than a kernel of some thousand threads. Here a tuple
    of arrays that was handed over a while ago is not looked at again: in whole games, forests take turns.
    """

    def __init__(self, function: Any, mark: str) -> None:
        self._dispatcher = cuda.jit(function, max_registers=REGISTERS)
        self._dispatcher._cache = KernelsOnDisk(function.__name__, mark)
        self._made: Any = None
        """The machine code for arguments like the last ones."""
        self._kinds: list[Any] | None = None
        """What the last ones were like."""
        self._known: dict[tuple[int, int], tuple[list[weakref.ref[Any]], list[Any]]] = {}
        """By the identities of its type, whose hash takes long, and of itself: the arrays of a tuple, and what is
        handed over of them. They are not held: their memory may be wanted."""

    def launch(self, count: int, arguments: tuple[Any, ...]) -> None:
        """Begin so many threads."""
        configured = self._dispatcher[(count + THREADS - 1) // THREADS, THREADS]
        kinds = [_kind(argument) for argument in arguments]
        if self._made is not None and kinds == self._kinds:
            self._made.launch(arguments, configured.griddim, configured.blockdim, configured.stream, 0)
        else:
            with our_way():
                configured(*arguments)
            self._made = self._code_for(arguments)
            self._kinds = None if any(kind is None for kind in kinds) else kinds

    def _code_for(self, arguments: tuple[Any, ...]) -> Any:
        kinds = tuple(self._dispatcher.typeof_pyval(argument) for argument in arguments)
        made = self._dispatcher.overloads.get(kinds)
        if made is not None and "_prepare_args" not in vars(made):
            made._prepare_args = functools.partial(self._hand_over, made._prepare_args)
        return made

    def _hand_over(self, usual: Any, kind: Any, value: Any, stream: Any, later: Any, numbers: list[Any]) -> None:
        """Add the numbers that a kernel gets for a value: addresses and sizes."""
        if not isinstance(value, tuple):
            usual(kind, value, stream, later, numbers)
            return
        place = id(kind), id(value)
        arrays, known = self._known.get(place, ([], []))
        if len(arrays) != len(value) or any(one() is not other for one, other in zip(arrays, value, strict=True)):
            known = []
            usual(kind, value, stream, later, known)
            if len(self._known) >= TUPLES:
                self._known.clear()
            if all(isinstance(array, DeviceNDArray) for array in value):
                self._known[place] = [weakref.ref(array) for array in value], known
        numbers += known


def _kind(value: Any) -> Any:
    """What the type of a number, of an array, or of a tuple of arrays depends on; None of anything else."""
    if isinstance(value, int | float):
        return type(value)
    if isinstance(value, tuple):
        kinds = [_kind(each) for each in value]
        return None if any(kind is None for kind in kinds) else [type(value), *kinds]
    if isinstance(value, DeviceNDArray):
        return value._numba_type_
    return None


def free_memory() -> int:
    """Bytes of the card that nobody uses; arrays that are gone are given back first."""
    context = cuda.current_context()
    context.memory_manager.deallocations.clear()
    return int(context.get_memory_info().free)


def zero(array: Any) -> None:
    """Make an array on the card zeros."""
    driver.device_memset(array, 0, array.nbytes)


def launch(kernel: Kernel, count: int, *arguments: Any) -> None:
    """Begin a kernel of so many threads, after all that was begun before: in the default stream."""
    kernel.launch(count, arguments)
