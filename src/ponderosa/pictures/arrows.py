"""Arrows over a board: the moves of pieces that were thought of, or that are expected. Start at draw_arrow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

HEAD, WIDTH = 15.0, 8.0
"""How long the head of an arrow is, and how thick its line."""
Point = tuple[float, float]


def draw_arrow(points: Sequence[Point], classes: str, words: str = "", style: str = "") -> str:
    """A line through points that ends in a head, with a few words on it."""
    if len(points) < 2:
        return ""
    (x1, y1), (x2, y2) = points[-2:]
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    neck = x2 - dx * HEAD, y2 - dy * HEAD
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*points[:-1], neck])
    left = neck[0] - dy * HEAD * 0.6, neck[1] + dx * HEAD * 0.6
    right = neck[0] + dy * HEAD * 0.6, neck[1] - dx * HEAD * 0.6
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in ((x2, y2), left, right))
    told = _words(words, (x1 + 2 * x2) / 3, (y1 + 2 * y2) / 3) if words else ""
    style = f' style="{style}"' if style else ""
    return (
        f'<g class="arrow {classes}"{style}><polyline points="{line}" stroke-width="{WIDTH:g}"/>'
        f'<polygon points="{head}"/>{told}</g>'
    )


def _words(words: str, x: float, y: float) -> str:
    width = 8 * len(words) + 8
    return (
        f'<rect class="paper" x="{x - width / 2:.1f}" y="{y - 8:.1f}" width="{width}" height="16" rx="5"/>'
        f'<text class="visits" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
    )
