"""How fast machines move, and whether they wait. Start at MachineControls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from ponderosa.web.model.director import Director
from ponderosa.web.model.sight import Sight

SLOWEST = 5
"""Seconds that a machine's move can be made to take."""


class MachineControls:
    """Pause, one step, and the pace; there to be seen when machines play each other, or wait."""

    def __init__(
        self, sight: Callable[[], Sight | None], on_rewind: Callable[[], bool], on_change: Callable[[], Any]
    ) -> None:
        """`sight` gives what may be seen of the game that is on the board, if there is one.

        `on_rewind` lets the game go on from the position that is looked at; False: it may not.
        """
        self._sight, self._rewind, self._changed = sight, on_rewind, on_change
        with ui.element("div").classes("line middle") as self._box:
            self._pause = ui.button("Pause", icon="pause", on_click=self._paused).props("flat dense no-caps")
            ui.button("Step", icon="skip_next", on_click=self._stepped).props("flat dense no-caps")
            ui.label("seconds a move").classes("quiet")
            self._pace = ui.slider(min=0, max=SLOWEST, step=0.1, value=0.5, on_change=self._paced).style("width:9rem")
            self._pace.props('label aria-label="seconds a move"')
        self._box.set_visibility(False)

    @property
    def pace(self) -> float:
        """A machine's move takes at least this many seconds."""
        value = self._pace.value
        return min(max(float(value), 0.0), SLOWEST) if isinstance(value, int | float) else 0.0

    def show(self, sight: Sight) -> None:
        """Show what fits the game as it stands."""
        session, place = sight.session, sight.place
        waiting = sight.director.paused or not place.at_end
        held = waiting and bool(place.waiting_for()) and not place.person_moves() and not sight.blind
        self._box.set_visibility(held or not session.people())
        self._pause.text, self._pause.icon = ("Play on", "play_arrow") if waiting else ("Pause", "pause")

    def _paused(self) -> None:
        sight = self._sight()
        if sight is None:
            return
        back = not sight.place.at_end
        if self._rewind():
            director = self._director()
            director.pause(not back and not director.paused)
            self._changed()

    def _stepped(self) -> None:
        if self._sight() is not None and self._rewind():
            self._director().pause(True)
            self._director().step()
            self._changed()

    def _director(self) -> Director:
        """The game on the board, which is another one where it began anew from an earlier position."""
        sight = self._sight()
        assert sight is not None
        return sight.director

    def _paced(self) -> None:
        sight = self._sight()
        if sight is not None and not sight.watches:
            sight.director.pace = self.pace
