"""The panel that says who plays for whom, and invites people to seats of their own. Start at SeatsPanel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from ponderosa.core.errors import PonderosaError, SettingError
from ponderosa.web.catalogue import ADVISER_LEVEL, PERSON, level_of
from ponderosa.web.hub import Hub
from ponderosa.web.layout import Html, icon_button, link_to, panel
from ponderosa.web.players_view import SeatChooser
from ponderosa.web.session import GameSession
from ponderosa.web.table import Table

FIXED = "while something is hidden, people and machines keep their seats; begin a new game to change them"


class SeatsPanel:
    """Every player's seat, with what can be changed about it."""

    def __init__(self, hub: Hub, on_change: Callable[[], Any], on_trouble: Callable[[str], Any]) -> None:
        """`on_change` is called when somebody else plays from now on, `on_trouble` with what went wrong."""
        self._hub, self._changed, self._trouble = hub, on_change, on_trouble
        self.table: Table | None = None
        self.choosers: list[SeatChooser] = []
        with panel("Players"):
            self._seats = ui.element("div").classes("line")
            self._invitations = Html("invitations")

    @property
    def _session(self) -> GameSession:
        assert self.table is not None
        return self.table.director.session

    def show(self, table: Table) -> None:
        """Show the seats of a game."""
        self.table = table
        session = self._session
        self._seats.clear()
        self.choosers = []
        with self._seats:
            for player, name in enumerate(session.player_names()):
                seat = session.seats[player]
                shown = seat if seat == PERSON else level_of(seat, session.game) or seat
                with ui.element("div").classes("line tight"):
                    ui.html(f'<span class="swatch p{player}"></span>', sanitize=False)
                    with ui.element("div").classes("grow"):
                        self.choosers.append(SeatChooser(self._hub, name, shown, partial(self._seated, player)))
                    icon_button(
                        "smart_toy" if seat == PERSON else "person",
                        "Let the machine take over" if seat == PERSON else "A person steps in",
                        partial(self._take_over, player),
                    )

    def invite(self, table: Table, player: int | None) -> None:
        """Show whose seat this tab has, and the links to the seats at which nobody sits yet."""
        names = table.director.session.player_names()
        words = "" if player is None else f"<p>This tab plays as <b>{escape(names[player])}</b>.</p>"
        links = [
            f'<p><a href="{escape(link_to("/", seat=table.keys[free]))}" target="_blank" data-invite="{free}">'
            f"Link to the seat of {escape(names[free])}</a>: open it in another tab, or send it.</p>"
            for free in table.free_seats()
            if player is not None and free != player
        ]
        self._invitations.show(words + "".join(links))

    async def chosen(self, chooser: SeatChooser) -> str | None:
        """What the fields of a chooser say: a person, or an agent with its time; None: they say something else now."""
        table, asked, game = self.table, (chooser.seat, chooser.time), self._session.game
        work = self._hub.runner.prepare(lambda: self._hub.seat(asked[0], game, asked[1]))
        found = await asyncio.wrap_future(work)
        return found if (self.table, chooser.seat, chooser.time) == (table, *asked) else None

    async def _seated(self, player: int) -> None:
        """Somebody else was chosen for a seat, or another time."""
        try:
            seat = await self.chosen(self.choosers[player])
            if seat is not None:
                self._sit(player, seat)
        except PonderosaError as error:
            self._trouble(str(error))

    def _take_over(self, player: int) -> None:
        """The machine plays on for a person, or a person for the machine."""
        person = self._session.seats[player] == PERSON
        seat = self._hub.catalogue.seat(ADVISER_LEVEL, self._session.game) if person else PERSON
        try:
            self._sit(player, seat)
        except PonderosaError as error:
            self._trouble(str(error))
            return
        assert self.table is not None
        self.show(self.table)

    def _sit(self, player: int, seat: str) -> None:
        session = self._session
        if seat == session.seats[player]:
            return
        if session.game.viewed and not session.finished and PERSON in (seat, session.seats[player]):
            raise SettingError(FIXED)
        session.seats[player] = seat
        self._changed()
