"""Threat-space search for two stones a turn: wins in which every turn leaves no choice. Start at threat_win.

A window that lacks two stones or one wins next turn: the opponent must take one of its empty cells. So what a turn
threatens is a graph, whose edges are such windows, and an answer is a set of cells that touches every edge. If no two
cells do, the turn wins; if two are needed, the opponent gets the cells of all such pairs at once, never less than a
real answer, and the attacker goes on (Allis, van den Herik & Huntjens 1993; for Connect6, Wu & Huang 2006).

The record is that of connect/shapes/pvs.py. Lists lie on its stack: first stones, edges (two cells each, alike when
only one is missing), second stones and answers, those of a turn above those of the turn before it.
"""

from __future__ import annotations

import numpy as np

from ponderosa.compile.annotations import Bool, Int, Record
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.connect.evaluations import CELLS
from ponderosa.connect.shapes.shape_board import FIVE, KINDS, OPEN, SOME, THREE, THREES, WORD, WORDS, any_of, put, take
from ponderosa.connect.shapes.shape_table import WAYS, Shapes, shape
from ponderosa.connect.threats.windows import line_through, place_on

STACK = 16384
SPARE = 2048
"""A turn needs less of the stack."""
LIVE_TWO = shape(3, 2)
"""The first shape of those that may become four with two open ends."""
UNSTOPPABLE = 3
"""What the opponent needs if no two stones are enough."""


def threat_win(s: Record, shapes: Shapes, player: Int, depth: Int) -> Int:
    """The first cell of such a win, of up to `depth` turns, for the player who begins a turn; or -1.

    `s.second` becomes the second cell of the turn; -1: any that completes the line. Machine code that is kept on disk
    may call itself, but not in a circle of functions: hence the length.
    """
    other = 1 - player
    s.effort -= 1
    s.nodes += 1
    s.second = -1
    for kind in (FIVE, OPEN):
        if s.counts[player * KINDS + kind] > 0:
            return any_of(s, player, np.int64(kind))
    base = np.int64(s.top)
    if depth == 0 or s.effort < 0 or base > STACK - SPARE:
        return np.int64(-1)
    push_firsts(s, player)
    end = np.int64(s.top)
    found = np.int64(-1)
    for index in range(base, end):
        first = np.int64(s.stack[index])
        alone = s.kind[player * CELLS + first] >= THREE
        s.effort -= 1
        s.nodes += 1
        put(s, shapes, first, player)
        edges = np.int64(s.top)
        push_edges(s, first, player, False)
        seconds = np.int64(s.top)
        push_seconds(s, player, first, alone, base, np.int64(index))
        last = np.int64(s.top)
        for place in range(seconds, last):
            second = np.int64(s.stack[place])
            s.top = last
            needed = answers(s, second, player, edges, seconds)
            if needed < 2:
                continue
            put(s, shapes, second, player)
            begin, done = np.int64(s.first_answer), np.int64(s.first_answer)
            won = s.counts[other * KINDS + FIVE] + s.counts[other * KINDS + OPEN] == 0
            if won and needed != UNSTOPPABLE:
                top = np.int64(s.top)
                while done < top and won:
                    cell = np.int64(s.stack[done])
                    won = s.kind[other * CELLS + cell] != FIVE
                    put(s, shapes, cell, other)
                    done += 1
                won = won and threat_win(s, shapes, player, depth - 1) >= 0
                while done > begin:
                    done -= 1
                    take(s, np.int64(s.stack[done]), other)
            take(s, second, player)
            if won:
                found = first
                s.second = second
                break
            if s.effort < 0:
                break
        take(s, first, player)
        s.top = end
        if found >= 0 or s.effort < 0:
            break
    s.top = base
    return found


def push_firsts(s: Record, player: Int) -> None:
    """Push the cells that threaten something alone, then those that may with a second stone."""
    for kind in (THREES, THREE):
        push_cells(s, player, np.int64(kind))
    begin = np.int64(s.top)
    push_cells(s, player, np.int64(SOME))
    end = np.int64(s.top)
    s.top = begin
    for index in range(begin, end):
        cell = np.int64(s.stack[index])
        for direction in range(4):
            here = (np.int64(s.shape[4 * cell + direction]) >> (8 * player)) & 255
            if LIVE_TWO <= here < LIVE_TWO + WAYS - 2:
                s.stack[s.top] = cell
                s.top += 1
                break


