"""The list of matches and tournaments, and the form that starts a match. Start at ArenaView."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

from nicegui import ui

from ponderosa.errors import PonderosaError
from ponderosa.web.drawing.results import event_list
from ponderosa.web.model.arena import Wish
from ponderosa.web.model.catalogue import offered
from ponderosa.web.model.hub import Hub
from ponderosa.web.views.layout import Html, frame, link_to, panel

POLL_SECONDS = 1.0
"""How often a view looks whether there are new games."""


class ArenaView:
    """All that is in the file of games."""

    def __init__(self, hub: Hub) -> None:
        self.hub, self.arena = hub, hub.arena
        self._seen: object = None
        with frame("/arena", "arena"):
            with panel("Matches and tournaments"):
                self.list = Html("wide")
                self.stop = ui.button("Stop the running match", icon="stop", on_click=lambda: self.arena.contest.stop())
                self.stop.props("flat dense no-caps")
                self.stop.set_visibility(False)
            self._build_form()
        ui.timer(POLL_SECONDS, self._poll)

    def _build_form(self) -> None:
        catalogue, limits = self.hub.catalogue, self.arena.limits
        games = {offer.name: catalogue.label(offer.name) for offer in catalogue.offers() if offer.players == 2}
        agents = [*offered(None), *catalogue.agent_names]
        with panel("Start a match"):
            with ui.element("div").classes("line"):
                self.game = ui.select(games, value=next(iter(games)), label="Game").classes("grow").style("min-width:0")
                self.parameters = ui.input("parameters: key=value,…")
            with ui.element("div").classes("line"):
                self.first = ui.input("first agent", value="mcts", autocomplete=agents).classes("grow")
                self.second = ui.input("second agent", value="random", autocomplete=agents).classes("grow")
            with ui.element("div").classes("line"):
                self.games = ui.number(f"games, at most {limits.max_games:,}", value=20, min=2, step=2)
                self.iterations = ui.number("iterations a move", value=500, min=1)
                self.seconds = ui.number(f"or seconds, at most {limits.max_seconds:g}", min=0.001)
                self.plies = ui.number("random opening moves", value=2, min=0)
                self.seed = ui.number("seed", value=0, min=0)
            fields: list[Any] = [self.game, self.parameters, self.first, self.second, self.games]
            for field in (*fields, self.iterations, self.seconds, self.plies, self.seed):
                field.props("dense outlined options-dense")
            ui.label(
                "The budget is for agents that have none of their own. Games come in pairs from the same opening, with "
                "seats swapped; the same match once more goes on where it stopped."
            ).classes("quiet")
            with ui.element("div").classes("line"):
                ui.button("Start", icon="play_arrow", on_click=self._start).props("dense unelevated no-caps")
            self.message = Html("message", role="alert")

    async def _poll(self) -> None:
        """Show what is new."""
        stamp = (self.arena.stamp(), self.arena.contest.running)
        if stamp == self._seen:
            return
        try:
            events = await asyncio.wrap_future(self.hub.runner.prepare(self.arena.events))
        except PonderosaError as error:
            self.list.show(f'<p class="message">{escape(str(error))}</p>')
            return
        self._seen, running = stamp, self.arena.contest.running
        self.list.show(
            event_list(events, running, self.hub.catalogue.label) if events else _nothing_yet(str(self.arena.path))
        )
        self.stop.set_visibility(running is not None)

    async def _start(self) -> None:
        wish = Wish(
            ":".join(str(part) for part in (self.game.value, self.parameters.value) if part),
            self.first.value,
            self.second.value,
            self.games.value,
            self.plies.value or 0,
            self.iterations.value,
            self.seconds.value,
            self.seed.value,
        )
        try:
            event = await asyncio.wrap_future(self.hub.runner.prepare(lambda: self.arena.start(wish)))
        except PonderosaError as error:
            self.message.show(escape(str(error)))
            return
        ui.navigate.to(link_to("/arena/event", id=str(event)))


def _nothing_yet(path: str) -> str:
    return (
        f'<span class="quiet">There is no match in {escape(path)} yet. Start one below, or in a terminal: '
        f"<code>ponderosa match connect4 mcts random --out {escape(path)}</code>; "
        "<code>ponderosa serve --arena FILE</code> shows another file.</span>"
    )
