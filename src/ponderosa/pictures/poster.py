"""A position to be shown to others, with its name and what its numbers are. Start at poster."""

from __future__ import annotations

import re
from html import escape

from ponderosa.core.state import State
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.pictures.alone import picture_alone
from ponderosa.pictures.grounds import ground_of
from ponderosa.pictures.inside import PROVEN_SIGNS
from ponderosa.pictures.places import Layout, layout

EDGE, HEAD, LINE = 24, 52, 20
STRIP = 30
"""The height of the exact results below a board, in the units of the board."""
LEAST_WIDTH = 400.0
LETTER = 0.62
"""The width of a letter, of its height; wide fonts have that in the mean."""
STYLE = (
    ".title{font-family:sans-serif;font-weight:600;fill:#1f2430}.words{font-family:sans-serif;fill:#475467}"
    ".strip text{text-anchor:middle;font:650 18px sans-serif}"
    ".strip .win{fill:#237a34}.strip .loss{fill:#c92a2a}.strip .draw{fill:#6b7280}"
)


def poster(
    title: str, state: State, before: State | None, report: Report | None, iterations: int, exact: Report | None
) -> str | None:
    """The picture, on white ground whatever it is shown on, after so many iterations; None: the game has no board."""
    drawn, found = picture_alone(state, report, before), layout(state)
    if drawn is None or found is None:
        return None
    width, height = map(float, re.findall(r'<svg width="(\d+)" height="(\d+)"', drawn)[0])
    below = strip(state, found, exact) if found.drops and exact is not None else ""
    deep = width * STRIP / ground_of(state.game.board, len(found.cells), len(found.cells[0]), drops=True).size[0]
    words = _words(0 if report is None else iterations, below)
    foot = HEAD + height + (deep if below else 0) + LINE
    whole = max(width, LEAST_WIDTH) + 2 * EDGE, foot + len(words) * LINE
    left = (whole[0] - width) / 2
    room = whole[0] - 2 * EDGE
    lines = "".join(_line("words", foot + number * LINE, text, 13, room) for number, text in enumerate(words))
    board = drawn.replace("<svg ", f'<svg x="{left:g}" y="{HEAD}" ', 1)
    placed = below.replace("<svg ", f'<svg x="{left:g}" y="{HEAD + height:g}" width="{width:g}" height="{deep:g}" ')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]:g}" height="{whole[1]:g}" '
        f'viewBox="0 0 {whole[0]:g} {whole[1]:g}"><style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>'
        f"{_line('title', 34, title, 20, room)}{board}{placed}{lines}</svg>\n"
    )


def _line(kind: str, y: float, text: str, size: float, room: float) -> str:
    """A line of text, smaller where it would not fit."""
    size = min(size, room / (LETTER * max(len(text), 1)))
    return f'<text class="{kind}" x="{EDGE}" y="{y:g}" font-size="{size:.1f}">{escape(text)}</text>'


def strip(state: State, found: Layout, exact: Report | None) -> str:
    """The exact results of a board into which stones fall, each under its column."""
    ground = ground_of(state.game.board, len(found.cells), len(found.cells[0]), drops=found.drops)
    known = {} if exact is None else {entry.action: entry for entry in exact.actions}
    cells = "".join(_under(known[column], ground.middle(0, column)[0]) for column in sorted(known))
    return f'<svg class="strip" viewBox="0 0 {ground.size[0]:g} {STRIP}" aria-hidden="true">{cells}</svg>'


def _under(exact: ActionReport, middle: float) -> str:
    if exact.proven is None:
        return ""
    left = "" if exact.moves_left is None or exact.proven == "draw" else f" {exact.moves_left}"
    return f'<text class="{exact.proven}" x="{middle:g}" y="18">{PROVEN_SIGNS[exact.proven]}{left}</text>'


def _words(iterations: int, below: str) -> list[str]:
    """What the numbers are."""
    found = []
    if iterations:
        found.append(f"In the cells: win probability in %, visits; {iterations:,} iterations.")
    if "<text" in below:
        found.append("Below: exact, ✓ wins and ✗ loses, after how many moves of both.")
    return found
