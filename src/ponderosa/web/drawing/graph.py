"""The win probability over a game as a curve to click. Start at draw_curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

WIDTH, HEIGHT = 400, 150
LEFT, RIGHT, TOP, BOTTOM = 30, 8, 8, 18


def draw_curve(
    values: Sequence[float | None], here: int, player: str, beside: Sequence[float | None] = (), words: str = ""
) -> str:
    """Values from 0 to 1, for the first player, by number of moves; a click on one goes there (data-go).

    `beside` are other values for the same positions, `words` what is written below, unless it is the usual.
    """
    words = words or f"win probability of {player}"
    span = max(len(values) - 1, 1)
    step = (WIDTH - LEFT - RIGHT) / span

    def x(ply: int) -> float:
        return LEFT + ply * step

    def y(value: float) -> float:
        return TOP + (1 - value) * (HEIGHT - TOP - BOTTOM)

    known = [(ply, value) for ply, value in enumerate(values) if value is not None]
    points = " ".join(f"{x(ply):.1f},{y(value):.1f}" for ply, value in known)
    under = f"{x(known[0][0]):.1f},{y(0):.1f} {points} {x(known[-1][0]):.1f},{y(0):.1f}" if known else ""
    other = " ".join(f"{x(ply):.1f},{y(value):.1f}" for ply, value in enumerate(beside) if value is not None)
    dashed = f'<polyline class="beside" points="{other}"/>' if other else ""
    dots = "".join(f'<circle class="point" cx="{x(ply):.1f}" cy="{y(value):.1f}" r="2.4"/>' for ply, value in known)
    return (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" preserveAspectRatio="none" '
        f'aria-label="{escape(words)} over the game">{_grid(y)}'
        f'<polygon class="under" points="{under}"/><polyline class="curve" points="{points}"/>{dashed}{dots}'
        f'<line class="here" x1="{x(here):.1f}" x2="{x(here):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        f"{_touches(values, x, step)}"
        f'<text x="{LEFT}" y="{HEIGHT - 4}">{escape(words[0].upper() + words[1:])}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{len(values) - 1}</text></svg>'
    )


def _grid(y: Callable[[float], float]) -> str:
    lines = [
        f'<line class="{"half" if value == 0.5 else "grid"}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value)}" '
        f'y2="{y(value)}"/><text x="{LEFT - 4}" y="{y(value) + 3}" text-anchor="end">{round(100 * value)}</text>'
        for value in (0.0, 0.5, 1.0)
    ]
    return "".join(lines)


def _touches(values: Sequence[float | None], x: Callable[[int], float], step: float) -> str:
    """An area to click for every position."""
    return "".join(
        f'<rect class="touch" data-go="{ply}" x="{x(ply) - step / 2:.1f}" y="{TOP}" width="{step:.1f}" '
        f'height="{HEIGHT - TOP - BOTTOM}"><title>after {ply} moves{_told(value)}</title></rect>'
        for ply, value in enumerate(values)
    )


def _told(value: float | None) -> str:
    return "" if value is None else f": {100 * value:.0f} %"
