"""One run of learning: how far it is, its curves, its newest game as its networks see it. Start at RunView."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from html import escape
from typing import Any

from nicegui import ui
from nicegui.events import KeyEventArguments

from ponderosa.core.game import Game
from ponderosa.errors import PonderosaError
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.learning.judged import Judged, Shown
from ponderosa.learning.watching import Seen
from ponderosa.pictures.board import Shown as Overlay
from ponderosa.pictures.swatch import player_swatch
from ponderosa.web.drawing.curves import draw_chart
from ponderosa.web.drawing.graph import draw_curve
from ponderosa.web.drawing.learning import last_gate, run_charts, run_status
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.learning import LEAST_MINUTES, as_report
from ponderosa.web.views.layout import BoardPicture, Clickable, Html, frame, icon_button, panel

POLL_SECONDS = 1.0
END = 10**6
LEGEND = (
    "<span>Shade and number: how likely the network takes a move for, in %, before any search "
    '<span class="ramp"></span> most</span>'
)


class RunView:
    """Follows a run for as long as somebody looks."""

    def __init__(self, hub: Hub, key: str) -> None:
        """`key` is the run's, as the address has it."""
        self.hub, self.learning, self.key = hub, hub.learning, key
        self.shown: Shown | None = None
        self.run: Seen | None = None
        self._ply = 0
        self._gates: list[int] = []
        self._stamp: object = None
        self._game_stamp: object = None
        with frame("/learning", "play", f"Learning: {key}"):
            with ui.element("div").classes("main"):
                self.status = Html("status", role="status", aria_live="polite")
                self.board = BoardPicture(lambda index, ply: None)
                self.legend = Html("legend")
                self.message = Html("message", role="alert")
                with ui.element("div").classes("line middle"):
                    icon_button("first_page", "First position", lambda: self._step_to(0))
                    icon_button("chevron_left", "Back", lambda: self._step_to(self._ply - 1))
                    icon_button("chevron_right", "Forward", lambda: self._step_to(self._ply + 1))
                    icon_button("last_page", "Last position", lambda: self._step_to(END))
                    self.follow = ui.checkbox("Follow: play the newest game", value=True).props("dense")
            with ui.element("div").classes("side"):
                with panel("Learning"):
                    Html("saved").show('<a href="/learning">All runs</a>')
                    self.about = Html("wide arena")
                    self._build_controls()
                with panel("This game"):
                    self.graph = Clickable("go", self._step_to, "wide")
                    self.moves = Clickable("go", self._step_to, "movelist")
                with panel("The same position, network by network"):
                    self.which = ui.label("").classes("quiet")
                    self.slider = ui.slider(min=0, max=1, step=1, value=1, on_change=self._slid)
                    self.slider.props('snap markers aria-label="network of which gate"').classes("px-3")
                    self.slider.on("keydown", js_handler="(e) => e.stopPropagation()")  # they are not for the board
                    self.over_gates = Html("wide")
            with ui.element("div").classes("main whole"):
                with panel("Curves"):
                    self.curves = Html("charts")
                with panel("The last gate"):
                    self.gate = Html("wide")
        ui.keyboard(self._pressed, ignore=["input", "select", "textarea"])
        ui.timer(0.01, self._poll, once=True)
        ui.timer(POLL_SECONDS, self._poll)

    def _build_controls(self) -> None:
        """Pause, and go on from there."""
        most = self.learning.limits.max_minutes
        with ui.element("div").classes("line"):
            self.pause = ui.button("Pause", icon="pause", on_click=self._pause).props("dense unelevated no-caps")
            self.more = ui.number(f"minutes more, at most {most:g}", value=min(10.0, most), min=LEAST_MINUTES)
            self.more.props("dense outlined").style("width:11rem")
            self.go_on = ui.button("Continue", icon="play_arrow", on_click=self._go_on)
            self.go_on.props("dense unelevated no-caps")
        self.trouble = Html("message", role="alert")
        for shown in (self.pause, self.more, self.go_on):
            shown.set_visibility(False)

    async def _pause(self) -> None:
        await self._ask(lambda: self.learning.pause(self.key))

    async def _go_on(self) -> None:
        minutes = self.more.value
        await self._ask(lambda: self.learning.go_on(self.key, minutes))

    async def _ask(self, work: Callable[[], Any]) -> None:
        try:
            await self._in_thread(work)
            self.trouble.show("")
            self._stamp = None
        except PonderosaError as error:
            self.trouble.show(escape(str(error)))

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.wrap_future(self.hub.runner.prepare(work))

    async def _poll(self) -> None:
        """Show what is new; while it follows, the game goes on by a move."""
        try:
            run = await self._in_thread(lambda: self.learning.run(self.key))
            if run.stamp() != self._stamp:
                self.run, self._stamp = run, run.stamp()
                await self._show_run(run)
            if self.follow.value:
                await self._go_along(run)
        except PonderosaError as error:
            self.message.show(escape(str(error)))

    async def _show_run(self, run: Seen) -> None:
        log = await self._in_thread(run.log)
        self.about.show(run_status(run, self.hub.catalogue.label))
        self.pause.set_visibility(run.running)
        self.pause.set_enabled(not run.stopping)
        for shown in (self.more, self.go_on):
            shown.set_visibility(not run.running)
        if self.learning.trouble(run):
            self.trouble.show(escape(self.learning.trouble(run)))
        self.curves.show(await self._in_thread(lambda: run_charts(log)))
        self.gate.show(last_gate(log))
        gates = await self._in_thread(run.gates)
        if gates != self._gates:
            at_end = not self._gates or self.slider.value >= len(self._gates) - 1
            self._gates = gates
            self.slider.props(f"max={max(len(gates) - 1, 0)}")
            if at_end:
                self.slider.value = max(len(gates) - 1, 0)
            await self._draw()

    async def _go_along(self, run: Seen) -> None:
        """The next position, or the first one of a newer game."""
        if self.shown is not None and self._ply < self.shown.plies:
            self._ply += 1
            await self._draw()
        elif run.game_file.is_file() and (stamp := run.game_file.stat().st_mtime_ns) != self._game_stamp:
            self._game_stamp = stamp
            self.shown, self._ply = await self._in_thread(lambda: self.learning.shown(run)), 0
            self.message.show("")
            await self._draw()

    @property
    def _gate(self) -> int | None:
        """The network that is chosen."""
        at = self.slider.value
        return self._gates[min(max(int(at or 0), 0), len(self._gates) - 1)] if self._gates else None

    async def _slid(self) -> None:
        await self._draw()

    async def _step_to(self, ply: int) -> None:
        """Somebody goes through the game: it does not go on by itself any more."""
        if self.shown is not None:
            self.follow.value = False
            self._ply = min(max(ply, 0), self.shown.plies)
            await self._draw()

    async def _pressed(self, event: KeyEventArguments) -> None:
        steps = {"ArrowLeft": -1, "ArrowRight": 1, "Home": -END, "End": END}
        if event.action.keydown and str(event.key) in steps and not (event.modifiers.ctrl or event.modifiers.alt):
            await self._step_to(self._ply + steps[str(event.key)])

    async def _draw(self) -> None:
        """The position, and what the networks say of it."""
        shown, ply, gate, gates = self.shown, self._ply, self._gate, list(self._gates)
        if shown is None:
            self.status.show('<span class="what">No game of self-play has ended yet.</span>')
            return
        judged: list[Judged | None] = [None] * (shown.plies + 1)
        by_gate: list[Judged | None] = []
        try:
            if gate is not None:
                judged = await self._in_thread(lambda: shown.whole_game(gate))
                by_gate = await self._in_thread(lambda: [shown.judged(ply, number) for number in gates])
        except PonderosaError as error:  # a file of a network that is gone, or the runtime is not there
            self.message.show(escape(str(error)))
        if (shown, ply, gate) != (self.shown, self._ply, self._gate):
            return  # somebody has gone on meanwhile
        now = judged[ply]
        self.which.text = _gate_words(gate, gates)
        report = None if now is None else as_report(shown, ply, now)
        self.board.draw(ply, shown.states[ply], shown.states[ply - 1] if ply else None, Overlay(report=report))
        self.legend.show(LEGEND if now is not None else "")
        self.status.show(_status(shown, ply, now))
        first = shown.game.people_call_player(0)
        values = [_of_first(shown, at, one.value if one else None) for at, one in enumerate(judged)]
        searched = [_of_first(shown, at, shown.searched(at)) for at in range(shown.plies + 1)]
        words = f"value for {first}, in %: the network (line), the search when it was played (dashed)"
        self.graph.show(draw_curve(values, ply, first, searched, words))
        self.moves.show(_moves(shown, ply))
        self.over_gates.show(_by_gates(shown, ply, gates, by_gate))


