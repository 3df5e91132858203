"""The Connect family as a good player sees it: windows, threats and near cells. Start at InformedConnect.

Every k cells in a line are a window (connect/threats/windows.py). A window without a stone of the other player that
lacks no more than a turn's stones is hot. The state lists hot windows as stones are placed; from them follow the moves
that win this turn and those that stop the opponent from winning in the next: the WinSave rule of Kenyon's "A Monte
Carlo Tree Search Library in Haskell" (2012), for any (m, n, k, p, q).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Bool, Int, Record
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.connect.threats.windows import (
    LINE,
    at_most,
    cell_at,
    cells_of,
    lacking,
    lacking_exactly,
    line_through,
    place_on,
)
from ponderosa.core.game import rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError
from ponderosa.games.boards.line_board import end_move, take_cell
from ponderosa.games.boards.lines import bounds_by_open_lines, place_stone
from ponderosa.games.connect import Connect

MOST_HOT = 64
"""The most hot windows of a player that are listed; with more, the whole board is looked at."""


class InformedConnect(Connect):
    """A Connect game whose states know their hot windows; `near` and `forced` shorten the tree's list of moves."""

    name = "informed"
    scratch: tuple[str, ...] = (*Connect.scratch, "hot", "hots", "cover", "cover_window", "cover_left")

    def __init__(
        self,
        m: int = 15,
        n: int = 15,
        k: int = 5,
        p: int = 1,
        q: int = 1,
        exact: bool = False,
        near: int = 2,
        forced: bool = True,
    ) -> None:
        """`near`: only cells so close to a stone (0: all cells). `forced`: only winning or blocking moves, if any, and
        who cannot block has lost.
        """
        super().__init__(m, n, k, p, q, exact)
        if not 0 <= near <= 8:
            raise SettingError(f"near must be from 0 (every cell) to 8, not {near}")
        self.near, self.forced = near, forced
        assert self.dtype is not None
        self.dtype = np.dtype(
            [
                *[(name, *_field(self.dtype, name)) for name in self.dtype.names or ()],
                ("hot", "i2", 2 * MOST_HOT),  # each player's hot windows, and some that are no longer
                ("hots", "i2", 2),  # how many are listed; MOST_HOT + 1: more than fit
                ("cover", "i2", 17),  # scratch space of coverable
                ("cover_window", "i2", 18),
                ("cover_left", "i4", 18),
                ("near", "i1"),
                ("forced", "i1"),
            ]
        )

    def setup(self, s: Record) -> None:
        super().setup(s)
        s.near, s.forced = self.near, self.forced
        if self.p >= self.k:  # a turn fills a window without a stone, too
            s.hots[:] = MOST_HOT + 1

    @rule
    def apply_action(s: Record, a: Int) -> None:
        take_cell(s, a)
        row = s.row[a]
        column = a - row * s.columns
        if place_stone(s, row, column, s.player):
            s.winner = s.player + 1
        else:
            list_hot(s, row, column, s.player)
        end_move(s)

    @rule
    def playout_action(s: Record, rng: Rng) -> Any:
        window = hot_window(s, s.player, s.stones)
        if window >= 0:
            return empty_cell(s, window, s.player)
        window = hot_window(s, 1 - s.player, s.p)
        if window < 0:
            return np.int64(s.empty[below(rng, s.left)])
        if s.p == 1 and s.stones == 1:
            return empty_cell(s, window, 1 - s.player)
        return blocking_cell(s, window, below(rng, s.k))

    @rule
    def candidates(s: Record, actions: Actions) -> Any:
        if s.forced != 0:
            count = forced_moves(s, actions)
            if count > 0:
                return count
        if s.near == 0 or s.left == s.rows * s.columns:
            return all_or_centre(s, actions)
        count = near_cells(s, actions)
        return count if count == s.left else -count

    @rule
    def bounds(s: Record) -> Any:
        if s.forced == 0:
            return bounds_by_open_lines(s)
        if hot_window(s, s.player, s.stones) >= 0:
            return 1.0, 1.0
        if hot_window(s, 1 - s.player, s.p) >= 0 and not coverable(s, -1):
            return -1.0, -1.0
        return bounds_by_open_lines(s)

    @rule
    def winning_action(s: Record) -> Any:
        window = hot_window(s, s.player, 1)
        return empty_cell(s, window, s.player) if window >= 0 else np.int64(-1)

    @rule
    def evaluate(s: Record) -> Any:
        own, other = open_windows(s, s.player), open_windows(s, 1 - s.player)
        worth = 2.0 / (1.0 + np.exp(-(own * 1.2 - other) / 60.0)) - 1.0
        return (worth, -worth) if s.player == 0 else (-worth, worth)


