"""Bits of numbers that are not negative: one machine instruction each, when compiled. Start at count_bits."""

from __future__ import annotations

from ponderosa.compile.annotations import Int
from ponderosa.compile.marks import instruction


@instruction("ctpop")
def count_bits(bits: Int) -> int:
    """How many bits are set."""
    return int(bits).bit_count()


@instruction("cttz")
def lowest_bit(bits: Int) -> int:
    """The place of the lowest bit that is set; there must be one."""
    return (int(bits) & -int(bits)).bit_length() - 1