def push_seconds(s: Record, player: Int, first: Int, alone: Bool, begin: Int, end: Int) -> None:
    """Push the cells that threaten something now; not the first stones that were tried before, from begin to end.

    After a first stone that threatens nothing alone, only cells on its lines.
    """
    start = np.int64(s.top)
    for kind in (THREES, THREE):
        push_cells(s, player, np.int64(kind))
    last = np.int64(s.top)
    s.top = start
    row = np.int64(s.row[first])
    column = first - row * s.columns
    for index in range(start, last):
        cell = np.int64(s.stack[index])
        down = s.row[cell] - row
        right = cell - s.row[cell] * s.columns - column
        wanted = alone or down == 0 or right == 0 or abs(down) == abs(right)
        for tried in range(begin, end):
            wanted = wanted and s.stack[tried] != cell
        if wanted:
            s.stack[s.top] = cell
            s.top += 1


def push_cells(s: Record, player: Int, kind: Int) -> None:
    """Push all cells of a kind."""
    if s.counts[player * KINDS + kind] == 0:
        return
    for word in range(s.words):
        cells = np.int64(s.sets[(player * KINDS + kind) * WORDS + word])
        while cells != 0:
            s.stack[s.top] = WORD * word + lowest_bit(cells)
            s.top += 1
            cells &= cells - 1


def push_edges(s: Record, cell: Int, player: Int, wanting: Bool) -> None:
    """Push the empty cells of the windows through a cell that lack two stones or one; `wanting`: with a stone there."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    k = np.int64(s.k)
    bits = (np.int64(1) << k) - 1
    for direction in range(4):
        line, place = line_through(s, direction, row, column), place_on(direction, row, column) + s.reach
        own = np.int64(s.bits[player * 4 * s.span + line]) | (np.int64(wanting) << place)
        others = np.int64(s.bits[(1 - player) * 4 * s.span + line])
        step = np.int64(1 if direction == 0 else s.columns + direction - 1 if direction < 3 else 1 - s.columns)
        for begin in range(place - k + 1, place + 1):
            lacks = bits & ~(own >> begin)
            if (others >> begin) & bits == 0 and count_bits(lacks) <= 2:
                one = lowest_bit(lacks)
                two = lowest_bit(lacks & (lacks - 1)) if lacks & (lacks - 1) != 0 else one
                s.stack[s.top] = cell + (begin + one - place) * step
                s.stack[s.top + 1] = cell + (begin + two - place) * step
                s.top += 2


def answers(s: Record, second: Int, player: Int, begin: Int, end: Int) -> Int:
    """How many stones stop a turn with this second stone, up to UNSTOPPABLE; if two, their cells are pushed.

    The edges of the first stone lie on the stack from begin to end.
    """
    edges = np.int64(s.top)
    for index in range(begin, end, 2):
        if s.stack[index] != second and s.stack[index + 1] != second:
            s.stack[s.top], s.stack[s.top + 1] = s.stack[index], s.stack[index + 1]
            s.top += 2
    push_edges(s, second, player, True)
    last = np.int64(s.top)
    s.first_answer = last
    if last == edges:
        return np.int64(0)
    for end_of_edge in range(2):
        cell = np.int64(s.stack[edges + end_of_edge])
        one, two, rest = np.int64(-1), np.int64(-1), False  # the cells that all edges without this cell share
        for index in range(edges, last, 2):
            a, b = np.int64(s.stack[index]), np.int64(s.stack[index + 1])
            if a == cell or b == cell:
                continue
            if not rest:
                one, two, rest = a, b, True
            else:
                one = one if one == a or one == b else np.int64(-1)
                two = two if two == a or two == b else np.int64(-1)
        if not rest:
            return np.int64(1)
        if one >= 0 or two >= 0:
            for answer in (cell, one, two):
                push_answer(s, answer)
    return np.int64(UNSTOPPABLE if s.top == last else 2)


def push_answer(s: Record, cell: Int) -> None:
    """Push an answer that is not there yet."""
    known = cell < 0
    for index in range(s.first_answer, s.top):
        known = known or s.stack[index] == cell
    if not known:
        s.stack[s.top] = cell
        s.top += 1
