"""Figures in one style: axes with units, intervals, a legend, readable in black and white. Start at Chart.

Series differ by marker, line and lightness, so a print without colours tells them apart. A figure is written as SVG and
as PNG, and the same figure gives the same bytes.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import SettingError
from ponderosa.lab.extra import need
from ponderosa.lab.reports.folder import check_name, put_bytes

COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#8f3f71", "#b07d00", "#56b4e9", "#777777")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)), (0, (8, 3)))
HATCHES = ("", "///", "...", "xx", "\\\\\\", "++", "oo", "--")
STYLE: dict[str, Any] = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "svg.fonttype": "none",  # text stays text: it is found, read aloud, and small
    "text.parse_math": False,
}
DOTS_A_INCH = 150
BAND_FROM = 25
"""The number of points from which on a series has a band around it; fewer points have bars of error."""
DODGE = 0.12
"""How far apart the points of two series at one category are, in categories."""
CROWD = 0.5
"""How much of the way to the next category, or number, all series may take up."""
ASIDE = (0.008, 0.03, 0.064)
"""The same along an axis of numbers, in shares of its length: at least, at most, and where there is but one number."""
MOST_TICKS = 9
LEAST_GAP = 0.08
"""Ticks nearer than this share of an axis would write over each other."""
LEAST_LOG_GAP = 0.04
"""The same of a logarithmic axis: of ticks nearer than this, the first has its number."""
BESIDE = 0.025
"""How much of an axis with two given ends is left free beyond them, where points lie on its ends."""


@with_field_texts
@dataclass(frozen=True)
class Axis:
    """What an axis shows."""

    name: str
    unit: str = ""
    """s, %, Elo, games, ...; empty for a plain number."""
    log: bool = False
    low: float | None = None
    """Where the axis begins; None: where the data do."""
    high: float | None = None

    @property
    def label(self) -> str:
        """The words beside the axis."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


@with_field_texts
@dataclass(frozen=True)
class Series:
    """Points with one meaning, in order; `low` and `high` are the ends of their intervals."""

    label: str
    x: Sequence[Any]
    """Numbers, or texts: then they are categories."""
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    published: bool = False
    """Whether the points are somebody else's: drawn hollow, without a line."""

    @classmethod
    def of(
        cls, label: str, x: Sequence[Any], means: Sequence[Any], factor: float = 1.0, published: bool = False
    ) -> Series:
        """Points from means with intervals; where there is none (None), there is no point."""
        known = [(at, mean) for at, mean in zip(x, means, strict=True) if mean is not None]
        y, low, high = ([factor * getattr(mean, end) for _, mean in known] for end in ("value", "low", "high"))
        return cls(label, [at for at, _ in known], y, low, high, published)


@with_field_texts
@dataclass(frozen=True, repr=False)
class Chart:
    """A figure of several series over one axis."""

    name: str
    """The name of its files."""
    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    interval: str = "95 % interval"
    """What bars and bands of error show; said in the legend."""
    bars: bool = False
    """Columns instead of lines, for categories that have no order."""
    level: float | None = None
    """A thin line at this height, as 50 %."""

    def __post_init__(self) -> None:
        check_name(self.name)
        if not self.series:
            raise SettingError(f"the figure {self.name} has no series")
        for series in self.series:
            lengths = {len(part) for part in (series.x, series.y, series.low, series.high) if part is not None}
            if len(lengths) != 1 or 0 in lengths or (series.low is None) != (series.high is None):
                raise SettingError(f"{series.label} in the figure {self.name}: x, y, low and high have one length")

    def draw(self) -> Any:
        """The figure, of matplotlib."""
        figure, axes = _new_figure()
        if isinstance(self.series[0].x[0], str):
            _draw_categories(axes, self)
        else:
            _draw_numbers(axes, self)
        _label(axes, self)
        return figure

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.title!r})"

    def _repr_svg_(self) -> str:
        """In a notebook, the figure itself."""
        return as_svg(self)


