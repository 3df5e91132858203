"""The dialog in which a game is taken along as a file. Start at Downloads."""

from __future__ import annotations

from dataclasses import replace

from nicegui import ui

from ponderosa.transcripts.formats import formats_of, label_of, write_game
from ponderosa.transcripts.transcript import Transcript
from ponderosa.web.model.exchange import file_name, transcript_of
from ponderosa.web.model.session import GameSession


class Downloads:
    """Offers the formats that can hold a game."""

    def __init__(self) -> None:
        with ui.dialog().props('aria-label="Download the game"') as self._dialog, ui.card().classes("downloads"):
            ui.html("Download the game", sanitize=False, tag="h2").classes("text-lg")
            self._offers = ui.element("div").classes("line")

    def offer(self, session: GameSession, date: str = "", seeded: bool = True) -> None:
        """Ask in which format a game is wanted; of today, unless a date is given; `seeded`: its seed made its dice."""
        transcript = transcript_of(session, date)
        transcript = transcript if seeded else replace(transcript, seed=None)
        self._offers.clear()
        with self._offers:
            for form in formats_of(transcript):
                button = ui.button(label_of(form), on_click=lambda form=form: self._send(session, transcript, form))
                button.props("dense unelevated no-caps").classes("px-2")
        self._dialog.open()

    def _send(self, session: GameSession, transcript: Transcript, form: str) -> None:
        self._dialog.close()
        ui.download.content(write_game(transcript, form), file_name(session, form))
