"""Choosing and checking by turns, over the time of a move: when, and whether it was enough. Start at rounds_of."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ponderosa.connect.shapes.player import Thought


class Kind(Enum):
    """Which moves need a round."""

    CLEAR = "a move that is clear needs no other one"
    USUAL = "every other move"
    HARD = "a move that is still open after these"


class Round(NamedTuple):
    """Until which shares of the planned time a move is chosen, and threats are looked for that refute it."""

    chosen_until: float
    checked_until: float
    kind: Kind = Kind.USUAL


ROUNDS = (Round(0.5, 0.6), Round(0.78, 0.88), Round(0.95, 0.98))
"""What is left at the end is for the last slice of a search, and for the report."""
WHOLE_TIME = (Round(0.97, 0.97),)
"""For two stones a turn: there alpha-beta checks itself what it chooses."""
CLOCK_ROUNDS = (
    Round(0.35, 0.4, Kind.CLEAR),
    Round(0.65, 0.75),
    Round(1.0, 1.1),
    Round(1.2, 1.25),
    Round(2.0, 2.1, Kind.HARD),
    Round(2.4, 2.5, Kind.HARD),
)
CLOCK_WHOLE_TIME = (Round(0.35, 0.35, Kind.CLEAR), Round(1.25, 1.25), Round(2.5, 2.5, Kind.HARD))
"""The same by the clock: what clear moves save goes to the others."""
CLEAR_DEPTHS = (5, 8)
"""A move that so many depths in a row find the best is clear, with one stone a turn and with two. In 1,500 positions of
Gomoku, after 0.3 of the time, such a move was the one that all of it found in 93 %, another move in 78 %; in 600 of
Connect6 in 93 and 72 %."""
LEAST = 1.25
"""By the clock, of the planned time: what a usual move takes."""


def rounds_of(stones: int, most: float) -> list[Round]:
    """The rounds of a move with so many stones a turn; `most` is how much of the planned time a hard one may take.

    Where that is hardly more than the planned time, nothing can be saved for later, and all moves are usual ones.
    """
    if most < LEAST:
        return list(ROUNDS if stones == 1 else WHOLE_TIME)
    rounds = CLOCK_ROUNDS if stones == 1 else CLOCK_WHOLE_TIME
    return [each for each in rounds if each.checked_until <= most]


def is_clear(thought: Thought, stones: int) -> bool:
    """Whether a search that has just begun may end with this."""
    return thought.steady >= CLEAR_DEPTHS[stones > 1]


def is_open(thought: Thought, before: Thought) -> bool:
    """Whether the choice was another one not long ago."""
    return thought.steady < 2 or before.best != thought.best
