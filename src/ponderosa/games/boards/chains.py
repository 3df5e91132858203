"""Stones on a board with borders, the chains that they form, and what they leave free. Start at put_stone.

Every chain counts its liberties once for each stone that touches them, which is cheap to keep and says whether it has
any. The state has the fields of `chain_fields`, and player.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.marks import inlined
from ponderosa.games.boards.repetition import place_of

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
"""What is on a point; a player's stones are the player's number plus one."""
LARGEST_SIDE = 19
MOST_BESIDE = 4
"""Points beside a point."""


def points_of(side: int) -> int:
    """A row of border, rows with one point of border to their left, and a row and a point of border."""
    return (side + 2) * (side + 1) + 1


NUMBERS = np.random.default_rng(361).integers(1, 2**62, 2 * points_of(LARGEST_SIDE) + 2, dtype=np.int64)
"""A random number for each stone on each point: a position is the exclusive or of its stones' (Zobrist 1970)."""
NO_STONES = int(NUMBERS[-1])
"""The number of the empty board."""


def chain_fields(side: int) -> list[Any]:
    """The fields of a state's dtype for boards with sides up to this one."""
    points, cells = points_of(side), side * side
    return [
        ("board", "i1", points),
        ("chain", "i2", points),  # the point that stands for the chain of a stone; 0: no stone
        ("next", "i2", points),  # from each stone of a chain to the next, round and round
        ("size", "i2", points),  # stones of each chain
        ("liberties", "i2", points),  # of each chain
        ("empty", "i2", cells),  # the first `left` are the points that are free
        ("place", "i2", points),  # where each point stands in empty
        ("point_of", "i2", cells),  # of each cell, row * side + column
        ("cell_of", "i2", points),
        ("reach", "i1", points),  # which colours' stones a point is connected with
        ("hash", "i8"),
        ("left", "i2"),
        ("stride", "i1"),  # from a point to the one above
    ]


CHAIN_SCRATCH = ("chain", "next", "size", "liberties", "empty", "place", "reach")
"""Those that only make the rules fast."""


def set_up_chains(s: Record, side: int) -> None:
    """An empty board."""
    stride = side + 1
    cells = np.arange(side * side)
    points = cells + cells // side + stride + 1
    s.stride, s.left, s.hash = stride, len(cells), NO_STONES
    s.board[:] = BORDER
    s.board[points] = EMPTY
    s.empty[: len(cells)] = s.point_of[: len(cells)] = points
    s.place[points] = s.cell_of[points] = cells


@inlined
def beside(s: Record, point: Int) -> Any:
    """The four points beside a point."""
    return point - s.stride, point - 1, point + 1, point + s.stride


@inlined
def number_of(point: Int, own: Int) -> Any:
    """The random number of a stone."""
    return NUMBERS[2 * point + own - 1]


def put_stone(s: Record, point: Int, own: Int) -> None:
    """Put a stone on a free point; what it leaves without a liberty is taken off the board."""
    take_point(s, point)
    s.board[point] = own
    s.hash ^= number_of(point, own)
    s.chain[point] = s.next[point] = point
    s.size[point] = 1
    free = 0
    for other in beside(s, point):
        free += s.board[other] == EMPTY
        s.liberties[s.chain[other]] -= 1  # those of no chain are nobody's
    s.liberties[point] = free
    for other in beside(s, point):
        if s.board[other] == own:
            if s.chain[other] != s.chain[point]:
                join(s, np.int64(s.chain[other]), np.int64(s.chain[point]))
        elif s.chain[other] != 0 and s.liberties[s.chain[other]] == 0:
            take_off(s, np.int64(s.chain[other]))


@inlined
def take_point(s: Record, point: Int) -> None:
    """Take a point out of the list of free ones: the last of the list moves into its place."""
    s.left -= 1
    moved = s.empty[s.left]
    s.empty[s.place[point]] = moved
    s.place[moved] = s.place[point]


def join(s: Record, one: Int, other: Int) -> None:
    """Make two chains one; the stones of the smaller are told that they belong to the other."""
    kept, lost = (one, other) if s.size[one] > s.size[other] else (other, one)
    stone = lost
    while True:
        s.chain[stone] = kept
        if s.next[stone] == lost:
            break
        stone = np.int64(s.next[stone])
    s.next[stone] = s.next[kept]
    s.next[kept] = lost
    s.size[kept] += s.size[lost]
    s.liberties[kept] += s.liberties[lost]


