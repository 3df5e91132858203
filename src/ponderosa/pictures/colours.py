"""The colours of boards and stones, and how well they stand out (WCAG 2). Start at contrast.

Boards of wood, felt and lacquer have the same colours in the light and in the dark; only plain squares go with the page
(board.css).
"""

from __future__ import annotations

import re

from ponderosa.core.cell import COLOUR
from ponderosa.core.game import Game

DARK, LIGHT = "#111111", "#ffffff"
ENOUGH = 3.0
"""The least contrast between a shape and what it lies on: WCAG 2.2, 1.4.11."""
WOOD, WOOD_LINE = "#a9783f", "#38240c"
LACQUER, HOLE = "#17306b", "#0a1738"
"""Where stones fall: the frame, and a hole in it."""
FELT, FELT_LINE = "#3f8f5f", "#245c3b"
CHEQUERS = ("#f0d9b5", "#b58863")
HEXAGON, HEXAGON_LINE = "#efe9dc", "#a99f8a"

STONES = {
    "crossings": (DARK, LIGHT, "#0b2a8f", "#ffe94a", "#6b0000", "#b8ffb0"),
    "hexagons": ("#c92a2a", "#1c5fc4", "#1f6b3a", "#7a2fa3", "#8a4b00", "#333333"),
    "chequered": (DARK, LIGHT, "#0b2a8f", "#6b0000", "#14532d", "#5b1a7a"),
    "drops": ("#ff5a4f", "#ffd23f", "#5fe08a", "#d9b3ff", "#8fd3ff", LIGHT),
}
"""The players' stones on each kind of board, where the game does not say; on plain squares they go with the page."""
BY_NAME = {
    "black": "#000000",
    "white": "#ffffff",
    "red": "#ff0000",
    "green": "#008000",
    "lime": "#00ff00",
    "blue": "#0000ff",
    "navy": "#000080",
    "yellow": "#ffff00",
    "gold": "#ffd700",
    "orange": "#ffa500",
    "brown": "#a52a2a",
    "maroon": "#800000",
    "crimson": "#dc143c",
    "purple": "#800080",
    "violet": "#ee82ee",
    "pink": "#ffc0cb",
    "teal": "#008080",
    "cyan": "#00ffff",
    "silver": "#c0c0c0",
    "gray": "#808080",
    "grey": "#808080",
    "tan": "#d2b48c",
    "beige": "#f5f5dc",
    "ivory": "#fffff0",
}
"""What can be computed with; every other name of CSS counts as a middle grey."""
MIDDLE = "#808080"


def luminance(colour: str) -> float:
    """How bright a colour is, from 0 to 1 (WCAG 2, relative luminance)."""
    digits = BY_NAME.get(colour, colour if colour.startswith("#") else MIDDLE).lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1, the same, to 21, black on white."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def readable_on(colour: str) -> str:
    """Dark or light, whichever is read better on a colour."""
    return max((DARK, LIGHT), key=lambda ink: contrast(ink, colour))


def rim_of(stone: str, ground: str) -> str | None:
    """The colour of the line around a stone that its ground would swallow; None: it needs none."""
    return None if contrast(stone, ground) >= ENOUGH else readable_on(ground)


def checked(colour: str | None) -> str | None:
    """A colour as it may stand in a picture; nothing where it is none."""
    return colour if isinstance(colour, str) and re.fullmatch(COLOUR, colour) else None


def stone_colours(game: Game, drops: bool = False) -> tuple[str, ...]:
    """The colour of each player's stones; empty: those of the page."""
    told = tuple(colour for colour in game.colours if checked(colour))
    if len(told) >= game.players:
        return told
    return STONES.get("drops" if drops and game.board == "squares" else game.board, ())
