"""Alpha-beta that understands threats: fours and open threes are answered at once. Start at seek.

A side that can complete a line does; one that must stop a line, or an open three, considers only what stops it. Where
the search ends, a win by fours is looked for. The best move is searched first and the others are only to be shown to be
worse (principal variation search), late ones to a smaller depth at first; a side that could pass and still be better
needs no closer look (null move).

With two stones a turn, what must be stopped are lines that lack two stones or fewer. Forced wins
(connect/shapes/two_stone_threats.py) are for the root alone, where the turn that seems best must not allow one: few
moves of a position stop one, and a search that leaves out most would take it for lost.

The record is that of connect/shapes/shape_board.py, and pile, piled, score (moves to try), nodes, limit, stopped,
effort, history, killers and chosen; connect/shapes/player.py says what they hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.bits import lowest_bit
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
from ponderosa.connect.shapes.two_stone_threats import PILE, press

WON = 30_000
"""The value of a win at once; each ply until then costs one."""
BEYOND = 29_000
"""More than this is a certain win."""
INFINITE = 32_000
UNDECIDED = 40_000
DOUBTFUL = -25_000
"""The value of a loss that moves which were left out may avert."""
MOST_STATIC = 20_000
"""Shapes are not worth more than this. Late in a game they add up: a smaller number would make good moves alike."""
HALF = 1 << WAITING - 1
PLIES = 96
LONGEST = 20
"""A win by fours has at most so many."""
BRANCH, LATE, LATE_A_PLY = 16, 4, 4
"""Moves tried in a position: the first so many, of which near the horizon so many, and so many more a ply from it."""
FEW = 8
"""With fewer moves that make or stop something, those that only go with a stone are tried, too."""
WHOLE = 3
"""So many moves are searched to the whole depth at once."""
BEYOND_HORIZON = -3
"""Threats are answered to this depth, in plies; nothing else beyond 0."""
LEAF_EFFORT, INNER_EFFORT = 30, 200
"""Positions looked at for a win by fours at the horizon, and before it."""
CHECK_EFFORT, CHECKED = 20_000, 4096
"""Positions looked at for a forced win against a turn at the root; and room for what came of it."""
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
MOVERS = np.random.default_rng(21).integers(0, 2**63, 64)
"""Xored into a position's key for the player at the root, the one to move, and the stones left in the turn."""
SHARES = 5
"""Shapes of the player at the root count so many shares more, 1 << SHARES shares being the whole."""
PUT, TAKE, SEEK, FORCE = range(4)
"""What is asked of the board."""


def ask(s: Any, shapes: Any, table: Any, what: Any, first: Any, second: Any, limit: Any) -> Any:
    """Put or take a stone; the first cell of a forced win with two stones a turn; the value of the position."""
    if what == PUT:
        put(s, shapes, first, second)
    elif what == TAKE:
        take(s, first, second)
    elif what == FORCE:
        s.effort, s.piled = limit, 0
        return press(s, shapes, first, np.int64(LONGEST))
    else:
        s.limit, s.stopped, s.piled = s.nodes + limit, 0, 0
        low, high = np.int64(-INFINITE), np.int64(INFINITE)
        return seek(s, shapes, table, first, np.int64(s.stones), second, low, high, np.int64(0), np.int64(0))
    return np.int64(0)


