"""The bytes of a state as a record, and named values that cross into machine code."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.record_view import PlainRecord, record_view

DTYPE = np.dtype([("player", "i1"), ("total", "i4"), ("cells", "i2", 3)])
needs_compiler = pytest.mark.skipif(not jit_enabled(), reason="there is no machine code")


def filled() -> Any:
    data = np.zeros(DTYPE.itemsize, np.uint8)
    s = PlainRecord(data, DTYPE)
    s.player, s.total = 1, 20
    s.cells[:] = (3, 4, 5)
    return data


def adding(compiled: bool) -> Any:
    """A function of bytes that reads two fields and writes two; returns what they sum to."""
    record = record_view(DTYPE, compiled)

    def add(data: Any) -> Any:
        s = record(data)
        s.total += s.cells[1] + s.player
        s.cells[2] = 7
        return np.int64(s.total)

    return add


@needs_compiler
def test_machine_code_and_plain_python_read_and_write_the_same_fields() -> None:
    from ponderosa.compile.native import INT, STATE, compiled

    plain, machine = filled(), filled()
    found = compiled(adding(True), INT(STATE), scope=str(DTYPE))(machine)
    assert found == adding(False)(plain) == 25
    assert plain.tobytes() == machine.tobytes() != filled().tobytes()
    assert list(PlainRecord(machine, DTYPE).cells) == [3, 4, 7]


def test_a_field_that_a_record_lacks_is_named_in_the_error() -> None:
    s = record_view(DTYPE, compiled=False)(filled())
    with pytest.raises(AttributeError, match="no field 'colour'; its dtype has"):
        _ = s.colour
    with pytest.raises(AttributeError, match="no field 'colour'; its dtype has"):
        s.colour = 1


class Part(NamedTuple):
    """A function, an array, and something that is left out."""

    twice: Any
    numbers: Any
    missing: Any


def twice(number: Any) -> Any:
    return 2 * number


@needs_compiler
def test_a_named_tuple_brings_functions_and_arrays_into_machine_code() -> None:
    from ponderosa.compile import native
    from ponderosa.compile.native import INT, INTS

    signatures = {"twice": INT(INT)}
    linked = native.functions_at(signatures)

    def doubled_last(part: Any) -> Any:
        part.numbers[0] = 1
        return linked(part).twice(part.numbers[len(part.numbers) - 1])

    numbers = np.array([5, 6, 21])
    part = native.addressed(Part(native.compiled(twice, INT(INT)), numbers, None), signatures)
    kind = native.named_type(Part, {"twice": INT, "numbers": INTS})
    machine, counted = native.compiled(doubled_last, INT(kind)), sys.getrefcount(numbers)
    found = [machine(part) for _ in range(5)]
    still_counted = sys.getrefcount(numbers)
    assert (found, numbers.tolist()) == ([42] * 5, [1, 6, 21])
    assert still_counted == counted, "an array is given up as often as it is taken"


@needs_compiler
def test_a_function_that_is_left_out_has_no_address() -> None:
    from ponderosa.compile import native
    from ponderosa.compile.native import INT

    part = Part(None, np.zeros(1), None)
    assert native.addressed(part, {"twice": INT(INT)}) == (0, part.numbers, None)