def _field(dtype: np.dtype[Any], name: str) -> tuple[Any, ...]:
    kind = dtype[name]
    return (kind.base, kind.shape) if kind.shape else (kind,)


@inlined
def list_hot(s: Record, row: Int, column: Int, player: Int) -> None:
    """List the windows that a stone, just placed on this cell, has made hot."""
    list_hot_on(s, np.int64(row), column, player)
    list_hot_on(s, np.int64(s.span + column), row, player)
    list_hot_on(s, np.int64(2 * s.span + row - column + s.columns - 1), column, player)
    list_hot_on(s, np.int64(3 * s.span + row + column), column, player)


@inlined
def list_hot_on(s: Record, line: Int, place: Int, player: Int) -> None:
    """Those of one line; a full list is given up."""
    own = np.int64(s.lines[player * 4 * s.span + line])
    first = max(0, place - s.k + 1)
    if at_most((own >> first) & ((1 << (place - first + s.k)) - 1), s.k - s.p - 1):
        return  # most often: not enough stones around
    free = cells_of(s, line) & ~np.int64(s.lines[(1 - player) * 4 * s.span + line])
    begins = lacking_exactly(own, free, s.k, min(s.p, s.k - 1)) & ((1 << (place + 1)) - (1 << first))
    while begins != 0:
        if s.hots[player] < MOST_HOT:
            s.hot[player * MOST_HOT + s.hots[player]] = line * LINE + lowest_bit(begins)
        s.hots[player] = min(s.hots[player] + 1, MOST_HOT + 1)
        begins &= begins - 1


@inlined
def hot_window(s: Record, player: Int, stones: Int) -> Int:
    """A window that the player wins with, with so many stones, or -1; windows that are blocked leave the list."""
    if s.hots[player] > MOST_HOT:
        return hot_window_anywhere(s, player, stones)
    index = 0
    while index < s.hots[player]:
        window = np.int64(s.hot[player * MOST_HOT + index])
        needed = lacking(s, window, player)
        if needed != 0 and at_most(needed, stones):
            return window
        if needed == 0:
            s.hots[player] -= 1
            s.hot[player * MOST_HOT + index] = s.hot[player * MOST_HOT + s.hots[player]]
        else:
            index += 1
    return np.int64(-1)


def hot_window_anywhere(s: Record, player: Int, stones: Int) -> Int:
    """The same by looking at every window."""
    for line in range(4 * s.span):
        for begin in range(LINE):
            if is_hot(s, np.int64(line * LINE + begin), player, stones):
                return np.int64(line * LINE + begin)
    return np.int64(-1)


