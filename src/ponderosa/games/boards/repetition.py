"""Positions that were there before, in a table of the state: `seen`, a power of two long. Start at place_of."""

from __future__ import annotations

from typing import Any

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.marks import inlined


@inlined
def place_of(s: Record, position: Int) -> Any:
    """Where a position is in the table of those that were there, or where it would be."""
    mask = s.seen.size - 1
    place = position & mask
    while s.seen[place] != 0 and s.seen[place] != position:
        place = (place + 1) & mask
    return place
