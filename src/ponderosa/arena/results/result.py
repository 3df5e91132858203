"""What an event has shown, as people and programs want it. Start at EventResult."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ponderosa.arena.event import Event
from ponderosa.arena.results.tally import Tally
from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import PonderosaError

if TYPE_CHECKING:
    from rich.console import RenderableType

FRAMES = ("pandas", "polars")


@with_field_texts
@dataclass(frozen=True, repr=False)
class EventResult:
    """The counts of a match or tournament; it shows itself as text, also in a notebook."""

    event: Event
    tally: Tally
    store: Path | None
    """The file that has the games; None when they were not kept."""
    id: int
    """The event's number in the store."""
    versions: tuple[str, ...] = ()
    """The versions of Ponderosa that have played its games."""

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, ready for JSON."""
        raise NotImplementedError

    def tables(self) -> RenderableType:
        """The tables, for a rich console."""
        raise NotImplementedError

    def lines(self) -> list[str]:
        """What the tables are worth, in words."""
        raise NotImplementedError

    def view(self) -> RenderableType:
        """Tables and lines, for a rich console."""
        from rich.console import Group
        from rich.text import Text

        return Group(self.tables(), Text("\n".join(self.lines())))

    def table(self) -> str:
        """The result as text."""
        from rich.console import Console

        console = Console(width=120, color_system=None, force_terminal=False, force_jupyter=False)
        with console.capture() as capture:
            console.print(self.view())
        return capture.get()

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.table())}</pre>"

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return self.table()

    def rows(self) -> list[dict[str, Any]]:
        """One row a game and seat."""
        games = [(outcome, True) for outcome in self.tally.counted]
        games += [(outcome, False) for outcome in self.tally.repeated]
        return [
            {
                "number": outcome.number,
                "group": outcome.group,
                "seat": seat,
                "agent": self.event.names[agent],
                "score": outcome.scores[seat],
                "returned": outcome.returns[seat],
                "reason": outcome.reason,
                "fault": outcome.fault == seat,
                "counted": counted,
                "moves": outcome.efforts[seat][0],
                "seconds": outcome.efforts[seat][1],
                "iterations": outcome.efforts[seat][2],
                "nodes": outcome.efforts[seat][3],
            }
            for outcome, counted in sorted(games, key=lambda game: game[0].number)
            for seat, agent in enumerate(outcome.seats)
        ]

    def to_frame(self, library: str | None = None) -> Any:
        """One row a game and seat, as a data frame of pandas or polars, whichever is installed."""
        import importlib

        found = [name for name in FRAMES if find_spec(name)] if library is None else [library]
        if not found or found[0] not in FRAMES or find_spec(found[0]) is None:
            raise PonderosaError("a data frame needs pandas or polars: pip install pandas")
        return importlib.import_module(found[0]).DataFrame(self.rows())
