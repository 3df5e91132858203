"""A position as a picture that stands alone, for files and notebooks: SVG with its style. Start at picture_alone."""

from __future__ import annotations

import re

from ponderosa.core.state import State
from ponderosa.mcts.report.report import Report
from ponderosa.pictures.board import Shown, draw_position
from ponderosa.pictures.own import NAMESPACE, picture_address, size_of
from ponderosa.pictures.places import layout
from ponderosa.pictures.style import style_alone

LARGEST_SIDE = 480.0
"""How wide and how high it is shown, unless whoever shows it says otherwise."""


def any_picture_alone(state: State) -> str | None:
    """The board, or the game's own picture of what has none, as an image that runs nothing; None: it is all text."""
    address = None if layout(state) is not None else picture_address(state)
    if address is None:
        return picture_alone(state)
    width, height = size_of(address)
    scale = min(1.0, LARGEST_SIDE / max(width, height))
    shown = f'width="{scale * width:.0f}" height="{scale * height:.0f}" viewBox="0 0 {width:g} {height:g}"'
    image = f'<image width="{width:g}" height="{height:g}" href="{address}"/>'
    return f"<svg {NAMESPACE} {shown}>{image}</svg>"


def picture_alone(state: State, report: Report | None = None, before: State | None = None) -> str | None:
    """The board, with what was thought of it written into its cells, and the move since `before` marked; None: none."""
    if layout(state) is None:
        return None
    drawn = draw_position(state, before, Shown(report))
    board = drawn[: drawn.index("</svg>") + len("</svg>")]
    width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', board)[0])
    scale = min(1.0, LARGEST_SIDE / max(width, height))
    sized = board.replace("<svg ", f'<svg width="{scale * width:.0f}" height="{scale * height:.0f}" ', 1)
    head = sized.index(">") + 1
    return f"{sized[:head]}<style>{style_alone()} .board {{font-family: sans-serif}}</style>{sized[head:]}"
