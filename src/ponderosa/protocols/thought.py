"""What comes of thinking, for whoever speaks a protocol. Start at Thought."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ponderosa.mcts.report.report import Report


class Thought(NamedTuple):
    """What comes of thinking."""

    action: Any
    """The move."""
    value: float | None = None
    """What the player to move can hope for, in [0, 1]; None: not known."""
    note: str = ""
    """A line for people who look on."""
    report: Report | None = None
    """All that was found, where there was a search."""
