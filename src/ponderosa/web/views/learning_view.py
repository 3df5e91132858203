"""The list of runs of learning. Start at LearningView."""

from __future__ import annotations

from html import escape

from nicegui import ui

from ponderosa.web.drawing.learning import run_list
from ponderosa.web.model.hub import Hub
from ponderosa.web.views.layout import Html, frame, panel

POLL_SECONDS = 2.0


class LearningView:
    """All runs in the folder."""

    def __init__(self, hub: Hub) -> None:
        self.hub, self.learning = hub, hub.learning
        with frame("/learning", "arena"), panel("Runs of learning"):
            self.list = Html("wide")
        self._refresh()
        ui.timer(POLL_SECONDS, self._refresh)

    def _refresh(self) -> None:
        found = self.learning.runs()
        self.list.show(run_list(found) if found else _nothing_yet(str(self.learning.path)))


def _nothing_yet(path: str) -> str:
    return (
        f'<span class="quiet">There is no run in {escape(path)} yet. In a terminal: '
        f"<code>ponderosa learn tictactoe --out {escape(path)}/tictactoe</code>; "
        "<code>ponderosa serve --learn FOLDER</code> shows another folder.</span>"
    )