def seek(
    s: Any, shapes: Any, table: Any, player: Any, stones: Any, depth: Any, alpha: Any, beta: Any, ply: Any, passed: Any
) -> Any:
    """The value of the position for the player to move, who has so many stones left in this turn."""
    s.nodes += 1
    if s.nodes > s.limit:
        s.stopped = 1
        return np.int64(0)
    other = 1 - player
    mine, theirs = player * KINDS, other * KINDS
    if ply > 0:
        value = decided(s, player, stones, ply)
        if value != UNDECIDED:
            return value
    key = s.key ^ MOVERS[32 * s.root + 2 * (stones - 1) + player]
    place = key & (len(table) - 2)
    first = np.int64(-1)
    entry = np.int64(table[place, 1])
    known = table[place, 0] ^ entry == key
    if not known:
        entry = np.int64(table[place + 1, 1])
        known = table[place + 1, 0] ^ entry == key
    looked = known
    if known:
        first = (entry & 2047) - 1
        searched = ((entry >> 11) & 255) - 64
        looked = searched > 0 or depth <= 0
        if ply > 0 and searched >= depth:
            kind, value = (entry >> 19) & 3, ((entry >> 21) & 65535) - 32768
            value = value - ply if value > BEYOND else value + ply if value < -BEYOND else value
            if kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha):
                return value
    if ply == 0:
        first = np.int64(s.preferred)
    threatened = s.many[theirs + FIVE] + s.many[theirs + OPEN] > 0
    forcing = s.many[mine + FOUR] + s.many[mine + FOUR_THREE] > 0
    if forcing and ply > 0 and not looked:
        s.effort = LEAF_EFFORT if depth <= 0 else INNER_EFFORT
        if fours(s, shapes, player, np.int64(LONGEST)) >= 0:
            value = WON - ply - 5
            keep(s, table, key, value, ply, np.int64(100), EXACT, np.int64(-1))
            return value
    if depth <= 0 and not (threatened and depth > BEYOND_HORIZON):
        value = static_value(s, player, stones)
        if forcing:
            keep(s, table, key, value, ply, min(depth, np.int64(0)), EXACT, first)
        return value
    if (
        passed == 0 and ply > 0 and depth >= 2 and stones == s.p and not threatened and abs(beta) < BEYOND
        and static_value(s, player, stones) >= beta
    ):  # fmt: skip
        less = depth - 3 - depth // 4
        value = -seek(s, shapes, table, other, np.int64(s.p), less, -beta, -beta + 1, ply + 1, np.int64(1))
        if s.stopped != 0:
            return np.int64(0)
        if beta <= value < BEYOND:
            return value
    base = np.int64(s.piled)
    list_moves(s, player, ply, first, depth)
    end = np.int64(s.piled)
    if ply == 0:
        s.listed = end - base
        s.best = next_best(s, base, end)
    further = depth - (1 if end - base > 1 else 0)
    most = end if ply == 0 else base + BRANCH
    if not threatened and ply > 0:
        most = base + min(np.int64(BRANCH), LATE + LATE_A_PLY * depth)
    turns = stones == 1
    then, left, sign = (other, np.int64(s.p), np.int64(-1)) if turns else (player, stones - 1, np.int64(1))
    best, move, low = np.int64(-INFINITE), np.int64(-1), alpha
    for index in range(base, min(end, most)):
        cell = next_best(s, np.int64(index), end)
        reduce = np.int64(0)
        tried = index - base
        if tried >= WHOLE and depth >= 2 and not threatened and s.kind[player * CELLS + cell] < FOUR:
            reduce = np.int64(1)
            if s.kind[player * CELLS + cell] < THREE and s.kind[other * CELLS + cell] < THREES:
                reduce += (tried >= 8) + depth // 6
        before = np.int64(s.nodes)
        put(s, shapes, cell, player)
        value = low + 1
        if tried > 0:
            a, b = (-low - 1, -low) if turns else (low, low + 1)
            value = sign * seek(s, shapes, table, then, left, further - reduce, a, b, ply + 1, np.int64(0))
            if value > low and reduce > 0 and s.stopped == 0:
                value = sign * seek(s, shapes, table, then, left, further, a, b, ply + 1, np.int64(0))
        if tried == 0 or (low < value < beta and s.stopped == 0):
            a, b = (-beta, -low) if turns else (low, beta)
            value = sign * seek(s, shapes, table, then, left, further, a, b, ply + 1, np.int64(0))
        s.piled = end
        if (
            s.checks > 0 and turns and ply + stones == s.stones and s.stopped == 0
            and max(low, DOUBTFUL) < value < BEYOND and not withstands(s, shapes, other, np.int64(index + 1))
        ):  # fmt: skip
            value = DOUBTFUL + value // 16
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
            s.history[player * CELLS + cell] += depth * depth + 1
            if s.killers[2 * ply] != cell:
                s.killers[2 * ply + 1] = s.killers[2 * ply]
                s.killers[2 * ply] = cell
            break
    s.piled = base
    if s.stopped != 0:
        return np.int64(0)
    if best < -BEYOND and (end > most or (depth <= 0 and forcing)):
        best = np.int64(DOUBTFUL)
    bound = AT_LEAST if best >= beta else EXACT if best > alpha else AT_MOST
    keep(s, table, key, best, ply, depth, bound, move)
    return best


