"""The machine code of core/atomics.py. Start at atomic."""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

ORDER = "seq_cst"


@functools.cache
def atomic(kind: str, field: str) -> Any:
    """The intrinsic in the place of a function of core/atomics.py."""
    return _adder(field) if kind == "add" else _exchanger(field)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any, field: str) -> Any:
    """Where a field of a record in an array lies."""
    view = context.make_array(array_type)(context, builder, array)
    record = cgutils.get_item_pointer(context, builder, array_type, view, [index], wraparound=False)
    byte = builder.bitcast(record, ir.IntType(8).as_pointer())
    place = builder.gep(byte, [ir.Constant(ir.IntType(64), array_type.dtype.offset(field))])
    kind = context.get_value_type(array_type.dtype.typeof(field))
    return builder.bitcast(place, kind.as_pointer())


def _adder(field: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def add(typing: Any, nodes: Any, node: Any, amount: Any) -> Any:
        kind = nodes.dtype.typeof(field)
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
        kind = nodes.dtype.typeof(field)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, index, one, other = arguments
            place = _pointer(context, builder, signature.args[0], array, index, field)
            one = context.cast(builder, one, types.int64, kind)
            other = context.cast(builder, other, types.int64, kind)
            outcome = builder.cmpxchg(place, one, other, ORDER, ORDER)
            return builder.extract_value(outcome, 1)

        return types.boolean(nodes, types.int64, types.int64, types.int64), generate

    return exchange
