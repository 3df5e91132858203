"""The machine code of compile/atomics.py. Start at atomic."""

from __future__ import annotations

import functools
import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

ORDER = "seq_cst"


@functools.cache
def atomic(kind: str, field: str) -> Any:
    """The intrinsic in the place of a function of compile/atomics.py."""
    makers = {"add": _adder, "exchange": _exchanger, "pause": _pauser}
    return makers[kind](field)


def _kind(array_type: Any, field: str) -> Any:
    """The type of a field of a record, or of a whole item."""
    return array_type.dtype.typeof(field) if field else array_type.dtype


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any, field: str) -> Any:
    """Where a field of a record in an array lies, or the whole item."""
    view = context.make_array(array_type)(context, builder, array)
    record = cgutils.get_item_pointer(context, builder, array_type, view, [index], wraparound=False)
    if not field:
        return record
    byte = builder.bitcast(record, ir.IntType(8).as_pointer())
    place = builder.gep(byte, [ir.Constant(ir.IntType(64), array_type.dtype.offset(field))])
    kind = context.get_value_type(_kind(array_type, field))
    return builder.bitcast(place, kind.as_pointer())


def _adder(field: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def add(typing: Any, nodes: Any, node: Any, amount: Any) -> Any:
        kind = _kind(nodes, field)
        wide = types.float64 if isinstance(kind, types.Float) else types.int64

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, index, value = arguments
            place = _pointer(context, builder, signature.args[0], array, index, field)
            narrow = context.cast(builder, value, wide, kind)
            operation = "fadd" if isinstance(kind, types.Float) else "add"
            before = builder.atomic_rmw(operation, place, narrow, ORDER)
            return context.cast(builder, before, kind, wide)

        return wide(nodes, types.int64, wide), generate

    return add


def _exchanger(field: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def exchange(typing: Any, nodes: Any, node: Any, expected: Any, new: Any) -> Any:
        kind = _kind(nodes, field)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, index, one, other = arguments
            place = _pointer(context, builder, signature.args[0], array, index, field)
            one = context.cast(builder, one, types.int64, kind)
            other = context.cast(builder, other, types.int64, kind)
            outcome = builder.cmpxchg(place, one, other, ORDER, ORDER)
            return builder.extract_value(outcome, 1)

        return types.boolean(nodes, types.int64, types.int64, types.int64), generate

    return exchange


def _pauser(field: str) -> Any:
    name = "SwitchToThread" if sys.platform == "win32" else "sched_yield"

    @intrinsic  # type: ignore[untyped-decorator]
    def pause(typing: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), []), name)
            builder.call(function, [])
            return context.get_dummy_value()

        return types.void(), generate

    return pause
