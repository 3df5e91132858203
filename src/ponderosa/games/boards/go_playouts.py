"""What a player of Go sees at once beside the last stone: chains that can be taken or saved, and shapes to answer.

Start at urgent_point. Shapes beside the last move are from S. Gelly, Y. Wang, R. Munos and O. Teytaud, "Modification of
UCT with patterns in Monte-Carlo Go" (2006).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.chains import BLACK, BORDER, EMPTY, MOST_BESIDE, WHITE, beside, may_play

SHAPES = """
    X O X   X O .   X O ?   . O .
    . . .   . . .   X . .   X . .
    ? ? ?   ? . ?   ? . ?   . . .

    X O ?   X O ?   ? X ?   O X ?
    O . o   O . X   O . O   o . O
    ? o ?   ? ? ?   o o o   ? ? ?

    X . ?   O X ?   ? X ?   ? X O
    O . ?   X . O   x . O   x . x
    # # #   # # #   # # #   # # #
"""
"""Answers to hanes, cuts, moves at the edge: X and O are stones of either colour, x and o anything but these, and # is
beyond the edge."""
MEANING = {
    **{".": (EMPTY,), "X": (BLACK,), "O": (WHITE,), "#": (BORDER,), "?": (EMPTY, BLACK, WHITE, BORDER)},
    **{"x": (EMPTY, WHITE, BORDER), "o": (EMPTY, BLACK, BORDER)},
}


def shape_table() -> Any:
    """For everything that may be around a point, 4 to the 8, whether it is one of the shapes."""
    found = np.zeros(4**8, bool)
    for block in SHAPES.strip().split("\n\n"):
        rows = [line.split() for line in block.strip().splitlines()]
        for column in range(0, len(rows[0]), 3):
            square = np.array([row[column : column + 3] for row in rows])
            for turn, mirrored, swapped in itertools.product(range(4), (False, True), (False, True)):
                seen = np.rot90(square.T if mirrored else square, turn).ravel()
                kinds = [MEANING[sign.translate(SWAPPED) if swapped else sign] for sign in np.delete(seen, 4)]
                for around in itertools.product(*kinds):
                    found[sum(stone << 2 * place for place, stone in enumerate(around))] = True
    return found


SWAPPED = str.maketrans("XOxo", "OXox")
SHAPE_TABLE = shape_table()


@inlined
def around(s: Record, point: Int) -> Any:
    """The eight points around a point, row by row."""
    up, down = point + s.stride, point - s.stride
    return up - 1, up, up + 1, point - 1, point + 1, down - 1, down, down + 1


def urgent_point(s: Record, rng: Rng) -> Any:
    """Where to answer the stone that was put last: 0, nowhere."""
    last, own = np.int64(s.last), np.int64(s.player) + 1
    point = last_liberty(s, np.int64(s.chain[last]))
    if point != 0 and may_play(s, point):
        return point  # it can be taken
    for other in beside(s, last):
        if s.board[other] == own:
            point = last_liberty(s, np.int64(s.chain[other]))
            if point != 0 and breathes(s, point, own) and may_play(s, point):
                return point  # it can be saved
    found, count = np.int64(0), 0
    for point in around(s, last):
        shape = s.board[point] == EMPTY and SHAPE_TABLE[what_is_around(s, point)]
        if shape and breathes(s, point, own) and may_play(s, point):
            count += 1
            if below(rng, count) == 0:
                found = np.int64(point)
    return found


@inlined
def what_is_around(s: Record, point: Int) -> Any:
    """What is on the eight points around one, as a number."""
    found: Any = 0
    place = 0
    for other in around(s, point):
        found |= np.int64(s.board[other]) << place
        place += 2
    return found


def last_liberty(s: Record, chain: Int) -> Any:
    """The only free point beside a chain; 0: there are several."""
    found, stone = np.int64(0), chain
    if s.liberties[chain] > MOST_BESIDE:  # a point is beside four stones at most
        return found
    while True:
        for other in beside(s, stone):
            if s.board[other] == EMPTY and other != found:
                if found != 0:
                    return np.int64(0)
                found = np.int64(other)
        stone = np.int64(s.next[stone])
        if stone == chain:
            return found


def breathes(s: Record, point: Int, own: Int) -> Any:
    """Whether a stone would have two liberties, or a chain beside it that has another one, or take something."""
    free = 0
    for other in beside(s, point):
        if s.board[other] == EMPTY:
            free += 1
        elif s.board[other] != BORDER:
            only = last_liberty(s, np.int64(s.chain[other]))
            if (s.board[other] == own and only == 0) or (s.board[other] != own and only == point):
                return True
    return free > 1
