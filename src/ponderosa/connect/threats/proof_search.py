"""Threat-space search for one stone a turn, by fours and threes, with a transposition table. Start at prove.

The attacker makes fours, which leave one answer, and threes: moves that threaten a victory by continuous fours. The
defender may answer a three with anything; only cells that touch the threatened win, or make a four on its way, are
tried, because all others lose to it (lambda search, Thomsen 2000). One three more is allowed at a time, and the table
is kept from one to the next, and from move to move of a game.

The record has, beside the fields of connect/threats/threat_marks.py, stack and top (cells to try), sequence and
sequence_length (the cells of the last win by fours), effort, cut, zone and tracing, worth, killer and table;
connect/threats/prover.py says what they hold.
"""

from __future__ import annotations

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.connect.threats.threat_marks import (
    FIVE,
    FOUR,
    GROUPS,
    KINDS,
    NONE,
    SEVERAL,
    THREE,
    TWICE,
    completing,
    put,
    take,
)
from ponderosa.connect.threats.windows import cell_at

STACK = 6000
SEQUENCE = 96
LONGEST = 20
"""The most fours in a victory by continuous fours."""
MOST_THREES = 30
INFO, WON = 4095, 2048
"""An entry of the table is a position's key with INFO in its lowest bits: WON + the winning cell, or what is lost."""
LISTED = 100
"""Added to the worth of a cell that is on the list already."""
DEFEND, ATTACK, PUT, TAKE = 0, 1, 2, 3
"""What is asked: whether the defender, who is to move, is lost; whether the attacker wins; to put or take a stone."""
TRACE = 1
"""Mark the cells that matter to the win, too."""
ROLE = np.array([0x1D872B41A9F3C65B, 0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x27D4EB2F165667C5])
"""Xored into a position's key: what is kept of it for each attacker, about fours and about threes."""


def query(s: Record, what: Int, first: Int, second: Int, effort: Int, threes: Int) -> Int:
    """Place or take a stone, or look for a win of the first player with one three more at a time."""
    if what == PUT:
        put(s, first, second, 1)
        return np.int64(0)
    if what == TAKE:
        take(s, first, second)
        return np.int64(0)
    s.effort = effort
    for allowed in range(threes + 1):
        s.top = s.sequence_length = s.cut = 0
        found = prove(s, first, what, np.int64(allowed))
        if found >= 0 and second == TRACE:
            s.zone[:] = 0
            s.tracing = 1
            found = prove(s, first, what, np.int64(allowed))
            s.tracing = 0
        if found >= 0 or s.effort < 0 or s.cut == 0:
            return found
    return np.int64(-1)


def prove(s: Record, attacker: Int, attacks: Int, threes: Int) -> Int:
    """Whether the attacker wins with up to `threes` threes: a cell, or any number if the other is to move; -1: no.

    Machine code that is kept on disk may call itself, but only with arguments of the same types, and not in a circle of
    functions; hence every number here is an int64.
    """
    base = np.int64(s.top)
    answer = list_attacks(s, attacker, threes) if attacks != 0 else list_answers(s, attacker)
    end = np.int64(s.top)
    if end == base:
        return answer
    spent = np.int64(1 if attacks != 0 and answer == THREE else 0)
    player = attacker if attacks != 0 else 1 - attacker
    level = attacks * (MOST_THREES + 1) + threes
    found = np.int64(-1 if attacks != 0 else 0)
    if s.tracing != 0:
        for index in range(base, end):
            s.zone[s.stack[index]] = 1
    bring_forward(s, base, end, np.int64(s.killer[level]))
    for index in range(base, end):
        cell = np.int64(s.stack[index])
        put(s, cell, player, 1)
        wins = prove(s, attacker, 1 - attacks, threes - spent) >= 0
        take(s, cell, player)
        s.top = end
        if wins == (attacks != 0):
            found = cell if attacks != 0 else np.int64(-1)
            s.killer[level] = cell
            break
        if s.effort < 0:
            found = np.int64(-1)
            break
    s.top = base
    if spent == 1 and (found >= 0 or s.effort >= 0):
        store(s, attacker, 1, WON + found if found >= 0 else threes)
    return found


