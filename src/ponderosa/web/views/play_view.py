"""The view in which people play. Start at PlayView."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from html import escape
from typing import Any

from nicegui import ui
from nicegui.events import KeyEventArguments

from ponderosa.errors import LimitError, PonderosaError, SettingError
from ponderosa.levels import adviser
from ponderosa.pictures.board import Shown
from ponderosa.web.drawing.summary import page_title, status_line
from ponderosa.web.model.catalogue import ADVISER, PERSON, USUAL_LEVEL, seat_text
from ponderosa.web.model.director import Director
from ponderosa.web.model.entrance import Address, Entrance, address_of
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.lesson import lessons_of
from ponderosa.web.model.session import GameSession, new_seed
from ponderosa.web.model.shares import Visitor
from ponderosa.web.model.sight import Sight
from ponderosa.web.model.table import Guest
from ponderosa.web.views.end_panel import EndPanel
from ponderosa.web.views.keys import DIRECTIONS, EARLIER, meant, pressed, steps_of
from ponderosa.web.views.layout import BoardPicture, Headline, Html, frame, icon_button, link_to, name_page, panel
from ponderosa.web.views.lesson_panel import LessonPanel
from ponderosa.web.views.machines_view import MachineControls
from ponderosa.web.views.moves_panel import MovesPanel
from ponderosa.web.views.newgame_view import NewGame
from ponderosa.web.views.opinion_view import OpinionChooser
from ponderosa.web.views.players_view import SeatChooser
from ponderosa.web.views.seats_view import FIXED, WATCHING, SeatsPanel
from ponderosa.web.views.thinking_view import ThinkingPanel, legend_of
from ponderosa.web.views.waiting import told_meanwhile
from ponderosa.web.views.walk import Walk

TICK_SECONDS = 0.2
"""How often the page looks for what has changed."""
RETRY_SECONDS = 2.0
"""How often a visitor asks again for a place."""
LESSON = 'Lesson <span class="what">a move here is only tried</span>'
LOST = "The table of this link is not here any more: this is a new game."
HIDDEN = "the moves are told when the game is over: until then something is hidden in them"


class PlayView:
    """One game in one tab."""

    def __init__(self, hub: Hub, visitor: Visitor, asked: Address) -> None:
        """`visitor` has the browser that the tab belongs to."""
        self.hub = hub
        self._asked = asked
        self._entrance = Entrance(hub, self, visitor)
        self._guest: Guest | None = None
        self._sight: Sight | None = None
        self._address = self._title = ""
        self._drawn: object = None
        self._line: tuple[str, ...] = ()
        self._closed = False
        self.walk = Walk(lambda: self._sight, self._moved_eyes)
        self._build()
        ui.keyboard(self._key, ignore=["input", "select", "textarea"])
        ui.timer(0.01, self._first, once=True)
        ui.timer(TICK_SECONDS, self._tick)

    # --- what is on the page ---

    def _build(self) -> None:
        with frame("/play", "play"):
            with ui.element("div").classes("main"):
                self.headline = Headline()
                self.status = self.headline.status
                self.lessons = LessonPanel(self._lesson_went_on, self._play_on)
                self.board = BoardPicture(self._clicked)
                self.message = Html("message", role="alert")
                self.ending = EndPanel(self._next_game, lambda: self.lessons.begin(self._game, self._pupils()))
                self._build_controls()
                self.legend = Html("legend")
            with ui.element("div").classes("side"):
                self.seats = SeatsPanel(self.hub, self._changed, self._take_seat, self._say)
                self._build_thinking()
                self.moves = MovesPanel(self.walk.go)
        self.new_game = NewGame(self.hub, self.start)

    def _build_controls(self) -> None:
        with ui.element("div").classes("line middle"):
            ui.button("New game", icon="add", on_click=self._ask_new).props("dense unelevated no-caps").classes("px-2")
            self.walk.build()
            icon_button("lightbulb", "Hint", self._hint)
            icon_button("swap_horiz", "Swap sides", self._swap)
            icon_button("flag", "Resign", self._resign)
        self.machines = MachineControls(lambda: self._sight, self._rewind, self._tick)

    def _build_thinking(self) -> None:
        with panel("Thinking"):
            with ui.element("div").classes("line tight"):
                self.think = ui.switch("Show on the board", on_change=self._asked_to_think)
                ui.space()
                icon_button("stop", "Stop now and keep the answer", self._stop)
                icon_button("play_arrow", "Go on thinking", self._go_on)
                icon_button("account_tree", "Look into the tree", self._open_analysis)
                icon_button("insights", "Watch a search from its beginning", self._open_watching)
            self.opinion = OpinionChooser(self._tick)
            self.thinking = ThinkingPanel(self._point)
            self.adviser = SeatChooser(self.hub, "adviser", ADVISER, self._advised, nobody=None, advises=True)

    # --- the life of a game ---

    @property
    def _game(self) -> Director:
        return self.sight.director

    @property
    def sight(self) -> Sight:
        """What may be seen in this tab."""
        if self._sight is None:
            raise PonderosaError("the game is not ready yet")
        return self._sight

    @property
    def guest(self) -> Guest:
        """Who looks at the game in this tab."""
        if self._guest is None:
            raise PonderosaError("the game is not ready yet")
        return self._guest

    async def _first(self) -> None:
        """Begin with what the address says; with the usual game when that is impossible."""
        trouble = ""
        try:
            await self._when_there_is_room(lambda: self._come_in(self._asked))
        except PonderosaError as error:
            trouble = str(error)
            await self._when_there_is_room(lambda: self.start(self.hub.catalogue.usual_game, None, []))
        if trouble:
            self._say(trouble)

    async def _come_in(self, asked: Address) -> None:
        self._sit_down(await told_meanwhile(self.status, self._entrance.come_in(asked)))
        if self._sight is not None:
            self._say(LOST if self._entrance.lost else "")
            self.adviser.know(self._game.session.game)
            usual = self._game.adviser == adviser(self._game.session.game)
            self.adviser.set(ADVISER if usual else seat_text(self._game.adviser, self._game.session.game))
            if self._game.session.finished and asked.moves:
                self.sight.place.go_after(asked.moves)

    async def _when_there_is_room(self, begin: Callable[[], Awaitable[None]]) -> None:
        """Begin a game, as soon as the server has room for one more."""
        while not self._closed:
            try:
                await begin()
                return
            except LimitError as error:
                self.status.show('<span class="what">Waiting for a free place …</span>')
                self._say(str(error))
                await asyncio.sleep(RETRY_SECONDS)

    async def start(
        self, spec: str, seats: list[str] | None, times: list[float | None], moves: str = "", control: str = ""
    ) -> None:
        """Begin a game in the place of the one that is on the board."""
        try:
            making = self._entrance.new(spec, seats, times, moves, control)
            session = await told_meanwhile(self.status, making)
        finally:
            self._drawn = None  # also when it cannot be: the game that is on the board goes on
        if not self._closed:
            self._begin(session)

    def _begin(self, session: GameSession) -> None:
        """Change over to another game; the table that is left makes room for it, where nobody else is at it."""
        if self._guest is not None and len(self.guest.table.tabs) == 1:
            self._leave()
        guest = self._entrance.begin(session)
        self._leave()
        self._sit_down(guest)
        with contextlib.suppress(PonderosaError):  # an adviser of the last game may not know this one
            game = self._game.session.game
            self.adviser.know(game)
            self._game.adviser = self.hub.catalogue.seat(self.adviser.seat, game, self.adviser.time)

    def _sit_down(self, guest: Guest) -> None:
        """Look at a game from a seat, or from no seat in particular."""
        if self._closed:
            self.hub.tables.leave(guest.table, self)
            return
        self._guest = guest
        self._sight = Sight(guest.table.director, guest.player, guest)
        self.headline.tell(*self.hub.catalogue.told(self._game.session.spec))
        self._game.look(self.sight.place)
        if len(guest.table.tabs) == 1:
            self._game.pace = self.machines.pace
        self._say("")
        self.seats.show(guest)
        self._drawn = None
        self.think.value = bool(self.think.value) or guest.advised
        self._asked_to_think()

    def _take_seat(self, player: int) -> None:
        """Sit down at a seat that is free, after one has watched."""
        old = self.sight.place
        guest = self.hub.tables.join(self._game.session.id, self, self.guest.browser, player)
        self._game.look_away(old)
        self._sit_down(guest)

    def _next_game(self) -> None:
        """Come to the next game of those who sit here, or begin it."""
        if self._sight is None:
            return
        try:
            guest = self._entrance.next_game(self.guest)
        except PonderosaError as error:
            self._say(str(error))
            return
        self._leave()
        self._sit_down(guest)

    def _leave(self) -> None:
        self.lessons.end()
        if self._guest is not None:
            self._game.look_away(self.sight.place)
            self.hub.tables.leave(self.guest.table, self)
            self._guest = self._sight = None

    def close(self) -> None:
        """The tab is gone."""
        self._closed = True
        self._leave()

    def _tick(self) -> None:
        """Do what is due, and draw what has changed."""
        if self._sight is None:
            return
        director = self._game
        director.tick()
        phase = (director.job.phase, director.job.compiled) if director.job else None
        if self.lessons.lesson is not None and self.lessons.lesson.tick():
            self._drawn = None
        now = (director.version, phase, self._line, bool(self.think.value), self.sight.place.ply, self.opinion.value)
        if now != self._drawn:
            self._drawn = now
            self._draw()
        self.seats.tick(director.now)

    # --- drawing ---

    def _draw(self) -> None:
        director, session, sight = self._game, self._game.session, self.sight
        showing = bool(self.think.value)
        asking = self.lessons.lesson is not None and not self.lessons.lesson.shown
        told, over_board = self.opinion.views(sight, showing)
        told = None if asking else told  # it would answer what the lesson asks
        shown = Shown(
            report=over_board,
            line=self._line,
            hint=sight.hint,
            clickable=sight.acts(),
        )
        if sight.blind:
            self.board.clear()
        elif self.lessons.lesson is None:
            self.board.draw(sight.ply, sight.state, sight.before, shown)
        self.status.show(status_line(sight) if self.lessons.lesson is None else LESSON)
        self._name_page(page_title(sight))
        if director.message:
            self._say(director.message)
        self.legend.show(legend_of(session.game) if showing else "&nbsp;")
        running = director.job if director.purpose != "review" and not (sight.limited or sight.blind) else None
        self.thinking.update(told, running if showing else None)
        self.seats.update(self.guest)
        laid = self.hub.tables.find(self.guest.table.next) is not None
        self.ending.update(sight, self.guest, laid, self._mistakes())
        self.lessons.draw(self.board)
        self.moves.update(sight, told=self.lessons.lesson is None)
        self.board.steer(self.moves.directed)
        self.machines.show(sight)
        self._keep_address(session)

    def _name_page(self, title: str) -> None:
        if title != self._title:
            self._title = title
            name_page(title)

    def _keep_address(self, session: GameSession) -> None:
        """The address of the page leads to the same game and position; one may go back from it to the last game."""
        address = address_of(self.sight)
        if address != self._address:
            other = self._address != "" and session.id not in self._address
            self._address = address
            (ui.navigate.history.push if other else ui.navigate.history.replace)(address)

    # --- what people do ---

    def _say(self, words: str) -> None:
        self.message.show(escape(words))

    def _may(self) -> bool:
        """Whether the person here may change the game; says so, if not."""
        if self._sight is None:
            return False
        if self.sight.watches:
            self._say(WATCHING)
        return not self.sight.watches

    def _clicked(self, index: int, ply: int) -> None:
        """A click on a cell or a button of an action, in the position after this many moves."""
        if self._sight is None or ply != self.sight.ply:
            return
        if self.lessons.lesson is not None:
            self.lessons.attempt(index)
            return
        sight, actions = self.sight, self.sight.actions()
        if sight.watches and not sight.acts() and not sight.place.over:
            self._say(WATCHING)
        elif sight.acts() and 0 <= index < len(actions) and self._rewind():
            self.sight.choose(actions[index])
            self._changed()

    def _rewind(self) -> bool:
        """Let a game go on from the position that is looked at: this one, or one of one's own; False: it may not."""
        sight = self.sight
        if not sight.branches():
            if self._may() and not sight.place.at_end:
                sight.session.take_back(sight.place.ply)
                self._game.changed()
            return not sight.watches
        own = sight.session.variation(sight.place.ply, new_seed())
        own.origin = address_of(sight)
        try:
            self._begin(own)
        except PonderosaError as error:
            self._say(str(error))
            return False
        return True

    def _changed(self) -> None:
        self._line = ()
        self._say("")
        self._game.changed()
        self._tick()

    def _key(self, event: KeyEventArguments) -> None:
        key = pressed(event)
        if not key or self._sight is None:
            return
        steps = steps_of(key, self.moves.directed)
        if steps is not None:
            self.walk.by(steps)
        elif key in DIRECTIONS and self.moves.directed and not self.sight.place.at_end:
            self._say(EARLIER)  # nobody wants to lose the rest of a game by a key
        else:
            names = [self.sight.state.action_to_string(action) for action in self.sight.actions()]
            found = meant(key, names)
            if found is not None:
                self._clicked(found, self.sight.ply)

    def _moved_eyes(self) -> None:
        self.lessons.end()
        self._line = ()
        self._say("")
        self._game.look_elsewhere(self.sight.place)
        self._tick()

    # --- a lesson ---

    def _pupils(self) -> Sequence[int]:
        """Those whose mistakes there are to learn from: who sits here, else everybody."""
        return self.guest.people or range(self._game.session.game.players)

    def _mistakes(self) -> int:
        """How many there are, when the game has been looked through and no lesson goes on."""
        session = self._game.session
        if not session.finished or self._game.unreviewed() or self.lessons.lesson is not None:
            return 0
        return len(lessons_of(session, self._pupils()))

    def _lesson_went_on(self) -> None:
        if self.lessons.lesson is not None:
            self.sight.place.go_to(self.lessons.lesson.mistake.ply)
            self._game.look_elsewhere(self.sight.place)
        self._drawn = None
        self._tick()

    def _play_on(self, action: Any) -> None:
        """Begin a game of one's own with the move that was tried."""
        if self._rewind():
            self.sight.choose(action)
            self._changed()

    def _hint(self) -> None:
        if self._may():
            self._game.ask_hint(self.sight.place)

    def _swap(self) -> None:
        if not self._may():
            return
        try:
            if self._game.session.secret:
                raise SettingError(FIXED)
            self.guest.swap_seats()
        except PonderosaError as error:
            self._say(str(error))
            return
        self.seats.show(self.guest)
        self._changed()

    def _resign(self) -> None:
        if self._may() and not self._game.session.finished:
            self._game.session.resign(self._who_resigns())
            self.sight.place.go_to(self._game.session.plies)  # there it says how the game has ended
            self._changed()

    def _who_resigns(self) -> int:
        """The player whose turn it is, if that is somebody who plays here; else one of those who do."""
        session = self._game.session
        if self.sight.player is not None:
            return self.sight.player
        people = self.guest.people
        mover = session.mover
        return mover if mover is not None and mover in people else (people or self.guest.seats)[0]

    async def _advised(self) -> None:
        """Another adviser was chosen, or another time for it."""
        if not self._may():
            return
        try:
            adviser = await self.seats.chosen(self.adviser)
            if adviser is not None and self._sight is not None:
                self._game.set_adviser(adviser)
        except PonderosaError as error:
            self._say(str(error))
            return
        self._tick()

    def _asked_to_think(self) -> None:
        if self._sight is not None:
            self.sight.place.advised = bool(self.think.value)
            self.guest.want_advice(bool(self.think.value))
            self._tick()

    def _stop(self) -> None:
        if self._may():
            self._game.stop_now()

    def _go_on(self) -> None:
        if self._sight is not None:
            self.think.value = True
            self._game.go_on(self.sight.place)
            self._tick()

    def _point(self, line: tuple[str, ...]) -> None:
        self._line = line
        self._tick()

    def _ask_new(self) -> None:
        seats = [PERSON, USUAL_LEVEL]
        if self._sight is not None:
            session = self._game.session
            seats = [seat_text(seat, session.game) for seat in session.seats]
        self.new_game.open(self.hub.catalogue.usual_game if self._sight is None else self._game.session.spec, seats)

    def _open_watching(self) -> None:
        if self._sight is not None and self._game.session.secret:
            self._say(HIDDEN)
        elif self._sight is not None:
            session = self._game.session
            ui.navigate.to(self.hub.addresses.of(session.spec, session.names[: self.sight.place.ply]))

    def _open_analysis(self) -> None:
        if self._sight is not None and self._game.session.secret:
            self._say(HIDDEN)
        elif self._sight is not None:
            session = self._game.session
            where = link_to("/analysis", game=session.spec, moves=session.moves_text(self.sight.place.ply))
            ui.navigate.to(where, new_tab=True)
