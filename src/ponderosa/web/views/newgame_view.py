"""The dialog that begins a game: which one, with which parameters, who plays, who starts. Start at NewGame."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from nicegui import ui

from ponderosa.core.spec import split_spec
from ponderosa.errors import PonderosaError
from ponderosa.web.model.catalogue import PERSON, USUAL_LEVEL, is_known, seat_text
from ponderosa.web.model.hub import Hub
from ponderosa.web.views.players_view import SeatChooser

AT_RANDOM = -1
CLOCKS = {
    "": "none",
    "1m+1": "1 minute, and 1 second a move",
    "5m+3": "5 minutes, and 3 seconds a move",
    "15m+10": "15 minutes, and 10 seconds a move",
    "5m+3x30": "5 minutes, then 3 periods of 30 seconds",
}
CLOCK_HELP = "Time for the whole game: 60, 5m+3 or 10m+5x30 can be typed too"


class NewGame:
    """A dialog."""

    def __init__(self, hub: Hub, on_start: Callable[[str, list[str], list[float | None], str, str], Any]) -> None:
        """`on_start` gets the game, the seats in the order of their turns, their times, moves, and the clock."""
        self._hub, self._catalogue, self._on_start = hub, hub.catalogue, on_start
        self._fields: dict[str, Any] = {}
        self._choosers: list[SeatChooser] = []
        dialog = ui.dialog().props('aria-label="New game"')
        with dialog as self.dialog, ui.card().style("width:min(30rem,95vw)").classes("gap-2"):
            ui.html("New game", sanitize=False, tag="h2").classes("text-lg")
            names = {name: self._catalogue.label(name) for name in self._catalogue.game_names}
            self.game = ui.select(names, value=next(iter(names)), label="Game", on_change=self._show_fields)
            self.game.props("dense outlined options-dense").classes("wide")
            self.about = ui.label().classes("quiet")
            self._parameters = ui.element("div").classes("line")
            self._seats = ui.element("div").classes("line")
            self.starts = ui.select({}, label="Who starts").props("dense outlined").classes("wide")
            self.clock = ui.select(
                CLOCKS,
                value="",
                label="Clock",
                with_input=True,
                new_value_mode="add-unique",
                on_change=self._clock_chosen,
            )
            self.clock.props("dense outlined options-dense").classes("wide").tooltip(CLOCK_HELP)
            self.trouble = ui.label("").classes("message")
            with ui.row().classes("wide justify-end"):
                ui.button("Cancel", on_click=self.dialog.close).props("flat")
                ui.button("Start", on_click=self._start)
        self._seat_texts = [PERSON, USUAL_LEVEL]
        self._show_fields()

    def _clock_chosen(self) -> None:
        """A clock that was typed leaves the list open, before the buttons."""
        self.clock.run_method("hidePopup")

    def open(self, game: str, seats: list[str]) -> None:
        """Show the dialog, filled with the game that is on the board."""
        self._seat_texts = seats
        names = self._catalogue.game_names
        if game in names or split_spec(game)[0] in names:
            self.game.value = game if game in names else split_spec(game)[0]
        self._show_fields()
        self.trouble.text = ""
        self.dialog.open()

    def _show_fields(self) -> None:
        """The fields that the chosen game needs."""
        offer = self._catalogue.offer(self.game.value)
        self.about.text = offer.about
        self._parameters.clear()
        self._fields = {}
        with self._parameters:
            for name, default in offer.parameters.items():
                if name != "early_draw":
                    self._fields[name] = _field(name, default)
        if "players" in self._fields:
            self._fields["players"].on_value_change(self._show_seats)
        self._parameters.set_visibility(bool(self._fields))
        self._show_seats()

    def _show_seats(self) -> None:
        """A chooser for each player that the game has with these parameters."""
        try:
            game = self._catalogue.game(self.spec)
        except PonderosaError:  # half a number is typed; starting the game says what is wrong
            return
        self._seats.clear()
        self._choosers = []
        with self._seats:
            for number in range(game.players):
                seat = self._seat_texts[number] if number < len(self._seat_texts) else USUAL_LEVEL
                if is_known(seat):  # of another game, which may have levels that this one lacks
                    seat = seat_text(self._catalogue.seat(seat, game), game)
                self._choosers.append(SeatChooser(self._hub, f"Player {number + 1}", seat, lambda: None, game=game))
        choices = {number: f"Player {number + 1}" for number in range(game.players)} | {AT_RANDOM: "At random"}
        self.starts.set_options(choices, value=0)
        self.starts.set_visibility(game.players > 1)

    @property
    def spec(self) -> str:
        """The game with the parameters that were changed."""
        defaults = self._catalogue.offer(self.game.value).parameters
        changed = [
            f"{name}={_written(field.value)}"
            for name, field in self._fields.items()
            if _written(field.value) != _written(defaults[name])
        ]
        return str(self.game.value) + (":" + ",".join(changed) if changed else "")

    async def _start(self) -> None:
        count, first = len(self._choosers), int(self.starts.value)
        first = random.randrange(count) if first == AT_RANDOM else first
        turns = [self._choosers[(first + number) % count] for number in range(count)]
        try:
            times = [seat.time for seat in turns]
            await self._on_start(self.spec, [seat.seat for seat in turns], times, "", self.clock.value or "")
        except PonderosaError as error:
            self.trouble.text = str(error)
            return
        self.dialog.close()


def _field(name: str, default: Any) -> Any:
    """A field for one parameter, of its default's type."""
    if isinstance(default, bool):
        return ui.checkbox(name, value=default)
    if isinstance(default, int | float):
        field: Any = ui.number(name, value=default, format="%g")
    else:
        field = ui.input(name, value=_written(default))
    return field.props("dense outlined").style("width:6.5rem")


def _written(value: Any) -> str:
    """A parameter as people type it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