def list_attacks(s: Record, attacker: Int, threes: Int) -> Int:
    """Push what the attacker should try: THREE, or a block of a four; with nothing to try, the answer."""
    s.sequence_length = 0
    cell = fours_win(s, attacker, np.int64(LONGEST))
    if cell >= 0 and s.tracing != 0:
        for index in range(min(s.sequence_length, SEQUENCE)):
            s.zone[cell_of(s.sequence[index])] = 1
    if cell >= 0 or s.effort < 0:
        return cell
    block = completing(s, 1 - attacker)
    if block == SEVERAL:
        return np.int64(-1)
    if block >= 0:
        push(s, block)
        return np.int64(NONE)
    known = probe(s, attacker, 1)
    if known >= WON:
        if s.tracing == 0:
            return np.int64(known - WON)
        push(s, known - WON)
        return np.int64(THREE)
    if known >= threes or threes == 0:
        s.cut = 1
        return np.int64(-1)
    base = np.int64(s.top)
    push_threes(s, attacker)
    return np.int64(THREE if s.top > base else -1)


def list_answers(s: Record, attacker: Int) -> Int:
    """Push what the defender should try; with nothing to try, 0 if lost, -1 if not."""
    defender = 1 - attacker
    if completing(s, defender) != NONE:
        return np.int64(-1)
    answer = completing(s, attacker)
    if answer == SEVERAL:
        return np.int64(0)
    if answer >= 0:
        push(s, answer)
        return np.int64(0)
    s.sequence_length = 0
    if fours_win(s, attacker, np.int64(LONGEST)) < 0 or s.sequence_length > SEQUENCE:
        return np.int64(-1)
    push_defences(s, defender)
    return np.int64(0)


def fours_win(s: Record, player: Int, depth: Int) -> Int:
    """The first cell of a win by fours alone, or -1; s.sequence gets its cells."""
    s.effort -= 1
    cell = completing(s, player)
    if cell != NONE:
        note_completing(s, player)
        return any_completing(s, player) if cell == SEVERAL else cell
    block = completing(s, 1 - player)
    if s.effort < 0 or block == SEVERAL or depth == 0 or probe(s, player, 0) >= depth:
        return np.int64(-1)
    base = np.int64(s.top)
    push_kind(s, player, FOUR)
    end = np.int64(s.top)
    found = np.int64(-1)
    for index in range(base, end):
        cell = np.int64(s.stack[index])
        if block >= 0 and cell != block:
            continue
        put(s, cell, player, 0)
        answer = completing(s, player)
        won = answer == SEVERAL
        if won:
            note_completing(s, player)
        elif answer >= 0:
            put(s, answer, 1 - player, 0)
            won = fours_win(s, player, depth - 1) >= 0
            take(s, answer, 1 - player)
            if won:
                note(s, -1 - answer)
        take(s, cell, player)
        s.top = end
        if won:
            note(s, cell)
            found = cell
        if won or s.effort < 0:
            break
    s.top = base
    if found < 0 and s.effort >= 0:
        store(s, player, 0, depth)
    return found


def push(s: Record, cell: Int) -> None:
    """Put a cell on the stack; a full stack forgets it, and the search is given up."""
    if s.top < STACK:
        s.stack[s.top] = cell
        s.top += 1
    else:
        s.effort = -1


def push_once(s: Record, cell: Int, base: Int) -> None:
    """Push a cell that does not lie on the stack from base on."""
    for index in range(base, s.top):
        if s.stack[index] == cell:
            return
    push(s, cell)


def push_kind(s: Record, player: Int, kind: Int) -> None:
    """Push the player's cells of a kind, once a line."""
    group = player * KINDS + kind
    for direction in range(4):
        busy = np.int64(s.busy[group * 4 + direction])
        while busy != 0:
            line = direction * s.span + lowest_bit(busy)
            busy &= busy - 1
            cells = np.int64(s.marks[line * GROUPS + group])
            while cells != 0:
                push(s, cell_at(s, line, lowest_bit(cells)))
                cells &= cells - 1


