"""Arrays and records by their addresses: compiled code sees those that lie on the desk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from ponderosa.compile import native
from ponderosa.compile.desk import Desk, views_of
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.native import INT, INTS, VALUES

COUNT = np.dtype([("steps", "i8"), ("share", "f8")])


class Things(NamedTuple):
    """Two arrays and a record."""

    numbers: Any
    values: Any
    count: Any


def _worker():
    kinds = {"numbers": INTS, "values": VALUES, "count": native.record(COUNT)}
    things_at = views_of(Things, kinds)

    def work(places, index):
        things = things_at(places)
        things.count["steps"] += 1
        things.values[index] = things.numbers[index] / 2
        return len(things.numbers) + len(things.values)

    return native.compiled(work, INT(INTS, INT), _nrt=False)


def _things(size):
    return Things(np.arange(size), np.zeros(2 * size), np.zeros(1, COUNT)[0])


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_compiled_code_reads_and_writes_what_lies_on_the_desk():
    desk, things, work = Desk(Things), _things(4), _worker()
    desk.lay(things)
    assert [work(desk.places, index) for index in (1, 3)] == [12, 12]
    assert things.values.tolist() == [0.0, 0.5, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0]
    assert things.count["steps"] == 2


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_what_is_laid_later_takes_the_place_of_what_lay_there():
    desk, work = Desk(Things), _worker()
    desk.lay(_things(4))
    later = _things(5)
    desk.lay(later)
    assert work(desk.places, 4) == 15
    assert later.values[4] == 2.0


def test_an_array_without_numbers_has_a_place_too():
    desk = Desk(Things)
    desk.lay(Things(np.zeros(0, np.int64), np.zeros(3), np.zeros(1, COUNT)[0]))
    assert desk.places[1::2].tolist() == [0, 3, 1]
