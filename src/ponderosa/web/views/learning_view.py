"""The list of runs of learning, and the form that begins one. Start at LearningView."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import ui

from ponderosa.errors import PonderosaError
from ponderosa.learning.watching import Seen
from ponderosa.web.drawing.learning import run_list
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.learning import LEAST_MINUTES, Wish
from ponderosa.web.views.layout import Html, frame, link_to, panel

POLL_SECONDS = 2.0
SIZES = {"": "network: as the game asks for", "tiny": "tiny", "small": "small", "medium": "medium"}
DEVICES = {"cpu": "on the processor", "cuda": "on a CUDA card"}


class LearningView:
    """All runs in the folder."""

    def __init__(self, hub: Hub) -> None:
        self.hub, self.learning = hub, hub.learning
        with frame("/learning", "arena"):
            with panel("Runs of learning"):
                self.list = Html("wide")
            self._build_form()
        ui.timer(0.01, self._refresh, once=True)
        ui.timer(POLL_SECONDS, self._refresh)

    def _build_form(self) -> None:
        games, most = self.hub.catalogue.offers(), self.learning.limits.max_minutes
        label = self.hub.catalogue.label
        names = {offer.name: label(offer.name) for offer in games if learnable(offer.name, self.hub)}
        with panel("Learn a game"):
            with ui.element("div").classes("line"):
                self.game = ui.select(names, value=next(iter(names)), label="Game").classes("grow")
                self.parameters = ui.input("parameters: key=value,…")
            with ui.element("div").classes("line"):
                self.minutes = ui.number(f"minutes, at most {most:g}", value=min(10.0, most), min=LEAST_MINUTES)
                self.network = ui.select(SIZES, value="", label="size")
                self.device = ui.select(DEVICES, value="cpu", label="where")
            for field in (self.game, self.parameters, self.minutes, self.network, self.device):
                field.props("dense outlined options-dense")
            ui.label(
                "A network learns the game by playing against itself, in a process of its own, one game at a time. It "
                "can be paused, and goes on from there, here or in a terminal (ponderosa learn --out)."
            ).classes("quiet")
            with ui.element("div").classes("line"):
                ui.button("Start", icon="play_arrow", on_click=self._start).props("dense unelevated no-caps")
            self.message = Html("message", role="alert")

    async def _refresh(self) -> None:
        self.list.show(await asyncio.wrap_future(self.hub.runner.prepare(self._drawn)))

    def _drawn(self) -> str:
        found: list[Seen] = self.learning.runs()
        return run_list(found, self.hub.catalogue.label) if found else _nothing_yet(str(self.learning.path))

    async def _start(self) -> None:
        game = ":".join(str(part) for part in (self.game.value, self.parameters.value) if part)
        wish = Wish(game, self.minutes.value, self.network.value, self.device.value)
        try:
            key = await asyncio.wrap_future(self.hub.runner.prepare(lambda: self.learning.start(wish)))
        except PonderosaError as error:
            self.message.show(escape(str(error)))
            return
        ui.navigate.to(link_to("/learning", run=key))


def learnable(name: str, hub: Hub) -> bool:
    """Whether a game is of a kind that is learned, as far as its class says."""
    if name in hub.catalogue.worlds:
        return False
    found = hub.catalogue.kind(name)
    return not (found.hidden or found.simultaneous)


def _nothing_yet(path: str) -> str:
    return (
        f'<span class="quiet">There is no run in {escape(path)} yet. Start one below, or in a terminal: '
        f"<code>ponderosa learn tictactoe --out {escape(path)}/tictactoe</code>; "
        "<code>ponderosa serve --learn FOLDER</code> shows another folder.</span>"
    )