def is_hot(s: Record, window: Int, player: Int, stones: Int) -> Any:
    """Whether the player wins by filling a window, with at most so many stones."""
    bits = ((1 << s.k) - 1) << (window % LINE)
    if cells_of(s, window // LINE) & bits != bits:
        return False
    needed = lacking(s, window, player)
    return needed != 0 and at_most(needed, stones)


def empty_cell(s: Record, window: Int, player: Int) -> Int:
    """A cell that the player lacks to fill a window."""
    return cell_at(s, window // LINE, window % LINE + lowest_bit(lacking(s, window, player)))


def blocking_cell(s: Record, window: Int, skip: Int) -> Int:
    """A cell of the opponent's hot window from which all hot windows can still be stopped, if there is one."""
    needed = lacking(s, window, 1 - s.player)
    for index in range(s.k):
        place = (skip + index) % s.k
        if needed >> place & 1:
            action = cell_at(s, window // LINE, window % LINE + place)
            if coverable(s, action):
                return action
    return empty_cell(s, window, 1 - s.player)


def covers(s: Record, window: Int, action: Int) -> Bool:
    """Whether a cell lies in a window."""
    line = window // LINE
    row = np.int64(s.row[action])
    column = action - row * s.columns
    direction = line // s.span
    place = place_on(direction, row, column) - window % LINE
    return line_through(s, direction, row, column) == line and 0 <= place < s.k


def listed_windows(s: Record, player: Int) -> Any:
    """How many numbers to go through to see all hot windows of a player: see listed_window."""
    return s.hots[player] if s.hots[player] <= MOST_HOT else 4 * s.span * LINE


def listed_window(s: Record, player: Int, index: Int) -> Int:
    """One of the windows that may be hot."""
    return np.int64(s.hot[player * MOST_HOT + index]) if s.hots[player] <= MOST_HOT else np.int64(index)


def uncovered_window(s: Record, chosen: Int) -> Int:
    """A window that the opponent wins with next turn and that none of the first chosen cells lies in, or -1."""
    player = 1 - s.player
    for index in range(listed_windows(s, player)):
        window = listed_window(s, player, index)
        if is_hot(s, window, player, s.p):
            covered: Bool = False
            for cell in range(chosen):
                covered = covered or covers(s, window, np.int64(s.cover[cell]))
            if not covered:
                return window
    return np.int64(-1)


def coverable(s: Record, action: Int) -> Bool:
    """Whether the stones of this turn, the first on this cell (-1: anywhere), can stop every win of the opponent.

    A window that is not stopped needs a stone on one of its empty cells: each is tried, then the next window.
    """
    chosen = 0
    if action >= 0:
        s.cover[0] = action
        chosen = 1
    least = chosen
    window = uncovered_window(s, chosen)
    while window >= 0:
        s.cover_window[chosen], s.cover_left[chosen] = window, lacking(s, window, 1 - s.player)
        while chosen > least and (chosen == s.stones or s.cover_left[chosen] == 0):
            chosen -= 1  # no stone or no cell is left here: another cell for the stone before
        if chosen == s.stones or s.cover_left[chosen] == 0:
            return False
        window, left = np.int64(s.cover_window[chosen]), np.int64(s.cover_left[chosen])
        s.cover[chosen] = cell_at(s, window // LINE, window % LINE + lowest_bit(left))
        s.cover_left[chosen] = left & (left - 1)
        chosen += 1
        window = uncovered_window(s, chosen)
    return True


def forced_moves(s: Record, actions: Actions) -> Int:
    """The moves of a side that must win or block now; 0 if it is free. A side that cannot block has any move."""
    window = hot_window(s, s.player, s.stones)
    if window >= 0:
        actions[0] = empty_cell(s, window, s.player)
        return 1
    if hot_window(s, 1 - s.player, s.p) < 0:
        return 0
    count: Int = 0
    for index in range(listed_windows(s, 1 - s.player)):
        window = listed_window(s, 1 - s.player, index)
        if is_hot(s, window, 1 - s.player, s.p):
            count = add_blocks(s, window, actions, count)
    return count


def add_blocks(s: Record, window: Int, actions: Actions, count: Int) -> Int:
    """Add a window's empty cells from which everything can be stopped to a list, each once."""
    needed = lacking(s, window, 1 - s.player)
    while needed != 0:
        action = cell_at(s, window // LINE, window % LINE + lowest_bit(needed))
        needed &= needed - 1
        known = False
        for index in range(count):
            known = known or actions[index] == action
        if not known and coverable(s, action):
            actions[count] = action
            count += 1
    return count


def all_or_centre(s: Record, actions: Actions) -> Any:
    """Every empty cell; on an empty board with `near`, the one in the middle."""
    if s.near > 0:
        actions[0] = (s.rows // 2) * s.columns + s.columns // 2
        return 1 if s.left == 1 else -1
    for index in range(s.left):
        actions[index] = s.empty[index]
    return s.left


def near_cells(s: Record, actions: Actions) -> Int:
    """The empty cells within a distance of a stone: every row's stones, widened by shifts, on the rows around it."""
    count = 0
    full = (1 << s.columns) - 1
    other = 4 * s.span
    for row in range(s.rows):
        close = np.int64(0)
        for at in range(max(0, row - s.near), min(s.rows, row + s.near + 1)):
            stones = np.int64(s.lines[at]) | np.int64(s.lines[other + at])
            for shift in range(s.near + 1):
                close |= (stones << shift) | (stones >> shift)
        close &= full & ~(np.int64(s.lines[row]) | np.int64(s.lines[other + row]))
        while close != 0:
            actions[count] = row * s.columns + lowest_bit(close)
            close &= close - 1
            count += 1
    return count


def open_windows(s: Record, player: Int) -> Int:
    """The squares of a player's stones in windows that the other has no stone in, summed."""
    total = 0
    bits = (1 << s.k) - 1
    for line in range(4 * s.span):
        own = np.int64(s.lines[player * 4 * s.span + line])
        free = cells_of(s, line) & ~np.int64(s.lines[(1 - player) * 4 * s.span + line])
        begin = 0
        while own >> begin != 0:
            if (free >> begin) & bits == bits:
                stones = count_bits((own >> begin) & bits)
                total += stones * stones
            begin += 1
    return total
