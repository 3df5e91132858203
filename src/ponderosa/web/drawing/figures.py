"""Pictures of results: intervals side by side, and a score as it grew. Start at draw_intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 640
LABELS, RIGHT, ROW, FOOT = 220, 20, 30, 34
USUAL = 100.0
"""The half width of a scale on which nothing is finite."""
MOST_LETTERS = 34
MOST_POINTS = 400
HEIGHT, LEFT, TOP = 170, 44, 10


@dataclass(frozen=True)
class Interval:
    """A value with the ends of its interval, which may be infinite."""

    name: str
    value: float
    low: float
    high: float


def draw_intervals(rows: Sequence[Interval], words: str) -> str:
    """Each value as a dot on the line of its interval; what is infinite goes to the edge."""
    low, high = _scale(rows)
    height = len(rows) * ROW + FOOT

    def x(value: float) -> float:
        return LABELS + (min(max(value, low), high) - low) / (high - low) * (WIDTH - LABELS - RIGHT)

    scale = "".join(
        f'<line class="grid" x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="4" y2="{height - FOOT}"/>'
        f'<text x="{x(mark):.1f}" y="{height - FOOT + 13}" text-anchor="middle">{mark:g}</text>'
        for mark in marks(low, high)
    )
    lines = []
    for place, row in enumerate(rows):
        y = place * ROW + ROW / 2 + 4
        lines.append(
            f'<g class="interval"><title>{escape(told(row))}</title>'
            f'<text class="name" x="{LABELS - 12}" y="{y + 4}" text-anchor="end">{escape(_short(row.name))}</text>'
            f'<line class="range" x1="{x(row.low):.1f}" x2="{x(row.high):.1f}" y1="{y}" y2="{y}"/>'
            f'<circle class="point" cx="{x(row.value):.1f}" cy="{y}" r="4.5"/></g>'
        )
    foot = f'<text x="{WIDTH - RIGHT}" y="{height - 5}" text-anchor="end">{escape(words)}</text>'
    return _svg(height, words, scale + "".join(lines) + foot)


def draw_score(scores: Sequence[float], name: str) -> str:
    """The mean score of an agent after each game."""
    means, total = [], 0.0
    for games, score in enumerate(scores, 1):
        total += score
        means.append((games, total / games))
    step = max(1, math.ceil(len(means) / MOST_POINTS))
    shown = means[::step] + means[-1:]
    span = max(len(means) - 1, 1)

    def y(value: float) -> float:
        return TOP + (1 - value) * (HEIGHT - TOP - FOOT)

    grid = "".join(
        f'<line class="{"half" if value == 0.5 else "grid"}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" '
        f'y2="{y(value):.1f}"/><text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{100 * value:.0f} %</text>'
        for value in (0.0, 0.5, 1.0)
    )
    points = " ".join(
        f"{LEFT + (games - 1) / span * (WIDTH - LEFT - RIGHT):.1f},{y(mean):.1f}" for games, mean in shown
    )
    words = f"score of {_short(name)} after each game"
    foot = (
        f'<text x="{LEFT}" y="{HEIGHT - 8}">{escape(words)}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">{len(means):,} games</text>'
    )
    return _svg(HEIGHT, words, f'{grid}<polyline class="curve" points="{points}"/>{foot}')


def told(row: Interval) -> str:
    """A value and its interval in words."""
    return f"{row.name}: {signed(row.value)} (95 %: {signed(row.low)} to {signed(row.high)})"


def signed(value: float) -> str:
    """A number with its sign, infinity as a sign too."""
    return f"{value:+.1f}" if math.isfinite(value) else "+∞" if value > 0 else "-∞"


def _svg(height: float, words: str, inner: str) -> str:
    return (
        f'<svg class="figure" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(words)}" '
        f'xmlns="http://www.w3.org/2000/svg">{inner}</svg>'
    )


def _scale(rows: Sequence[Interval]) -> tuple[float, float]:
    """A range with zero and all that is finite in it, and some room."""
    known = [end for row in rows for end in (row.value, row.low, row.high) if math.isfinite(end)]
    low, high = min([0.0, *known]), max([0.0, *known])
    room = 0.06 * (high - low) or USUAL
    return low - room, high + room


def marks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers in a range, about so many."""
    rough = (high - low) / about
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough)
    return [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
