"""Wins by threats: sequences in which every turn leaves the defender no choice. Start at threat_win.

A turn threatens if it leaves hot windows (connect/threats/windows.py) that the defender needs all stones of the next
turn to stop. `fours_win` finds wins of such turns alone: for one stone a turn, victory by continuous fours; for more,
by threats that take the whole turn. The defender answers with every cell of every way to stop the threat at once: never
less than a real answer, so a win that is found is a win (threat-space search, Allis, van den Herik & Huntjens 1993).

`threat_win` and `threat_loss` add threes, for one stone a turn: moves that threaten a win by fours. The defender may
then play anything; only cells that can disturb the threatened win are worth a look (lambda search, Thomsen 2000).

The state has, beside the fields of games/connect.py, stack and top (windows and cells), sequence and sequence_length
(the cells of the last win by fours), first_answer, and effort (how many more turns may be looked at).
"""

from __future__ import annotations

import numpy as np

from ponderosa.compile.annotations import Bool, Int, Record
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.connect.threats.windows import (
    LINE,
    cell_at,
    cells_of,
    lacking,
    lacking_exactly,
    line_through,
    place_on,
    stones_in,
)

STACK = 1200
SEQUENCE = 96
DEEPEST = 16
"""The most turns of the attacker in a sequence."""
TRY_EACH, TRY_BLOCK, TRY_TOGETHER = 10_000, 10_001, 10_002
"""What `prove` does with the cells on the stack; smaller numbers are answers."""


def threat_win(s: Record, player: Int, stones: Int, depth: Int) -> Int:
    """The first cell of a win by threats, with up to `depth` threes; -1 if none is found. The player is to move."""
    s.top = s.sequence_length = 0
    for threes in range(depth + 1):
        cell = prove(s, np.int64(player), np.int64(stones), np.int64(1), np.int64(threes))
        if cell >= 0 or s.effort < 0:
            return cell
    return np.int64(-1)


def threat_loss(s: Record, player: Int, depth: Int) -> Bool:
    """Whether the player, who is to move with a whole turn, is lost to threats of the opponent."""
    s.top = s.sequence_length = 0
    for threes in range(depth + 1):
        if prove(s, np.int64(player), np.int64(s.p), np.int64(0), np.int64(threes)) >= 0:
            return True
    return False


def prove(s: Record, player: Int, stones: Int, attacks: Int, depth: Int) -> Int:
    """Whether the attacker wins, the player being to move: a cell that wins, or for the defender any number; -1: no.

    `attacks` is 1 or 0. Machine code that is kept on disk may call itself, but only with arguments of the same types,
    and not in a circle of functions; hence every number here is an int64.
    """
    base = np.int64(s.top)
    answer = attacking_turns(s, player, stones, depth) if attacks != 0 else defending_turns(s, player)
    if answer < TRY_EACH:
        s.top = base
        return answer
    begin, end = base, np.int64(s.top)
    found = np.int64(-1 if attacks != 0 else 0)
    if answer == TRY_TOGETHER:
        begin = np.int64(s.first_answer)
        flip_all(s, begin, end, player)
        if has_line(s, begin, end, player) or prove(s, 1 - player, np.int64(s.p), np.int64(1), depth) < 0:
            found = np.int64(-1)
        flip_all(s, begin, end, player)
    else:
        three = np.int64(1 if attacks != 0 and answer == TRY_EACH else 0)
        for index in range(begin, end):
            cell = np.int64(s.stack[index])
            flip(s, cell, player)
            lost = prove(s, 1 - player, np.int64(s.p), 1 - attacks, depth - three) >= 0
            flip(s, cell, player)
            s.top = end
            if lost == (attacks != 0):
                found = cell if attacks != 0 else np.int64(-1)
                break
    s.top = base
    return found


def attacking_turns(s: Record, player: Int, stones: Int, depth: Int) -> Int:
    """Push what the attacker should try; or the cell of a win by fours, or -1 if there is nothing to try."""
    if s.effort < 0:
        return np.int64(-1)
    cell = fours_win(s, player, stones)
    if cell >= 0 or s.p > 1:
        return cell
    base = np.int64(s.top)
    push_hot(s, 1 - player, 1)
    if s.top > base:  # the defender has made a four
        cell = only_cell(s, 1 - player, base)
        s.top = base
        push(s, cell)
        return np.int64(TRY_BLOCK if cell >= 0 else -1)
    if depth == 0:
        return np.int64(-1)
    push_threes(s, player)
    return np.int64(TRY_EACH)


