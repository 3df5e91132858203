"""The panel of a game's moves: its curve, the moves, the worst ones, what keys do. Start at MovesPanel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from ponderosa.web.drawing.graph import draw_curve
from ponderosa.web.drawing.summary import curve_words, known_moves, worst_moves
from ponderosa.web.model.sight import Sight
from ponderosa.web.views.downloads import Downloads
from ponderosa.web.views.keys import HELP, HELP_DIRECTED, directed
from ponderosa.web.views.layout import Clickable, Html, icon_button, panel


class MovesPanel:
    """The moves of a game, in which a click leads to a position."""

    def __init__(self, on_go: Callable[[int], Any]) -> None:
        """`on_go` gets the number of moves before the position."""
        self.directed = False
        """Whether the moves of the game are directions, so that arrow keys play them."""
        with panel("Game"):
            self._graph = Clickable("go", on_go, "wide")
            self._moves = Clickable("go", on_go, "movelist")
            self._mistakes = Clickable("go", on_go, "mistakes")
            with ui.element("div").classes("line tight"):
                self._keys = Html("quiet keys")
                ui.space()
                self._file = icon_button("download", "Download the game", self._offer)
        self._downloads = Downloads()
        self._sight: Sight | None = None

    def update(self, sight: Sight, told: bool = True) -> None:
        """Show what may be known of the moves; the worst ones if they are to be told, and not to be found."""
        session, self._sight = sight.session, sight
        self._file.set_visibility(not session.secret)
        first, words = session.player_names()[0], curve_words(session)
        curve = draw_curve(session.curve(), sight.place.ply, first, words=words)
        self._graph.show("" if session.secret else curve)  # its length tells how many moves there were
        self._moves.show(known_moves(sight))
        self._mistakes.show(worst_moves(sight.director) if told else "")
        self.directed = directed(session)
        self._keys.show(HELP_DIRECTED if self.directed else HELP)

    def _offer(self) -> None:
        if self._sight is not None and not self._sight.session.secret:
            self._downloads.offer(self._sight.session)