@with_field_texts
@dataclass(frozen=True, repr=False)
class Grid:
    """A figure of one number for every row and column, written in its cell too."""

    name: str
    title: str
    x: Axis
    y: Axis
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    """A row of values for every row; None: nothing is known."""
    shown: Axis
    """What the values are."""
    notes: Sequence[Sequence[str]] | None = None
    """A second line in the cells, as "±4"."""

    def __post_init__(self) -> None:
        check_name(self.name)
        if len(self.values) != len(self.rows) or any(len(row) != len(self.columns) for row in self.values):
            raise SettingError(f"the figure {self.name} needs one value for every row and column")

    def draw(self) -> Any:
        """The figure, of matplotlib."""
        width, height = 2.5 + 0.95 * len(self.columns), 1.8 + 0.6 * len(self.rows)
        figure, axes = _new_figure((max(width, 6.0), max(height, 3.0)))
        numbers = [[math.nan if value is None else value for value in row] for row in self.values]
        image = axes.imshow(numbers, cmap="Greys", vmin=self.shown.low, vmax=self.shown.high, aspect="auto")
        for (row, values), column in itertools.product(enumerate(numbers), range(len(self.columns))):
            if not math.isnan(values[column]):
                text = f"{values[column]:.3g}" + (f"\n{self.notes[row][column]}" if self.notes else "")
                dark = image.norm(values[column]) > 0.55
                axes.text(column, row, text, ha="center", va="center", color="white" if dark else "black", fontsize=9)
        axes.set_xticks(range(len(self.columns)), [_cut(name) for name in self.columns])
        axes.set_yticks(range(len(self.rows)), [_cut(name) for name in self.rows])
        _turn_long_names(axes, self.columns)
        axes.grid(False)
        axes.set(title=self.title, xlabel=self.x.label, ylabel=self.y.label)
        figure.colorbar(image, label=self.shown.label)
        return figure

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.title!r})"

    def _repr_svg_(self) -> str:
        """In a notebook, the figure itself."""
        return as_svg(self)


Figure = Chart | Grid


def as_svg(figure: Figure) -> str:
    """The figure as SVG; the same figure gives the same text."""
    return _written(figure, "svg", {"Date": None}).decode()


def as_png(figure: Figure) -> bytes:
    """The figure as PNG."""
    return _written(figure, "png", {"Software": None})


def write_figure(folder: Path, figure: Figure) -> list[Path]:
    """Both files of a figure."""
    svg, png = folder / f"{figure.name}.svg", folder / f"{figure.name}.png"
    put_bytes(svg, as_svg(figure).encode())
    put_bytes(png, as_png(figure))
    return [svg, png]


def _written(figure: Figure, kind: str, metadata: dict[str, None]) -> bytes:
    matplotlib = need("matplotlib", "figures")
    out = io.BytesIO()
    with matplotlib.rc_context(STYLE | {"svg.hashsalt": figure.name}):
        figure.draw().savefig(out, format=kind, metadata=metadata, dpi=DOTS_A_INCH)
    return out.getvalue()


def _new_figure(size: tuple[float, float] = (9.0, 5.0)) -> tuple[Any, Any]:
    need("matplotlib", "figures")
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=size, layout="constrained")
    return canvas, canvas.subplots()


