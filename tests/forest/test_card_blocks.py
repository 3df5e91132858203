"""Results lie in memory that is used again, but never while somebody may look at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.forest.card_blocks import Blocks

KINDS = [((5, 3), np.int32), ((5, 0), np.float64), ((5, 3), np.float64), ((5,), np.int64)]


class Array(np.ndarray):
    """An array of a card's, as far as blocks know one."""


def blocks() -> tuple[Blocks, list[int]]:
    made: list[int] = []

    def empty(shape: tuple[int, ...], dtype: Any) -> Any:
        array = np.empty(shape, dtype).view(Array)
        if array.size:
            made.append(array.size)
        return array

    return Blocks(empty), made


def test_arrays_are_of_the_given_kinds_and_do_not_overlap() -> None:
    found = blocks()[0].arrays(KINDS)
    assert [(array.shape, array.dtype) for array in found] == [(shape, np.dtype(dtype)) for shape, dtype in KINDS]
    for number, array in enumerate(found):
        array[...] = number
    assert all((array == number).all() for number, array in enumerate(found))


def test_what_somebody_holds_is_never_lent_again() -> None:
    lender, made = blocks()
    first = lender.arrays(KINDS)
    kept = first[2]
    kept[...] = 7.0
    del first
    for array in lender.arrays(KINDS):
        array[...] = 1
    assert (kept == 7.0).all() and len(made) == 2


def test_memory_is_used_again_when_nobody_holds_any_of_it() -> None:
    lender, made = blocks()
    held = lender.arrays(KINDS)
    for _ in range(5):
        held = lender.arrays(KINDS)
    assert held and len(made) == 2


def test_a_piece_that_is_too_small_or_far_too_large_is_not_used() -> None:
    lender, made = blocks()
    for rows in (1000, 10_000, 1000):
        lender.arrays([((rows,), np.float64)])
    assert len(made) == 3


def test_forgotten_memory_is_not_lent() -> None:
    lender, made = blocks()
    lender.arrays(KINDS)
    lender.forget()
    lender.arrays(KINDS)
    assert len(made) == 2
