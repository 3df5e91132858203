"""Arrays and records that machine code finds by their addresses. Start at Desk.

To hand an array to a compiled function takes Numba a quarter of a microsecond, and a tuple of arrays more than that for
each. A function that is called again and again with the same ones gets a desk: one array that says where all of them
are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from ponderosa.compile.fingerprint import fingerprint


class Desk:
    """Where arrays and records of one named tuple are: of each its address and its length."""

    def __init__(self, named: type[NamedTuple]) -> None:
        self.places = np.zeros(2 * len(named._fields), np.int64)
        """What compiled functions get; `views_of` makes the named tuple of it."""
        self._laid: Any = None

    def lay(self, named: Any) -> None:
        """Have the arrays and records of a named tuple at hand, and keep them alive."""
        self._laid = named
        self.places[:] = [number for thing in named for number in _place(thing)]


def _place(thing: Any) -> tuple[int, int]:
    """The address and the length of an array, or of a record, which is one of its kind."""
    if isinstance(thing, np.ndarray):
        return thing.ctypes.data, len(thing)
    return np.frombuffer(thing, np.uint8).ctypes.data, 1


def views_of(named: Any, kinds: Mapping[str, Any]) -> Any:
    """An intrinsic that makes a named tuple of arrays and records, of these types, from the places of a desk."""
    made = types.BaseTuple.from_types([kinds[name] for name in named._fields], named)

    def views(context: Any, places: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            begin = context.make_array(places)(context, builder, arguments[0]).data
            numbers = [builder.load(cgutils.gep(builder, begin, index)) for index in range(2 * len(made.types))]
            values = [
                _view(context, builder, kind, *numbers[2 * index : 2 * index + 2])
                for index, kind in enumerate(made.types)
            ]
            return context.make_tuple(builder, made, values)

        return made(places), generate

    views.__name__ = f"views_{fingerprint(str((made, named._fields)))}"  # its name is in fingerprints
    return intrinsic(views)


def _view(context: Any, builder: Any, kind: Any, address: Any, length: Any) -> Any:
    """An array that nobody counts references of, or a record."""
    if not isinstance(kind, types.Array):
        return builder.inttoptr(address, context.get_value_type(kind))
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    data = builder.inttoptr(address, array.data.type)
    populate_array(
        array, data=data, shape=[length], strides=[context.get_constant(types.intp, size)], itemsize=size, meminfo=None
    )
    return array._getvalue()