def withstands(s: Any, shapes: Any, other: Any, index: Any) -> Any:
    """Whether no forced win of the other player's is found after a turn at the root.

    If there is one, the cells with which it begins are the next to be tried, of the moves from index on.
    """
    place = s.key & (CHECKED - 1)
    if s.checked[place] == s.key or s.checked[place] == ~s.key or s.checking <= 0:
        return s.checked[place] != ~s.key
    end, before = np.int64(s.piled), np.int64(s.nodes)
    whole = s.checking >= CHECK_EFFORT
    s.effort = min(np.int64(CHECK_EFFORT), np.int64(s.checking))
    found = press(s, shapes, other, np.int64(LONGEST))
    s.checking -= s.nodes - before
    if found >= 0 or s.effort >= 0 or whole:
        s.checked[place] = s.key if found < 0 else ~s.key
    for at in range(index, end):
        if found >= 0 and (s.pile[at] == found or s.pile[at] == s.second):
            s.score[at] += 1 << 30
    return found < 0


def decided(s: Any, player: Any, stones: Any, ply: Any) -> Any:
    """The value of a position in which lines can be completed or nothing is left to do; else UNDECIDED."""
    mine, theirs = player * KINDS, (1 - player) * KINDS
    if s.many[mine + FIVE] > 0:
        return WON - ply - 1
    if s.p > 1:
        if stones > 1 and s.many[mine + OPEN] > 0:
            return WON - ply - 2
    elif s.many[theirs + FIVE] > 1:
        return -(WON - ply - 2)
    elif s.many[theirs + FIVE] == 0 and s.many[mine + OPEN] > 0:
        return WON - ply - 3
    if s.left == 0:
        return np.int64(0)
    return static_value(s, player, stones) if ply >= PLIES - 2 else np.int64(UNDECIDED)


def keep(s: Any, table: Any, key: Any, value: Any, ply: Any, depth: Any, kind: Any, move: Any) -> None:
    """Put what is known of a position into the table; the length of a win is counted from there."""
    value = value + ply if value > BEYOND else value - ply if value < -BEYOND else value
    place = key & (len(table) - 2)
    entry = np.int64(table[place, 1])
    if table[place, 0] ^ entry != key and entry >> 37 == s.generation and ((entry >> 11) & 255) - 64 > depth:
        place += 1
    entry = (move + 1) | (depth + 64) << 11 | kind << 19 | (value + 32768) << 21 | s.generation << 37
    table[place, 0] = key ^ entry
    table[place, 1] = entry


def static_value(s: Any, player: Any, stones: Any) -> Any:
    """What the shapes on the board are worth to the player to move; those of the player at the root may count more."""
    other = 1 - player
    mine, theirs = np.int64(s.total[player]), np.int64(s.total[other])
    moving = mine - ((mine + HALF) >> WAITING << WAITING)
    waiting = (theirs + HALF) >> WAITING
    value = moving - waiting + stones * s.tempo
    if s.eager != 0:
        value += (moving if player == s.root else -waiting) * s.eager >> SHARES
    for kind in range(THREE, OPEN):
        value += s.bonus[kind] * (s.many[player * KINDS + kind] > 0)
        value -= s.bonus[KINDS + kind] * (s.many[other * KINDS + kind] > 0)
    return max(-np.int64(MOST_STATIC), min(np.int64(MOST_STATIC), np.int64(value)))


def list_moves(s: Any, player: Any, ply: Any, first: Any, depth: Any) -> None:
    """Push the moves worth a try, each with its score."""
    other = 1 - player
    if ply == 0 and s.choices > 0:
        for index in range(s.choices):
            push(s, np.int64(s.chosen[index]), score_of(s, player, np.int64(s.chosen[index]), ply, first))
        return
    for who in (player, other):
        if s.many[who * KINDS + FIVE] > 0 and (s.p == 1 or who == player):
            push(s, any_of(s, who, np.int64(FIVE)), np.int64(0))
            return
    if s.p > 1 and s.many[other * KINDS + FIVE] + s.many[other * KINDS + OPEN] > 0:
        for kind in (OPEN, FIVE):
            push_kind(s, other, np.int64(kind), player, ply, first, np.int64(0), True)
        return
    if s.many[other * KINDS + OPEN] > 0:
        for kind in range(FOUR, FIVE):
            if depth > 0:
                push_kind(s, player, np.int64(kind), player, ply, first, np.int64(1000), True)
            push_kind(s, other, np.int64(kind), player, ply, first, np.int64(0), depth <= 0)
        return
    base = np.int64(s.piled)
    for word in range(s.words):
        cells = np.int64(0)
        for kind in range(SOME, FIVE):
            cells |= s.sets[(player * KINDS + kind) * WORDS + word] | s.sets[(other * KINDS + kind) * WORDS + word]
        while cells != 0:
            cell = np.int64(WORD * word + lowest_bit(cells))
            cells &= cells - 1
            push(s, cell, score_of(s, player, cell, ply, first))
    if s.piled - base < FEW:
        push_promising(s, player, ply, first)
    if s.piled == base:
        push(s, centre(s), np.int64(0))


