"""The front door: all games, each with a picture, two lines and a button to play at once. Start at FrontView."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import ui

from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.gallery import Exhibit
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.shares import Visitor
from ponderosa.web.views.layout import Html, frame, link_to


class FrontView:
    """The gallery in one tab."""

    def __init__(self, hub: Hub, visitor: Visitor, has_token: bool = False) -> None:
        """`has_token`: the address brought the token, which need not stay there."""
        self._hub = hub
        self._pictures: dict[str, Html] = {}
        with frame("/", "front"):
            self._show_running(visitor)
            with ui.element("div").classes("gallery"):
                for exhibit in hub.gallery.exhibits:
                    self._show(exhibit)
        if has_token:
            ui.navigate.history.replace("/")
        ui.timer(0.01, self._draw, once=True)

    def _show_running(self, visitor: Visitor) -> None:
        """The way back to the game that goes on."""
        table = self._hub.tables.find(self._hub.tables.last_of(visitor.browser) or "")
        if table is not None:
            name = escape(table.session.game.people_call_it())
            Html("running-game panel").show(
                f'<span>Your game of {name} goes on.</span><a class="button" href="/play">Continue</a>'
            )

    def _show(self, exhibit: Exhibit) -> None:
        with ui.element("article").classes("exhibit panel"):
            picture = Html("shows", aria_hidden="true")
            picture.show(self._hub.gallery.picture(exhibit.name) or "")
            self._pictures[exhibit.name] = picture
            Html("told").show(_words(exhibit, self._hub.addresses.of(exhibit.name)))

    async def _draw(self) -> None:
        """Draw what nobody has drawn yet, a picture after the other."""
        gallery = self._hub.gallery
        for name, picture in self._pictures.items():
            if gallery.picture(name) is None:
                drawing = self._hub.runner.prepare(lambda name=name: gallery.draw(name))  # type: ignore[misc]
                picture.show(await asyncio.wrap_future(drawing))


def _words(exhibit: Exhibit, address: str) -> str:
    """All that stands under the picture."""
    about = exhibit.about if exhibit.about != exhibit.label else ""
    label, against = escape(exhibit.label), "" if exhibit.players == 1 else " against the machine"
    play = escape(link_to("/play", game=exhibit.name))
    friend = escape(link_to("/play", game=exhibit.name, players="|".join([PERSON] * exhibit.players)))
    words = "With a friend" if exhibit.players == 2 else "With friends"
    company = f'<a href="{friend}" aria-label="{label} {words.lower()}">{words}</a>' if exhibit.players > 1 else ""
    return (
        f'<h2>{label}</h2><p class="about">{escape(about)}</p><p class="quiet">{escape(exhibit.people)}</p>'
        f'<p class="ways"><a class="button" href="{play}" aria-label="Play {label}{against}">Play now</a>{company}'
        f'<a href="{escape(address)}" aria-label="Watch a search of {label}">Watch it think</a></p>'
    )
