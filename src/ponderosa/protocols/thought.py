"""What comes of thinking, for whoever speaks a protocol. Start at Thought."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

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


class Think(Protocol):
    """Whoever thinks for a protocol."""

    def __call__(
        self,
        state: Any,
        seconds: float | None,
        max_nodes: int | None,
        should_stop: Callable[[], bool],
        watch: Callable[[Any], None],
        /,
        *,
        most_seconds: float | None = None,
    ) -> Thought:
        """Choose in a state, within so many seconds and nodes, or until the function says that it should stop.

        Without `seconds`, as long as one usually thinks. `watch` is shown reports on the way. `most_seconds`: time is
        kept from move to move, and a hard one may take so long.
        """
