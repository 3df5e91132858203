"""What a stone makes of the cells around it on a line: fives, fours, threes, open or not. Start at shapes_of.

A stone on an empty cell concerns `reach` cells on either side. What they hold is written as a number, one bit a cell
for the stones of player 0, then as many for player 1; the border of the board counts as stones of both. A shape says
how many stones are missing for a line through the cell, and in how many ways the next one leaves no single answer.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

MOST_REACH = 5
"""Tables for more would take longer to make than a move."""
WAYS = 4
"""Ways are counted up to one less."""
DEAD = 0
"""The shape of a cell through which no line can be made any more, or whose line has no stone yet."""

SHAPES = 1 + WAYS * (MOST_REACH + 2)
"""The number of a shape is less than this."""

Shapes = npt.NDArray[np.uint16]


def reach_of(k: int, exact: bool) -> int:
    """How far away a stone can matter on a line; where only exact lines win, the next one does, too."""
    return k - 1 + exact


def shape(missing: int, ways: int) -> int:
    """The number of a shape: how many stones are missing, and how many next ones leave the opponent no single answer.

    With one stone missing, the ways are the cells that complete the line.
    """
    return 1 + WAYS * missing + min(ways, WAYS - 1)


@functools.cache
def shapes_of(k: int, exact: bool) -> Shapes:
    """For everything that can lie around an empty cell: the shape that player 0 makes there, 256 times that of 1."""
    reach = reach_of(k, exact)
    own = _own_shapes(k, exact, reach)
    sides = 1 << 2 * reach
    table = own.astype(np.uint16)
    table |= own.reshape(sides, sides).T.reshape(-1).astype(np.uint16) << np.uint16(8)
    table.flags.writeable = False
    return table


def _own_shapes(k: int, exact: bool, reach: int) -> npt.NDArray[np.uint8]:
    """The shapes of player 0."""
    missing = np.full(1 << 4 * reach, k, np.uint8)
    missing[_complete(k, exact, reach)] = 0
    ways = np.zeros_like(missing)
    for stones in range(1, k):
        for place in range(2 * reach):
            before, after = _without_and_with(missing, place, reach)
            before[(after == stones - 1) & (before > stones)] = stones
    for stones in range(1, k):
        for place in range(2 * reach):
            before, after = _without_and_with(missing, place, reach)
            counted, further = _without_and_with(ways, place, reach)
            forcing = (after == 0) if stones == 1 else (after == stones - 1) & (further > (stones == 2))
            counted += (before == stones) & forcing
    shapes = 1 + WAYS * missing + np.minimum(ways, WAYS - 1)
    return np.where(missing >= k - 1, DEAD, shapes).astype(np.uint8)


def _complete(k: int, exact: bool, reach: int) -> npt.NDArray[np.bool_]:
    """Where a stone completes a line."""
    around = np.arange(1 << 4 * reach)
    low = (1 << reach) - 1
    stones = around & ~(around >> 2 * reach)
    stones = (stones & low) | 1 << reach | (stones & low << reach) << 1
    found = np.zeros(len(around), bool)
    for begin in range(reach - k + 1, reach + 1):
        line = (1 << k) - 1 << begin
        ends = (1 << begin + k | (1 << begin) >> 1) if exact else 0
        found |= (stones & (line | ends)) == line
    return found


def _without_and_with(
    table: npt.NDArray[np.uint8], place: int, reach: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """The entries in which a cell is empty, and those that have a stone of player 0 there instead."""
    split = table.reshape(1 << 2 * reach - 1 - place, 2, 1 << 2 * reach - 1, 2, 1 << place)
    return split[:, 0, :, 0, :], split[:, 0, :, 1, :]
