"""The view in which a position is studied by two agents side by side. Start at AnalysisView."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import ui
from nicegui.events import KeyEventArguments

from ponderosa.core.turns import CHANCE
from ponderosa.errors import LimitError, PonderosaError
from ponderosa.mcts.report.reader import Path, TreeNode
from ponderosa.pictures.board import Shown
from ponderosa.pictures.swatch import player_swatch
from ponderosa.pictures.tree import tree_svg
from ponderosa.web.drawing.summary import move_list
from ponderosa.web.drawing.tree import draw_rows
from ponderosa.web.model.analyst import Analyst
from ponderosa.web.model.catalogue import ADVISER, PERSON, seat_text
from ponderosa.web.model.director import Director
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.place import Place
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.shares import NO_VISITOR, Visitor
from ponderosa.web.views.keys import DIRECTIONS, directed, meant, pressed, steps_of
from ponderosa.web.views.layout import BoardPicture, Clickable, Html, frame, icon_button, link_to, panel
from ponderosa.web.views.play_view import RETRY_SECONDS, TICK_SECONDS
from ponderosa.web.views.players_view import SeatChooser
from ponderosa.web.views.thinking_view import ThinkingPanel, legend_of
from ponderosa.web.views.waiting import told_meanwhile

NOBODY = "nobody"


class AgentPanel:
    """One agent of the two: its settings, its table, its buttons."""

    def __init__(self, view: AnalysisView, letter: str) -> None:
        self.view, self.letter = view, letter
        self.analyst: Analyst | None = None
        with panel(f"Agent {letter}"):
            self.chooser = SeatChooser(view.hub, "who analyses", NOBODY, self.changed, nobody=NOBODY, advises=True)
            with ui.element("div").classes("line tight"):
                icon_button("stop", f"Stop {letter} now and keep the answer", self._stop)
                icon_button("play_arrow", f"Let {letter} go on", self.go_on)
            self.table = ThinkingPanel(lambda line: view.point(self.letter, line))
            self.message = Html("message", role="alert")

    def changed(self) -> None:
        """Another agent, or another time."""
        if self.analyst is not None and self.fit():
            self.go_on()

    def fit(self) -> bool:
        """Be the agent that was chosen; False: that cannot be."""
        assert self.analyst is not None
        try:
            self.analyst.take(self.spec())
        except PonderosaError as error:
            self.analyst.take("")
            self.analyst.message = str(error)
            return False
        return True

    def spec(self) -> str:
        """The agent's text as the registry reads it; empty: nobody."""
        seat = self.chooser.seat
        if seat == NOBODY:
            return ""
        return self.view.hub.catalogue.seat(seat, self.view.session.game, self.chooser.time)

    def go_on(self) -> None:
        """Think on about the position, from the tree that there is."""
        if self.analyst is not None and self.view.director is not None:
            self.analyst.look(self.view.place.state)

    def _stop(self) -> None:
        if self.analyst is not None:
            self.analyst.stop()

    def draw(self) -> None:
        """Show what the agent has found."""
        if self.analyst is not None:
            self.table.update(self.analyst.report, self.analyst.job)
            self.message.show(escape(self.analyst.message))


