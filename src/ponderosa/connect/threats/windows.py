"""Windows: every k cells in a line, read off the lines that a board keeps. Start at lacking_exactly.

A window is written as one number: its line (0 .. 4 * span - 1) times LINE plus the place of its first cell on the line.
A line's numbers hold the stones of both players as bits, so what a window holds is a shift and a mask.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Bool, Int, Record
from ponderosa.compile.bits import count_bits
from ponderosa.compile.marks import inlined

LINE = 32
"""Places on a line, at most."""


@inlined
def stones_in(s: Record, window: Int, player: Int) -> Any:
    """A player's stones in a window, as bits; bit 0 is its first cell."""
    return (np.int64(s.lines[player * 4 * s.span + window // LINE]) >> (window % LINE)) & ((1 << s.k) - 1)


@inlined
def lacking(s: Record, window: Int, player: Int) -> Any:
    """The cells that a player must still fill to win with a window, as bits; 0 if that is not possible."""
    bits = (1 << s.k) - 1
    own = np.int64(s.lines[player * 4 * s.span + window // LINE]) >> (window % LINE)
    if stones_in(s, window, 1 - player) != 0 or (s.exact != 0 and goes_on(s, window, player)):
        return np.int64(0)
    return bits & ~own


def goes_on(s: Record, window: Int, player: Int) -> Any:
    """Whether a player has a stone just before or just behind a window: filling it makes a longer line."""
    line, place = np.int64(s.lines[player * 4 * s.span + window // LINE]), window % LINE
    return ((line << 1) >> place) & 1 != 0 or (line >> (place + s.k)) & 1 != 0


@inlined
def at_most(bits: Int, number: Int) -> Bool:
    """Whether so many bits are set, or fewer."""
    return count_bits(bits) <= number


# Its docstring stays as it was when the file had no folder boards/: texts are a part of the fingerprint by which
# memories of the agents that play with InformedConnect are recognised.
def cell_at(s: Record, line: Int, place: Int) -> Int:
    """The action of a place on a line; games/lines.py numbers the lines."""
    direction, index = line // s.span, line % s.span
    if direction == 0:
        return np.int64(index * s.columns + place)
    if direction == 1:
        return np.int64(place * s.columns + index)
    row = index + place - (s.columns - 1) if direction == 2 else index - place
    return np.int64(row * s.columns + place)


@inlined
def line_through(s: Record, direction: Int, row: Int, column: Int) -> Int:
    """The line of a direction that a cell lies on."""
    if direction == 0:
        return np.int64(row)
    if direction == 1:
        return np.int64(s.span + column)
    return np.int64(2 * s.span + row - column + s.columns - 1 if direction == 2 else 3 * s.span + row + column)


@inlined
def place_on(direction: Int, row: Int, column: Int) -> Int:
    """The place of a cell on its line of a direction."""
    return np.int64(row if direction == 1 else column)


@inlined
def cells_of(s: Record, line: Int) -> Int:
    """All places of a line, as bits."""
    direction, index = line // s.span, line % s.span
    if direction == 0:
        return np.int64((1 << s.columns) - 1)
    if direction == 1:
        return np.int64((1 << s.rows) - 1)
    if direction == 2:
        first, last = max(0, s.columns - 1 - index), min(s.columns - 1, s.rows + s.columns - 2 - index)
    else:
        first, last = max(0, index - s.rows + 1), min(s.columns - 1, index)
    return np.int64(((1 << (last - first + 1)) - 1) << first)


@inlined
def lacking_exactly(own: Int, free: Int, k: Int, number: Int) -> Int:
    """The places where windows begin that lie on free cells and lack so many own stones, as bits.

    Up to two are counted for all windows of a line at once, one place of the windows after the other.
    """
    if number > 2:
        return lacking_many(own, free, k, number)
    free_at = free
    one = two = three = np.int64(0)  # windows that lack at least so many
    for place in range(k):
        free_at &= free >> place
        empty = ~(own >> place)
        three |= two & empty
        two |= one & empty
        one |= empty
    return free_at & (one & ~two if number == 1 else two & ~three)


def lacking_many(own: Int, free: Int, k: Int, number: Int) -> Int:
    """The same for any number, window by window."""
    found = np.int64(0)
    bits = (1 << k) - 1
    for place in range(LINE):
        if (free >> place) & bits == bits and count_bits(bits & ~(own >> place)) == number:
            found |= 1 << place
    return found