def take_off(s: Record, chain: Int) -> None:
    """Take a chain's stones off the board: every stone beside one of them has a liberty more."""
    stone = chain
    while True:
        s.hash ^= number_of(stone, s.board[stone])
        s.board[stone] = EMPTY
        s.chain[stone] = 0
        s.place[stone] = s.left
        s.empty[s.left] = stone
        s.left += 1
        for other in beside(s, stone):
            s.liberties[s.chain[other]] += 1
        stone = np.int64(s.next[stone])
        if stone == chain:
            break


def hash_after(s: Record, point: Int, own: Int) -> Any:
    """The number of the position after a stone on a free point; -1: the stone, or its chain, would have no liberty.

    All four points are asked the same, without a branch: which stones are where on a board of a playout, no processor
    predicts. Only stones that are taken, which are few, are looked at again.
    """
    found = s.hash ^ number_of(point, own)
    alive, takes = False, False
    for other in beside(s, point):
        chain, stone = np.int64(s.chain[other]), np.int64(s.board[other])
        last = s.liberties[chain] <= touching(s, point, chain)
        alive |= (stone == EMPTY) | ((stone == own) & (last ^ True))
        takes |= (stone == BLACK + WHITE - own) & last
    if takes:
        for other in beside(s, point):
            chain = np.int64(s.chain[other])
            taken = s.board[other] == BLACK + WHITE - own and s.liberties[chain] <= touching(s, point, chain)
            if taken and first_touching(s, point, chain) == other:
                found ^= hash_of(s, chain)
    return found if alive or takes else np.int64(-1)


@inlined
def touching(s: Record, point: Int, chain: Int) -> Any:
    """How many stones of a chain are beside a point."""
    count = 0
    for other in beside(s, point):
        count += s.chain[other] == chain
    return count


def first_touching(s: Record, point: Int, chain: Int) -> Any:
    """The first of the points beside a point on which a chain has a stone; it must have one."""
    for other in beside(s, point):
        if s.chain[other] == chain:
            return np.int64(other)
    return np.int64(0)


def hash_of(s: Record, chain: Int) -> Any:
    """The exclusive or of the numbers of a chain's stones."""
    own, found, stone = np.int64(s.board[chain]), np.int64(0), chain
    while True:
        found ^= number_of(stone, own)
        stone = np.int64(s.next[stone])
        if stone == chain:
            return found


@inlined
def is_eye(s: Record, point: Int, own: Int) -> Any:
    """Whether a free point is one that its owner does not fill: only own stones beside it, and most at its corners."""
    for other in beside(s, point):
        if s.board[other] != own and s.board[other] != BORDER:
            return False
    border, others = 0, 0
    for corner in (point - s.stride - 1, point - s.stride + 1, point + s.stride - 1, point + s.stride + 1):
        border |= s.board[corner] == BORDER
        others += s.board[corner] == BLACK + WHITE - own
    return border + others < 2


def area(s: Record) -> Any:
    """Black's points less White's: stones, and free points that are connected with stones of one colour only."""
    balance: Any = 0
    for cell in range(s.left):
        s.reach[s.empty[cell]] = 0
    changed = True
    while changed:
        changed = False
        for index in range(s.left):
            point = np.int64(s.empty[index])
            reach = np.int64(s.reach[point])
            for other in beside(s, point):
                if s.chain[other] != 0:
                    reach |= s.board[other]
                elif s.board[other] == EMPTY:
                    reach |= s.reach[other]
            if reach != s.reach[point]:
                s.reach[point] = reach
                changed = True
    for index in range(s.left):
        balance += owned(s.reach[s.empty[index]])
    for place in range(s.stride + 1, s.stride * s.stride):
        balance += owned(s.board[place])
    return balance


@inlined
def owned(colour: Int) -> Any:
    """What a point of a colour counts for Black."""
    return (colour == BLACK) * 1 - (colour == WHITE) * 1


@inlined
def may_play(s: Record, point: Int) -> Any:
    """Whether the player to move may put a stone on a free point."""
    after = hash_after(s, point, np.int64(s.player) + 1)
    return after >= 0 and s.seen[place_of(s, after)] != after