def push_threes(s: Record, player: Int) -> None:
    """Push the cells with two windows or more in which the player could make a four next, those with most first."""
    base = np.int64(s.top)
    for kind in (FOUR, THREE, TWICE):
        push_kind(s, player, np.int64(kind))
    end = np.int64(s.top)
    for index in range(base, end):
        s.worth[s.stack[index]] += 1
    s.top = base
    for index in range(base, end):
        cell = np.int64(s.stack[index])
        worth = np.int64(s.worth[cell])
        if worth == 1:
            s.worth[cell] = 0
        elif worth < LISTED:
            s.worth[cell] = worth + LISTED
            place = np.int64(s.top)
            while place > base and s.worth[s.stack[place - 1]] < worth + LISTED:
                s.stack[place] = s.stack[place - 1]
                place -= 1
            s.stack[place] = cell
            s.top += 1
    for index in range(base, s.top):
        s.worth[s.stack[index]] = 0


def push_defences(s: Record, defender: Int) -> None:
    """Push the answers that can matter against the win by fours in s.sequence, each once.

    They lie on its cells, or make a four of the defender, now or together with the answers in it.
    """
    base = np.int64(s.top)
    for index in range(s.sequence_length - 1, -1, -1):
        push_once(s, cell_of(s.sequence[index]), base)
    for index in range(s.sequence_length):
        if s.sequence[index] < 0:
            put(s, cell_of(s.sequence[index]), defender, 0)
    begin = np.int64(s.top)
    push_kind(s, defender, FIVE)
    push_kind(s, defender, FOUR)
    end = np.int64(s.top)
    for index in range(s.sequence_length - 1, -1, -1):
        if s.sequence[index] < 0:
            take(s, cell_of(s.sequence[index]), defender)
    s.top = begin
    for index in range(begin, end):
        push_once(s, np.int64(s.stack[index]), base)


def bring_forward(s: Record, base: Int, end: Int, cell: Int) -> None:
    """Put a cell first, if it lies on this part of the stack; the others keep their order."""
    for index in range(base, end):
        if s.stack[index] == cell:
            for place in range(index, base, -1):
                s.stack[place] = s.stack[place - 1]
            s.stack[base] = cell
            return


def cell_of(noted: Int) -> Int:
    """The cell of a note: an answer of the defender is written as a negative number."""
    return np.int64(noted if noted >= 0 else -1 - noted)


def note(s: Record, noted: Int) -> None:
    """Note a cell of a winning sequence, once; one too many says that there are more."""
    for index in range(min(s.sequence_length, SEQUENCE)):
        if s.sequence[index] == noted:
            return
    if s.sequence_length < SEQUENCE:
        s.sequence[s.sequence_length] = noted
    s.sequence_length = min(s.sequence_length + 1, SEQUENCE + 1)


def note_completing(s: Record, player: Int) -> None:
    """Note all cells that complete a line of the player's."""
    base = np.int64(s.top)
    push_kind(s, player, FIVE)
    for index in range(base, s.top):
        note(s, np.int64(s.stack[index]))
    s.top = base


def any_completing(s: Record, player: Int) -> Int:
    """One of the cells that complete a line of the player's."""
    base = np.int64(s.top)
    push_kind(s, player, FIVE)
    s.top = base
    return np.int64(s.stack[base])


def probe(s: Record, attacker: Int, about: Int) -> Int:
    """What the table says of the position: a number of threes or fours that do not win, or WON + the cell that wins."""
    key = s.key ^ ROLE[2 * about + attacker]
    entry = np.int64(s.table[key & (len(s.table) - 1)])
    return entry & INFO if entry >> 12 == key >> 12 else np.int64(-1)


def store(s: Record, attacker: Int, about: Int, info: Int) -> None:
    """Put into the table what is known of the position."""
    key = s.key ^ ROLE[2 * about + attacker]
    s.table[key & (len(s.table) - 1)] = (key >> 12 << 12) | info
