"""A sweep as tables, figures and words. Start at findings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ponderosa.lab.reports.figures import Axis, Chart, Figure, Grid, Series
from ponderosa.lab.reports.report import About, Findings, write_report
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.ranges import as_number
from ponderosa.lab.sweeps.sweep import EACH_OTHER, Mean, SweepPoint, SweepResult, name_of, slug

MOST_SERIES = 8
"""More series than that cannot be told apart; then every combination is a category."""
LARGEST_GRID = 16


def findings(result: SweepResult) -> Findings:
    """All that a sweep has shown."""
    return Findings(summary(result), tables=tables(result), figures=figures(result), notes=notes(result))


def write_sweep(folder: Path, result: SweepResult, command: str) -> Path:
    """Write the folder of a sweep: data, figures, report.md and report.html, which is given."""
    event = result.league.event
    question = f"Which settings of {result.agent} are best at {event.game}: {_asked(result)}?"
    title = f"{event.game}: {result.agent} with {', '.join(result.vary)} varied"
    about = About(f"sweep-{slug(event.game)}", title, question, "", "own", event.seed, version("ponderosa"), command)
    return write_report(folder, about, findings(result))


def _asked(result: SweepResult) -> str:
    return "; ".join(f"{name} = {', '.join(values)}" for name, values in result.vary.items())


def summary(result: SweepResult) -> str:
    """The best combination, and whether it is surely better than the next one."""
    best = result.best
    if best.score is None:
        return "No game is finished yet."
    words = f"{best.name} scored most: {_percent(best.score)} against {opponent(result)}."
    rivals = sorted((p for p in result.points if p.score and p is not best), key=lambda p: -p.score.value)  # type: ignore[union-attr]
    if rivals and rivals[0].score is not None:
        apart = best.score.low > rivals[0].score.high
        words += f" The next was {rivals[0].name} with {_percent(rivals[0].score)}"
        words += "." if apart else "; the intervals overlap, so more games may change the order."
    return f"{words}\n\nReady to paste: {best.agent}"


def notes(result: SweepResult) -> list[str]:
    """How it was played."""
    event, tally = result.league.event, result.league.tally
    found = [
        f"{event.game}: {result.agent} with every combination of {', '.join(result.vary)}, against {opponent(result)}; "
        f"{tally.games:,} games in pairs with seats swapped, openings {event.openings}, seed {event.seed}.",
        "Intervals are of 95 %; they allow for games of a pair going together.",
    ]
    if tally.repeats:
        found.append(f"{tally.repeats:,} games had been played before and are counted once.")
    return found


def opponent(result: SweepResult) -> str:
    """Who the combinations played, for people."""
    return "each other" if result.against == EACH_OTHER else result.against


def tables(result: SweepResult) -> list[Table]:
    """One row a combination."""
    return [
        Table.of("sweep", f"Every combination against {opponent(result)}", [_row(p, result) for p in result.points])
    ]


def _row(point: SweepPoint, result: SweepResult) -> dict[str, Any]:
    row: dict[str, Any] = {name: _value(text) for name, text in point.settings.items()}
    row["games"] = point.score.games if point.score else 0
    if result.league.tally.alone:
        row["mean result"] = point.result
    shares = {"score": point.score} | (
        {} if result.league.tally.alone else {"first": point.first, "second": point.second}
    )
    for title, share in shares.items():
        row |= with_interval(title, "%", share, 100)
    ends = (point.elo.value, point.elo.low, point.elo.high) if point.elo else (None, None, None)
    for title, end in zip(("Elo", "Elo low", "Elo high"), ends, strict=True):
        row[title] = end if end is not None and math.isfinite(end) else None
    return row | with_interval("time a move", "ms", point.seconds, 1e3) | {"iterations a move": point.iterations}


def figures(result: SweepResult) -> list[Figure]:
    """Scores with intervals, by seat too, the time of a move, and who beat whom."""
    played = [point for point in result.points if point.score]
    if not played:
        return []
    against = f"against {opponent(result)}"
    percent = Axis("score", "%")
    found: list[Figure] = [_chart(result, "score", f"Score {against}", percent, lambda point: point.score, 100, 50.0)]
    if not result.league.tally.alone:
        found.append(_seats(result, f"Score by seat {against}"))
    if all(point.seconds for point in result.points):
        time = Axis("mean time of a move", "ms", low=0)
        found.append(_chart(result, "time", "What a move takes", time, lambda point: point.seconds, 1e3))
    if result.against == EACH_OTHER and 2 < len(result.points) <= LARGEST_GRID:
        found.append(_pairings(result))
    return found


def _chart(
    result: SweepResult,
    name: str,
    title: str,
    y: Axis,
    measure: Callable[[SweepPoint], Mean | None],
    factor: float,
    level: float | None = None,
) -> Chart:
    """A measure over the first setting, one series for every combination of the others."""
    first, *others = result.vary
    groups: dict[str, list[SweepPoint]] = {}
    for point in result.points:
        if measure(point) is not None:
            rest = {key: point.settings[key] for key in others}
            groups.setdefault(name_of(rest) or result.agent, []).append(point)
    if len(groups) > MOST_SERIES:
        flat = [point for points in groups.values() for point in points]
        series = [_series(result.agent, flat, measure, factor, lambda point: point.name)]
        return Chart(name, title, Axis("settings"), y, series, level=level)
    numeric = all(as_number(text) is not None for text in result.vary[first])

    def x(point: SweepPoint) -> float | str | None:
        return as_number(point.settings[first]) if numeric else point.settings[first]

    series = [_series(label, points, measure, factor, x) for label, points in groups.items()]
    return Chart(name, title, Axis(first, log=numeric and _by_factors(result.vary[first])), y, series, level=level)


def _series(
    label: str,
    points: list[SweepPoint],
    measure: Callable[[SweepPoint], Mean | None],
    factor: float,
    x: Callable[[SweepPoint], Any],
) -> Series:
    return Series.of(label, [x(point) for point in points], [measure(point) for point in points], factor)


def _seats(result: SweepResult, title: str) -> Chart:
    """The score in the first and in the second seat, for every combination."""
    percent = Axis("score", "%")
    charts = [
        _chart(result, "seats", title, percent, lambda point: point.first, 100, 50.0),
        _chart(result, "seats", title, percent, lambda point: point.second, 100, 50.0),
    ]
    series = [
        replace(one, label=f"{seat} seat" if len(chart.series) == 1 else f"{one.label}, {seat} seat")
        for chart, seat in zip(charts, ("first", "second"), strict=True)
        for one in chart.series
    ]
    return replace(charts[0], series=series)


def _pairings(result: SweepResult) -> Grid:
    names = [point.name for point in result.points]
    count = range(len(names))
    shares = [[None if row == column else result.between(row, column) for column in count] for row in count]
    values = [[100 * share.value if share else None for share in row] for row in shares]
    margins = [[f"±{50 * (share.high - share.low):.0f}" if share else "" for share in row] for row in shares]
    axes = Axis("opponent"), Axis("agent")
    shown = Axis("score of the row, ± half of the 95 % interval", "%", low=0, high=100)
    return Grid("pairings", "Everybody against everybody", *axes, names, names, values, shown, margins)


def _by_factors(texts: list[str]) -> bool:
    """Whether values are nearer to equal factors than to equal steps."""
    values = [float(text) for text in texts]
    if len(values) < 3 or values[0] <= 0 or sorted(values) != values:
        return False
    return values[-1] / values[-2] > 1.5 and values[-1] - values[-2] > 2 * (values[1] - values[0])


def _percent(share: Mean) -> str:
    return f"{100 * share.value:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"


def _value(text: str) -> float | str:
    number = as_number(text)
    if number is None:
        return text
    return int(number) if number.is_integer() and "." not in text and "e" not in text.lower() else number
