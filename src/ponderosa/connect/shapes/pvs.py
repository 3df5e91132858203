"""Principal variation search over shapes, for one stone a turn or two. Start at pvs.

The best move is searched first, and the others with an empty window, only to be shown to be worse. With it go a
transposition table, killer moves and the history heuristic to order moves, late move reductions, and the null move
(a side that could pass and still be better needs no closer look). What it knows of the game are threats:

- A side that can complete a line does; one that must stop a line, or an open three, considers only what stops it.
- Where the search ends, a victory by continuous fours is looked for, and threats are answered a few plies beyond
  (quiescence search).
- With two stones a turn, what must be stopped are lines that lack two stones or fewer. Forced wins
  (connect/shapes/two_stone_threats.py) are for the root alone, where the turn that seems best must not allow one: few
  moves of a position stop one, and a search that leaves out most would take it for lost.

The record is that of connect/shapes/shape_board.py, with the stack of moves to try, counters, history, killers and what
came of the root; connect/shapes/player.py lists its fields.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Bool, Int, Ints, Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.connect.evaluations import CELLS
from ponderosa.connect.shapes.shape_board import (
    FIVE,
    FOUR,
    FOUR_THREE,
    KINDS,
    OPEN,
    SOME,
    THREE,
    THREES,
    WAITING,
    WORD,
    WORDS,
    WORTH,
    any_of,
    put,
    take,
)
from ponderosa.connect.shapes.shape_table import Shapes
from ponderosa.connect.shapes.two_stone_threats import STACK, threat_win

WON = 30_000
"""The value of a win at once; each ply until then costs one."""
CERTAIN = 29_000
"""More than this is a certain win."""
INFINITE = 32_000
UNDECIDED = 40_000
"""No value: the position must be searched."""
UNCERTAIN_LOSS = -25_000
"""The value of a loss that moves which were left out may avert."""
MOST_STATIC = 20_000
"""Shapes are not worth more than this. Late in a game they add up: a smaller number would make good moves alike."""
HALF = 1 << WAITING - 1
PLIES = 96
LONGEST = 20
"""The most fours in a victory by continuous fours."""
MOST_MOVES, HORIZON_MOVES, MOVES_A_PLY = 16, 4, 4
"""Moves tried in a position: at most; at the horizon; and how many more for every ply before it."""
FEW_MOVES = 8
"""With fewer moves that make or stop something, cells with a stone near them on a line are tried, too."""
FULL_DEPTH_MOVES = 3
"""The first moves of a position are not reduced."""
QUIESCENCE = -3
"""Threats are answered to this depth, in plies; nothing else is searched beyond 0."""
LEAF_EFFORT, INNER_EFFORT = 30, 200
"""Positions in which a victory by continuous fours is looked for at the horizon, and before it."""
CHECK_EFFORT, CHECKED = 20_000, 4096
"""Positions in which a forced win against a turn at the root is looked for; and room for what came of it."""
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
"""What the value of a table entry is: the value, a lower or an upper bound."""
SIDE_KEYS = np.random.default_rng(21).integers(0, 2**63, 64)
"""Xored into a position's key for the player at the root, the one to move, and the stones left in the turn."""
CONTEMPT_BITS = 5
"""The shapes of the player at the root count more by `contempt` / 2^CONTEMPT_BITS."""
PUT, TAKE, SEARCH, FORCED_WIN = range(4)
"""What `query` does."""


def query(s: Record, shapes: Shapes, table: Ints, what: Int, first: Int, second: Int, limit: Int) -> Int:
    """The door from Python: put or take a stone, look for a forced win with two stones a turn, or search."""
    if what == PUT:
        put(s, shapes, first, second)
    elif what == TAKE:
        take(s, first, second)
    elif what == FORCED_WIN:
        s.effort, s.top = limit, 0
        return threat_win(s, shapes, first, np.int64(LONGEST))
    else:
        s.limit, s.stopped, s.top = s.nodes + limit, 0, 0
        low, high = np.int64(-INFINITE), np.int64(INFINITE)
        return pvs(s, shapes, table, first, np.int64(s.stones), second, low, high, np.int64(0), np.int64(0))
    return np.int64(0)


