"""A stored game of the arena on the board. Start at ReplayView."""

from __future__ import annotations

import asyncio
import datetime
from html import escape

from nicegui import ui
from nicegui.events import KeyEventArguments

from ponderosa.arena.results.replay import result_words
from ponderosa.errors import PonderosaError
from ponderosa.pictures.board import Shown
from ponderosa.pictures.swatch import player_swatch
from ponderosa.web.drawing.graph import draw_curve
from ponderosa.web.drawing.results import Label, game_name
from ponderosa.web.drawing.summary import move_list
from ponderosa.web.model.arena import Replay, row_number
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.place import Place
from ponderosa.web.views.downloads import Downloads
from ponderosa.web.views.layout import BoardPicture, Clickable, Html, frame, icon_button, link_to, panel
from ponderosa.web.views.waiting import told_meanwhile

END = 10**6


class ReplayView:
    """Goes through a game with buttons, arrow keys, and clicks on its moves."""

    def __init__(self, hub: Hub, name: str) -> None:
        """`name` is the game's number in the file, as the address has it."""
        self.hub, self.key = hub, row_number(name)
        self.replay: Replay | None = None
        self.place: Place | None = None
        with frame("/arena", "play", f"Game {self.key}"):
            with ui.element("div").classes("main"):
                self.status = Html("status", role="status", aria_live="polite")
                self.board = BoardPicture(lambda index, ply: None)
                self.message = Html("message", role="alert")
                with ui.element("div").classes("line middle"):
                    icon_button("first_page", "First position", lambda: self._go(0))
                    icon_button("chevron_left", "Back", lambda: self._by(-1))
                    icon_button("chevron_right", "Forward", lambda: self._by(1))
                    icon_button("last_page", "Last position", lambda: self._go(END))
            with ui.element("div").classes("side"), panel("Game"):
                self.about = Html("wide")
                self.graph = Clickable("go", self._go, "wide")
                self.moves = Clickable("go", self._go, "movelist")
                icon_button("download", "Download the game", self._offer)
        self.downloads = Downloads()
        ui.keyboard(self._pressed, ignore=["input", "select", "textarea"])
        ui.timer(0.01, self._load, once=True)

    async def _load(self) -> None:
        try:
            reading = asyncio.wrap_future(self.hub.runner.prepare(lambda: self.hub.arena.replay(self.key)))
            self.replay = await told_meanwhile(self.status, reading)
        except PonderosaError as error:
            self.status.show("")
            self.message.show(escape(str(error)))
            return
        self.place = Place(self.replay.session)
        self._go(0)

    def _offer(self) -> None:
        if self.replay is not None:
            ended = datetime.datetime.fromtimestamp(self.replay.stored["ended"], datetime.UTC)
            self.downloads.offer(self.replay.session, ended.isoformat(timespec="seconds"), seeded=False)

    def _draw(self) -> None:
        if self.replay is None or self.place is None:
            return
        place, stored = self.place, self.replay.stored
        self.board.draw(place.ply, place.state, place.before, Shown())
        self.status.show(_status(self.replay, place))
        self.about.show(_about(self.replay, place, self.hub.catalogue.label))
        self.moves.show(move_list(place))
        if any(thought[2:] for thought in stored["thoughts"]):
            self.graph.show(_curves(self.replay, place.ply))

    def _pressed(self, event: KeyEventArguments) -> None:
        steps = {"ArrowLeft": -1, "ArrowRight": 1, "Home": -END, "End": END}
        if event.action.keydown and str(event.key) in steps and not (event.modifiers.ctrl or event.modifiers.alt):
            self._by(steps[str(event.key)])

    def _by(self, plies: int) -> None:
        if self.place is not None:
            self._go(max(self.place.ply + plies, 0))

    def _go(self, ply: int) -> None:
        if self.place is not None and ply >= 0:
            self.place.go_to(ply)
            self._draw()


def _curves(replay: Replay, here: int) -> str:
    """What each of two agents thought: a line for the first, a dashed one for the second."""
    names = replay.session.player_names()
    told = [(name, curve) for name, curve in zip(names, replay.curves, strict=True) if {*curve[:-1]} - {None}]
    (name, curve), *others = told or [("", replay.curves[0])]
    words = f"win probability of {names[0]}, as {name}{f' and (dashed) {others[0][0]}' if others else ''} saw it"
    return draw_curve(curve, here, names[0], others[0][1] if others else (), words if told else "")


def _status(replay: Replay, place: Place) -> str:
    """Whose move it is, or how the game ended."""
    session, stored = replay.session, replay.stored
    if place.at_end:
        reason = f'<span class="what">{escape(" ".join((stored["reason"], stored["detail"])).strip())}</span>'
        return f"{escape(result_words(stored['agents'], stored['scores'], stored['returns']))} {reason}"
    player = place.state.to_move()
    if player < 0:
        return f'<span class="what">chance decides; after {place.ply} of {session.plies} moves</span>'
    return (
        f"{player_swatch(session.game, player)}{escape(session.player_names()[player])} "
        f'<span class="what">to move; after {place.ply} of {session.plies} moves</span>'
    )


def _about(replay: Replay, place: Place, label: Label) -> str:
    """Who plays, where the game is from, and where it can be looked into."""
    session, stored = replay.session, replay.stored
    names = "".join(
        f"<div>{player_swatch(session.game, player)} {escape(name)}: {escape(agent)}</div>"
        for player, (name, agent) in enumerate(zip(session.player_names(), stored["agents"], strict=True))
    )
    event = link_to("/arena/event", id=str(stored["event"]))
    study = link_to("/analysis", game=session.spec, moves=session.moves_text(place.ply))
    opening = f", the first {stored['opening']} moves are the opening" if stored["opening"] else ""
    return (
        f'{names}<p class="quiet">{game_name(session.spec, label)}, game {stored["number"] + 1} of '
        f'<a href="{escape(event)}">event {stored["event"]}</a>{opening}. '
        f'<a href="{escape(study)}">Analyse this position</a></p>'
    )
