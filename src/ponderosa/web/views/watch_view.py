"""The view in which a search is watched: board, every move's score and the growing tree at once. Start at WatchView."""

from __future__ import annotations

import asyncio
import json
import random
from html import escape

from nicegui import ui
from nicegui.events import KeyEventArguments

from ponderosa.connect.connect4_solver import fits
from ponderosa.core.state import State
from ponderosa.errors import LimitError, PonderosaError
from ponderosa.mcts.report.reader import Path, TreeNode, TreeReader
from ponderosa.pictures.board import Shown, layout
from ponderosa.pictures.convergence import converging_svg
from ponderosa.pictures.poster import poster, strip
from ponderosa.web.drawing.scores import scores_table, solver_words
from ponderosa.web.drawing.summary import move_list
from ponderosa.web.drawing.tree import draw_rows
from ponderosa.web.model.analyst import Analyst
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.convergence import Convergence
from ponderosa.web.model.director import Director
from ponderosa.web.model.elsewhere import ready
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.place import Place
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.shares import Visitor
from ponderosa.web.model.short_addresses import play_along, together
from ponderosa.web.views.analysis_view import status_of
from ponderosa.web.views.keys import DIRECTIONS, directed, meant, pressed, steps_of
from ponderosa.web.views.layout import (
    BoardPicture,
    Clickable,
    Headline,
    Html,
    frame,
    icon_button,
    link_to,
    name_page,
    panel,
)
from ponderosa.web.views.play_view import RETRY_SECONDS, TICK_SECONDS
from ponderosa.web.views.thinking_view import effort, legend_of
from ponderosa.web.views.waiting import told_meanwhile

EXACT = "perfect:every=true"
"""Who knows the exact results of the games that it can solve."""
EXACTLY = "<span><b>✗ 4</b> exact: lost after 4 more moves, those of both counted</span>"
UNFOLDED = 3
"""So many nodes of the most visited line are unfolded, until somebody folds or unfolds one."""
NAMES_SHOWN = 60
"""So many letters of moves are in a title."""