def _status(shown: Shown, ply: int, now: Judged | None) -> str:
    """Whose move it is and what is said of it, or how the game ended."""
    game = shown.game
    if ply == shown.plies:
        return escape(_result(game, shown.played.results.tolist()))
    player = int(shown.played.players[ply])
    said = [] if now is None else [f"the network says {100 * now.value:.1f} %"]
    found = shown.searched(ply)
    said += [] if found is None else [f"the search said {100 * found:.1f} %"]
    said.append(f"played {shown.names[ply]}")
    return (
        f"{player_swatch(game, player)}{escape(game.people_call_player(player))} to move "
        f'<span class="what">{escape("; ".join(said))}</span>'
    )


def _result(game: Game, shares: list[float]) -> str:
    """How a game ended, by what each seat got, from 0 to 1."""
    names = [game.people_call_player(player) for player in range(game.players)]
    if len(shares) == 2 and set(shares) <= {0.0, 0.5, 1.0}:
        return "Draw" if shares[0] == shares[1] else f"{names[shares.index(max(shares))]} wins"
    got = (game.min_utility + share * (game.max_utility - game.min_utility) for share in shares)
    return "Over: " + ", ".join(f"{name} {result:g}" for name, result in zip(names, got, strict=True))


def _gate_words(gate: int | None, gates: list[int]) -> str:
    """Whose judgement is shown."""
    if gate is None:
        return "There is no network yet."
    words = "the network before it had learned" if gate == 0 else f"the network of gate {gate}"
    return f"On the board: {words}" + (", the newest" if gate == gates[-1] else "")


