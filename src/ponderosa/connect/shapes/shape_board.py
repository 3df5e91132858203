"""A board that knows the shapes every empty cell makes, kept up to date stone by stone. Start at put.

For every empty cell, direction and player, a shape (connect/shapes/shape_table.py) is looked up by what lies around the
cell on that line. From the shapes of its four directions follow a cell's kind and its worth to either player. A stone
changes the shapes of at most 8 * reach cells.

The record has the fields bits (the stones of every line, with the border as stones of both), shape, code, kind, worth,
sets, many, total, taken, row, rows, columns, span, reach, left and key; connect/shapes/player.py says what they hold.
"""

from __future__ import annotations

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.connect.evaluations import CELLS, HASHES
from ponderosa.connect.shapes.shape_table import Shapes
from ponderosa.connect.threats.windows import line_through, place_on

SOME, THREE, THREES, FOUR, FOUR_THREE, OPEN, FIVE = range(1, 8)
"""Kinds of cells for one stone a turn: worth a look; makes an open three, two of them, a four, a four and an open
three, two fours or an open one; completes a line. For two stones a turn, a cell is a THREE if it makes a threat, THREES
if it makes several, and OPEN if a line lacks it and one more at most."""
KINDS = 8
WORD = 32
WORDS = CELLS // WORD
"""A set of cells is WORDS numbers of WORD bits each."""
FIELD = 4
"""Bits for the number of directions in which a cell has a shape that counts."""
MEETING, WORTH, WAITING = 24, 37, 32
"""The number of the shapes that meet on a cell stands above its code, in bits, and its worth in the order of moves
above that; what cells are worth to a player who waits, above the same for the player to move."""
CODE, MEETINGS = (1 << MEETING) - 1, 1 << (WORTH - MEETING)


def put(s: Record, shapes: Shapes, cell: Int, player: Int) -> None:
    """Put a stone on an empty cell."""
    leave_sets(s, cell)
    s.taken[cell] = 1
    s.left -= 1
    s.key ^= HASHES[player * CELLS + cell]
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    reach, log = np.int64(s.reach), np.int64(s.logged)
    low = (np.int64(1) << reach) - 1
    s.began[s.left] = log
    for direction in range(4):
        line, place = line_through(s, direction, row, column), place_on(direction, row, column)
        s.bits[player * 4 * s.span + line] |= np.int64(1) << (place + reach)
        first, second = np.int64(s.bits[line]), np.int64(s.bits[4 * s.span + line])
        step = np.int64(1 if direction == 0 else s.columns + direction - 1 if direction < 3 else 1 - s.columns)
        empty = ~((first | second) >> place) & ((np.int64(1) << (2 * reach + 1)) - 1)
        while empty != 0:
            away = lowest_bit(empty)
            empty &= empty - 1
            begin = place + away - reach
            own, other = first >> begin, second >> begin
            around = (own & low) | ((own >> 1) & (low << reach))
            around |= ((other & low) | ((other >> 1) & (low << reach))) << (2 * reach)
            here = 4 * (cell + (away - reach) * step) + direction
            old, new = np.int64(s.shape[here]), np.int64(shapes[around])
            if old != new:
                s.log[log] = here << 16 | old
                log += 1
                set_shapes(s, here, old, new)
    s.logged = log


def take(s: Record, cell: Int, player: Int) -> None:
    """Take the stone away that was put last."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    for direction in range(4):
        line, place = line_through(s, direction, row, column), place_on(direction, row, column)
        s.bits[player * 4 * s.span + line] ^= np.int64(1) << (place + s.reach)
    begin = np.int64(s.began[s.left])
    for index in range(s.logged - 1, begin - 1, -1):
        here, old = np.int64(s.log[index]) >> 16, np.int64(s.log[index]) & 65535
        set_shapes(s, here, np.int64(s.shape[here]), old)
    s.logged = begin
    s.key ^= HASHES[player * CELLS + cell]
    s.left += 1
    s.taken[cell] = 0
    join_sets(s, cell)


@inlined
def set_shapes(s: Record, here: Int, old: Int, new: Int) -> None:
    """Give an empty cell its shapes of both players in a direction; they are written at 4 * cell + direction."""
    s.shape[here] = new
    if (old ^ new) & 255 != 0:
        change_shape(s, np.int64(0), here >> 2, old & 255, new & 255)
    if old >> 8 != new >> 8:
        change_shape(s, np.int64(1), here >> 2, old >> 8, new >> 8)


@inlined
def change_shape(s: Record, player: Int, cell: Int, old: Int, new: Int) -> None:
    """What follows from one new shape of a player's for the cell and the board."""
    here = player * CELLS + cell
    sums = np.int64(s.sums[here])
    s.total[player] -= cell_value(s, sums)
    sums += s.counted[new] - s.counted[old]
    s.total[player] += cell_value(s, sums)
    s.sums[here] = sums
    before, now = np.int64(s.kind[here]), kind_of(sums & CODE)
    if before != now:
        s.kind[here] = now
        move_to_set(s, player, cell, before, now)


@inlined
def cell_value(s: Record, sums: Int) -> Int:
    """What the shapes that meet on a cell are worth together."""
    return np.int64(s.value_of[(sums >> MEETING) & (MEETINGS - 1)])


@inlined
def kind_of(code: Int) -> Int:
    """The kind of a cell: its code counts, from the highest field to the lowest, fives, open fours, fours, open threes
    and lesser shapes."""
    if code >= 2 << 2 * FIELD:
        return np.int64(FIVE if code >= 1 << 4 * FIELD else OPEN)
    if code >= 1 << 2 * FIELD:
        return np.int64(FOUR_THREE if code >> FIELD & 15 != 0 else FOUR)
    if code >= 1 << FIELD:
        return np.int64(THREES if code >= 2 << FIELD else THREE)
    return np.int64(SOME if code != 0 else 0)


def move_to_set(s: Record, player: Int, cell: Int, before: Int, now: Int) -> None:
    """Take a cell out of the set of a kind, and put it into another's; 0 is no kind."""
    bit = np.int64(1) << (cell % WORD)
    if before != 0:
        s.sets[(player * KINDS + before) * WORDS + cell // WORD] ^= bit
        s.counts[player * KINDS + before] -= 1
    if now != 0:
        s.sets[(player * KINDS + now) * WORDS + cell // WORD] ^= bit
        s.counts[player * KINDS + now] += 1


def leave_sets(s: Record, cell: Int) -> None:
    """A cell that is taken is of no kind, and its shapes count for nothing."""
    for player in range(2):
        move_to_set(s, np.int64(player), cell, np.int64(s.kind[player * CELLS + cell]), np.int64(0))
        s.total[player] -= cell_value(s, np.int64(s.sums[player * CELLS + cell]))


def join_sets(s: Record, cell: Int) -> None:
    """The reverse of leave_sets."""
    for player in range(2):
        move_to_set(s, np.int64(player), cell, np.int64(0), np.int64(s.kind[player * CELLS + cell]))
        s.total[player] += cell_value(s, np.int64(s.sums[player * CELLS + cell]))


def any_of(s: Record, player: Int, kind: Int) -> Int:
    """A cell of a kind, of which there must be one."""
    base = (player * KINDS + kind) * WORDS
    word = np.int64(0)
    while s.sets[base + word] == 0:
        word += 1
    return WORD * word + lowest_bit(np.int64(s.sets[base + word]))
