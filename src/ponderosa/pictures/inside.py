"""What stands in a cell: stones, signs, letters, and what was thought of a move. Start at draw_content."""

from __future__ import annotations

from html import escape

from ponderosa.mcts.report.report import ActionReport
from ponderosa.pictures.colours import checked, readable_on, rim_of
from ponderosa.pictures.grounds import UNIT

MIDDLE = UNIT / 2
DISC = 0.4 * UNIT
"""The radius of a stone."""
PROVEN_SIGNS = {"win": "✓", "draw": "=", "loss": "✗"}
FAINT = 0.02
"""A move with a smaller share of the visits of the most visited one is written faintly."""
AS_TEXT = "\ufe0e"
"""Behind a sign: draw it as a letter, and not as a coloured little picture."""


def draw_content(text: str, player: int | None, stone: str | None, ground: str | None) -> str:
    """The stone or the letters of a cell; `stone` is that of the player whose mark the text is, already drawn."""
    colour, sign, ink = checked(getattr(text, "stone", None)), _sign(text), checked(getattr(text, "ink", None))
    if colour is not None:
        words = _letters(sign, ink or readable_on(colour), 0.8) if sign else ""
        return disc(colour, ground, "stone") + words
    if sign:
        return _letters(sign, ink or (readable_on(ground) if ground else None), 1.0, outlined=ink is not None)
    if stone is not None:
        return stone
    return _letters(
        text, ink or (readable_on(ground) if ground else None), 1.0, "" if player is None else f" p{player}"
    )


def disc(colour: str | None, ground: str | None, classes: str) -> str:
    """A stone, with a line around it where the ground would swallow it."""
    style = f"fill:{colour}" if colour else ""
    rim = rim_of(colour, ground) if colour and ground else None
    style += f";stroke:{rim};stroke-width:2" if rim else ""
    style = f' style="{style}"' if style else ""
    return f'<circle class="{classes}" cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{DISC:g}"{style}/>'


def _sign(text: str) -> str:
    sign = getattr(text, "sign", None)
    sign = sign if isinstance(sign, str) else ""
    return sign + AS_TEXT if len(sign) == 1 and 0x2600 <= ord(sign) < 0x27C0 else sign


def _letters(text: str, ink: str | None, size: float, kind: str = "", outlined: bool = False) -> str:
    """A text as large as fits; a sign in a colour of its own gets a line around it, to be seen on every ground."""
    length = len(text.removesuffix(AS_TEXT))
    height = size * ((0.86 if outlined else 0.7) * UNIT if length == 1 else min(0.5 * UNIT, 1.3 * UNIT / length))
    style = f"fill:{ink}" if ink else ""
    if outlined and ink:
        style += f";stroke:{readable_on(ink)};stroke-width:1.6;paint-order:stroke"
    style = f' style="{style}"' if style else ""
    kind += " sign" if outlined else ""
    place = f'x="{MIDDLE:g}" y="{MIDDLE:g}" font-size="{height:.1f}"'
    return f'<text class="mark{kind}" {place}{style}>{escape(text)}</text>'


def draw_thought(entry: ActionReport, most: int, best: bool, round_: bool) -> str:
    """Share of visits as shade, the most visited darkest; value and visits as numbers; a frame for the best."""
    share = entry.visits / most if most else 0.0  # alpha-beta counts no visits
    kinds = ["share", *([entry.proven] if entry.proven else []), *(["best"] if best else [])]
    faint = " top" if best else " faint" if most and share < FAINT else ""
    size = (0.47 if best else 0.4 + 0.06 * share) * UNIT
    shape = _ground_of_thought(size, round_)
    value, sign = f"{100 * (entry.value or 0.0):.0f}", PROVEN_SIGNS.get(entry.proven or "", "")
    height = (0.51 if "faint" in faint else 0.4) * UNIT  # the visits of faint ones are not written
    return (
        f'<g class="thought{faint}"><{shape} class="paper"/>'
        f'<{shape} class="{" ".join(kinds)}" style="--share:{shade(share):.3f}"/>'
        f'<text class="value" x="{MIDDLE:g}" y="{height:.1f}">{sign}{value}</text>'
        f'<text class="visits" x="{MIDDLE:g}" y="{0.74 * UNIT:.1f}">{short(entry.visits)}</text></g>'
    )


def draw_prior(prior: float, most: float, round_: bool) -> str:
    """How promising a move is that nobody has searched, in percent; shade by the share of the most promising one."""
    share = prior / most if most else 0.0
    shape = _ground_of_thought((0.4 + 0.06 * share) * UNIT, round_)
    return (
        f'<g class="thought{" faint" if share < FAINT else ""}"><{shape} class="paper"/>'
        f'<{shape} class="share" style="--share:{shade(share):.3f}"/>'
        f'<text class="value" x="{MIDDLE:g}" y="{0.55 * UNIT:.1f}">{100 * prior:.0f}</text></g>'
    )


def shade(share: float) -> float:
    """How dark a share of the visits is; the darkest leaves numbers on it readable, in the light and in the dark."""
    return 0.06 + 0.62 * share


def _ground_of_thought(size: float, round_: bool) -> str:
    """The shape that is shaded."""
    inset = MIDDLE - 0.5 * UNIT + 1.5
    if round_:
        return f'circle cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{size:.1f}"'
    return f'rect x="{inset:g}" y="{inset:g}" width="{UNIT - 3}" height="{UNIT - 3}" rx="6"'


def short(number: float) -> str:
    """A count in few letters: 950, 1.2k, 31k, 4.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size * 0.9995:
            return f"{number / size:.1f}{letter}" if number < 9.95 * size else f"{number / size:.0f}{letter}"
    return f"{number:.0f}"
