"""What is asked and said while a game is gone through as a lesson. Start at LessonPanel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from nicegui import ui

from ponderosa.pictures.board import Shown
from ponderosa.pictures.swatch import player_swatch
from ponderosa.web.model.director import Director
from ponderosa.web.model.lesson import GameLesson, lessons_of
from ponderosa.web.views.layout import BoardPicture, Html


class LessonPanel:
    """A lesson, with its words and buttons above the board."""

    def __init__(self, on_change: Callable[[], Any], on_play: Callable[[Any], Any]) -> None:
        """`on_play` lets a game go on with the move that is tried."""
        self._on_change, self._on_play = on_change, on_play
        self.lesson: GameLesson | None = None
        """What is gone through now."""
        with ui.element("section").classes("panel lesson").props('aria-label="Lesson"') as self._box:
            self._words = Html(role="status", aria_live="polite")
            with ui.element("div").classes("line"):
                self._again = _button("Try another move", "undo", lambda: self._do("again"))
                self._reveal = _button("Show it", "visibility", lambda: self._do("reveal"))
                self._play = _button("Play on from here", "call_split", self._play_on)
                self._next = _button("Next mistake", "skip_next", lambda: self._do("next"))
                ui.space()
                _button("End the lesson", "close", self._close)
        self._box.set_visibility(False)

    def begin(self, director: Director, players: Sequence[int]) -> None:
        """Go through the mistakes of these players, if there are any."""
        if lessons_of(director.session, players):
            self.lesson = GameLesson(director, players)
            self._on_change()

    def end(self) -> None:
        """The lesson is over."""
        if self.lesson is not None:
            self.lesson.close()
            self.lesson = None

    def attempt(self, index: int) -> None:
        """A move was clicked, by its place among the legal ones."""
        lesson = self.lesson
        if lesson is not None and lesson.asking:
            actions = lesson.state.legal_actions()
            if 0 <= index < len(actions):
                lesson.attempt(actions[index])
                self._on_change()

    def draw(self, board: BoardPicture) -> None:
        """Show the position, and what is marked on it."""
        lesson = self.lesson
        self._box.set_visibility(lesson is not None)
        if lesson is None:
            return
        shown = Shown(
            line=lesson.line,
            hint=lesson.mistake.best if lesson.shown else None,
            mistake=lesson.mistake.played if lesson.tried is None else None,
            clickable=lesson.asking,
        )
        board.draw(lesson.ply, lesson.state, lesson.before, shown)
        self._words.show(_words(lesson))
        self._again.set_visibility(not lesson.asking)
        self._reveal.set_visibility(not lesson.shown and not lesson.found)
        self._play.set_visibility(lesson.tried is not None and not lesson.state.is_terminal())
        self._next.set_visibility(not lesson.last)

    def _do(self, step: str) -> None:
        if self.lesson is not None:
            getattr(self.lesson, step)()
            self._on_change()

    def _play_on(self) -> None:
        if self.lesson is not None and self.lesson.tried is not None:
            action = self.lesson.tried
            self.end()
            self._on_play(action)

    def _close(self) -> None:
        self.end()
        self._on_change()


def _button(words: str, icon: str, on_click: Callable[[], Any]) -> ui.button:
    return ui.button(words, icon=icon, on_click=on_click).props("dense outline no-caps").classes("px-2")


def _words(lesson: GameLesson) -> str:
    """Where the lesson is, what was played, and what is said of the tried move."""
    mistake, count = lesson.mistake, len(lesson.mistakes)
    name = escape(lesson.session.player_names()[mistake.player])
    head = (
        f'<div class="quiet">Mistake {lesson.number + 1} of {count}</div>'
        f"<span>{player_swatch(lesson.session.game, mistake.player)} {name} played <b>{escape(mistake.played)}</b>, "
        f"which gave away {_percent(mistake.loss)}.</span> "
    )
    if lesson.asking:
        return head + "<b>Find a better move.</b>"
    if lesson.shown:
        line = ", ".join(lesson.report.pv[:6])
        return f"{head}Better is <b>{escape(mistake.best)}</b>; expected: {escape(line)}."
    return head + _verdict(lesson)


def _verdict(lesson: GameLesson) -> str:
    tried = f"<b>{escape(lesson.name_of_tried())}</b>"
    if lesson.thinking:
        return f"{tried}: the adviser looks at it …"
    if lesson.trouble:
        return f"{tried}: {escape(lesson.trouble)}."
    if lesson.name_of_tried() == lesson.mistake.played:
        return f"{tried} is what was played."
    if lesson.loss is None:
        return tried
    if lesson.found:
        best = lesson.name_of_tried() == lesson.mistake.best
        return f'<span class="win">✓ {tried} {"is the best move" if best else "is as good as the best"}.</span>'
    better = "better, but gives away" if lesson.loss < 0.6 * lesson.mistake.loss else "gives away"
    return f'<span class="loss">✗ {tried} {better} {_percent(lesson.loss)}.</span>'


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
