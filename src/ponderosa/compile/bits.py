"""Bits of 64-bit numbers: one machine instruction each, when compiled. Start at count_bits.

The highest bit is the sign: a negative number has it set, and count_bits is for numbers that are not negative.
"""

from __future__ import annotations

from ponderosa.compile.annotations import Int
from ponderosa.compile.marks import instruction

WIDTH = 64
ALL_BITS = (1 << WIDTH) - 1


@instruction("ctpop")
def count_bits(bits: Int) -> int:
    """How many bits are set."""
    return int(bits).bit_count()


@instruction("ctpop")
def count_all_bits(bits: Int) -> int:
    """How many of 64 bits are set, the sign among them: for boards of 64 squares."""
    return (int(bits) & ALL_BITS).bit_count()


@instruction("cttz")
def lowest_bit(bits: Int) -> int:
    """The place of the lowest bit that is set; there must be one."""
    return (int(bits) & -int(bits)).bit_length() - 1


@instruction("ctlz")
def leading_zeros(bits: Int) -> int:
    """How many bits above the highest one that is set are not; there must be one."""
    return WIDTH - (int(bits) & ALL_BITS).bit_length()
