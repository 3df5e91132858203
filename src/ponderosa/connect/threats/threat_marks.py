"""Which empty cells complete a line, make a four or make a three, kept up to date stone by stone. Start at put.

For every line of the board and each player, one number a kind of cell, with a bit for each such cell on the line. A
stone changes the numbers of its four lines only; they are saved, and stones are taken away in reverse order.

The record has the fields lines (the stones, as in games/boards/lines.py), whole (all cells of a line), marks (eight
numbers a line: kind by kind, first those of player 0), busy (the lines whose marks are not 0, one bit each), saved and
placed (a stack), row, rows, columns, span, k, exact and key.
"""

from __future__ import annotations

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.connect.evaluations import CELLS, HASHES
from ponderosa.connect.threats.windows import cell_at, line_through, place_on

FIVE, FOUR, THREE, TWICE = 0, 1, 2, 3
"""Kinds of cells: of windows that lack one stone, two, three, and of several windows that lack three."""
KINDS = 4
GROUPS = 2 * KINDS
SAVED = 4 * GROUPS + 4 * GROUPS
"""Numbers saved for a stone: the marks of four lines, and all that says which lines have some."""
NONE, SEVERAL = -1, -2


def put(s: Record, cell: Int, player: Int, threes: Int) -> None:
    """Put a stone on an empty cell. Without `threes`, marks of threes stay as they were until it is taken away."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    s.key ^= HASHES[player * CELLS + cell]
    save = np.int64(s.placed) * SAVED
    s.placed += 1
    for group in range(4 * GROUPS):
        s.saved[save + 4 * GROUPS + group] = s.busy[group]
    for direction in range(4):
        line = line_through(s, direction, row, column)
        s.lines[player * 4 * s.span + line] |= 1 << place_on(direction, row, column)
        marks = line * GROUPS
        for group in range(GROUPS):
            s.saved[save + direction * GROUPS + group] = s.marks[marks + group]
        mark_line(s, player, direction, line, threes)
        others = marks + (1 - player) * KINDS  # a stone of the player's only takes windows away from the other
        if s.marks[others] | s.marks[others + FOUR] | s.marks[others + THREE] != 0:
            mark_line(s, 1 - player, direction, line, threes)


def take(s: Record, cell: Int, player: Int) -> None:
    """Take the stone away that was put last."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    s.key ^= HASHES[player * CELLS + cell]
    s.placed -= 1
    save = np.int64(s.placed) * SAVED
    for group in range(4 * GROUPS):
        s.busy[group] = s.saved[save + 4 * GROUPS + group]
    for direction in range(4):
        line = line_through(s, direction, row, column)
        s.lines[player * 4 * s.span + line] ^= 1 << place_on(direction, row, column)
        for group in range(GROUPS):
            s.marks[line * GROUPS + group] = s.saved[save + direction * GROUPS + group]


def mark_line(s: Record, player: Int, direction: Int, line: Int, threes: Int) -> None:
    """Find a player's marks of one line anew."""
    own = np.int64(s.lines[player * 4 * s.span + line])
    free = np.int64(s.whole[line]) & ~np.int64(s.lines[(1 - player) * 4 * s.span + line])
    k = np.int64(s.k)
    starts = free
    for shift in range(1, k):
        starts &= free >> shift
    if s.exact != 0:
        starts &= ~(own << 1) & ~(own >> k)
    five = four = three = twice = np.int64(0)
    if own != 0 and starts != 0:
        lack_one = lack_two = lack_three = lack_four = np.int64(0)  # windows that lack at least that many
        for shift in range(k):
            empty = ~(own >> shift)
            lack_four |= lack_three & empty
            lack_three |= lack_two & empty
            lack_two |= lack_one & empty
            lack_one |= empty
        empty = free & ~own
        one, two = starts & lack_one & ~lack_two, starts & lack_two & ~lack_three
        if one | two != 0:
            for shift in range(k):
                five |= one << shift
                four |= two << shift
            five &= empty
            four &= empty
        some = starts & lack_three & ~lack_four
        if threes != 0 and some != 0:
            for shift in range(k):
                twice |= three & (some << shift)
                three |= some << shift
            three &= empty
            twice &= empty
    put_marks(s, player, FIVE, direction, line, five)
    put_marks(s, player, FOUR, direction, line, four)
    if threes != 0:
        put_marks(s, player, THREE, direction, line, three)
        put_marks(s, player, TWICE, direction, line, twice)


@inlined
def put_marks(s: Record, player: Int, kind: Int, direction: Int, line: Int, cells: Int) -> None:
    """Write down the cells of a kind on a line."""
    group = player * KINDS + kind
    s.marks[line * GROUPS + group] = cells
    bit = np.int64(1) << (line - direction * s.span)
    busy = np.int64(s.busy[group * 4 + direction]) & ~bit
    s.busy[group * 4 + direction] = busy | bit if cells != 0 else busy


def completing(s: Record, player: Int) -> Int:
    """The cell that completes a line of the player's; NONE, or SEVERAL."""
    found: Int = np.int64(NONE)
    group = player * KINDS + FIVE
    for direction in range(4):
        busy = np.int64(s.busy[group * 4 + direction])
        while busy != 0:
            line = direction * s.span + lowest_bit(busy)
            busy &= busy - 1
            cells = np.int64(s.marks[line * GROUPS + group])
            cell = cell_at(s, line, lowest_bit(cells))
            if cells & (cells - 1) != 0 or (found >= 0 and found != cell):
                return np.int64(SEVERAL)
            found = cell
    return found
