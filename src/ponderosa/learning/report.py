"""The report of a run of learning: losses, speed and strength over time, as figures. Start at write_report."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import STYLE, picture
from ponderosa.lab.reports.tables import Table
from ponderosa.system.files import write_text

if TYPE_CHECKING:
    from ponderosa.learning.run import Run

Entry = dict[str, Any]
MINUTES = Axis("learning", "min", low=0.0)
SCORE = Axis("score", "%", low=0.0, high=100.0)


def write_report(run: Run) -> Path:
    """Write report.html, which needs nothing from elsewhere."""
    path = run.folder.path / "report.html"
    write_text(path, page(run))
    return path


def page(run: Run) -> str:
    """The report as HTML."""
    title = f"Learning {run.game.spec} by self-play"
    words = (
        f"{run.seconds / 60:.1f} minutes on {run.device}, {run.games:,} games, {run.positions:,} positions; "
        f"{run.network}, seed {run.settings.seed}."
    )
    parts = [f"<h1>{escape(title)}</h1><p>{escape(words)}</p>"]
    parts += [picture(chart) for chart in charts(run.log)]
    rows = gate_rows(run.log)
    if rows:
        parts.append(Table.of("gates", "Gates", rows).to_html())
    settings = ", ".join(f"{name} {value}" for name, value in run.settings.told().items())
    parts.append(f"<h2>Settings</h2><p>{escape(settings)}</p>")
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def charts(log: Sequence[Entry]) -> list[Chart]:
    """What the log shows: losses, speed, Elo and scores."""
    lines, gates = [entry for entry in log if "policy_loss" in entry], [entry for entry in log if "gate" in entry]
    found = []
    if lines:
        at = [entry["seconds"] / 60 for entry in lines]
        policy = Series("policy (nats)", at, [entry["policy_loss"] for entry in lines])
        value = Series("value (squared)", at, [entry["value_loss"] for entry in lines])
        found.append(Chart("losses", "How far the network is from its targets", MINUTES, Axis("loss"), [policy, value]))
        speed = Series("self-play and training", at, [entry["games_a_second"] for entry in lines])
        found.append(Chart("speed", "Games a second", MINUTES, Axis("speed", "games/s", low=0.0), [speed]))
    rated = [entry for entry in gates if entry["gate"]["elo"] is not None]
    if rated:
        at, ends = [entry["seconds"] / 60 for entry in rated], ("elo", "low", "high")
        elo, low, high = ([entry["gate"][end] for entry in rated] for end in ends)
        series = Series("the network", at, elo, low, high)
        found.append(Chart("elo", "Strength at the gates, random moves at 0", MINUTES, Axis("Elo"), [series]))
    if gates:
        found.append(Chart("scores", "Score against each rival", MINUTES, SCORE, rival_series(gates), level=50.0))
    return found


def rival_series(gates: Sequence[Entry]) -> list[Series]:
    """The score against each rival, gate by gate."""
    found: dict[str, list[tuple[float, Entry]]] = {}
    for entry in gates:
        for pairing in entry["gate"]["pairings"]:
            found.setdefault(pairing["rival"], []).append((entry["seconds"] / 60, pairing))
    return [
        Series(
            rival,
            [at for at, _ in points],
            [100 * pairing["score"] for _, pairing in points],
            [expected(pairing["low"], 0.0) for _, pairing in points],
            [expected(pairing["high"], 100.0) for _, pairing in points],
        )
        for rival, points in found.items()
    ]


def expected(elo: float | None, infinite: float) -> float:
    """The score in percent that a difference in Elo stands for; None: it is infinite."""
    return infinite if elo is None else 100 / (1 + 10 ** (-elo / 400))


def gate_rows(log: Sequence[Entry]) -> list[Entry]:
    """Every pairing of every gate, for the table."""
    return [
        {
            "gate": entry["gate"]["number"],
            "minutes": round(entry["seconds"] / 60, 2),
            "rival": pairing["rival"],
            "games": pairing["games"],
            "score (%)": round(100 * pairing["score"], 1),
            "Elo": pairing["elo"],
            "Elo low": pairing["low"],
            "Elo high": pairing["high"],
        }
        for entry in log
        if "gate" in entry
        for pairing in entry["gate"]["pairings"]
    ]
