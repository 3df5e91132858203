"""The panel that says who plays for whom, and invites people to seats of their own. Start at SeatsPanel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from ponderosa.errors import PonderosaError, SettingError
from ponderosa.pictures.swatch import player_swatch
from ponderosa.web.model.catalogue import GOOD_LEVEL, PERSON, seat_text
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.table import Guest
from ponderosa.web.views.layout import Html, icon_button, link_to, panel
from ponderosa.web.views.players_view import SeatChooser

FIXED = "while something is hidden, people and machines keep their seats; begin a new game to change them"
WATCHING = "You watch this game: only those who sit at its table can change it"


class SeatsPanel:
    """Every player's seat, with what can be changed about it."""

    def __init__(
        self, hub: Hub, on_change: Callable[[], Any], on_sit: Callable[[int], Any], on_trouble: Callable[[str], Any]
    ) -> None:
        """`on_change` is called when somebody else plays from now on, `on_sit` with the free seat that is taken here,
        `on_trouble` with what went wrong."""
        self._hub, self._changed, self._sit_down, self._trouble = hub, on_change, on_sit, on_trouble
        self.guest: Guest | None = None
        self._shown: list[str] = []
        self.choosers: list[SeatChooser] = []
        self._clocks: list[Html] = []
        self._there: list[tuple[Html, ui.button]] = []
        """Of each seat: who is there, and the button to take it."""
        with panel("Players"):
            self._seats = ui.element("div").classes("line")
            self._invite = Html("line tight invite")
            self._copied = Html("quiet", role="status", data_copied="true")
            self._invitations = Html("invitations")

    @property
    def _session(self) -> GameSession:
        assert self.guest is not None
        return self.guest.table.session

    def show(self, guest: Guest) -> None:
        """Show the seats of a game."""
        self.guest = guest
        session = self._session
        self._shown = list(session.seats)
        self._seats.clear()
        self.choosers, self._clocks, self._there = [], [], []
        with self._seats:
            for player, name in enumerate(session.player_names()):
                seat = session.seats[player]
                shown = seat_text(seat, session.game)
                with ui.element("div").classes("line tight"):
                    ui.html(player_swatch(session.game, player), sanitize=False)
                    with ui.element("div").classes("grow"):
                        self.choosers.append(
                            SeatChooser(self._hub, name, shown, partial(self._seated, player), game=session.game)
                        )
                    if session.clocks is not None:
                        self._clocks.append(Html("clock", role="timer", aria_label=f"Clock of {name}"))
                    self._there.append(self._presence(player))
                    icon_button(
                        "smart_toy" if seat == PERSON else "person",
                        "Let the machine take over" if seat == PERSON else "A person steps in",
                        partial(self._take_over, player),
                    )

    def _presence(self, player: int) -> tuple[Html, ui.button]:
        """Who has a seat, and the button to take it."""
        words = Html("presence", tag="span")
        take = ui.button("Sit down", on_click=lambda: self._sit_down(player))
        return words, take.props("dense unelevated no-caps").classes("px-2")

    def update(self, guest: Guest) -> None:
        """Show who sits where now, and the links to the seats at which nobody sits yet."""
        if self._shown != self._session.seats:  # somebody else has changed them
            self.show(guest)
        session = self._session
        going = not session.finished
        for player, (words, take) in enumerate(self._there):
            words.show(_who_is_there(guest, player))
            take.set_visibility(going and not guest.sits and player in guest.table.free_seats())
        self._invite.show(_to_invite(guest, self._hub.token) if going else _watching(guest))
        own = _own_seat(guest) if going else ""
        links = [_invitation(guest, free) for free in guest.table.free_seats() if going and free not in guest.seats]
        link = f'<a href="{escape(session.origin)}">another game</a>'
        began = f"<p>It began as a variation of {link}.</p>" if session.origin else ""
        self._invitations.show(own + "".join(links) + began)

    def tick(self, now: float) -> None:
        """Let the clocks show what is left."""
        clocks = None if self.guest is None else self._session.clocks
        if clocks is not None:
            for player, shown in enumerate(self._clocks):
                words = escape(str(clocks.shown(player, now)))
                shown.show(f"<b>{words}</b>" if clocks.runs(player) else words)

    async def chosen(self, chooser: SeatChooser) -> str | None:
        """What the fields of a chooser say: a person, or an agent with its time; None: they say something else now."""
        guest, asked, game = self.guest, (chooser.seat, chooser.time), self._session.game
        work = self._hub.runner.prepare(lambda: self._hub.seat(asked[0], game, asked[1]))
        found = await asyncio.wrap_future(work)
        return found if (self.guest, chooser.seat, chooser.time) == (guest, *asked) else None

    async def _seated(self, player: int) -> None:
        """Somebody else was chosen for a seat, or another time."""
        try:
            seat = await self.chosen(self.choosers[player])
        except PonderosaError as error:
            self._trouble(str(error))
            return
        if seat is not None and not self._sit(player, seat):
            self._show_again()

    def _take_over(self, player: int) -> None:
        """The machine plays on for a person, or a person for the machine."""
        person = self._session.seats[player] == PERSON
        self._sit(player, self._hub.catalogue.seat(GOOD_LEVEL, self._session.game) if person else PERSON)
        self._show_again()

    def _show_again(self) -> None:
        if self.guest is not None:
            self.show(self.guest)

    def _sit(self, player: int, seat: str) -> bool:
        """Let somebody else play for a player; False: that may not be."""
        if seat == self._session.seats[player]:
            return True
        try:
            self._seat(player, seat)
        except PonderosaError as error:
            self._trouble(str(error))
            return False
        self._shown = list(self._session.seats)
        self._changed()
        return True

    def _seat(self, player: int, seat: str) -> None:
        session, guest = self._session, self.guest
        if guest is None or not guest.sits:
            raise SettingError(WATCHING)
        if session.game.viewed and not session.finished and PERSON in (seat, session.seats[player]):
            raise SettingError(FIXED)
        guest.set_seat(player, seat)


