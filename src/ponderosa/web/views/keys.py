"""What keys do on a board: play the move that is written on them, or go through the game. Start at meant.

The arrow keys belong to a game whose moves are directions; in it, Page up and Page down go through the game.
"""

from __future__ import annotations

from collections.abc import Sequence

from nicegui.events import KeyEventArguments

from ponderosa.web.model.session import GameSession

DIRECTIONS = {"ArrowUp": "up", "ArrowRight": "right", "ArrowDown": "down", "ArrowLeft": "left"}
"""The moves that arrow keys play, where there are such."""
FAR = 10**6
STEPS = {"Home": -FAR, "End": FAR}
ARROWS, PAGES = {"ArrowLeft": -1, "ArrowRight": 1}, {"PageUp": -1, "PageDown": 1}
"""How many moves a key goes on: the arrows, or the pages where arrows play."""
HELP = "Arrow keys, Home and End go through the game."
HELP_DIRECTED = "Arrow keys move; Page up, Page down, Home and End go through the game."
EARLIER = "this is an earlier position: End goes to the last one, and there the arrow keys move"


def directed(session: GameSession) -> bool:
    """Whether the moves of a game are directions: asked of the first position in which somebody is to move."""
    first = next((state for state in session.states if state.to_move() >= 0), None)
    names = [] if first is None else [first.action_to_string(action) for action in first.legal_actions()]
    return not set(DIRECTIONS.values()).isdisjoint(names)


def pressed(event: KeyEventArguments) -> str:
    """The key that goes down now, alone; empty: none."""
    alone = event.action.keydown and not event.modifiers.ctrl and not event.modifiers.alt and not event.modifiers.meta
    return str(event.key) if alone else ""


def steps_of(key: str, arrows_play: bool) -> int | None:
    """How many moves on a key goes through the game; None: it does not."""
    return (STEPS | (PAGES if arrows_play else ARROWS)).get(key)


def meant(key: str, names: Sequence[str]) -> int | None:
    """The place among the moves of the one that a key plays: a digit its column, an arrow its direction."""
    name = DIRECTIONS.get(key, key if key.isdigit() else "")
    return names.index(name) if name in names else None
