"""Sets of small numbers as the bits of a number that is not negative. Start at one_of."""

from __future__ import annotations

from typing import Any

from ponderosa.compile.annotations import Int
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.core.rng import Rng, below


def one_of(numbers: Int, rng: Rng) -> Any:
    """A random number of the set; there must be one."""
    for _ in range(below(rng, count_bits(numbers))):
        numbers &= numbers - 1
    return lowest_bit(numbers)


def some_of(numbers: Int, count: Int, rng: Rng) -> Any:
    """So many random numbers of the set, as a set; any choice is as likely as any other."""
    chosen = numbers & 0
    for left in range(count_bits(numbers), 0, -1):
        lowest = numbers & -numbers
        if below(rng, left) < count:
            chosen |= lowest
            count -= 1
        numbers ^= lowest
    return chosen


def numbers_in(numbers: int) -> list[int]:
    """The numbers of a set in their order, for words and pictures."""
    return [number for number in range(int(numbers).bit_length()) if int(numbers) >> number & 1]