def _who_is_there(guest: Guest, player: int) -> str:
    """Where whoever has a seat is now; nothing where a machine sits."""
    table = guest.table
    if player not in table.session.people():
        return ""
    holder = table.holder(player)
    if holder is None:
        return "free"
    return "you" if holder == guest.browser else "away" if table.is_away(player) else "here"


def _watching(guest: Guest) -> str:
    """How many look on."""
    count = guest.table.watchers
    return f'<span class="quiet">{count} watching</span>' if count else ""


def _to_invite(guest: Guest, token: str) -> str:
    """The button that copies the link of the table, which page.js does, and how many look on."""
    session, free = guest.table.session, guest.table.free_seats()
    link = link_to("/play", game=session.spec, id=session.id, token=token)
    names = " or ".join(session.player_names()[player] for player in free)
    words = f"whoever opens it first plays as {names}" if free else "no seat is free: whoever opens it watches"
    return (
        f'<button class="copy" data-copy="{escape(link)}" data-words="{escape(words)}">Invite a friend</button>'
        f"{_watching(guest)}"
    )


def _own_seat(guest: Guest) -> str:
    """For whom this tab plays, where that is not for all."""
    session, names = guest.table.session, guest.table.session.player_names()
    if not guest.sits:
        return "<p>You watch this game.</p>"
    mine = [guest.player] if guest.player is not None else guest.seats
    if not session.game.viewed and not guest.in_company:
        return ""
    return f"<p>This tab plays as <b>{escape(' and '.join(names[player] for player in mine))}</b>.</p>"


def _invitation(guest: Guest, free: int) -> str:
    """The link to a seat at which nobody sits."""
    table, name = guest.table, escape(guest.table.session.player_names()[free])
    where, words = "another browser", "whoever opens it plays on that side, and you on yours"
    if table.session.game.viewed:
        where, words = "another tab", "it is good for one person"
    link = escape(link_to("/play", seat=table.key(free)))
    return (
        f'<p><a href="{link}" target="_blank" data-invite="{free}">Link to the seat of {name}</a>: '
        f"open it in {where}, or send it; {words}.</p>"
    )
