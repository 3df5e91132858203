"""A board that keeps what a network makes of it, stone by stone. Start at put_later and learned_value.

Stones are noted when a value is asked for, not before: most are taken away again without that. The record has, besides
the fields of connect/shapes/shape_board.py, those of the network (pattern_of, pattern_vectors, layer_weights,
last_weights) and what it makes of the board: `order`, the stones by the empty cells that they left; `noted`, how many
cells were empty after the last stone that is noted; `noted_bits`, the lines as they were then; `vectors`, for each cell
the sum of the patterns of its four lines, as player 0 sees it and as player 1 does; `active`, by the empty cells left,
what those have of these; `layer`, room for what the layer gives. connect/shapes/player.py lists them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.connect.shapes.pvs import MOST_STATIC, static_value
from ponderosa.connect.shapes.shape_board import put, take
from ponderosa.connect.shapes.shape_network import (
    HIDDEN,
    LAYER_BITS,
    MOST_ACTIVE,
    MOST_LAYER,
    REACH,
    SUM_BITS,
    WIDTH,
    layer_of,
)
from ponderosa.connect.shapes.shape_table import Shapes
from ponderosa.connect.threats.windows import line_through, place_on

MOST_CORRECTION = 800
"""In points: hardly any correction is larger."""
LAYER_SIZE = (2 * WIDTH + 1) * HIDDEN
SIDE = (1 << 2 * REACH) - 1


def put_later(s: Record, shapes: Shapes, cell: Int, player: Int) -> None:
    """Put a stone on an empty cell, to be noted when that is needed."""
    put(s, shapes, cell, player)
    s.order[s.left] = cell << 1 | player


def take_and_forget(s: Record, cell: Int, player: Int) -> None:
    """Take the stone away that was put last, and what is noted of it."""
    if s.noted == s.left:
        change_patterns(s, cell, player, np.int64(0))
        s.noted += 1
    take(s, cell, player)


def note_stones(s: Record) -> None:
    """Note the stones that are not noted yet."""
    while s.noted > s.left:
        s.noted -= 1
        cell, player = np.int64(s.order[s.noted]) >> 1, np.int64(s.order[s.noted]) & 1
        now = s.active[2 * WIDTH * s.noted : 2 * WIDTH * (s.noted + 1)]
        before = s.active[2 * WIDTH * (s.noted + 1) : 2 * WIDTH * (s.noted + 2)]
        vector = s.vectors[2 * WIDTH * cell : 2 * WIDTH * (cell + 1)]
        for index in range(2 * WIDTH):
            now[index] = before[index] - np.int32(clipped(np.int16(vector[index])))
        change_patterns(s, cell, player, np.int64(1))


def change_patterns(s: Record, cell: Int, player: Int, there: Int) -> None:
    """Change the patterns around a stone that comes, or (`there` is 0) goes."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    vectors, pattern_vectors, pattern_of = s.vectors, s.pattern_vectors, s.pattern_of
    active = s.active[2 * WIDTH * s.noted : 2 * WIDTH * (s.noted + 1)]
    for direction in range(4):
        line, place = line_through(s, direction, row, column), place_on(direction, row, column)
        mine = line + player * 4 * s.span
        s.noted_bits[mine] ^= np.int64(1) << (place + s.reach)
        first, second = np.int64(s.noted_bits[line]), np.int64(s.noted_bits[4 * s.span + line])
        step = np.int64(1 if direction == 0 else s.columns + direction - 1 if direction < 3 else 1 - s.columns)
        begin = place + s.reach - REACH
        empty = ~((first | second) >> begin) & ((np.int64(1) << (2 * REACH + 1)) - 1)
        empty &= ~(np.int64(1) << REACH)
        while empty != 0:
            away = lowest_bit(empty)
            empty &= empty - 1
            code = around(first >> (begin + away - REACH)) | around(second >> (begin + away - REACH)) << 2 * REACH
            bit = np.int64(1) << (2 * REACH - away - (1 if away < REACH else 0) + 2 * REACH * player)
            old, new = np.int64(pattern_of[code ^ bit]), np.int64(pattern_of[code])
            here = 2 * WIDTH * (cell + (away - REACH) * step)
            vector = vectors[here : here + 2 * WIDTH]
            leaves = pattern_vectors[2 * WIDTH * old : 2 * WIDTH * (old + 1)]
            comes = pattern_vectors[2 * WIDTH * new : 2 * WIDTH * (new + 1)]
            if there == 0:
                for index in range(2 * WIDTH):
                    vector[index] += np.int16(comes[index] - leaves[index])
            else:
                change_vector(vector, active, leaves, comes)


@inlined
def around(bits: Int) -> Int:
    """The cells before and after one, of the bits of a line that begin REACH cells before it."""
    return (bits & ((1 << REACH) - 1)) | ((bits >> 1) & (SIDE ^ ((1 << REACH) - 1)))


def change_vector(vector: Any, active: Any, old: Any, new: Any) -> None:
    """Put a pattern in the place of another in the sum of a cell, and change what the board has of the cell."""
    for index in range(2 * WIDTH):
        before = np.int16(vector[index])
        now = np.int16(before - old[index] + new[index])
        vector[index] = now
        active[index] += np.int32(clipped(now) - clipped(before))


@inlined
def clipped(number: Any) -> Any:
    """What is kept of a cell's sum."""
    return min(max(np.int16(number >> SUM_BITS), np.int16(0)), np.int16(MOST_ACTIVE))


def learned_value_within(s: Record, player: Int, stones: Int, alpha: Int, beta: Int) -> Int:
    """The value, or that of the weights alone where no correction makes it matter."""
    rough = static_value(s, player, stones)
    if rough >= beta + MOST_CORRECTION or rough <= alpha - MOST_CORRECTION:
        return rough
    return learned_value(s, player, stones)


def learned_value(s: Record, player: Int, stones: Int) -> Int:
    """What the shapes are worth to the player to move, as the network corrects it."""
    note_stones(s)
    layer, number = s.layer, layer_of(s.p, s.rows * s.columns - s.left, stones)
    weights = s.layer_weights[number * LAYER_SIZE : (number + 1) * LAYER_SIZE]
    last = s.last_weights[number * (HIDDEN + 1) : (number + 1) * (HIDDEN + 1)]
    for index in range(HIDDEN):
        layer[index] = np.int32(weights[2 * WIDTH * HIDDEN + index])
    for side in range(2):
        begin = WIDTH * (2 * s.left + (player ^ side))
        active = s.active[begin : begin + WIDTH]
        for row in range(WIDTH):
            has = np.int32(active[row])
            if has == 0:
                continue
            begin = HIDDEN * (WIDTH * side + row)
            numbers = weights[begin : begin + HIDDEN]
            for index in range(HIDDEN):
                layer[index] += np.int32(has * np.int32(numbers[index]))
    value = np.float32(last[HIDDEN]) + np.float32(static_value(s, player, stones))
    for index in range(HIDDEN):
        value += np.float32(min(max(layer[index] >> LAYER_BITS, 0), MOST_LAYER)) * last[index]
    return max(-np.int64(MOST_STATIC), min(np.int64(MOST_STATIC), np.int64(value)))
