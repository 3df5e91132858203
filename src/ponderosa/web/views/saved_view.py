"""The list of saved games: replay, go on, download, import. Start at SavedView."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import ui

from ponderosa.errors import PonderosaError
from ponderosa.web.model.exchange import MOST_GAMES, imported
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.limits import MOST_FILE
from ponderosa.web.model.saved_games import GameRecord
from ponderosa.web.views.downloads import Downloads
from ponderosa.web.views.layout import Clickable, Html, frame, link_to, panel

REMOVE = """(e) => {
    const found = e.target.closest('[data-remove]');
    if (found) emit(Number(found.dataset.remove));
}"""
READ_FILE = f"async (file) => {{ if (file) emit((await file.slice(0, {MOST_FILE + 1}).text())); }}"
"""Reads a file in the browser. An upload would be a route of its own for every visit, and routes are never forgotten:
FastAPI remembers what they call, and with it the view and its list of games."""
EXAMPLE = "[game: connect4]\n4 4 3 5"
COLUMNS = (
    "<th>When</th><th>Game</th><th class='wide-only'>Players</th><th>Result</th><th>Moves</th>"
    "<th><span class='unseen'>What to do</span></th>"
)


class SavedView:
    """Every game that was played here."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._records: list[GameRecord] = []
        self._removed: list[GameRecord] = []
        """What was deleted on this page, the last at the end: it can be put back until the page is left."""
        with frame("/saved", "saved-games"):
            with panel("Saved games"):
                with ui.element("div").classes("line tight removed") as self._removed_row:
                    self._removed_words = ui.label().props("role=status")
                    ui.button("Undo", icon="undo", on_click=self._put_back).props("dense flat no-caps")
                self.list = Clickable("download", self._download, "wide")
                self.list.element.on(
                    "click",
                    lambda event: self._remove(event.args),
                    js_handler=REMOVE,
                )
            with panel("Import games"):
                self.text = ui.textarea(placeholder=EXAMPLE).props("outlined dense").classes("wide")
                self.text.props('aria-label="games as text"')
                with ui.element("div").classes("line"):
                    ui.button("Import", on_click=self._import_typed).props("dense unelevated no-caps").classes("px-2")
                    file = ui.element("q-file").props('label="or a file" dense outlined').style("width:16rem")
                    file.on("update:model-value", lambda event: self._import_file(event.args), js_handler=READ_FILE)
                Html("quiet").show("Plain text, JSON, SGF (Go, Othello, Hex, Gomoku, Connect6), or PGN (chess).")
                self.done = Html("quiet", role="status")
                self.message = Html("message", role="alert")
            self.downloads = Downloads()
        self.refresh()

    def refresh(self) -> None:
        """Read the list anew."""
        self._records = self.hub.store.listed()
        self._removed_row.set_visibility(bool(self._removed))
        if self._removed:
            last = self._removed[-1]
            name = self.hub.catalogue.label(last.game)
            self._removed_words.text = f"Deleted: {name}, {last.told.rstrip('.')}, {last.plies} moves."
        catalogue = self.hub.catalogue
        rows = "".join(
            _row(number, record, catalogue.label(record.game), catalogue.seat_names(record.game, record.seats))
            for number, record in enumerate(self._records)
        )
        self.list.show(
            f'<table class="saved"><thead><tr>{COLUMNS}</tr></thead><tbody>{rows}</tbody></table>'
            if rows
            else '<span class="quiet">No game yet: every game in which somebody has moved is kept here.</span>'
        )

    async def _download(self, number: int) -> None:
        if not 0 <= number < len(self._records):
            return
        record = self._records[number]
        try:
            session = await asyncio.wrap_future(self.hub.runner.prepare(lambda: self.hub.reopened(record)))
        except PonderosaError as error:
            self.message.show(escape(str(error)))
            return
        self.downloads.offer(session, record.saved)

    def _remove(self, number: object) -> None:
        if isinstance(number, int) and 0 <= number < len(self._records):
            self.hub.store.remove(self._records[number].id)
            self._removed.append(self._records[number])
            self.refresh()

    def _put_back(self) -> None:
        """Keep the game that was deleted last; what has come of it elsewhere since then stays."""
        if not self._removed:
            return
        record = self._removed.pop()
        if self.hub.store.find(record.id) is None:
            self.hub.store.keep(record)
        self.refresh()

    async def _import_typed(self) -> None:
        await self._import(str(self.text.value or ""))

    async def _import_file(self, content: object) -> None:
        await self._import(str(content))

    async def _import(self, text: str) -> None:
        try:
            records = await asyncio.wrap_future(self.hub.runner.prepare(lambda: imported(self.hub, text)))
        except PonderosaError as error:
            self.message.show(escape(str(error)))
            self.done.show("")
            return
        for record in reversed(records):  # the first of the file is the first of the list
            self.hub.store.keep(record)
        self.message.show("")
        count = "One game is" if len(records) == 1 else f"{len(records)} games are"
        most = f"The first {MOST_GAMES} games of the file are" if len(records) == MOST_GAMES else count
        self.done.show(f"{most} in the list now.")
        self.text.value = ""
        self.refresh()


def _row(number: int, record: GameRecord, label: str, seats: list[str]) -> str:
    replay = link_to("/play", game=record.game, moves=record.moves, players="|".join(record.seats), id=record.id)
    study = link_to("/analysis", game=record.game, moves=record.moves)
    day, _, time = record.saved[:16].partition("T")
    return (
        f'<tr><td class="when"><span>{escape(day)}</span> <span>{escape(time)}</span></td>'
        f'<td title="{escape(record.game)}">{escape(label)}</td>'
        f'<td class="wide-only" title="{escape(" : ".join(record.seats))}">{escape(" : ".join(seats))}</td>'
        f"<td>{escape(record.told)}</td><td>{record.plies}</td>"
        f'<td><a href="{escape(replay)}">{"replay" if record.finished else "continue"}</a> · '
        f'<a href="{escape(study)}">analyse</a> · <a href="#" data-download="{number}">download</a> · '
        f'<a href="#" data-remove="{number}">delete</a></td></tr>'
    )
