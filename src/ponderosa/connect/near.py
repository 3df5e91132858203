"""The Connect family as a student project on Gomoku saw it: near cells in playouts, threes blocked by rule.

Start at NearConnect.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.connect.informed import InformedConnect, all_or_centre, forced_moves, near_cells
from ponderosa.connect.threats.windows import cell_at, cells_of
from ponderosa.core.game import rule
from ponderosa.core.rng import Rng, below

TRIES = 8
"""How often a cell is drawn from all before the near ones are counted."""


class NearConnect(InformedConnect):
    """Playouts draw cells near to stones, and a three with both ends open must be stopped, unless somebody wins."""

    name = "near"

    def __init__(
        self,
        m: int = 15,
        n: int = 15,
        k: int = 5,
        p: int = 1,
        q: int = 1,
        exact: bool = False,
        near: int = 1,
        forced: bool = True,
        threes: bool = True,
    ) -> None:
        """`threes`: whoever faces k - 2 stones in a row with both ends empty plays at one of them, with one stone a
        turn; `near` and `forced` are those of InformedConnect.
        """
        super().__init__(m, n, k, p, q, exact, near, forced)
        self.threes = threes
        assert self.dtype is not None
        self.dtype = np.dtype([*self.dtype.descr, ("threes", "i1")])

    def setup(self, s: Record) -> None:
        super().setup(s)
        s.threes = self.threes and self.p == 1 and self.k > 2

    @rule
    def playout_action(s: Record, rng: Rng) -> Any:
        if s.near == 0 or s.left == s.rows * s.columns:
            return np.int64(s.empty[below(rng, s.left)])
        for _ in range(TRIES):
            action = np.int64(s.empty[below(rng, s.left)])
            if is_near(s, action):
                return action
        return any_near(s, rng)

    @rule
    def candidates(s: Record, actions: Actions) -> Any:
        count: Int = 0
        if s.forced != 0:
            count = forced_moves(s, actions)
        if count > 0:
            return count
        if s.threes != 0:
            count = ends_of_threes(s, actions)
        if count > 0:
            return count if count == s.left else -count
        if s.near == 0 or s.left == s.rows * s.columns:
            return all_or_centre(s, actions)
        count = near_cells(s, actions)
        return count if count == s.left else -count


def is_near(s: Record, action: Int) -> Any:
    """Whether a stone is within the distance."""
    row = np.int64(s.row[action])
    column = action - row * s.columns
    first = max(0, column - s.near)
    around = (1 << (column + s.near - first + 1)) - 1
    for at in range(max(0, row - s.near), min(s.rows, row + s.near + 1)):
        stones = np.int64(s.lines[at]) | np.int64(s.lines[4 * s.span + at])
        if (stones >> first) & around != 0:
            return True
    return False


def any_near(s: Record, rng: Rng) -> Int:
    """Any of the near cells, each as likely as the others; any cell, if there is none."""
    total = 0
    for row in range(s.rows):
        total += count_bits(close_cells(s, row))
    if total == 0:
        return np.int64(s.empty[below(rng, s.left)])
    chosen = below(rng, total)
    for row in range(s.rows):
        close = close_cells(s, row)
        here = count_bits(close)
        if chosen < here:
            for _ in range(chosen):
                close &= close - 1
            return np.int64(row * s.columns + lowest_bit(close))
        chosen -= here
    return np.int64(-1)


def close_cells(s: Record, row: Int) -> Any:
    """The empty cells of a row that are near to a stone, as bits."""
    close, other = np.int64(0), 4 * s.span
    for at in range(max(0, row - s.near), min(s.rows, row + s.near + 1)):
        stones = np.int64(s.lines[at]) | np.int64(s.lines[other + at])
        for shift in range(s.near + 1):
            close |= (stones << shift) | (stones >> shift)
    return close & ((1 << s.columns) - 1) & ~(np.int64(s.lines[row]) | np.int64(s.lines[other + row]))


def ends_of_threes(s: Record, actions: Actions) -> Int:
    """The cells at both ends of the opponent's rows of k - 2 stones, each once."""
    player, count = 1 - s.player, 0
    stones = s.k - 2
    for line in range(4 * s.span):
        own = np.int64(s.lines[player * 4 * s.span + line])
        begins = own
        for shift in range(1, stones):
            begins &= own >> shift
        if begins == 0:
            continue
        free = cells_of(s, line) & ~own & ~np.int64(s.lines[(1 - player) * 4 * s.span + line])
        begins &= (free << 1) & (free >> stones)
        while begins != 0:
            first = lowest_bit(begins)
            begins &= begins - 1
            count = add_once(cell_at(s, line, first - 1), actions, count)
            count = add_once(cell_at(s, line, first + stones), actions, count)
    return np.int64(count)


def add_once(action: Int, actions: Actions, count: int) -> int:
    """Add a cell to a list, if it is not there; returns how many there are."""
    for index in range(count):
        if actions[index] == action:
            return count
    actions[count] = action
    return count + 1
