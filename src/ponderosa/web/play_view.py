"""The view in which people play. Start at PlayView."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from html import escape

from nicegui import ui
from nicegui.events import KeyEventArguments

from ponderosa.core.errors import LimitError, PonderosaError
from ponderosa.web.board import Shown, draw_position
from ponderosa.web.catalogue import ADVISER_LEVEL, PERSON, USUAL_LEVEL, level_of, takes, with_seconds
from ponderosa.web.director import Director
from ponderosa.web.graph import draw_curve
from ponderosa.web.hub import Hub
from ponderosa.web.layout import BoardPicture, Clickable, Html, frame, icon_button, link_to, panel
from ponderosa.web.newgame_view import NewGame
from ponderosa.web.players_view import SeatChooser
from ponderosa.web.session import GameSession
from ponderosa.web.summary import move_list, status_line, worst_moves
from ponderosa.web.thinking_view import LEGEND, ThinkingPanel

TICK_SECONDS = 0.2
"""How often the page looks for what has changed."""
RETRY_SECONDS = 2.0
"""How often a visitor asks again for a place."""
DEFAULT_GAME = "connect4"
SEAT_SEPARATOR = "|"


class PlayView:
    """One game in one tab."""

    def __init__(self, hub: Hub, game: str = "", moves: str = "", players: str = "", name: str = "") -> None:
        """`name` is that of a saved game that goes on."""
        self.hub = hub
        self.director: Director | None = None
        self._asked = (game or DEFAULT_GAME, [seat.strip() for seat in players.split(SEAT_SEPARATOR) if seat.strip()])
        self._moves, self._name = moves, name
        self._drawn: object = None
        self._line: tuple[str, ...] = ()
        self._kept = ""
        self._closed = False
        self._build()
        ui.keyboard(self._key, ignore=["input", "select", "textarea"])
        ui.timer(0.01, self._first, once=True)
        ui.timer(TICK_SECONDS, self._tick)

    # --- what is on the page ---

    def _build(self) -> None:
        with frame("/", "play"):
            with ui.element("div").classes("main"):
                self.status = Html("status", role="status", aria_live="polite")
                self.board = BoardPicture(self._clicked)
                self.message = Html("message", role="alert")
                self._build_controls()
                self.legend = Html("legend")
            with ui.element("div").classes("side"):
                with panel("Players"):
                    self.seats = ui.element("div").classes("line")
                self._build_thinking()
                with panel("Game"):
                    self.graph = Clickable("go", self._go, "wide")
                    self.moves = Clickable("go", self._go, "movelist")
                    self.mistakes = Clickable("go", self._go, "mistakes")
        self.new_game = NewGame(self.hub, self.start)

    def _build_controls(self) -> None:
        with ui.element("div").classes("line middle"):
            ui.button("New game", icon="add", on_click=self._ask_new).props("dense unelevated no-caps").classes("px-2")
            icon_button("undo", "Undo", self._undo)
            icon_button("redo", "Redo", self._redo)
            icon_button("first_page", "First position", lambda: self._go(0))
            icon_button("chevron_left", "Back", lambda: self._by(-1))
            icon_button("chevron_right", "Forward", lambda: self._by(1))
            icon_button("last_page", "Last position", lambda: self._go(10**6))
            icon_button("lightbulb", "Hint", self._hint)
            icon_button("swap_horiz", "Swap sides", self._swap)
            icon_button("flag", "Resign", self._resign)
        with ui.element("div").classes("line middle") as self.machine_controls:
            self.pause = ui.button("Pause", icon="pause", on_click=self._pause).props("flat dense no-caps")
            self.step = ui.button("Step", icon="skip_next", on_click=self._step).props("flat dense no-caps")
            ui.label("seconds a move").classes("quiet")
            self.pace = ui.slider(min=0, max=5, step=0.1, value=0.5, on_change=self._paced).style("width:9rem")
            self.pace.props('label aria-label="seconds a move"')
        self.machine_controls.set_visibility(False)

    def _build_thinking(self) -> None:
        with panel("Thinking"):
            with ui.element("div").classes("line tight"):
                self.think = ui.switch("Show on the board", on_change=self._asked_to_think)
                ui.space()
                icon_button("stop", "Stop now and keep the answer", self._stop)
                icon_button("play_arrow", "Go on thinking", self._go_on)
                icon_button("account_tree", "Look into the tree", self._open_analysis)
            self.thinking = ThinkingPanel(self._point)
            self.adviser = SeatChooser(self.hub, "adviser", ADVISER_LEVEL, self._advised, nobody=None)

    def _build_seats(self) -> None:
        director = self._game
        session = director.session
        self.seats.clear()
        self.choosers: list[SeatChooser] = []
        with self.seats:
            for player, name in enumerate(session.player_names()):
                seat = session.seats[player]
                shown = seat if seat == PERSON else level_of(seat, session.game) or seat
                with ui.element("div").classes("line tight"):
                    ui.html(f'<span class="swatch p{player}"></span>', sanitize=False)
                    with ui.element("div").classes("grow"):
                        seated = partial(self._seated, player)
                        self.choosers.append(SeatChooser(self.hub, name, shown, seated))
                    icon_button(
                        "smart_toy" if seat == PERSON else "person",
                        "Let the machine take over" if seat == PERSON else "A person steps in",
                        partial(self._take_over, player),
                    )

    # --- the life of a game ---

    @property
    def _game(self) -> Director:
        if self.director is None:
            raise PonderosaError("the game is not ready yet")
        return self.director

    async def _first(self) -> None:
        """Begin with what the address says; with the usual game when that is impossible."""
        (game, seats), moves = self._asked, self._moves
        try:
            await self._when_there_is_room(lambda: self.start(game, seats or None, [], moves, self._name))
        except PonderosaError as error:
            await self._when_there_is_room(lambda: self.start(DEFAULT_GAME, None, []))
            self.message.show(escape(str(error)))

    async def _when_there_is_room(self, begin: Callable[[], Awaitable[None]]) -> None:
        """Begin a game, as soon as the server has room for one more."""
        while not self._closed:
            try:
                await begin()
                return
            except LimitError as error:
                self.status.show('<span class="what">Waiting for a free place …</span>')
                self.message.show(escape(str(error)))
                await asyncio.sleep(RETRY_SECONDS)

    async def start(
        self, spec: str, seats: list[str] | None, times: list[float | None], moves: str = "", name: str = ""
    ) -> None:
        """Begin a game in the place of the one that is on the board."""
        self.status.show('<span class="what">Preparing the game …</span>')
        hub, catalogue, seed = self.hub, self.hub.catalogue, secrets.randbelow(2**31)

        def make() -> GameSession:
            game = catalogue.game(spec)
            asked = seats if seats is not None else ([PERSON] + [USUAL_LEVEL] * game.players)[: game.players]
            found = [catalogue.seat(seat, game) for seat in asked]
            for player, seconds in enumerate(times):
                if seconds is not None and found[player] != PERSON and takes(found[player], "seconds"):
                    found[player] = with_seconds(found[player], seconds)
            session = GameSession.after(spec, game, found, moves, seed)
            known = hub.store.find(name) if name else None
            if known is not None and known.game == spec and session.moves_text().startswith(known.moves):
                session.id = known.id  # the same game goes on
            return session

        session = await asyncio.wrap_future(self.hub.runner.prepare(make))
        if self._closed:
            return
        self._leave()
        self.director = self.hub.open(session)
        self.director.advising = bool(self.think.value)
        self.director.pace = float(self.pace.value)
        self.message.show("")
        with contextlib.suppress(PonderosaError):  # an adviser of the last game may not know this one
            self.director.adviser = self._chosen_agent(self.adviser)
        self._build_seats()
        self._drawn = None
        self._tick()

    def _leave(self) -> None:
        if self.director is not None:
            self.hub.close(self.director)
            self.director = None

    def close(self) -> None:
        """The tab is gone."""
        self._closed = True
        self._leave()

    def _tick(self) -> None:
        """Do what is due, and draw what has changed."""
        if self.director is None:
            return
        self.director.tick()
        job = self.director.job
        now = (self.director.version, job.phase if job else None, self._line, bool(self.think.value))
        if now != self._drawn:
            self._drawn = now
            self._draw()

    # --- drawing ---

    def _draw(self) -> None:
        director, session = self._game, self._game.session
        report = session.report()
        showing = bool(self.think.value)
        shown = Shown(
            report=report if showing else None,
            line=self._line,
            hint=director.hint,
            clickable=session.person_moves(),
        )
        before = session.states[session.cursor - 1] if session.cursor else None
        self.board.draw(session.cursor, lambda falls: draw_position(session.state, before, replace(shown, falls=falls)))
        self.status.show(status_line(director))
        if director.message:
            self.message.show(escape(director.message))
        self.legend.show(LEGEND if showing else "&nbsp;")
        running = director.job if director.purpose != "review" else None
        self.thinking.update(report if showing else None, running if showing else None)
        self._draw_game(session)
        waiting = director.paused or not session.at_end
        held = waiting and bool(session.waiting_for()) and not session.person_moves()
        self.machine_controls.set_visibility(held or not session.people())
        self.pause.text, self.pause.icon = ("Play on", "play_arrow") if waiting else ("Pause", "pause")
        self._keep_address(session)
        if session.finished and self._kept != session.id + session.moves_text():
            self._kept = session.id + session.moves_text()
            self.hub.keep(session)

    def _draw_game(self, session: GameSession) -> None:
        self.graph.show(draw_curve(session.curve(), session.cursor, session.player_names()[0]))
        self.moves.show(move_list(session))
        self.mistakes.show(worst_moves(self._game))

    def _keep_address(self, session: GameSession) -> None:
        """The address of the page reproduces the position."""
        seats = [seat if seat == PERSON else level_of(seat, session.game) or seat for seat in session.seats]
        address = link_to(
            "/",
            game=session.spec,
            moves=session.moves_text(session.cursor),
            players=SEAT_SEPARATOR.join(seats),
            id=session.id if session.plies else "",
        )
        if address != getattr(self, "_address", None):
            self._address = address
            ui.navigate.history.replace(address)

    # --- what people do ---

    def _clicked(self, index: int, ply: int) -> None:
        """A click on a cell or a button of an action, in the position after so many moves."""
        if self.director is None:
            return
        session = self._game.session
        actions = session.actions()
        if ply == session.cursor and session.person_moves() and 0 <= index < len(actions):
            session.play(actions[index])
            self._changed()

    def _changed(self) -> None:
        self._line = ()
        self.message.show("")
        self._game.changed()
        self._tick()

    def _key(self, event: KeyEventArguments) -> None:
        if not event.action.keydown or self.director is None or event.modifiers.ctrl or event.modifiers.alt:
            return
        key = str(event.key)
        steps = {"ArrowLeft": -1, "ArrowRight": 1, "Home": -(10**6), "End": 10**6}
        if key in steps:
            self._by(steps[key])
        elif key.isdigit():
            names = [self._game.session.state.action_to_string(action) for action in self._game.session.actions()]
            if key in names:
                self._clicked(names.index(key), self._game.session.cursor)

    def _by(self, plies: int) -> None:
        if self.director is not None:
            self._go(max(self._game.session.cursor + plies, 0))

    def _go(self, ply: int) -> None:
        if self.director is not None and ply >= 0:
            self._game.session.go_to(ply)
            self._changed()

    def _undo(self) -> None:
        if self.director is not None and self._game.session.undo():
            if not self._game.session.people():
                self._game.pause(True)
            self._changed()

    def _redo(self) -> None:
        if self.director is not None and self._game.session.redo():
            self._changed()

    def _hint(self) -> None:
        if self.director is not None:
            self._game.ask_hint()

    def _swap(self) -> None:
        if self.director is not None:
            self._game.session.swap_seats()
            self._build_seats()
            self._changed()

    def _resign(self) -> None:
        if self.director is None or self._game.session.finished:
            return
        session = self._game.session
        people = session.people()
        player = session.mover if session.mover in people or not people else people[0]
        session.resign(0 if player is None else player)
        self._changed()

    def _seated(self, player: int) -> None:
        """Somebody else was chosen for a seat, or another time."""
        chooser, session = self.choosers[player], self._game.session
        try:
            seat = self._chosen_agent(chooser)
        except PonderosaError as error:
            self.message.show(escape(str(error)))
            return
        if seat != session.seats[player]:
            session.seats[player] = seat
            self._changed()

    def _take_over(self, player: int) -> None:
        """The machine plays on for a person, or a person for the machine."""
        session = self._game.session
        person = session.seats[player] == PERSON
        session.seats[player] = self.hub.catalogue.seat(ADVISER_LEVEL, session.game) if person else PERSON
        self._build_seats()
        self._changed()

    def _advised(self) -> None:
        """Another adviser was chosen, or another time for it."""
        if self.director is None:
            return
        try:
            self._game.set_adviser(self._chosen_agent(self.adviser))
        except PonderosaError as error:
            self.message.show(escape(str(error)))
            return
        self._tick()

    def _chosen_agent(self, chooser: SeatChooser) -> str:
        """What the fields of a chooser say: a person, or an agent with its time."""
        seat = self.hub.catalogue.seat(chooser.seat, self._game.session.game)
        if chooser.time and seat != PERSON and takes(seat, "seconds"):
            seat = with_seconds(seat, chooser.time)
        return seat

    def _asked_to_think(self) -> None:
        if self.director is not None:
            self._game.advising = bool(self.think.value)
            self._tick()

    def _stop(self) -> None:
        if self.director is not None:
            self._game.stop_now()

    def _go_on(self) -> None:
        if self.director is not None:
            self.think.value = True
            self._game.go_on()
            self._tick()

    def _point(self, line: tuple[str, ...]) -> None:
        self._line = line
        self._tick()

    def _pause(self) -> None:
        if self.director is None:
            return
        session = self._game.session
        if not session.at_end:
            session.cut()
            self._game.changed()
            self._game.pause(False)
        else:
            self._game.pause(not self._game.paused)
        self._tick()

    def _step(self) -> None:
        if self.director is not None:
            self._game.session.cut()
            self._game.pause(True)
            self._game.step()
            self._tick()

    def _paced(self) -> None:
        if self.director is not None:
            self._game.pace = float(self.pace.value)

    def _ask_new(self) -> None:
        seats = [PERSON, USUAL_LEVEL]
        if self.director is not None:
            session = self._game.session
            seats = [seat if seat == PERSON else level_of(seat, session.game) or seat for seat in session.seats]
        kind = self._game.session.spec.split(":")[0] if self.director is not None else DEFAULT_GAME
        self.new_game.open(kind, seats)

    def _open_analysis(self) -> None:
        if self.director is not None:
            session = self._game.session
            where = link_to("/analysis", game=session.spec, moves=session.moves_text(session.cursor))
            ui.navigate.to(where, new_tab=True)