def pvs(
    s: Record,
    shapes: Shapes,
    table: Ints,
    player: Int,
    stones: Int,
    depth: Int,
    alpha: Int,
    beta: Int,
    ply: Int,
    null: Int,
) -> Int:
    """The value of the position for the player to move, who has `stones` left in this turn.

    `null`: 1 after a null move, which is not answered by another.
    """
    s.nodes += 1
    if s.nodes > s.limit:
        s.stopped = 1
        return np.int64(0)
    other = 1 - player
    mine, theirs = player * KINDS, other * KINDS
    if ply > 0:
        value = immediate_value(s, player, stones, ply)
        if value != UNDECIDED:
            return value
    key = s.key ^ SIDE_KEYS[32 * s.root + 2 * (stones - 1) + player]
    place = key & (len(table) - 2)
    table_move = np.int64(-1)
    entry = np.int64(table[place, 1])
    hit = table[place, 0] ^ entry == key
    if not hit:
        entry = np.int64(table[place + 1, 1])
        hit = table[place + 1, 0] ^ entry == key
    fours_tried = hit
    if hit:
        table_move = (entry & 2047) - 1
        searched = ((entry >> 11) & 255) - 64
        fours_tried = searched > 0 or depth <= 0
        if ply > 0 and searched >= depth:
            kind, value = (entry >> 19) & 3, ((entry >> 21) & 65535) - 32768
            value = value - ply if value > CERTAIN else value + ply if value < -CERTAIN else value
            if kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha):
                return value
    if ply == 0:
        table_move = np.int64(s.preferred)
    threatened = s.counts[theirs + FIVE] + s.counts[theirs + OPEN] > 0
    forcing = s.counts[mine + FOUR] + s.counts[mine + FOUR_THREE] > 0
    if forcing and ply > 0 and not fours_tried:
        s.effort = LEAF_EFFORT if depth <= 0 else INNER_EFFORT
        if win_by_fours(s, shapes, player, np.int64(LONGEST)) >= 0:
            value = WON - ply - 5
            store(s, table, key, value, ply, np.int64(100), EXACT, np.int64(-1))
            return value
    if depth <= 0 and not (threatened and depth > QUIESCENCE):
        value = value_within(s, player, stones, alpha, beta)
        if forcing:
            store(s, table, key, value, ply, min(depth, np.int64(0)), EXACT, table_move)
        return value
    if (
        null == 0 and ply > 0 and depth >= 2 and stones == s.p and not threatened and -CERTAIN < beta < CERTAIN
        and value_within(s, player, stones, beta - 1, beta) >= beta
    ):  # fmt: skip
        null_depth = depth - 3 - depth // 4
        value = -pvs(s, shapes, table, other, np.int64(s.p), null_depth, -beta, -beta + 1, ply + 1, np.int64(1))
        if s.stopped != 0:
            return np.int64(0)
        if beta <= value < CERTAIN:
            return value
    base = np.int64(s.top)
    list_moves(s, player, ply, table_move, depth)
    end = np.int64(s.top)
    if ply == 0:
        s.listed = end - base
        s.best = next_best(s, base, end)
    next_depth = depth - (1 if end - base > 1 else 0)
    most = end if ply == 0 else base + MOST_MOVES
    if not threatened and ply > 0:
        most = base + min(np.int64(MOST_MOVES), HORIZON_MOVES + MOVES_A_PLY * depth)
    ends_turn = stones == 1
    then, left, sign = (other, np.int64(s.p), np.int64(-1)) if ends_turn else (player, stones - 1, np.int64(1))
    best: Int = np.int64(-INFINITE)
    move: Int = np.int64(-1)
    low = alpha
    for index in range(base, min(end, most)):
        cell = next_best(s, np.int64(index), end)
        tried = index - base
        reduction = np.int64(0) if threatened else reduction_of(s, player, cell, np.int64(tried), depth)
        before = np.int64(s.nodes)
        put(s, shapes, cell, player)
        value = low + 1
        if tried > 0:
            a, b = (-low - 1, -low) if ends_turn else (low, low + 1)
            value = sign * pvs(s, shapes, table, then, left, next_depth - reduction, a, b, ply + 1, np.int64(0))
            if value > low and reduction > 0 and s.stopped == 0:
                value = sign * pvs(s, shapes, table, then, left, next_depth, a, b, ply + 1, np.int64(0))
        if tried == 0 or (low < value < beta and s.stopped == 0):
            a, b = (-beta, -low) if ends_turn else (low, beta)
            value = sign * pvs(s, shapes, table, then, left, next_depth, a, b, ply + 1, np.int64(0))
        s.top = end
        if (
            s.checks > 0 and ends_turn and ply + stones == s.stones and s.stopped == 0
            and max(low, UNCERTAIN_LOSS) < value < CERTAIN and not withstands(s, shapes, other, np.int64(index + 1))
        ):  # fmt: skip
            value = UNCERTAIN_LOSS + value // 16
        take(s, cell, player)
        if s.stopped != 0:
            break
        if ply == 0:
            s.root_value[cell], s.root_nodes[cell] = value, s.nodes - before
            s.done += 1
        if value > best:
            best, move = value, cell
            if ply == 0:
                s.best, s.value = cell, value
        low = max(low, best)
        if best >= beta:
            note_cutoff(s, player, cell, depth, ply)
            break
    s.top = base
    if s.stopped != 0:
        return np.int64(0)
    if best < -CERTAIN and (end > most or (depth <= 0 and forcing)):
        best = np.int64(UNCERTAIN_LOSS)
    bound = AT_LEAST if best >= beta else EXACT if best > alpha else AT_MOST
    store(s, table, key, best, ply, depth, bound, move)
    return best


