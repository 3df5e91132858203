"""The view in which people play. Start at PlayView."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace
from html import escape
from itertools import zip_longest

from nicegui import ui
from nicegui.events import KeyEventArguments

from ponderosa.core.errors import LimitError, PonderosaError
from ponderosa.pictures.board import Shown, draw_position
from ponderosa.web.catalogue import ADVISER_LEVEL, PERSON, USUAL_LEVEL, level_of
from ponderosa.web.director import Director
from ponderosa.web.graph import draw_curve
from ponderosa.web.hub import Hub
from ponderosa.web.keys import DIRECTIONS, EARLIER, HELP, HELP_DIRECTED, directed, meant, pressed, steps_of
from ponderosa.web.layout import BoardPicture, Clickable, Html, frame, icon_button, link_to, panel
from ponderosa.web.machines_view import MachineControls
from ponderosa.web.newgame_view import NewGame
from ponderosa.web.players_view import SeatChooser
from ponderosa.web.seats_view import FIXED, SeatsPanel
from ponderosa.web.session import GameSession
from ponderosa.web.sight import Sight
from ponderosa.web.summary import known_moves, status_line, worst_moves
from ponderosa.web.table import Table
from ponderosa.web.thinking_view import LEGEND, ThinkingPanel

TICK_SECONDS = 0.2
"""How often the page looks for what has changed."""
RETRY_SECONDS = 2.0
"""How often a visitor asks again for a place."""
DEFAULT_GAME = "connect4"
SEAT_SEPARATOR = "|"
HIDDEN = "the moves are told when the game is over: until then something is hidden in them"


class PlayView:
    """One game in one tab."""

    def __init__(
        self, hub: Hub, game: str = "", moves: str = "", players: str = "", name: str = "", seat: str = ""
    ) -> None:
        """`name` is that of a saved game that goes on, `seat` the key to a seat of an open one."""
        self.hub = hub
        self.director: Director | None = None
        self.table: Table | None = None
        self._seat = seat
        self._asked = (game or DEFAULT_GAME, [seat.strip() for seat in players.split(SEAT_SEPARATOR) if seat.strip()])
        self._moves, self._name = moves, name
        self._sight: Sight | None = None
        self._drawn: object = None
        self._line: tuple[str, ...] = ()
        self._kept = ""
        self._closed = self._directed = False
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
                self.seats = SeatsPanel(self.hub, self._changed, lambda words: self.message.show(escape(words)))
                self._build_thinking()
                with panel("Game"):
                    self.graph = Clickable("go", self._go, "wide")
                    self.moves = Clickable("go", self._go, "movelist")
                    self.mistakes = Clickable("go", self._go, "mistakes")
                    self.keys = Html("quiet keys")
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
        self.machines = MachineControls(lambda: self._sight, self._tick)

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

    # --- the life of a game ---

    @property
    def _game(self) -> Director:
        if self.director is None:
            raise PonderosaError("the game is not ready yet")
        return self.director

    @property
    def sight(self) -> Sight:
        """What may be seen in this tab."""
        if self._sight is None:
            raise PonderosaError("the game is not ready yet")
        return self._sight

    async def _first(self) -> None:
        """Begin with what the address says; with the usual game when that is impossible."""
        (game, seats), trouble = self._asked, ""
        try:
            if self._seat:
                self._sit_down(self.hub.tables.join(self._seat, self))
                return
        except PonderosaError as error:
            trouble = str(error)
        try:
            await self._when_there_is_room(lambda: self.start(game, seats or None, [], self._moves, self._name))
        except PonderosaError as error:
            trouble = str(error)
            await self._when_there_is_room(lambda: self.start(DEFAULT_GAME, None, []))
        if trouble:
            self.message.show(escape(trouble))

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
            found = [hub.seat(seat, game, seconds) for seat, seconds in zip_longest(asked, times[: len(asked)])]
            session = GameSession.after(spec, game, found, moves, seed)
            known = hub.store.find(name) if name else None
            if known is not None and known.game == spec and session.moves_text().startswith(known.moves):
                session.id = known.id  # the same game goes on
            return session

        try:
            session = await asyncio.wrap_future(self.hub.runner.prepare(make))
        finally:
            self._drawn = None  # also when it cannot be: the game that is on the board goes on
        if self._closed:
            return
        self._leave()
        self._sit_down(self.hub.tables.lay(self.hub.open(session), self))

    def _sit_down(self, table: Table) -> None:
        """Look at a game from a seat, or from no seat in particular."""
        self.table, self.director = table, table.director
        self._sight = Sight(table.director, table.tabs[self])
        self.director.pace = self.machines.pace
        self.message.show("")
        self.seats.show(table)
        with contextlib.suppress(PonderosaError):  # an adviser of the last game may not know this one
            game = self.director.session.game
            self.director.adviser = self.hub.catalogue.seat(self.adviser.seat, game, self.adviser.time)
        self._drawn = None
        self._asked_to_think()

    def _leave(self) -> None:
        if self.table is not None:
            self._game.advised.discard(-1 if self.sight.player is None else self.sight.player)
            self.hub.tables.leave(self.table, self)
            self.table = self.director = self._sight = None

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
        director, session, sight = self._game, self._game.session, self.sight
        report = sight.report()
        showing = bool(self.think.value)
        shown = Shown(
            report=report if showing else None,
            line=self._line,
            hint=sight.hint,
            clickable=sight.acts(),
        )
        state, before = sight.state, sight.before
        self.board.draw(sight.ply, lambda falls: draw_position(state, before, replace(shown, falls=falls)))
        self.status.show(status_line(sight))
        if director.message:
            self.message.show(escape(director.message))
        self.legend.show(LEGEND if showing else "&nbsp;")
        running = director.job if director.purpose != "review" and not sight.limited else None
        self.thinking.update(report if showing else None, running if showing else None)
        self._draw_game(session)
        self.machines.show(sight)
        self._keep_address(session)
        if session.finished and self._kept != session.id + session.moves_text():
            self._kept = session.id + session.moves_text()
            self.hub.keep(session)

    def _draw_game(self, session: GameSession) -> None:
        assert self.table is not None
        self.seats.invite(self.table, self.sight.player if session.secret else None)
        curve = draw_curve(session.curve(), session.cursor, session.player_names()[0])
        self.graph.show("" if self.sight.limited else curve)  # its length tells how many moves there were
        self.moves.show(known_moves(self.sight))
        self.mistakes.show(worst_moves(self._game))
        self._directed = directed(session)
        self.board.steer(self._directed)
        self.keys.show(HELP_DIRECTED if self._directed else HELP)

    def _keep_address(self, session: GameSession) -> None:
        """The address of the page reproduces the position; while something is hidden, it is that of the seat."""
        seats = [seat if seat == PERSON else level_of(seat, session.game) or seat for seat in session.seats]
        facts = {"game": session.spec, "players": SEAT_SEPARATOR.join(seats)}
        if self.sight.limited and self.table is not None:
            facts["seat"] = self.table.keys[self.sight.player or 0]
        else:
            facts["moves"] = session.moves_text(session.cursor)
            facts["id"] = session.id if session.plies else ""
        address = link_to("/", **facts)
        if address != getattr(self, "_address", None):
            self._address = address
            ui.navigate.history.replace(address)

    # --- what people do ---

    def _clicked(self, index: int, ply: int) -> None:
        """A click on a cell or a button of an action, in the position after so many moves."""
        if self.director is None:
            return
        sight = self.sight
        if ply == sight.ply and sight.acts():
            actions = sight.actions()
            if 0 <= index < len(actions):
                sight.choose(actions[index])
                self._changed()

    def _changed(self) -> None:
        self._line = ()
        self.message.show("")
        self._game.changed()
        self._tick()

    def _key(self, event: KeyEventArguments) -> None:
        key = pressed(event)
        if not key or self.director is None:
            return
        steps = steps_of(key, self._directed)
        if steps is not None:
            self._by(steps)
        elif key in DIRECTIONS and self._directed and not self._game.session.at_end:
            self.message.show(escape(EARLIER))  # nobody wants to lose the rest of a game by a key
        else:
            names = [self.sight.state.action_to_string(action) for action in self.sight.actions()]
            found = meant(key, names)
            if found is not None:
                self._clicked(found, self.sight.ply)

    def _by(self, plies: int) -> None:
        if self.director is not None:
            self._go(max(self._game.session.cursor + plies, 0))

    def _go(self, ply: int) -> None:
        if self.director is not None and ply >= 0 and not self.sight.limited:
            self._game.session.go_to(ply)
            self._changed()

    def _alone(self) -> bool:
        """Whether a move can be taken back without asking anybody."""
        return self.director is not None and not (self.sight.limited and len(self._game.session.people()) > 1)

    def _undo(self) -> None:
        if self._alone() and self._game.session.undo():
            if not self._game.session.people():
                self._game.pause(True)
            self._changed()

    def _redo(self) -> None:
        if self._alone() and self._game.session.redo():
            self._changed()

    def _hint(self) -> None:
        if self.director is not None:
            self._game.ask_hint(self.sight.player)

    def _swap(self) -> None:
        if self.director is None or self.table is None:
            return
        if self.sight.limited:
            self.message.show(escape(FIXED))
            return
        self._game.session.swap_seats()
        self.seats.show(self.table)
        self._changed()

    def _resign(self) -> None:
        if self.director is None or self._game.session.finished:
            return
        session = self._game.session
        people = session.people()
        player = session.mover if session.mover in people or not people else people[0]
        player = self.sight.player if self.sight.limited else player
        session.resign(0 if player is None else player)
        self._changed()

    async def _advised(self) -> None:
        """Another adviser was chosen, or another time for it."""
        if self.director is None:
            return
        try:
            adviser = await self.seats.chosen(self.adviser)
            if adviser is not None:
                self._game.set_adviser(adviser)
        except PonderosaError as error:
            self.message.show(escape(str(error)))
            return
        self._tick()

    def _asked_to_think(self) -> None:
        if self.director is None:
            return
        wanted, player = bool(self.think.value), self.sight.player
        if player is None:
            self._game.advising = wanted
        else:
            (self._game.advised.add if wanted else self._game.advised.discard)(player)
        self._tick()

    def _stop(self) -> None:
        if self.director is not None:
            self._game.stop_now()

    def _go_on(self) -> None:
        if self.director is not None:
            self.think.value = True
            self._game.go_on(self.sight.player)
            self._tick()

    def _point(self, line: tuple[str, ...]) -> None:
        self._line = line
        self._tick()

    def _ask_new(self) -> None:
        seats = [PERSON, USUAL_LEVEL]
        if self.director is not None:
            session = self._game.session
            seats = [seat if seat == PERSON else level_of(seat, session.game) or seat for seat in session.seats]
        kind = self._game.session.spec.split(":")[0] if self.director is not None else DEFAULT_GAME
        self.new_game.open(kind, seats)

    def _open_analysis(self) -> None:
        if self.director is not None and self.sight.limited:
            self.message.show(escape(HIDDEN))
        elif self.director is not None:
            session = self._game.session
            where = link_to("/analysis", game=session.spec, moves=session.moves_text(session.cursor))
            ui.navigate.to(where, new_tab=True)
