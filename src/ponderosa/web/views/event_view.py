"""One match or tournament: tables, figures, its games, as they come. Start at EventView."""

from __future__ import annotations

import asyncio
import time
from html import escape
from typing import Any

from nicegui import ui

from ponderosa.errors import PonderosaError
from ponderosa.web.drawing.results import conditions, game_list, progress_bar, result_parts
from ponderosa.web.model.arena import GAMES_A_PAGE, EventPage, row_number
from ponderosa.web.model.hub import Hub
from ponderosa.web.views.arena_view import POLL_SECONDS
from ponderosa.web.views.layout import Html, frame, icon_button, panel

REST = 4.0
"""After a look that took long, as with 100,000 games, this many times as long passes before the next."""


class EventView:
    """What an event has shown so far."""

    def __init__(self, hub: Hub, name: str) -> None:
        """`name` is its number in the file, as the address has it."""
        self.hub, self.arena, self.event = hub, hub.arena, row_number(name)
        self._seen: Any = None
        self._offset = 0
        self._rests_until = 0.0
        with frame("/arena", "arena", f"Event {self.event}"):
            with panel(f"Event {self.event}"):
                self.about = Html("wide")
                self.stop = ui.button("Stop", icon="stop", on_click=self._stop).props("flat dense no-caps")
                self.stop.set_visibility(False)
                self.result = Html("wide result")
            with panel("Games"):
                with ui.element("div").classes("line"):
                    icon_button("chevron_left", "Newer games", lambda: self._turn(-GAMES_A_PAGE))
                    self.where = ui.label("").classes("quiet")
                    icon_button("chevron_right", "Older games", lambda: self._turn(GAMES_A_PAGE))
                self.games = Html("wide")
        ui.timer(POLL_SECONDS, self._poll)

    def _stop(self) -> None:
        if self.arena.contest.running == self.event:
            self.arena.contest.stop()

    async def _turn(self, games: int) -> None:
        self._offset, self._rests_until = max(self._offset + games, 0), 0.0
        await self._poll()

    async def _poll(self) -> None:
        """Show what is new."""
        contest, offset = self.arena.contest, self._offset
        stamp = (self.arena.stamp(), contest.running, offset)
        begun = time.monotonic()
        if stamp == self._seen or begun < self._rests_until:
            return
        try:
            page, shown, listed = await asyncio.wrap_future(self.hub.runner.prepare(lambda: self._read(offset)))
        except PonderosaError as error:
            self.about.show(f'<p class="message">{escape(str(error))}</p>')
            return
        self._seen, now = stamp, time.monotonic()
        self._rests_until = now + REST * (now - begun)
        if offset and not page.games:
            self._offset = 0
        told = conditions(page.stored, contest.running, self.hub.catalogue.label)
        self.about.show(told + progress_bar(page.stored, contest))
        self.result.show(shown)
        self.games.show(listed)
        last = offset + len(page.games)
        self.where.text = f"{offset + 1 if last else 0:,} to {last:,} of {page.stored.games:,}, the newest first"
        self.stop.set_visibility(contest.running == self.event)

    def _read(self, offset: int) -> tuple[EventPage, str, str]:
        """All that is shown, made in another thread: ratings of many games take a moment."""
        page = self.arena.page(self.event, offset)
        return page, result_parts(page.result), game_list(page.games)
