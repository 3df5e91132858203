"""What shapes are worth, by the stones of a turn. Start at WEIGHTS.

Fitted to what the search that uses them finds in positions of its own games, by logistic regression on the shapes of
both players; 400 points are worth the odds of e to 1. That was done twice, each time with the weights before; a third
time made them no better. benchmarks/shape_weights.py plays, searches and fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

Ways = tuple[int, int, int, int]
"""One number for each way in which a shape can go on (games/shapes.py): 0, 1, 2, 3 or more."""

NO_FIELD, LESSER, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(-1, 5)
"""What a shape counts as in the code of a cell (games/shaped.py)."""


CLASSES = 9
"""Shapes are told apart by so many classes where they meet; class 0 is worth nothing."""
APART = (0, 1, 5, 21, 55, 153, 368, 856, 1424)
"""A number for each class: sums of four of these differ unless they are of the same four (a Sidon set of order 4)."""


class Weights(NamedTuple):
    """Everything about shapes that depends on the game; lists go by the number of stones that are missing."""

    fields: list[Ways]
    """What a shape counts as."""
    order: list[Ways]
    """What a shape makes of a move when moves are put in order."""
    classes: list[Ways]
    """The class of a shape."""
    moving: list[list[int]]
    """What a shape of class 1, 2, ... on an empty cell is worth to the player to move: first alone, then what is added
    when it meets one of class 1, 2, ..., up to its own, in another direction."""
    waiting: list[list[int]]
    """What it is worth to the other."""
    tempo: int
    """What each stone that is left in the turn is worth."""
    moving_kinds: Ways
    """What it is worth to the player to move to have a cell of a kind: THREE, THREES, FOUR, FOUR_THREE."""
    waiting_kinds: Ways
    """The same for the other."""
    eager: int = 0
    """By so many 32nds the shapes of the player who searches count more on small boards, where draws are many."""


def meetings(weights: Weights) -> Iterator[tuple[int, int, int]]:
    """All shapes that can meet on a cell: their number, and what they are worth to the player to move and to wait."""
    for classes in combinations_with_replacement(range(CLASSES), 4):
        present = [c for c in classes if c > 0]
        worth = []
        for table in (weights.moving, weights.waiting):
            alone = sum(table[c - 1][0] for c in present)
            worth.append(alone + sum(table[max(pair) - 1][min(pair)] for pair in combinations(present, 2)))
        yield sum(APART[c] for c in classes), worth[0], worth[1]


ONE_STONE = Weights(
    fields=[
        (FIVE, FIVE, FIVE, FIVE),
        (FOUR, FOUR, OPEN_FOUR, OPEN_FOUR),
        (LESSER, OPEN_THREE, OPEN_THREE, OPEN_THREE),
        (NO_FIELD, LESSER, LESSER, LESSER),
    ],
    order=[(3000, 3000, 3000, 3000), (60, 60, 500, 500), (20, 50, 60, 66), (4, 14, 17, 20), (1, 2, 3, 4)],
    classes=[(1, 1, 1, 1), (1, 1, 1, 1), (2, 3, 4, 4), (5, 6, 7, 8)],
    moving=[
        [150, 0],
        [25, 191, 20],
        [110, 643, 67, -96],
        [90, 800, 94, -275, -428],
        [1, 23, 6, 12, 8, -2],
        [0, 0, 0, 0, 0, 0, 0],
        [5, 138, 18, 83, 83, 1, 0, 13],
        [17, 230, 26, 110, 159, -1, 0, 19, 37],
    ],
    waiting=[
        [135, 0],
        [23, 110, 12],
        [89, 235, 24, 75],
        [78, 198, 15, 22, 63],
        [1, 30, 7, -2, 9, 1],
        [0, 0, 0, 0, 0, 0, 0],
        [5, 79, 11, 25, 25, 2, 0, 10],
        [15, 99, 13, 27, 44, 0, 0, 10, 23],
    ],
    tempo=312,
    moving_kinds=(-15, 1077, -21, 944),
    waiting_kinds=(-6, -37, -18, 205),
)
TWO_STONES = Weights(
    fields=[
        (FIVE, FIVE, FIVE, FIVE),
        (OPEN_FOUR, OPEN_FOUR, OPEN_FOUR, OPEN_FOUR),
        (OPEN_THREE, OPEN_THREE, OPEN_THREE, OPEN_THREE),
        (LESSER, LESSER, LESSER, LESSER),
    ],
    order=[(3000, 3000, 3000, 3000), (300, 300, 350, 400), (60, 70, 80, 90), (16, 20, 26, 30), (3, 4, 6, 8)],
    classes=[(1, 1, 1, 1), (1, 1, 1, 1), (2, 2, 3, 4), (5, 5, 6, 7), (8, 8, 8, 8)],
    moving=[
        [0, 0],
        [31, 0, 631],
        [100, 0, 800, 0],
        [0, 0, 0, 0, 0],
        [5, 0, 26, 186, 0, -2],
        [6, 0, -13, 161, 0, -8, -9],
        [8, 0, 168, 543, 0, 43, 36, 125],
        [-2, 0, 16, 115, 0, 1, 2, 20, 5],
    ],
    waiting=[
        [0, 0],
        [24, 0, 7],
        [52, 0, -144, 0],
        [0, 0, 0, 0, 0],
        [6, 0, 6, 18, 0, -2],
        [8, 0, 2, -86, 0, -1, -11],
        [19, 0, -15, -78, 0, -7, -16, -26],
        [2, 0, 2, -4, 0, -1, -5, 4, -2],
    ],
    tempo=292,
    moving_kinds=(-20, -390, 0, 0),
    waiting_kinds=(12, 42, 0, 0),
    eager=20,
)
WEIGHTS = {1: ONE_STONE, 2: TWO_STONES}