class WatchView:
    """One position, and a search of it from its first iteration on."""

    def __init__(self, hub: Hub, spec: str, moves: str, visitor: Visitor) -> None:
        """`moves` are written as in addresses."""
        self.hub, self._visitor = hub, visitor
        self._spec, self._asked = spec, moves
        self._director: Director | None = None
        self._place: Place | None = None
        self._search: Convergence | None = None
        self._exact: Analyst | None = None
        self._open: set[Path] = {()}
        self._rows: list[TreeNode] = []
        self._unfolds = True
        self._drawn: object = None
        self._address = ""
        self._closed = False
        self._build()
        ui.keyboard(self._key, ignore=["input", "select", "textarea"])
        ui.timer(0.01, self._first, once=True)
        ui.timer(TICK_SECONDS, self._tick)

    def _build(self) -> None:
        with frame("", "watching", "Watch it think"):
            with ui.element("div").classes("main"):
                self.headline = Headline()
                self.status = self.headline.status
                with ui.element("div").classes("picture"):
                    self.board = BoardPicture(self._clicked)
                    self.strip = Html("wide")
                self.message = Html("message", role="alert")
                with ui.element("div").classes("line middle"):
                    icon_button("first_page", "First position", lambda: self._go(0))
                    icon_button("chevron_left", "Back", lambda: self._by(-1))
                    icon_button("chevron_right", "Forward", lambda: self._by(1))
                    icon_button("last_page", "Last position", lambda: self._go(10**6))
                    icon_button("replay", "Search once more", self._look)
                    icon_button("stop", "Stop now and keep what was found", self._stop)
                self.movelist = Clickable("go", self._go, "movelist")
                self._build_share()
            with ui.element("div").classes("main"), panel("Every move"):
                self.scores = Html("scroll", role="region", tabindex="0", aria_label="scores")
                self.effort = Html("effort")
                self.legend = Html("legend")
            with ui.element("div").classes("main"), panel("The tree as it grows"):
                self.tree_note = Html("quiet")
                self.tree = Clickable("fold", self._fold, "tree")

    def _build_share(self) -> None:
        with panel("Share"):
            with ui.element("div").classes("line"):
                self.copy = Html("")
                for words, download in (
                    ("Picture (SVG)", self._picture),
                    ("Picture (PNG)", self._pixels),
                    ("Animation (SVG)", self._animation),
                ):
                    ui.button(words, on_click=download).props("dense outline no-caps").classes("px-2")
                self.ways = Html("")
            ui.html('<span data-copied role="status"></span>', sanitize=False).classes("quiet")

    # --- its life ---

    async def _first(self) -> None:
        while not self._closed and self._director is None:
            try:
                await self._start()
            except LimitError as error:
                self.message.show(escape(str(error)))
                await asyncio.sleep(RETRY_SECONDS)
            except PonderosaError as error:
                self.status.show("&nbsp;")
                self.message.show(f'{escape(str(error))} <a href="/">Go to the games</a>')
                return

    async def _start(self) -> None:
        trouble = ""

        def make() -> GameSession:
            nonlocal trouble
            game = ready(self.hub.catalogue.game(self._spec))
            state = game.new_initial_state()
            trouble = play_along(state, self._asked)
            if not state.history():
                _roll(state)
            session = GameSession(self._spec, game, [PERSON] * game.players, 0)
            for action in state.history():
                session.play(action)
            return session

        making = asyncio.wrap_future(self.hub.runner.prepare(make))
        session = await told_meanwhile(self.status, making)
        if self._closed:
            return
        self._director, self._place = self.hub.open(session, self._visitor, keep=False), Place(session)
        self._search = Convergence(self.hub.runner, session.game, self._visitor)
        self.headline.tell(*self.hub.catalogue.told(self._spec))
        if fits(session.game):
            self._exact = Analyst(self.hub.runner, session.game, self._visitor)
            self._exact.take(EXACT)
        self._look()
        self.message.show(escape(f"{trouble[:1].upper()}{trouble[1:]}"))

    def close(self) -> None:
        """The tab is gone."""
        self._closed = True
        for part in (self._search, self._exact):
            if part is not None:
                part.close()
        if self._director is not None:
            self.hub.close(self._director, keep=False)
            self._director = None

    def _look(self) -> None:
        """Search the position that is looked at from the beginning."""
        if self._place is None or self._search is None:
            return
        self._open, self._unfolds = {()}, True
        self.message.show("")
        if not self._place.over:
            self._search.look(self._place.state)
        else:
            self._search.close()
        if self._exact is not None:
            self._exact.look(self._place.state)
        self._drawn = None
        self._tick()

    def _stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    # --- drawing ---

    def _tick(self) -> None:
        search, exact, place = self._search, self._exact, self._place
        if search is None or place is None or self._director is None:
            return
        search.poll()
        if exact is not None:
            exact.poll()
        jobs = (search.job, None if exact is None else exact.job)
        phases = [job and (job.phase, job.compiled) for job in jobs]
        now = (search.version, 0 if exact is None else exact.version, phases, place.ply)
        if now != self._drawn:
            self._drawn = now
            self._draw(place, search, exact)

    def _draw(self, place: Place, search: Convergence, exact: Analyst | None) -> None:
        report = None if place.over else search.report
        certain = None if exact is None or place.over else exact.report
        solving = exact is not None and exact.job is not None
        self.board.draw(place.ply, place.state, place.before, Shown(report=report, clickable=not place.over))
        self.board.steer(directed(place.session))
        self.status.show(status_of(place))
        self.legend.show(legend_of(place.session.game) + (EXACTLY if exact is not None else ""))
        self.movelist.show(move_list(place))
        found = layout(place.state)
        self.strip.show(strip(place.state, found, certain) if exact is not None and found is not None else "")
        self.scores.show("" if place.over else scores_table(place.state, report, certain, solving))
        self._tell(place, search, exact)
        self._draw_tree(search)
        self._keep_address(place)

    def _tell(self, place: Place, search: Convergence, exact: Analyst | None) -> None:
        """How far everybody is."""
        words = [f"{search.iterations:,} iterations"] if search.iterations else []
        words += [effort(search.report, search.job)] if not words else []
        if search.message:
            self.message.show(escape(search.message))
        if exact is not None and not place.over:
            words.append(solver_words(place.state, exact.report, exact.job is not None, bool(exact.message)))
        self.effort.show(" · ".join(word for word in words if word) or "&nbsp;")

    def _draw_tree(self, search: Convergence) -> None:
        reader = search.tree()
        if reader is None or search.report is None:
            hidden = self._place is not None and self._place.session.game.viewed
            self.tree_note.show("Where something is hidden, trees have no positions to show." if hidden else "")
            self.tree.show("")
            return
        if self._unfolds:
            self._open = _best_paths(reader)
        self._rows = reader.unfolded(self._open)
        self.tree_note.show("Values are for whoever made the move.")
        self.tree.show(draw_rows(self._rows, self._open))

    def _keep_address(self, place: Place) -> None:
        """The address says the position; the browser's Back leads to the one before."""
        session = place.session
        names = session.names[: place.ply]
        address = self.hub.addresses.of(session.spec, names)
        if address == self._address:
            return
        (ui.navigate.history.push if self._address else ui.navigate.history.replace)(address)
        self._address = address
        name_page(f"{self._title}, searched")
        self.copy.show(
            f'<button class="copy" data-copy="{escape(address)}" data-words="it leads to this position">'
            "Copy the address</button>"
        )
        play = link_to("/play", game=session.spec, moves=session.moves_text(place.ply))
        study = link_to("/analysis", game=session.spec, moves=session.moves_text(place.ply))
        self.ways.show(f'<a href="{escape(play)}">Play from here</a> · <a href="{escape(study)}">Analyse</a>')

    # --- what people do ---

    def _clicked(self, index: int, ply: int) -> None:
        if self._place is None or ply != self._place.ply:
            return
        place, actions = self._place, self._place.actions()
        if 0 <= index < len(actions):
            if not place.at_end:
                self._place = place = Place(place.session.variation(place.ply, place.session.seed))
            place.session.play(actions[index])
            self._look()

    def _go(self, ply: int) -> None:
        if self._place is not None and ply >= 0 and min(ply, self._place.session.plies) != self._place.ply:
            self._place.go_to(ply)
            self._look()

    def _by(self, plies: int) -> None:
        if self._place is not None:
            self._go(max(self._place.ply + plies, 0))

    def _key(self, event: KeyEventArguments) -> None:
        key = pressed(event)
        if not key or self._place is None:
            return
        place, steps = self._place, steps_of(key, directed(self._place.session))
        if steps is not None:
            self._by(steps)
            return
        names = [place.state.action_to_string(action) for action in place.actions()]
        found = meant(key, names) if key in DIRECTIONS or len(key) == 1 else None
        if found is not None:
            self._clicked(found, place.ply)

    def _fold(self, row: int) -> None:
        if self._search is not None and 0 <= row < len(self._rows):
            self._unfolds = False
            self._open ^= {self._rows[row].path}
            self._draw_tree(self._search)

    # --- what people take with them ---

    @property
    def _file(self) -> str:
        """The name of files, without their ending."""
        return "".join(letter if letter.isalnum() else "-" for letter in self._address.strip("/")[:80])

    @property
    def _title(self) -> str:
        """Game and moves, in short."""
        if self._place is None:
            return ""
        session = self._place.session
        moves = together(session.names[: self._place.ply])
        return " ".join(filter(None, (session.game.people_call_it(), moves[-NAMES_SHOWN:])))

    def _alone(self) -> str | None:
        """The position and what is thought and known of it, as a picture that stands alone."""
        if self._place is None or self._search is None:
            return None
        place, exact = self._place, None if self._exact is None else self._exact.report
        report = None if place.over else self._search.report
        drawn = poster(
            self._title, place.state, place.before, report, self._search.iterations, None if place.over else exact
        )
        if drawn is None:
            self.message.show("This game has no board to make a picture of.")
        return drawn

    def _picture(self) -> None:
        drawn = self._alone()
        if drawn is not None:
            ui.download.content(drawn, f"{self._file}.svg", "image/svg+xml")

    def _pixels(self) -> None:
        drawn = self._alone()
        if drawn is not None:
            ui.run_javascript(f"window.takePixels({json.dumps(drawn)}, {json.dumps(self._file + '.png')})")

    def _animation(self) -> None:
        if self._place is None or self._search is None or not self._search.moments:
            self.message.show("There is nothing to see yet: nothing was searched here.")
            return
        moments = [(moment.iterations, moment.actions) for moment in self._search.moments]
        ui.download.content(
            converging_svg(self._title, self._place.state, moments), f"{self._file}-search.svg", "image/svg+xml"
        )


def _best_paths(reader: TreeReader) -> set[Path]:
    """The root, and the first nodes of the line that is visited most."""
    node = reader.root()
    found: set[Path] = {()}
    for _ in range(UNFOLDED):
        children = reader.children(node)
        if not children or not children[0].visits:
            break
        node = children[0]
        found.add(node.path)
    return found


def _roll(state: State) -> None:
    """Let dice and cards show something, until somebody is to move."""
    dice = random.Random(0)
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        state.apply_action(dice.choices([outcome for outcome, _ in outcomes], [chance for _, chance in outcomes])[0])