@inlined
def reduction_of(s: Record, player: Int, cell: Int, tried: Int, depth: Int) -> Int:
    """By how many plies less a late move is searched at first, after `tried` others."""
    if tried < FULL_DEPTH_MOVES or depth < 2 or s.kind[player * CELLS + cell] >= FOUR:
        return np.int64(0)
    if s.kind[player * CELLS + cell] >= THREE or s.kind[(1 - player) * CELLS + cell] >= THREES:
        return np.int64(1)
    return np.int64(1 + (tried >= 8) + depth // 6)


@inlined
def note_cutoff(s: Record, player: Int, cell: Int, depth: Int, ply: Int) -> None:
    """Remember a move that was too good for the opponent: in the history, and as the ply's first killer move."""
    s.history[player * CELLS + cell] += depth * depth + 1
    if s.killers[2 * ply] != cell:
        s.killers[2 * ply + 1] = s.killers[2 * ply]
        s.killers[2 * ply] = cell


def withstands(s: Record, shapes: Shapes, other: Int, index: Int) -> Any:
    """Whether no forced win of the other player's is found after a turn at the root.

    If there is one, the cells with which it begins are the next to be tried, of the moves from index on.
    """
    place = s.key & (CHECKED - 1)
    if s.checked[place] == s.key or s.checked[place] == ~s.key or s.checking <= 0:
        return s.checked[place] != ~s.key
    end, before = np.int64(s.top), np.int64(s.nodes)
    most = min(np.int64(s.checking), max(np.int64(0), s.last - before))  # none goes on when the time is over
    whole = most >= CHECK_EFFORT
    s.effort = min(np.int64(CHECK_EFFORT), most)
    found = threat_win(s, shapes, other, np.int64(LONGEST))
    s.checking -= s.nodes - before
    if found >= 0 or s.effort >= 0 or whole:
        s.checked[place] = s.key if found < 0 else ~s.key
    for at in range(index, end):
        if found >= 0 and (s.stack[at] == found or s.stack[at] == s.second):
            s.score[at] += 1 << 30
    return found < 0


def immediate_value(s: Record, player: Int, stones: Int, ply: Int) -> Int:
    """The value of a position in which lines can be completed or nothing is left to do; else UNDECIDED."""
    mine, theirs = player * KINDS, (1 - player) * KINDS
    if s.counts[mine + FIVE] > 0:
        return WON - ply - 1
    if s.p > 1:
        if stones > 1 and s.counts[mine + OPEN] > 0:
            return WON - ply - 2
    elif s.counts[theirs + FIVE] > 1:
        return -(WON - ply - 2)
    elif s.counts[theirs + FIVE] == 0 and s.counts[mine + OPEN] > 0:
        return WON - ply - 3
    if s.left == 0:
        return np.int64(0)
    return static_value(s, player, stones) if ply >= PLIES - 2 else np.int64(UNDECIDED)


def store(s: Record, table: Ints, key: Int, value: Int, ply: Int, depth: Int, kind: Int, move: Int) -> None:
    """Put a value into the table; the length of a win is counted from the position, not from the root."""
    value = value + ply if value > CERTAIN else value - ply if value < -CERTAIN else value
    place = key & (len(table) - 2)
    entry = np.int64(table[place, 1])
    if table[place, 0] ^ entry != key and entry >> 37 == s.generation and ((entry >> 11) & 255) - 64 > depth:
        place += 1
    entry = (move + 1) | (depth + 64) << 11 | kind << 19 | (value + 32768) << 21 | s.generation << 37
    table[place, 0] = key ^ entry
    table[place, 1] = entry


def static_value(s: Record, player: Int, stones: Int) -> Int:
    """What the shapes on the board are worth to the player to move; those of the player at the root may count more."""
    other = 1 - player
    mine, theirs = np.int64(s.total[player]), np.int64(s.total[other])
    moving = mine - ((mine + HALF) >> WAITING << WAITING)
    waiting = (theirs + HALF) >> WAITING
    value = moving - waiting + stones * s.tempo
    if s.contempt != 0:
        value += (moving if player == s.root else -waiting) * s.contempt >> CONTEMPT_BITS
    for kind in range(THREE, OPEN):
        value += s.bonus[kind] * (s.counts[player * KINDS + kind] > 0)
        value -= s.bonus[KINDS + kind] * (s.counts[other * KINDS + kind] > 0)
    return max(-np.int64(MOST_STATIC), min(np.int64(MOST_STATIC), np.int64(value)))


def value_within(s: Record, player: Int, stones: Int, alpha: Int, beta: Int) -> Int:
    """The static value, which need not be exact where it is far from what lies between alpha and beta."""
    return static_value(s, player, stones)


def list_moves(s: Record, player: Int, ply: Int, first: Int, depth: Int) -> None:
    """Push the moves worth a try, each with its score."""
    other = 1 - player
    if ply == 0 and s.choices > 0:
        for index in range(s.choices):
            push(s, np.int64(s.chosen[index]), score_of(s, player, np.int64(s.chosen[index]), ply, first))
        return
    for who in (player, other):
        if s.counts[who * KINDS + FIVE] > 0 and (s.p == 1 or who == player):
            push(s, any_of(s, who, np.int64(FIVE)), np.int64(0))
            return
    if s.p > 1 and s.counts[other * KINDS + FIVE] + s.counts[other * KINDS + OPEN] > 0:
        for kind in (OPEN, FIVE):
            push_kind(s, other, np.int64(kind), player, ply, first, np.int64(0), True)
        return
    if s.counts[other * KINDS + OPEN] > 0:
        for kind in range(FOUR, FIVE):
            if depth > 0:
                push_kind(s, player, np.int64(kind), player, ply, first, np.int64(1000), True)
            push_kind(s, other, np.int64(kind), player, ply, first, np.int64(0), depth <= 0)
        return
    base = np.int64(s.top)
    for word in range(s.words):
        cells = np.int64(0)
        for kind in range(SOME, FIVE):
            cells |= s.sets[(player * KINDS + kind) * WORDS + word] | s.sets[(other * KINDS + kind) * WORDS + word]
        while cells != 0:
            cell = np.int64(WORD * word + lowest_bit(cells))
            cells &= cells - 1
            push(s, cell, score_of(s, player, cell, ply, first))
    if s.top - base < FEW_MOVES:
        push_promising(s, player, ply, first)
    if s.top == base:
        push(s, centre(s), np.int64(0))


def push_promising(s: Record, player: Int, ply: Int, first: Int) -> None:
    """Push the cells that go with a stone although they are of no kind yet."""
    for cell in range(s.rows * s.columns):
        own, others = player * CELLS + cell, (1 - player) * CELLS + cell
        of_no_kind = s.taken[cell] | s.kind[own] | s.kind[others] == 0
        if of_no_kind and (s.sums[own] | s.sums[others]) >> WORTH > 0:
            push(s, np.int64(cell), score_of(s, player, np.int64(cell), ply, first))


def push_kind(s: Record, owner: Int, kind: Int, player: Int, ply: Int, first: Int, more: Int, with_fours: Bool) -> None:
    """Push all cells of a kind, with or without those that make a four for the player to move."""
    if s.counts[owner * KINDS + kind] == 0:
        return
    base = (owner * KINDS + kind) * WORDS
    for word in range(s.words):
        cells = np.int64(s.sets[base + word])
        while cells != 0:
            cell = np.int64(WORD * word + lowest_bit(cells))
            cells &= cells - 1
            if with_fours or s.kind[player * CELLS + cell] < FOUR:
                push(s, cell, more + score_of(s, player, cell, ply, first))


def score_of(s: Record, player: Int, cell: Int, ply: Int, first: Int) -> Any:
    """How early a move should be tried."""
    if cell == first:
        return np.int64(1 << 40)
    worth = (s.sums[player * CELLS + cell] >> WORTH) * 9 + (s.sums[(1 - player) * CELLS + cell] >> WORTH) * 8
    if s.killers[2 * ply] == cell or s.killers[2 * ply + 1] == cell:
        worth += 400
    return worth + min(np.int64(s.history[player * CELLS + cell]) // 16, np.int64(400))


def push(s: Record, cell: Int, score: Int) -> None:
    """Put a move on the stack; a full stack forgets it."""
    if s.top < STACK:
        s.stack[s.top] = cell
        s.score[s.top] = score
        s.top += 1


def next_best(s: Record, index: Int, end: Int) -> Int:
    """Bring the best of the moves from index on to it."""
    best = index
    for other in range(index + 1, end):
        if s.score[other] > s.score[best]:
            best = np.int64(other)
    cell, score = np.int64(s.stack[best]), s.score[best]
    s.stack[best], s.score[best] = s.stack[index], s.score[index]
    s.stack[index], s.score[index] = cell, score
    return cell


def centre(s: Record) -> Int:
    """An empty cell near the middle."""
    cell = (s.rows // 2) * s.columns + s.columns // 2
    while s.taken[cell] != 0:
        cell = (cell + 1) % (s.rows * s.columns)
    return np.int64(cell)


def win_by_fours(s: Record, shapes: Shapes, player: Int, depth: Int) -> Int:
    """Victory by continuous fours: the first cell of a win in which every move threatens to complete a line; or -1."""
    s.effort -= 1
    s.nodes += 1
    if s.effort < 0:
        return np.int64(-1)
    other = 1 - player
    if s.counts[player * KINDS + FIVE] > 0:
        return any_of(s, player, np.int64(FIVE))
    block: Int = np.int64(-1)
    if s.counts[other * KINDS + FIVE] > 0:
        block = any_of(s, other, np.int64(FIVE))
        kind = np.int64(s.kind[player * CELLS + block])
        if s.counts[other * KINDS + FIVE] > 1 or kind < FOUR:
            return np.int64(-1)
        if kind == OPEN:
            return block
    elif s.counts[player * KINDS + OPEN] > 0:
        return any_of(s, player, np.int64(OPEN))
    if depth == 0:
        return np.int64(-1)
    for wanted in (FOUR_THREE, FOUR):
        if s.counts[player * KINDS + wanted] == 0:
            continue
        base = (player * KINDS + wanted) * WORDS
        for word in range(s.words):
            cells = np.int64(s.sets[base + word])
            while cells != 0:
                cell = np.int64(WORD * word + lowest_bit(cells))
                cells &= cells - 1
                if block >= 0 and cell != block:
                    continue
                put(s, shapes, cell, player)
                answer = any_of(s, player, np.int64(FIVE))
                put(s, shapes, answer, other)
                won = win_by_fours(s, shapes, player, depth - 1) >= 0
                take(s, answer, other)
                take(s, cell, player)
                if won:
                    return cell
                if s.effort < 0:
                    return np.int64(-1)
    return np.int64(-1)