def _of_first(shown: Shown, ply: int, value: float | None) -> float | None:
    """A value for the player to move as one for the first player; None where nobody knows."""
    if value is None or ply >= shown.plies:
        return None
    mover = int(shown.played.players[ply])
    if mover == 0:
        return value
    return 1.0 - value if shown.game.players == 2 else None


def _moves(shown: Shown, ply: int) -> str:
    buttons = [
        f'<button data-go="{at + 1}" class="{"here" if at + 1 == ply else ""}">{escape(name)}</button>'
        for at, name in enumerate(shown.names)
    ]
    return f'<button data-go="0" class="{"here" if ply == 0 else ""}">start</button>' + "".join(buttons)


def _by_gates(shown: Shown, ply: int, gates: list[int], judged: list[Judged | None]) -> str:
    """What each network says of the position: its value, and the move that was played."""
    known = [(gate, one) for gate, one in zip(gates, judged, strict=False) if one is not None]
    if len(known) < 2 or ply >= shown.plies:
        return ""
    at, action = [gate for gate, _ in known], int(shown.played.actions[ply])
    value = Series("value for the player to move", at, [100 * one.value for _, one in known])
    prior = Series(
        f"prior of {shown.names[ply]}, which was played", at, [100 * one.priors.get(action, 0.0) for _, one in known]
    )
    title = f"After {ply} moves, as each network judges it"
    chart = Chart("gates", title, Axis("gate"), Axis("share", "%", low=0.0, high=100.0), [value, prior], level=50.0)
    return draw_chart(chart)