def push_promising(s: Any, player: Any, ply: Any, first: Any) -> None:
    """Push the cells that go with a stone although they are of no kind yet."""
    for cell in range(s.rows * s.columns):
        own, others = player * CELLS + cell, (1 - player) * CELLS + cell
        of_no_kind = s.taken[cell] | s.kind[own] | s.kind[others] == 0
        if of_no_kind and (s.sums[own] | s.sums[others]) >> WORTH > 0:
            push(s, np.int64(cell), score_of(s, player, np.int64(cell), ply, first))


def push_kind(s: Any, owner: Any, kind: Any, player: Any, ply: Any, first: Any, more: Any, with_fours: Any) -> None:
    """Push all cells of a kind, with or without those that make a four for the player to move."""
    if s.many[owner * KINDS + kind] == 0:
        return
    base = (owner * KINDS + kind) * WORDS
    for word in range(s.words):
        cells = np.int64(s.sets[base + word])
        while cells != 0:
            cell = np.int64(WORD * word + lowest_bit(cells))
            cells &= cells - 1
            if with_fours or s.kind[player * CELLS + cell] < FOUR:
                push(s, cell, more + score_of(s, player, cell, ply, first))


def score_of(s: Any, player: Any, cell: Any, ply: Any, first: Any) -> Any:
    """How early a move should be tried."""
    if cell == first:
        return np.int64(1 << 40)
    worth = (s.sums[player * CELLS + cell] >> WORTH) * 9 + (s.sums[(1 - player) * CELLS + cell] >> WORTH) * 8
    if s.killers[2 * ply] == cell or s.killers[2 * ply + 1] == cell:
        worth += 400
    return worth + min(np.int64(s.history[player * CELLS + cell]) // 16, np.int64(400))


def push(s: Any, cell: Any, score: Any) -> None:
    """Put a move on the pile; a full pile forgets it."""
    if s.piled < PILE:
        s.pile[s.piled] = cell
        s.score[s.piled] = score
        s.piled += 1


def next_best(s: Any, index: Any, end: Any) -> Any:
    """Bring the best of the moves from index on to it."""
    best = index
    for other in range(index + 1, end):
        if s.score[other] > s.score[best]:
            best = np.int64(other)
    cell, score = np.int64(s.pile[best]), s.score[best]
    s.pile[best], s.score[best] = s.pile[index], s.score[index]
    s.pile[index], s.score[index] = cell, score
    return cell


def centre(s: Any) -> Any:
    """An empty cell near the middle."""
    cell = (s.rows // 2) * s.columns + s.columns // 2
    while s.taken[cell] != 0:
        cell = (cell + 1) % (s.rows * s.columns)
    return np.int64(cell)


def fours(s: Any, shapes: Any, player: Any, depth: Any) -> Any:
    """The first cell of a win of the player to move in which every move threatens to complete a line; or -1."""
    s.effort -= 1
    s.nodes += 1
    if s.effort < 0:
        return np.int64(-1)
    other = 1 - player
    if s.many[player * KINDS + FIVE] > 0:
        return any_of(s, player, np.int64(FIVE))
    block = np.int64(-1)
    if s.many[other * KINDS + FIVE] > 0:
        block = any_of(s, other, np.int64(FIVE))
        kind = np.int64(s.kind[player * CELLS + block])
        if s.many[other * KINDS + FIVE] > 1 or kind < FOUR:
            return np.int64(-1)
        if kind == OPEN:
            return block
    elif s.many[player * KINDS + OPEN] > 0:
        return any_of(s, player, np.int64(OPEN))
    if depth == 0:
        return np.int64(-1)
    for wanted in (FOUR_THREE, FOUR):
        if s.many[player * KINDS + wanted] == 0:
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
                won = fours(s, shapes, player, depth - 1) >= 0
                take(s, answer, other)
                take(s, cell, player)
                if won:
                    return cell
                if s.effort < 0:
                    return np.int64(-1)
    return np.int64(-1)
