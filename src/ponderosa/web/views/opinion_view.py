"""Whose view of a position is shown: the adviser's, or that of the machine which moved. Start at OpinionChooser."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from nicegui import ui

from ponderosa.mcts.report.report import Report
from ponderosa.web.model.sight import Sight
from ponderosa.web.views.layout import Html

ADVISER_SAYS, MOVER_SAYS = "adviser", "mover"


class OpinionChooser:
    """Two buttons, where there are two views."""

    def __init__(self, on_change: Callable[[], Any]) -> None:
        with ui.element("div").classes("line tight") as self._row:
            self._toggle = ui.toggle({ADVISER_SAYS: "Adviser", MOVER_SAYS: "The machine itself"}, value=ADVISER_SAYS)
            self._toggle.props("dense no-caps unelevated size=sm").on_value_change(lambda: on_change())
            self._words = Html("quiet")
        self._row.set_visibility(False)

    @property
    def value(self) -> str:
        """Whose view is wanted."""
        return str(self._toggle.value)

    def views(self, sight: Sight, showing: bool) -> tuple[Report | None, Report | None]:
        """What the table shows, and what the board does: a move that was made is told beside the board alone."""
        own = sight.own_thought()
        self._row.set_visibility(own is not None and showing)
        if not showing or sight.blind:
            return None, None
        if own is None or self.value == ADVISER_SAYS:
            self._words.show("")
            return sight.report(), sight.report()
        ply, report = own
        here, session = ply == sight.place.ply, sight.session
        name = escape(session.player_names()[report.player])
        played = escape(session.names[ply]) if ply < session.plies else ""
        self._words.show(f"{name} before playing {played}" if played else f"{name} now")
        return report, report if here else None
