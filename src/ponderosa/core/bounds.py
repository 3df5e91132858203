"""What is certain of a position: a lower and an upper bound on a player's result, as one number. Start at bounds.

Each bound is 0 (a loss), 1 (a draw) or 2 (a win). The number has the lower bound in its lowest two bits and two less
the upper bound in the next two, so that nothing certain is 0. Rules and searches store it, and compiled code reads it.
"""

from __future__ import annotations

UNPROVEN = 0
NOT_LOSS = 1
WIN = 2
NOT_WIN = 4
DRAW = 5
LOSS = 8
PROVEN_NAMES = {WIN: "win", DRAW: "draw", LOSS: "loss"}
PROVEN_VALUES = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}


def bounds(lower: int, upper: int) -> int:
    """Two bounds as one number."""
    return lower | ((2 - upper) << 2)


def bounds_of_results(least: float, most: float) -> int:
    """The bounds of a player who gets at least and at most these results, from 0 (a loss) to 1 (a win)."""
    lower = 2 if least >= 1.0 else 1 if least >= 0.5 else 0
    upper = 0 if most <= 0.0 else 1 if most <= 0.5 else 2
    return bounds(lower, upper)


def lower_bound(proven: int) -> int:
    """The least that the player gets: 0 a loss, 1 a draw, 2 a win."""
    return proven & 3


def upper_bound(proven: int) -> int:
    """The most that the player gets: 0 a loss, 1 a draw, 2 a win."""
    return 2 - (proven >> 2)


def is_settled(proven: int) -> bool:
    """Whether the result is certain: the bounds meet."""
    return (proven & 3) + (proven >> 2) == 2


def tightened(proven: int, more: int) -> int:
    """What two proofs say together."""
    lower = max(lower_bound(proven), lower_bound(more))
    return bounds(lower, max(lower, min(upper_bound(proven), upper_bound(more))))


def for_opponent(proven: int) -> int:
    """The same bounds from the other player's side."""
    return (proven >> 2) | ((proven & 3) << 2)