def _draw_numbers(axes: Any, chart: Chart) -> None:
    for place, series in enumerate(chart.series):
        look = _look(place, series)
        errors = _errors(series)
        if errors is None or len(series.x) < BAND_FROM:
            axes.errorbar(_aside(chart, place), series.y, yerr=errors, label=series.label, capsize=3, **look)
            continue
        look["markevery"] = max(1, len(series.x) // 8)
        axes.plot(series.x, series.y, label=series.label, **look)
        axes.fill_between(series.x, series.low, series.high, color=look["color"], alpha=0.18, linewidth=0)


def _aside(chart: Chart, place: int) -> list[float]:
    """A series' points, moved aside a little so that its bars of error do not hide those of others."""
    given = sorted({value for series in chart.series for value in series.x})
    low, high = given[0], given[-1]
    least, most, alone = ASIDE
    step = alone
    if low < high:
        gap = min(after - before for before, after in itertools.pairwise(_shares(given, chart.x.log)))
        step = min(max(CROWD * gap / len(chart.series), least), most)
    offset = step * (place - (len(chart.series) - 1) / 2)
    if chart.x.log:
        return [value * (high / low if high > low else math.e) ** offset for value in chart.series[place].x]
    return [value + offset * (high - low or abs(high) or 1.0) for value in chart.series[place].x]


def _shares(points: Sequence[float], log: bool) -> list[float]:
    """Where different points lie between the first and the last, from 0 to 1."""
    along = [math.log(point) for point in points] if log else list(points)
    return [(at - along[0]) / ((along[-1] - along[0]) or 1.0) for at in along]


def _draw_categories(axes: Any, chart: Chart) -> None:
    names = list(dict.fromkeys(name for series in chart.series for name in series.x))
    width = 0.8 / len(chart.series)
    dodge = DODGE if len(names) == 1 else min(DODGE, CROWD / len(chart.series))
    for place, series in enumerate(chart.series):
        offset = place - (len(chart.series) - 1) / 2
        at = [names.index(name) + offset * (width if chart.bars else dodge) for name in series.x]
        if chart.bars:
            fill = {"facecolor": "white" if place else "#bbbbbb", "hatch": HATCHES[place % len(HATCHES)]}
            bars = {"yerr": _errors(series), "capsize": 3, "edgecolor": "black"}
            axes.bar(at, series.y, width, label=series.label, **bars, **fill)
        else:
            axes.errorbar(at, series.y, yerr=_errors(series), label=series.label, capsize=3, **_look(place, series))
    axes.set_xticks(range(len(names)), [_cut(name) for name in names])
    _turn_long_names(axes, names)


def _turn_long_names(axes: Any, names: Sequence[str]) -> None:
    if max(map(len, names)) * len(names) > 60:
        axes.tick_params(axis="x", labelrotation=30)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")


def _look(place: int, series: Series) -> dict[str, Any]:
    look = {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": LINES[place % len(LINES)],
        "markersize": 5,
        "linewidth": 1.4,
    }
    return look | {"linestyle": "none", "markerfacecolor": "none", "markersize": 8} if series.published else look


def _errors(series: Series) -> list[list[float]] | None:
    """How far the interval reaches below and above each point."""
    if series.low is None or series.high is None:
        return None
    ends = zip(series.y, series.low, series.high, strict=True)
    below, above = zip(*((max(y - low, 0.0), max(high - y, 0.0)) for y, low, high in ends), strict=True)
    return [list(below), list(above)]


def _label(axes: Any, chart: Chart) -> None:
    axes.set(title=chart.title, xlabel=chart.x.label, ylabel=chart.y.label)
    if chart.level is not None:
        axes.axhline(chart.level, color="#555555", linewidth=0.8)
    for axis, name in ((chart.x, "x"), (chart.y, "y")):
        if axis.log:
            axes.set(**{f"{name}scale": "log"})
            _plain_ticks(getattr(axes, f"{name}axis"), chart.series if name == "x" else ())
        elif name == "x":
            _ticks_at_points(axes.xaxis, chart.series)
        limits = {"left" if name == "x" else "bottom": axis.low, "right" if name == "x" else "top": axis.high}
        getattr(axes, f"set_{name}lim")(**{end: value for end, value in limits.items() if value is not None})
        if name == "y" and axis.low is not None and axis.high is not None and not chart.bars:
            _leave_room(axes, chart, axis.low, axis.high)
    known = any(series.low is not None for series in chart.series)
    title = chart.interval if known else None
    axes.figure.legend(loc="outside right upper", title=title, title_fontsize=9, fontsize=9, frameon=False)


def _leave_room(axes: Any, chart: Chart, low: float, high: float) -> None:
    """Points on the ends of the axis stand free of the frame."""
    heights = [value for series in chart.series for value in series.y]
    room = BESIDE * (high - low)
    axes.set_ylim(low - room * (min(heights) <= low), high + room * (max(heights) >= high))


def _plain_ticks(axis: Any, series: Sequence[Series]) -> None:
    """Numbers as people write them along a logarithmic axis; of few points, every one."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}"))
    points = sorted({value for one in series for value in one.x})
    if 0 < len(points) <= MOST_TICKS:
        named: list[tuple[float, float]] = []
        for point, share in zip(points, _shares(points, log=True), strict=True):
            if not named or share - named[-1][1] >= LEAST_LOG_GAP:
                named.append((point, share))
        axis.set_major_locator(FixedLocator([point for point, _ in named]))
        axis.set_minor_locator(NullLocator())


def _ticks_at_points(axis: Any, series: Sequence[Series]) -> None:
    """Of few points that are well apart, every one is named along an axis of numbers."""
    points = sorted({value for one in series for value in one.x if not isinstance(value, str)})
    gaps = [after - before for before, after in itertools.pairwise(points)]
    if 0 < len(points) <= MOST_TICKS and min(gaps, default=0.0) >= LEAST_GAP * (points[-1] - points[0]):
        axis.set_ticks(points, [f"{value:g}" for value in points])


def _cut(name: str) -> str:
    return name if len(name) <= 32 else name[:31] + "…"
