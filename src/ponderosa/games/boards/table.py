"""A table with cards and dice, as SVG, for games without a board. Start at table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

FELT, PAPER, DARK, RED, BACK, LIGHT, FAINT = "#245c3b", "#fffdf6", "#1b1b1b", "#b3122a", "#274a8f", "#ffffff", "#d7e6dc"
ROW, WIDTH = 84, 520
CARD = (48, 68)
DIE = 56
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
"""Where the pips of a face are, in thirds."""


def table(rows: Sequence[tuple[str, Sequence[str], str]]) -> str:
    """A row for each player, or thing: a name, what lies there (`drawn_card`, `drawn_die`), and words behind it."""
    parts = []
    for number, (name, things, words) in enumerate(rows):
        y, x = 10 + number * ROW, 132.0
        parts.append(_text(14, y + ROW / 2, name, 17, LIGHT, bold=True))
        room = sum(_width(thing) + 8 for thing in things)
        closer = min(1.0, (WIDTH - x - 12) / room) if room else 1.0  # a long hand of cards lies one over the other
        for thing in things:
            parts.append(f'<g transform="translate({x:.1f} {y + 8})">{thing}</g>')
            x += (_width(thing) + 8) * closer
        parts.append(_text(x + 10, y + ROW / 2, words, 15, FAINT))
    height = 20 + ROW * len(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">'
        f'<rect width="{WIDTH}" height="{height}" rx="12" fill="{FELT}"/>{"".join(parts)}</svg>'
    )


def drawn_card(text: str = "", suit: str = "", red: bool = False) -> str:
    """A card with its name and sign; without a name, its back."""
    width, height = CARD
    if not text:
        return (
            f'<rect width="{width}" height="{height}" rx="6" fill="{PAPER}"/>'
            f'<rect x="4" y="4" width="{width - 8}" height="{height - 8}" rx="4" fill="{BACK}"/>'
        )
    ink = RED if red else DARK
    middle = height * (0.36 if suit else 0.52)
    return (
        f'<rect width="{width}" height="{height}" rx="6" fill="{PAPER}" stroke="#888"/>'
        + _text(width / 2, middle, text, 26, ink, bold=True, centred=True)
        + (_text(width / 2, height * 0.76, suit, 20, ink, centred=True) if suit else "")
    )


def drawn_die(face: int = 0) -> str:
    """A die that shows a face; 0: one that cannot be seen. Faces of more than six are written."""
    base = f'<rect width="{DIE}" height="{DIE}" rx="10" y="6" fill="{PAPER if face else BACK}" stroke="#888"/>'
    if face not in PIPS:
        return base + _text(DIE / 2, DIE / 2 + 6, str(face) if face else "?", 26, DARK if face else LIGHT, True, True)
    pips = "".join(
        f'<circle cx="{DIE / 2 + x * DIE / 3.4:.1f}" cy="{DIE / 2 + 6 + y * DIE / 3.4:.1f}" r="5" fill="{DARK}"/>'
        for x, y in PIPS[face]
    )
    return base + pips


def drawn_bar(share: float) -> str:
    """How far somebody has come, from 0 to 1."""
    width = 200
    return (
        f'<rect y="24" width="{width}" height="18" rx="9" fill="#173d27"/>'
        f'<rect y="24" width="{width * min(max(share, 0.0), 1.0):.1f}" height="18" rx="9" fill="#ffd23f"/>'
    )


def _width(thing: str) -> float:
    """How wide a card, a die or a bar is: by its first shape."""
    if 'y="24"' in thing:
        return 200
    return DIE if f'width="{DIE}"' in thing else CARD[0]


def _text(x: float, y: float, text: str, size: float, ink: str, bold: bool = False, centred: bool = False) -> str:
    anchor = ' text-anchor="middle"' if centred else ""
    weight = ' font-weight="700"' if bold else ""
    place = f'x="{x:.1f}" y="{y:.1f}" dominant-baseline="central"'
    return f'<text {place} font-size="{size:g}" fill="{ink}"{anchor}{weight}>{escape(text)}</text>'
