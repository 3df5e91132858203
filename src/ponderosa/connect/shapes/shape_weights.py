"""What shapes are worth, by the stones of a turn and the stage of the game. Start at WEIGHTS.

Fitted by logistic regression on the shapes of both players; 400 points are worth the odds of e to 1. One stone a turn:
to what came of positions in games of the search against itself, stage by stage, and to what the search finds in others
near them; that was done twice, each time with the weights before. Two stones: to what the search finds, alone.
benchmarks/shape_weights.py plays, searches and fits; both came from earlier forms of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

Ways = tuple[int, int, int, int]
"""One number for each way in which a shape can go on (connect/shapes/shape_table.py): 0, 1, 2, 3 or more."""

NO_FIELD, LESSER, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(-1, 5)
"""What a shape counts as in the code of a cell (connect/shapes/shape_board.py)."""


CLASSES = 9
"""Classes of shapes where they meet; class 0 is worth nothing."""
APART = (0, 1, 5, 21, 55, 153, 368, 856, 1424)
"""A number for each class: sums of four of these differ unless they are of the same four (a Sidon set of order 4)."""


class Worth(NamedTuple):
    """What shapes are worth at a stage of the game."""

    stones: int
    """The stones on the board with which the stage begins."""
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


class Weights(NamedTuple):
    """Everything about shapes that depends on the game; lists go by the number of stones that are missing."""

    fields: list[Ways]
    """What a shape counts as."""
    order: list[Ways]
    """What a shape makes of a move when moves are put in order."""
    classes: list[Ways]
    """The class of a shape."""
    stages: list[Worth]
    """What shapes are worth, stage by stage."""
    contempt: int = 0
    """By how many 32nds the shapes of the player who searches count more on small boards, where draws are many."""

    def at(self, stones: int) -> Worth:
        """What shapes are worth with this number of stones on the board."""
        return [stage for stage in self.stages if stage.stones <= stones][-1]


def meetings(worth: Worth) -> Iterator[tuple[int, int, int]]:
    """All shapes that can meet on a cell: their number, and what they are worth to the player to move and to wait."""
    for classes in combinations_with_replacement(range(CLASSES), 4):
        present = [c for c in classes if c > 0]
        found = []
        for table in (worth.moving, worth.waiting):
            alone = sum(table[c - 1][0] for c in present)
            found.append(alone + sum(table[max(pair) - 1][min(pair)] for pair in combinations(present, 2)))
        yield sum(APART[c] for c in classes), found[0], found[1]


ONE_STONE = Weights(
    fields=[
        (FIVE, FIVE, FIVE, FIVE),
        (FOUR, FOUR, OPEN_FOUR, OPEN_FOUR),
        (LESSER, OPEN_THREE, OPEN_THREE, OPEN_THREE),
        (NO_FIELD, LESSER, LESSER, LESSER),
    ],
    order=[(3000, 3000, 3000, 3000), (60, 60, 500, 500), (20, 50, 60, 66), (4, 14, 17, 20), (1, 2, 3, 4)],
    classes=[(1, 1, 1, 1), (1, 1, 1, 1), (2, 3, 4, 4), (5, 6, 7, 8)],
    stages=[
        Worth(
            stones=0,
            moving=[
                [137, 0],
                [18, 191, 58],
                [134, 800, 112, -26],
                [104, 487, 132, -138, 319],
                [1, 44, 7, 34, -5, -11],
                [0, 0, 0, 0, 0, 0, 0],
                [13, 210, 50, 97, 85, 11, 0, 12],
                [8, 199, 66, 124, 201, 13, 0, 21, 39],
            ],
            waiting=[
                [155, 0],
                [17, 110, 46],
                [105, 312, 65, 160],
                [61, 112, 51, 36, 70],
                [1, 50, 9, 14, 34, -5],
                [0, 0, 0, 0, 0, 0, 0],
                [9, 106, 43, 46, 66, 11, 0, 1],
                [7, 133, 38, 36, 56, 13, 0, 19, 24],
            ],
            tempo=271,
            moving_kinds=(-81, 652, 67, 800),
            waiting_kinds=(-70, -78, -29, 157),
        ),
        Worth(
            stones=12,
            moving=[
                [109, 0],
                [12, 121, 50],
                [86, 800, 93, -8],
                [78, 548, 101, -129, -356],
                [1, 50, 8, 11, 14, -5],
                [0, 0, 0, 0, 0, 0, 0],
                [12, 154, 35, 66, 68, 7, 0, 10],
                [6, 162, 54, 76, 137, 13, 0, 13, 13],
            ],
            waiting=[
                [112, 0],
                [12, 129, 25],
                [73, 169, 53, 49],
                [47, 144, 40, -40, -56],
                [0, 48, 10, 14, 29, 1],
                [0, 0, 0, 0, 0, 0, 0],
                [8, 84, 33, 30, 21, 8, 0, 6],
                [7, 121, 30, 8, 25, 10, 0, 9, 3],
            ],
            tempo=167,
            moving_kinds=(5, 516, 20, 800),
            waiting_kinds=(-4, 39, -82, 213),
        ),
        Worth(
            stones=28,
            moving=[
                [94, 0],
                [12, 113, 38],
                [59, 800, 64, 46],
                [53, 179, 88, -89, -52],
                [0, 36, 13, 15, 24, -2],
                [0, 0, 0, 0, 0, 0, 0],
                [8, 111, 20, 48, 127, 7, 0, 3],
                [10, 160, 32, 93, 101, 10, 0, 21, 5],
            ],
            waiting=[
                [90, 0],
                [12, 122, 11],
                [60, 117, 49, 43],
                [38, 92, 45, -41, -90],
                [0, 30, 8, 4, 22, -1],
                [0, 0, 0, 0, 0, 0, 0],
                [8, 77, 18, 30, 28, 3, 0, -2],
                [8, 81, 23, 32, 22, 9, 0, 6, -4],
            ],
            tempo=86,
            moving_kinds=(65, 410, -34, 800),
            waiting_kinds=(6, 63, -71, 229),
        ),
        Worth(
            stones=42,
            moving=[
                [61, 0],
                [11, 78, 31],
                [39, 800, 56, 375],
                [46, 694, 101, 137, 116],
                [3, 25, 9, 15, 30, -3],
                [0, 0, 0, 0, 0, 0, 0],
                [7, 68, 12, 55, 89, 2, 0, 6],
                [11, 134, 19, 97, 125, 4, 0, 11, 13],
            ],
            waiting=[
                [62, 0],
                [13, 81, 16],
                [46, 133, 22, 143],
                [44, 56, 27, 61, -67],
                [1, 25, 5, 8, 18, -1],
                [0, 0, 0, 0, 0, 0, 0],
                [7, 62, 11, 33, 26, 3, 0, -3],
                [11, 55, 11, 17, -3, 6, 0, 3, -12],
            ],
            tempo=40,
            moving_kinds=(25, 140, 26, 800),
            waiting_kinds=(-5, -29, 6, 80),
        ),
    ],
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
    stages=[
        Worth(
            stones=0,
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
        ),
    ],
    contempt=20,
)
WEIGHTS = {1: ONE_STONE, 2: TWO_STONES}
