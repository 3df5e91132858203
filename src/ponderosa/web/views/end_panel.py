"""What there is to do when a game is over. Start at EndPanel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from ponderosa.core.game import Game
from ponderosa.web.model.sight import Sight
from ponderosa.web.model.table import Guest
from ponderosa.web.views.layout import Html


class EndPanel:
    """The way on from a finished game, for all who sit at its table."""

    def __init__(self, on_next: Callable[[], Any], on_lesson: Callable[[], Any]) -> None:
        """`on_next` leads to the next game of the same people, `on_lesson` goes through one's mistakes."""
        with ui.element("div").classes("ending") as self._box:
            self._words = Html("quiet", role="status")
            self._next = ui.button(icon="replay", on_click=on_next).props("dense unelevated no-caps").classes("px-2")
            self._learn = ui.button(icon="school", on_click=on_lesson).props("dense outline no-caps").classes("px-2")
        self._box.set_visibility(False)

    def update(self, sight: Sight, guest: Guest, laid: bool, mistakes: int) -> None:
        """Show what fits the game as it stands; `laid`: somebody has begun the next one; `mistakes` to learn from."""
        over = sight.session.finished
        self._box.set_visibility(over)
        if not over:
            return
        self._learn.text = f"Learn from {mistakes} mistake{'s' * (mistakes != 1)}"
        self._learn.set_visibility(mistakes > 0)
        again = next_words(sight.session.game)
        self._words.show(
            f"The next game has begun: {'you have a seat there' if guest.sits else 'watch it'}." if laid else ""
        )
        self._next.text = f"Join: {again.lower()}" if laid and guest.sits else "Watch it" if laid else again
        self._next.set_visibility(laid or guest.sits)


def next_words(game: Game) -> str:
    """What people call the next game of the same people."""
    if game.players == 1:
        return "Play again"
    return "Next hand" if game.hidden and game.chance else "Rematch"
