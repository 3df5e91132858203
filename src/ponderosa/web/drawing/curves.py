"""A chart of the lab, drawn in the colours of the page. Start at draw_chart.

The same Chart that a report writes as a file (lab/reports/figures.py), so that both show the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from ponderosa.lab.reports.figures import Chart, Series
from ponderosa.web.drawing.figures import marks

WIDTH, HEIGHT = 470, 200
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 8, 32
MOST_POINTS = 400
DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 2", "6 2 1 2")
ROOM = 0.06
"""Of a scale whose ends are not said, above and below what is on it."""

Place = Callable[[float], float]


def draw_chart(chart: Chart) -> str:
    """The chart as HTML: its title, its curves with their intervals, and a legend where there are several."""
    x = _along([at for one in chart.series for at in one.x], chart.x.low, chart.x.high, LEFT, WIDTH - RIGHT, 0.0)
    ends = [end for one in chart.series for part in (one.y, one.low, one.high) if part is not None for end in part]
    y = _along(ends, chart.y.low, chart.y.high, HEIGHT - BOTTOM, TOP, ROOM)
    level = "" if chart.level is None else _across("half", y.place(chart.level))
    curves = "".join(_curve(place, one, x.place, y.place) for place, one in enumerate(chart.series))
    words = f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{escape(chart.x.label)}</text>'
    return (
        f'<figure class="chart"><figcaption>{escape(chart.title)} <span>{escape(chart.y.label)}</span></figcaption>'
        f'<svg class="figure" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(chart.title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{_scales(x, y)}{level}{curves}{words}</svg>{_legend(chart)}</figure>'
    )


class _Scale:
    """Numbers along one side of the picture."""

    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        self.low, self.high, self._begin, self._end = low, high, begin, end

    def place(self, value: float) -> float:
        """Where a number is; one that is off the scale is at its end."""
        inside = min(max(value, self.low), self.high)
        return self._begin + (inside - self.low) / (self.high - self.low) * (self._end - self._begin)


def _along(
    values: Sequence[float], low: float | None, high: float | None, begin: float, end: float, room: float
) -> _Scale:
    """A scale with all values on it."""
    known = [float(value) for value in values if math.isfinite(value)] or [0.0]
    least, most = min(known), max(known)
    spare = room * (most - least) or 0.5 * (most == least)
    least = least - spare if low is None else low
    most = most + spare if high is None else high
    return _Scale(least, most if most > least else least + 1.0, begin, end)


def _scales(x: _Scale, y: _Scale) -> str:
    """Lines across, with numbers at both sides."""
    across = "".join(
        f'{_across("grid", y.place(mark))}<text x="{LEFT - 6}" y="{y.place(mark) + 4:.1f}" text-anchor="end">'
        f"{mark:g}</text>"
        for mark in marks(y.low, y.high, 4)
        if y.low <= mark <= y.high
    )
    along = "".join(
        f'<text x="{x.place(mark):.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{mark:g}</text>'
        for mark in marks(x.low, x.high, 6)
        if x.low <= mark <= x.high
    )
    return across + along


def _across(kind: str, y: float) -> str:
    return f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _curve(number: int, series: Series, x: Place, y: Place) -> str:
    """A line through the points, each with its interval."""
    step = max(1, math.ceil(len(series.x) / MOST_POINTS))
    chosen = [*range(0, len(series.x) - 1, step), len(series.x) - 1]
    points = [(x(series.x[at]), y(series.y[at])) for at in chosen]
    line = " ".join(f"{left:.1f},{top:.1f}" for left, top in points)
    dots = ""
    if series.low is not None and series.high is not None:
        for at, (left, top) in zip(chosen, points, strict=True):
            low, high = y(series.low[at]), y(series.high[at])
            dots += f'<line class="range" x1="{left:.1f}" x2="{left:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>'
            dots += f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3"><title>{series.y[at]:.4g}</title></circle>'
    elif len(points) == 1:
        dots = f'<circle cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="3"/>'
    return f'<g class="series s{number % 6}"><polyline points="{line}"{_dashed(number)}/>{dots}</g>'


def _legend(chart: Chart) -> str:
    """Which line is which."""
    if len(chart.series) == 1 and chart.series[0].low is None:
        return ""
    names = "".join(
        f'<span class="series s{place % 6}"><svg viewBox="0 0 30 8" aria-hidden="true"><line x1="0" x2="30" y1="4" '
        f'y2="4"{_dashed(place)}/></svg>{escape(one.label)}</span>'
        for place, one in enumerate(chart.series)
    )
    bars = any(one.low is not None for one in chart.series)
    return f'<div class="legend">{names}{f"<span>bars: {escape(chart.interval)}</span>" if bars else ""}</div>'


def _dashed(place: int) -> str:
    dash = DASHES[place % len(DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""
