"""A board that keeps what a network makes of it, stone by stone. Start at put_and_note and learned_value.

The record has, besides the fields of connect/shapes/shape_board.py, those of the network (pattern_of, pattern_vectors,
layer_weights, last_weights) and what it makes of the board: `vectors`, for each player's view and cell the sum of the
patterns of its four lines; `active`, for each view what the empty cells have of these; `layer`, room for what the layer
gives. connect/shapes/player.py lists them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.connect.evaluations import CELLS
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

LAYER_SIZE = (2 * WIDTH + 1) * HIDDEN
SIDE = (1 << 2 * REACH) - 1


def put_and_note(s: Record, shapes: Shapes, cell: Int, player: Int) -> None:
    """Put a stone on an empty cell."""
    put(s, shapes, cell, player)
    count_cell(s, cell, np.int32(-1))
    note_stone(s, cell, player, np.int64(1))


def take_and_note(s: Record, cell: Int, player: Int) -> None:
    """Take the stone away that was put last."""
    take(s, cell, player)
    note_stone(s, cell, player, np.int64(0))
    count_cell(s, cell, np.int32(1))


def note_stone(s: Record, cell: Int, player: Int, there: Int) -> None:
    """Change the patterns around a stone that has just been put there, or (`there` is 0) taken away."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    vectors, pattern_vectors, pattern_of = s.vectors, s.pattern_vectors, s.pattern_of
    seen_by_first, seen_by_second = s.active[:WIDTH], s.active[WIDTH:]
    for direction in range(4):
        line, place = line_through(s, direction, row, column), place_on(direction, row, column)
        first, second = np.int64(s.bits[line]), np.int64(s.bits[4 * s.span + line])
        step = np.int64(1 if direction == 0 else s.columns + direction - 1 if direction < 3 else 1 - s.columns)
        begin = place + s.reach - REACH
        empty = ~((first | second) >> begin) & ((np.int64(1) << (2 * REACH + 1)) - 1)
        empty &= ~(np.int64(1) << REACH)
        while empty != 0:
            away = lowest_bit(empty)
            empty &= empty - 1
            own, other = around(first >> (begin + away - REACH)), around(second >> (begin + away - REACH))
            bit = np.int64(1) << (2 * REACH - away - (1 if away < REACH else 0))
            own_before, other_before = own, other
            if player == 0:
                own_before = own ^ bit
            else:
                other_before = other ^ bit
            here = WIDTH * (cell + (away - REACH) * step)
            there_too = here + WIDTH * CELLS
            change_vector(
                vectors[here : here + WIDTH],
                seen_by_first,
                vector_of(pattern_vectors, pattern_of[own_before | other_before << 2 * REACH]),
                vector_of(pattern_vectors, pattern_of[own | other << 2 * REACH]),
            )
            change_vector(
                vectors[there_too : there_too + WIDTH],
                seen_by_second,
                vector_of(pattern_vectors, pattern_of[other_before | own_before << 2 * REACH]),
                vector_of(pattern_vectors, pattern_of[other | own << 2 * REACH]),
            )


@inlined
def around(bits: Int) -> Int:
    """The cells before and after one, of the bits of a line that begin REACH cells before it."""
    return (bits & ((1 << REACH) - 1)) | ((bits >> 1) & (SIDE ^ ((1 << REACH) - 1)))


@inlined
def vector_of(pattern_vectors: Any, number: Int) -> Any:
    """The vector of a pattern."""
    begin = WIDTH * np.int64(number)
    return pattern_vectors[begin : begin + WIDTH]


def change_vector(vector: Any, active: Any, old: Any, new: Any) -> None:
    """Put a pattern in the place of another in the sum of a cell, and change what the board has of the cell."""
    for index in range(WIDTH):
        before = np.int16(vector[index])
        now = np.int16(before - old[index] + new[index])
        vector[index] = now
        active[index] += np.int32(clipped(now) - clipped(before))


@inlined
def clipped(number: Any) -> Any:
    """What is kept of a cell's sum."""
    return min(max(np.int16(number >> SUM_BITS), np.int16(0)), np.int16(MOST_ACTIVE))


def count_cell(s: Record, cell: Int, sign: Any) -> None:
    """Add what an empty cell has to the board's sums, or take it away, once a stone is on it."""
    for player in range(2):
        begin = WIDTH * (player * CELLS + cell)
        vector, active = s.vectors[begin : begin + WIDTH], s.active[WIDTH * player : WIDTH * player + WIDTH]
        for index in range(WIDTH):
            active[index] += sign * np.int32(clipped(np.int16(vector[index])))


def learned_value(s: Record, player: Int, stones: Int) -> Int:
    """What the shapes are worth to the player to move, as the network corrects it."""
    layer, number = s.layer, layer_of(s.p, s.rows * s.columns - s.left, stones)
    weights = s.layer_weights[number * LAYER_SIZE : (number + 1) * LAYER_SIZE]
    last = s.last_weights[number * (HIDDEN + 1) : (number + 1) * (HIDDEN + 1)]
    for index in range(HIDDEN):
        layer[index] = np.int32(weights[2 * WIDTH * HIDDEN + index])
    for side in range(2):
        active = s.active[WIDTH * (player ^ side) : WIDTH * (player ^ side) + WIDTH]
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
