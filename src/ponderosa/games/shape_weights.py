"""What shapes are worth, by the stones of a turn. Start at WEIGHTS.

Fitted to the results of games of the search that uses them, by logistic regression on the shapes of both players; 400
points are worth the odds of e to 1. For one stone a turn that was done three times, each time with games of the weights
before; a fourth time made them no better. benchmarks/shape_weights.py plays such games and fits.
"""

from __future__ import annotations

from typing import NamedTuple

Ways = tuple[int, int, int, int]
"""One number for each way in which a shape can go on (games/shapes.py): 0, 1, 2, 3 or more."""

NO_FIELD, LESSER, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(-1, 5)
"""What a shape counts as in the code of a cell (games/shaped.py)."""


class Weights(NamedTuple):
    """Everything about shapes that depends on the game; lists go by the number of stones that are missing."""

    fields: list[Ways]
    """What a shape counts as."""
    order: list[Ways]
    """What a shape makes of a move when moves are put in order."""
    moving: list[Ways]
    """What the shape of an empty cell is worth to the player to move."""
    waiting: list[Ways]
    """What it is worth to the other."""
    tempo: int
    """What each stone that is left in the turn is worth."""
    moving_kinds: Ways
    """What it is worth to the player to move to have a cell of a kind: THREE, THREES, FOUR, FOUR_THREE."""
    waiting_kinds: Ways
    """The same for the other."""


NOTHING = (0, 0, 0, 0)

ONE_STONE = Weights(
    fields=[
        (FIVE, FIVE, FIVE, FIVE),
        (FOUR, FOUR, OPEN_FOUR, OPEN_FOUR),
        (LESSER, OPEN_THREE, OPEN_THREE, OPEN_THREE),
        (NO_FIELD, LESSER, LESSER, LESSER),
    ],
    order=[(3000, 3000, 3000, 3000), (60, 60, 500, 500), (20, 50, 60, 66), (4, 14, 17, 20), (1, 2, 3, 4)],
    moving=[NOTHING, (60, 60, 400, 400), (22, 68, 129, 129), (0, 0, 3, 20), NOTHING],
    waiting=[NOTHING, (108, 108, 300, 300), (19, 62, 95, 95), (0, 0, 8, 14), NOTHING],
    tempo=330,
    moving_kinds=(40, 0, 107, 900),
    waiting_kinds=(50, -40, 23, 243),
)
TWO_STONES = Weights(
    fields=[
        (FIVE, FIVE, FIVE, FIVE),
        (OPEN_FOUR, OPEN_FOUR, OPEN_FOUR, OPEN_FOUR),
        (OPEN_THREE, OPEN_THREE, OPEN_THREE, OPEN_THREE),
        (LESSER, LESSER, LESSER, LESSER),
    ],
    order=[(3000, 3000, 3000, 3000), (300, 300, 350, 400), (60, 70, 80, 90), (16, 20, 26, 30), (3, 4, 6, 8)],
    moving=[NOTHING, (90, 100, 120, 120), (20, 25, 100, 100), (11, 11, 6, 27), (4, 4, 3, 3)],
    waiting=[NOTHING, (90, 100, 120, 120), (18, 22, 90, 90), (13, 13, 5, 22), (4, 4, 3, 3)],
    tempo=155,
    moving_kinds=(45, 0, 0, 0),
    waiting_kinds=(60, 30, 0, 0),
)
WEIGHTS = {1: ONE_STONE, 2: TWO_STONES}
