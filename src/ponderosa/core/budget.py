"""How long a search may think. Start at Budget."""

from __future__ import annotations

from dataclasses import dataclass

from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import SettingError, shortly

MOST_SECONDS = 86_400.0
"""Nobody thinks longer about a move than a day."""
MOST_COUNTED = 10**12
"""More iterations, positions or nodes than any search gets to."""


@with_field_texts
@dataclass(frozen=True)
class Budget:
    """Limits of one search, or of one move: whichever is reached first ends it."""

    iterations: int | None = None
    """How many times the four phases run; more is stronger and slower."""
    seconds: float | None = None
    """Wall-clock time."""
    max_nodes: int | None = None
    """How many nodes the tree may hold, those kept from earlier searches included. A full tree gives up its least
    visited parts, and ends the search only if nothing else does."""

    def __post_init__(self) -> None:
        given = {"iterations": self.iterations, "seconds": self.seconds, "max_nodes": self.max_nodes}
        if all(value is None for value in given.values()):
            raise SettingError("a search needs a budget: iterations=1000, seconds=1.0 or max_nodes=100000")
        for name, value in given.items():
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise SettingError(f"{name} must be a number, not {value!r}")
            most = MOST_SECONDS if name == "seconds" else MOST_COUNTED
            if not 0 < value <= most:
                limit = f"more than 0, and at most {most:,g}" if value > most else "more than 0"
                raise SettingError(f"{name} must be {limit}, not {shortly(value)}")
            if name != "seconds" and value != int(value):
                raise SettingError(f"{name} must be a whole number, not {value!r}")

    def share(self, part: int, parts: int) -> Budget | None:
        """One of several equal parts, the nodes excepted, which every part may use; None: nothing is left for it."""
        iterations = None
        if self.iterations is not None:
            whole, more = divmod(int(self.iterations), parts)
            iterations = whole + (part < more)
            if iterations == 0:
                return None
        return Budget(iterations, None if self.seconds is None else self.seconds / parts, self.max_nodes)