def defending_turns(s: Record, player: Int) -> Int:
    """Push what the defender should try; or 0 if the defender is lost, -1 if safe or nobody knows."""
    base = np.int64(s.top)
    push_hot(s, player, s.p)
    if s.effort < 0 or s.top > base:
        return np.int64(-1)
    push_hot(s, 1 - player, s.p)
    if s.top > base:
        s.first_answer = s.top
        least = push_covers(s, base, s.p)
        if s.effort < 0 or least < s.p:
            return np.int64(-1)
        return np.int64(0 if least > s.p else TRY_TOGETHER)
    s.sequence_length = 0
    if s.p > 1 or fours_win(s, 1 - player, np.int64(1)) < 0 or s.sequence_length > SEQUENCE:
        return np.int64(-1)
    push_defences(s, player)
    return np.int64(TRY_EACH if s.effort >= 0 else -1)


def fours_win(s: Record, player: Int, stones: Int) -> Int:
    """The first cell of a win in which every turn takes the opponent's whole answer, or -1; its cells: s.sequence."""
    base = np.int64(s.top)
    push_hot(s, player, stones)
    if s.top > base:
        window = np.int64(s.stack[base])
        note_window(s, window, player)
        s.top = base
        return cell_at(s, window // LINE, window % LINE + lowest_bit(lacking(s, window, player)))
    push_hot(s, 1 - player, s.p)
    found = attack(s, np.int64(player), np.int64(stones), np.int64(-1), base, np.int64(s.top), np.int64(DEEPEST))
    s.top = base
    return found


def attack(s: Record, player: Int, stones: Int, floor: Int, danger: Int, danger_end: Int, depth: Int) -> Int:
    """Try the stones of a turn one after the other; the opponent's hot windows lie on the stack from danger on."""
    s.effort -= 1
    if s.effort < 0:
        return np.int64(-1)
    base = np.int64(s.top)
    push_useful(s, player, s.p + stones)
    end = np.int64(s.top)
    found = np.int64(-1)
    for index in range(base, end):
        cell = np.int64(s.stack[index])
        if cell <= floor or (stones == 1 and not stops(s, cell, player, danger, danger_end)):
            continue
        flip(s, cell, player)
        if stones > 1:
            won = attack(s, player, stones - 1, cell, danger, danger_end, depth) >= 0
        else:
            won = cannot_be_stopped(s, player, cell, floor)
            if not won and s.top > end and depth > 0:
                begin, answers = np.int64(s.first_answer), np.int64(s.top)
                flip_all(s, begin, answers, 1 - player)
                if not has_line(s, begin, answers, 1 - player):
                    for at in range(begin, answers):
                        push_hot_through(s, np.int64(s.stack[at]), 1 - player, s.p)
                    won = attack(s, player, np.int64(s.p), np.int64(-1), answers, np.int64(s.top), depth - 1) >= 0
                flip_all(s, begin, answers, 1 - player)
                if won:
                    note_answers(s, begin, answers)
        flip(s, cell, player)
        s.top = end
        if won:
            found = cell
            note(s, cell)
        if won or s.effort < 0:
            break
    s.top = base
    return found


def cannot_be_stopped(s: Record, player: Int, last: Int, before: Int) -> Bool:
    """Whether a turn wins at once; else push the answers, if they take the opponent's whole turn.

    `last` and `before` are its last two stones: hot windows lie on their lines, if a turn has no more stones and none
    of them was on the board already.
    """
    base = np.int64(s.top)
    if s.p > 2 or (s.p == 2 and before < 0):
        push_hot(s, player, s.p)
    else:
        push_hot_through(s, last, player, s.p)
        if before >= 0:
            push_hot_through(s, before, player, s.p)
    if s.top == base:
        return False
    s.first_answer = s.top
    least = push_covers(s, base, s.p)
    if least > s.p and s.effort >= 0:
        for index in range(base, s.top):
            note_window(s, np.int64(s.stack[index]), player)
        return True
    if least < s.p or s.effort < 0:
        s.top = base
    return False


def stops(s: Record, cell: Int, player: Int, danger: Int, danger_end: Int) -> Bool:
    """Whether a turn's last stone covers every window of danger that is not covered yet."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    for index in range(danger, danger_end):
        window = np.int64(s.stack[index])
        direction = window // LINE // s.span
        place = place_on(direction, row, column) - window % LINE
        inside = line_through(s, direction, row, column) == window // LINE and 0 <= place < s.k
        if not inside and lacking(s, window, 1 - player) != 0:
            return False
    return True


def push(s: Record, value: Int) -> None:
    """Put a number on the stack; a full stack forgets it, and the search is given up."""
    if s.top < STACK:
        s.stack[s.top] = value
        s.top += 1
    else:
        s.effort = -1


def push_hot(s: Record, player: Int, stones: Int) -> None:
    """Push the windows that a player wins with, with up to `stones` stones."""
    for line in range(4 * s.span):
        push_hot_on(s, np.int64(line), player, stones)


def push_hot_through(s: Record, cell: Int, player: Int, stones: Int) -> None:
    """Push those of the four lines through a cell."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    for direction in range(4):
        push_hot_on(s, line_through(s, direction, row, column), player, stones)


def push_hot_on(s: Record, line: Int, player: Int, stones: Int) -> None:
    """Push those of one line."""
    own = np.int64(s.lines[player * 4 * s.span + line])
    if count_bits(own) < s.k - stones:
        return
    bits = (1 << s.k) - 1
    free = cells_of(s, line) & ~np.int64(s.lines[(1 - player) * 4 * s.span + line])
    begins = starts_of_runs(free, s.k)
    while begins != 0:
        begin = lowest_bit(begins)
        begins &= begins - 1
        needed = bits & ~(own >> begin)
        if count_bits(needed) <= stones and lacking(s, line * LINE + begin, player) != 0:
            push(s, line * LINE + begin)


def push_useful(s: Record, player: Int, most: Int) -> None:
    """Push the empty cells of windows that lack at most `most` of the player's stones, once a line."""
    bits = (1 << s.k) - 1
    for line in range(4 * s.span):
        own = np.int64(s.lines[player * 4 * s.span + line])
        if own == 0 or count_bits(own) < s.k - most:
            continue
        free = cells_of(s, line) & ~np.int64(s.lines[(1 - player) * 4 * s.span + line])
        begins = starts_of_runs(free, s.k)
        useful = np.int64(0)
        while begins != 0:
            begin = lowest_bit(begins)
            begins &= begins - 1
            needed = bits & ~(own >> begin)
            if needed != bits and count_bits(needed) <= most:
                useful |= needed << begin
        while useful != 0:
            push(s, cell_at(s, line, lowest_bit(useful)))
            useful &= useful - 1


def push_threes(s: Record, player: Int) -> None:
    """Push the cells that make two windows or more in which the player could make a four."""
    base = np.int64(s.top)
    push_useful(s, player, 3)
    end = np.int64(s.top)
    s.top = base
    for index in range(base, end):
        cell = np.int64(s.stack[index])
        if windows_with(s, cell, player) > 1:
            push_once(s, cell, base, STACK)


def windows_with(s: Record, cell: Int, player: Int) -> Int:
    """How many windows through an empty cell lack two stones, or fewer, when it is taken."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    count = np.int64(0)
    for direction in range(4):
        line, place = line_through(s, direction, row, column), place_on(direction, row, column)
        own = np.int64(s.lines[player * 4 * s.span + line]) | 1 << place
        if count_bits(own) >= s.k - 2:
            free = cells_of(s, line) & ~np.int64(s.lines[(1 - player) * 4 * s.span + line])
            begins = lacking_exactly(own, free, s.k, 2) | lacking_exactly(own, free, s.k, 1)
            first = max(0, place - s.k + 1)
            count += count_bits(begins & ((1 << (place + 1)) - (1 << first)))
    return count


def starts_of_runs(bits: Int, k: Int) -> Int:
    """The places where k set bits in a row begin."""
    starts = bits
    for place in range(1, k):
        starts &= bits >> place
    return starts


def push_covers(s: Record, base: Int, most: Int) -> Int:
    """Push every cell of every way to stop the windows on the stack from base on with `most` stones, each once.

    Returns the size of the smallest way; more than `most` if there is none.
    """
    windows = np.int64(s.top)
    chosen = windows + 64  # the cells that are being tried lie above those that are found
    if chosen + most > STACK:
        s.effort = -1
        return np.int64(0)
    return cover(s, base, windows, chosen, np.int64(0), np.int64(most))


def cover(s: Record, base: Int, windows: Int, chosen: Int, count: Int, most: Int) -> Int:
    """Add a stone to those chosen, for the first window that none of them stops."""
    window = np.int64(-1)
    for index in range(base, windows):
        if not stopped(s, np.int64(s.stack[index]), chosen, count):
            window = np.int64(s.stack[index])
            break
    if window < 0:
        for index in range(count):
            push_once(s, np.int64(s.stack[chosen + index]), windows, chosen)
        return count
    least: Int = np.int64(most + 1)
    if count < most:
        empty = (1 << s.k) - 1 & ~(stones_in(s, window, 0) | stones_in(s, window, 1))
        while empty != 0:
            s.stack[chosen + count] = cell_at(s, window // LINE, window % LINE + lowest_bit(empty))
            empty &= empty - 1
            least = min(least, cover(s, base, windows, chosen, count + 1, most))
    return least


def stopped(s: Record, window: Int, chosen: Int, count: Int) -> Bool:
    """Whether one of the chosen cells lies in a window."""
    for index in range(count):
        cell = np.int64(s.stack[chosen + index])
        row = np.int64(s.row[cell])
        column = cell - row * s.columns
        direction = window // LINE // s.span
        place = place_on(direction, row, column) - window % LINE
        if line_through(s, direction, row, column) == window // LINE and 0 <= place < s.k:
            return True
    return False


def push_once(s: Record, cell: Int, begin: Int, limit: Int) -> None:
    """Push a cell that does not lie on the stack from begin on."""
    for index in range(begin, s.top):
        if s.stack[index] == cell:
            return
    if s.top < limit:
        push(s, cell)
    else:
        s.effort = -1


def push_defences(s: Record, player: Int) -> None:
    """Push the answers that can matter against the win by fours in s.sequence, each once.

    They lie on its cells, or make a four of the player, now or together with the answers in it.
    """
    base = np.int64(s.top)
    for index in range(s.sequence_length):
        push_once(s, cell_of(s.sequence[index]), base, STACK)
    flip_answers(s, player)
    begin = s.top
    push_useful(s, player, 2)
    end = np.int64(s.top)
    flip_answers(s, player)
    s.top = begin
    for index in range(begin, end):
        push_once(s, np.int64(s.stack[index]), base, STACK)


def flip_answers(s: Record, player: Int) -> None:
    """Put the defender's answers in s.sequence on the board, or take them away again."""
    for index in range(s.sequence_length):
        if s.sequence[index] < 0:
            flip(s, cell_of(s.sequence[index]), player)


def cell_of(noted: Int) -> Int:
    """The cell of a note: an answer of the defender is written as a negative number."""
    return np.int64(noted if noted >= 0 else -1 - noted)


def only_cell(s: Record, player: Int, base: Int) -> Int:
    """The one cell that the windows on the stack from base on lack, each one; -1 if they lack different ones."""
    only: Int = np.int64(-1)
    for index in range(base, s.top):
        window = np.int64(s.stack[index])
        cell = cell_at(s, window // LINE, window % LINE + lowest_bit(lacking(s, window, player)))
        if only >= 0 and cell != only:
            return np.int64(-1)
        only = cell
    return only


def has_line(s: Record, begin: Int, end: Int, player: Int) -> Bool:
    """Whether one of the cells on this part of the stack, all the player's now, is part of k in a row."""
    for index in range(begin, end):
        cell = np.int64(s.stack[index])
        row = np.int64(s.row[cell])
        column = cell - row * s.columns
        for direction in range(4):
            if starts_of_runs(np.int64(s.lines[player * 4 * s.span + line_through(s, direction, row, column)]), s.k):
                return True
    return False


def flip(s: Record, cell: Int, player: Int) -> None:
    """Put a stone on an empty cell, or take it away again; on the lines alone."""
    row = np.int64(s.row[cell])
    column = cell - row * s.columns
    for direction in range(4):
        line = player * 4 * s.span + line_through(s, direction, row, column)
        s.lines[line] ^= 1 << place_on(direction, row, column)


def flip_all(s: Record, begin: Int, end: Int, player: Int) -> None:
    """Flip the cells on a part of the stack."""
    for index in range(begin, end):
        flip(s, np.int64(s.stack[index]), player)


def note_answers(s: Record, begin: Int, end: Int) -> None:
    """Note the defender's cells on a part of the stack."""
    for index in range(begin, end):
        note(s, -1 - np.int64(s.stack[index]))


def note_window(s: Record, window: Int, player: Int) -> None:
    """Note the cells that a hot window lacks."""
    needed = lacking(s, window, player)
    while needed != 0:
        note(s, cell_at(s, window // LINE, window % LINE + lowest_bit(needed)))
        needed &= needed - 1


def note(s: Record, noted: Int) -> None:
    """Note a cell of a winning sequence, once; one too many says that there are more."""
    for index in range(min(s.sequence_length, SEQUENCE)):
        if s.sequence[index] == noted:
            return
    if s.sequence_length < SEQUENCE:
        s.sequence[s.sequence_length] = noted
    s.sequence_length = min(s.sequence_length + 1, SEQUENCE + 1)
