"""Boards of up to 64 cells as the bits of one unsigned number. Start at cell_bit; the first cell is the lowest bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int
from ponderosa.compile.bits import count_all_bits, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.rng import Rng, below

ZERO, ONE = np.uint64(0), np.uint64(1)
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
FACTORS = np.uint64(0xCC9E2D51), np.uint64(0x1B873593)


@inlined
def cell_bit(cell: Int) -> Any:
    """The board on which this cell alone is set."""
    return ONE << np.uint64(cell)


@inlined
def is_set(bits: Any, cell: Int) -> Any:
    """Whether a cell of a board is set."""
    return np.uint64(bits) & cell_bit(cell) != ZERO


@inlined
def list_bits(bits: Any, actions: Actions, count: Int) -> Any:
    """Add the cells of a board to a list that has so many; how many it has then."""
    while bits != ZERO:
        actions[count] = lowest_bit(bits)
        bits &= bits - ONE
        count += 1
    return count


@inlined
def random_bit(bits: Any, rng: Rng) -> Any:
    """One of the cells that are set; there must be one."""
    for _ in range(below(rng, count_all_bits(bits))):
        bits &= bits - ONE
    return lowest_bit(bits)


@inlined
def stirred(number: Any, word: Any) -> Any:
    """A hash of 32 bits that goes on with another word of 64; every product stays below 2**64."""
    number = ((number ^ (word & LOW)) + ONE) * FACTORS[0]
    number = ((number ^ (number >> HALF)) & LOW) ^ (word >> HALF)
    number = (number + ONE) * FACTORS[1]
    return (number ^ (number >> HALF)) & LOW


def key_of_boards(first: Any, second: Any, more: Int) -> Any:
    """A number of 63 bits for two boards, and whatever else makes a position, such as who is to move."""
    one = stirred(stirred(np.uint64(more), first), second)
    other = stirred(stirred(np.uint64(more) + FACTORS[0], second), first)
    return np.int64((one << np.uint64(31)) ^ other)


def board_of(cells: Any) -> int:
    """The board of some cells, as a whole number of Python."""
    return sum(1 << int(cell) for cell in cells)


def cells_of(bits: Any) -> list[int]:
    """The cells of a board."""
    return [cell for cell in range(64) if int(bits) >> cell & 1]