class AnalysisView:
    """A position, two agents, and the tree of one of them."""

    def __init__(
        self,
        hub: Hub,
        game: str = "",
        moves: str = "",
        a: str = "",
        b: str = "",
        show: str = "",
        visitor: Visitor = NO_VISITOR,
    ) -> None:
        self.hub, self._visitor = hub, visitor
        self.director: Director | None = None
        self._place: Place | None = None
        self._asked = (game or hub.catalogue.usual_game, moves, {"A": a or ADVISER, "B": b or NOBODY})
        self._show = show if show in ("A", "B", "none") else "A"
        self._line: tuple[str, ...] = ()
        self._drawn: object = None
        self._address = ""
        self._open: set[Path] = {()}
        self._rows: list[TreeNode] = []
        self._closed = False
        self._build()
        ui.keyboard(self._key, ignore=["input", "select", "textarea"])
        ui.timer(0.01, self._first, once=True)
        ui.timer(TICK_SECONDS, self._tick)

    @property
    def session(self) -> GameSession:
        """The moves that were made or typed."""
        return self.place.session

    @property
    def place(self) -> Place:
        """The position that is looked at."""
        if self._place is None:
            raise PonderosaError("the position is not ready yet")
        return self._place

    def _build(self) -> None:
        with frame("/analysis", "analysis"):
            with ui.element("div").classes("main"):
                self.status = Html("status", role="status", aria_live="polite")
                self.board = BoardPicture(self._clicked)
                self.message = Html("message", role="alert")
                with ui.element("div").classes("line middle"):
                    icon_button("first_page", "First position", lambda: self._go(0))
                    icon_button("chevron_left", "Back", lambda: self._by(-1))
                    icon_button("chevron_right", "Forward", lambda: self._by(1))
                    icon_button("last_page", "Last position", lambda: self._go(10**6))
                    self.shown = ui.toggle(
                        {"A": "A", "B": "B", "none": "plain"}, value=self._show, on_change=self._dress
                    )
                    self.shown.props('dense no-caps unelevated aria-label="whose numbers are on the board"')
                self.legend = Html("legend")
                with panel("Position"):
                    with ui.element("div").classes("line tight"):
                        self.game = ui.input("game").props("dense outlined").style("width:9rem")
                        self.moves = ui.input("moves").props("dense outlined").classes("grow")
                        ui.button("Set up", on_click=self._set_up).props("dense unelevated no-caps").classes("px-2")
                    self.movelist = Clickable("go", self._go, "movelist")
            self.panels = {letter: AgentPanel(self, letter) for letter in "AB"}
            with ui.element("div").classes("main whole"), panel("Tree"):
                with ui.element("div").classes("line tight"):
                    self.tree_note = Html("quiet")
                    ui.space()
                    icon_button("refresh", "Read the tree again", self._draw_tree)
                    icon_button("download", "Download the picture (SVG)", self._download)
                self.tree = Clickable("fold", self._fold, "tree")

    async def _first(self) -> None:
        game, moves, agents = self._asked
        for letter, seat in agents.items():
            self.panels[letter].chooser.set(seat)
        trouble = ""
        while not self._closed and self.director is None:
            try:
                await self.start(game, moves)
                self.message.show(escape(trouble))
            except LimitError as error:
                self.message.show(escape(str(error)))
                await asyncio.sleep(RETRY_SECONDS)
            except PonderosaError as error:
                game, moves, trouble = self.hub.catalogue.usual_game, "", str(error)

    async def start(self, spec: str, moves: str) -> None:
        """Look at a position."""
        catalogue = self.hub.catalogue

        def make() -> GameSession:
            game = catalogue.game(spec)
            return GameSession.after(spec, game, [PERSON] * game.players, moves)

        try:
            making = asyncio.wrap_future(self.hub.runner.prepare(make))
            session = await told_meanwhile(self.status, making)
        finally:
            self.status.show("&nbsp;")
            self._drawn = None
        if self._closed:
            return
        self._leave()
        self.director, self._place = self.hub.open(session, self._visitor, keep=False), Place(session)
        self.message.show("")
        self.game.value, self.moves.value = spec, session.moves_text()
        for part in self.panels.values():
            part.analyst = Analyst(self.hub.runner, session.game, self._visitor)
            part.chooser.know(session.game)
            part.fit()
        self.moved()

    def _leave(self) -> None:
        for part in self.panels.values():
            if part.analyst is not None:
                part.analyst.close()
        if self.director is not None:
            self.hub.close(self.director, keep=False)
            self.director = None

    def close(self) -> None:
        """The tab is gone."""
        self._closed = True
        self._leave()

    def moved(self) -> None:
        """Another position, or another agent: everybody looks at it anew."""
        if self.director is None:
            return
        self._line, self._open = (), {()}
        self.moves.value = self.session.moves_text(self.place.ply)
        for part in self.panels.values():
            if part.analyst is not None:
                part.analyst.look(self.place.state)
        self._drawn = None
        self._tick()

    def _tick(self) -> None:
        if self.director is None:
            return
        analysts = [part.analyst for part in self.panels.values() if part.analyst is not None]
        for analyst in analysts:
            analyst.poll()
        phases = tuple(
            (analyst.version, analyst.job and (analyst.job.phase, analyst.job.compiled)) for analyst in analysts
        )
        now = (phases, self._line, self.shown.value, self.place.ply)
        if now != self._drawn:
            finished = self._drawn is None or any(analyst.job is None for analyst in analysts)
            self._drawn = now
            self._draw(finished)

    def _draw(self, finished: bool) -> None:
        place = self.place
        chosen = self.panels.get(str(self.shown.value))
        report = chosen.analyst.report if chosen is not None and chosen.analyst is not None else None
        shown = Shown(report=report, line=self._line, clickable=not place.over)
        self.board.draw(place.ply, place.state, place.before, shown)
        self.status.show(status_of(place))
        self.legend.show(legend_of(self.session.game) if report is not None else "&nbsp;")
        self.board.steer(directed(place.session))
        self.movelist.show(move_list(place))
        for part in self.panels.values():
            part.draw()
        if finished:
            self._draw_tree()
        self._keep_address()

    def _draw_tree(self) -> None:
        """The tree of the agent whose numbers are on the board; not while it grows."""
        chosen = self.panels.get(str(self.shown.value)) or self.panels["A"]
        analyst = chosen.analyst
        reader = None if analyst is None or analyst.job is not None else analyst.tree()
        if reader is None:
            waiting = analyst is not None and analyst.job is not None
            none = "No tree: choose an agent that searches."
            none = "Where something is hidden, trees have no positions to show." if self.session.game.viewed else none
            self.tree_note.show("The tree is shown when the search rests." if waiting else none)
            return
        self._rows = reader.unfolded(self._open)
        self.tree_note.show(f"Tree of agent {chosen.letter}: values are for whoever made the move.")
        self.tree.show(draw_rows(self._rows, self._open))

    def _fold(self, row: int) -> None:
        if 0 <= row < len(self._rows):
            self._open ^= {self._rows[row].path}
            self._draw_tree()

    def _download(self) -> None:
        if self._rows:
            ui.download.content(tree_svg(self._rows), "tree.svg", "image/svg+xml")

    def _keep_address(self) -> None:
        """The address of the page reproduces position and settings."""
        session, seats = self.session, {}
        for letter, part in self.panels.items():
            spec = part.analyst.spec if part.analyst is not None else ""
            seats[letter.lower()] = seat_text(spec, session.game) if spec else ""
        address = link_to(
            "/analysis",
            game=session.spec,
            moves=session.moves_text(self.place.ply),
            **seats,
            show=str(self.shown.value),
        )
        if address != self._address:
            self._address = address
            ui.navigate.history.replace(address)

    # --- what people do ---

    def _clicked(self, index: int, ply: int) -> None:
        if self.director is None:
            return
        place, actions = self.place, self.place.actions()
        if ply == place.ply and 0 <= index < len(actions):
            if not place.at_end:
                self._place = place = Place(place.session.variation(place.ply, place.session.seed))
            place.session.play(actions[index])
            self.moved()

    def _go(self, ply: int) -> None:
        if self.director is not None and ply >= 0:
            self.place.go_to(ply)
            self.moved()

    def _by(self, plies: int) -> None:
        if self.director is not None:
            self._go(max(self.place.ply + plies, 0))

    async def _set_up(self) -> None:
        try:
            await self.start(str(self.game.value or ""), str(self.moves.value or ""))
        except PonderosaError as error:
            self.message.show(escape(str(error)))
            self._drawn = None

    def _key(self, event: KeyEventArguments) -> None:
        key = pressed(event)
        if not key or self.director is None:
            return
        place, steps = self.place, steps_of(key, directed(self.session))
        if steps is not None:
            self._by(steps)
        elif key in DIRECTIONS:
            found = meant(key, [place.state.action_to_string(action) for action in place.actions()])
            if found is not None:
                self._clicked(found, place.ply)

    def _dress(self) -> None:
        self._open = {()}
        self._drawn = None
        self._tick()

    def point(self, letter: str, line: tuple[str, ...]) -> None:
        """A person points at a line of an agent's table."""
        self._line = line
        self._tick()


def status_of(place: Place) -> str:
    """Whose turn it is, and what that player is searched with; or how it ended."""
    session = place.session
    if place.over:
        return escape(session.result())
    player = place.state.to_move()
    if player == CHANCE:
        return '<span class="what">chance decides: click what it shows</span>'
    seen = "; you see everything, the agents what this player sees" if session.game.viewed else ""
    name = escape(session.player_names()[player])
    return f'{player_swatch(session.game, player)}{name} <span class="what">to move{seen}</span>'
