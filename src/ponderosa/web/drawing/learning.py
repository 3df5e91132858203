"""Runs of learning as HTML; every text from outside is escaped. Start at run_list and run_status."""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape
from typing import Any

from ponderosa.learning.report import charts
from ponderosa.learning.watching import Seen
from ponderosa.web.drawing.curves import draw_chart
from ponderosa.web.drawing.results import Label, game_name, table
from ponderosa.web.model.learning import GETTING_READY
from ponderosa.web.views.layout import link_to


def run_list(found: Sequence[Seen], label: Label = str) -> str:
    """All runs, with links to each."""
    rows = [
        (
            f'<a href="{escape(link_to("/learning", run=run.key))}">{escape(run.path.name)}</a>',
            game_name(run.game, label),
            state_of(run),
            _time(run),
            f"{run.games:,}",
            _elo(run.log()),
            time.strftime("%Y-%m-%d %H:%M", time.localtime(run.changed)),
        )
        for run in found
    ]
    return table(("Run", "Game", "", "Learned", "Games", "Elo above random moves", "Last heard of"), rows)


def state_of(run: Seen) -> str:
    """Whether it learns now."""
    if run.running and run.stopping:
        return '<b class="running">about to pause</b>'
    if run.running:
        doing = GETTING_READY if run.finished else run.doing
        return f'<b class="running">{escape(doing)}</b>'
    return "finished" if run.finished else "paused"


def run_status(run: Seen, label: Label = str) -> str:
    """How far a run is, in a line and a bar."""
    losses = "" if run.losses is None else f", losses {run.losses[0]:.3f} and {run.losses[1]:.3f}"
    speed = f" ({run.games_a_second:.1f}/s)" if run.running else ""
    plan = f" of {escape(run.plan)}" if run.plan else ""
    facts = f"{_time(run)} learned, {run.games:,} games{speed}, {run.positions:,} positions{losses}"
    return (
        f'<p><b>{game_name(run.game, label)}</b> on {escape(run.device)}: {state_of(run)}, <progress max="1" '
        f'value="{run.done:.4f}"></progress> {100 * run.done:.0f} %{plan}</p><p class="quiet">{facts}</p>'
    )


def run_charts(log: Sequence[dict[str, Any]]) -> str:
    """Losses, speed, Elo and scores, as the report has them."""
    drawn = "".join(draw_chart(chart) for chart in charts(log))
    return drawn or '<p class="quiet">There is nothing to draw yet.</p>'


def last_gate(log: Sequence[dict[str, Any]]) -> str:
    """What the last gate has shown, rival by rival."""
    gate = next((entry["gate"] for entry in reversed(log) if "gate" in entry), None)
    if gate is None:
        return '<p class="quiet">No gate yet: the network has not been measured.</p>'
    rows = [
        (
            escape(pairing["rival"]),
            f"{pairing['games']}",
            f"{100 * pairing['score']:.1f} %",
            _signed(pairing["elo"]),
            f"{_signed(pairing['low'])} to {_signed(pairing['high'])}",
        )
        for pairing in gate["pairings"]
    ]
    kept = "it is the best so far" if gate["best"] else "the best so far is an earlier one"
    return table(("Rival", "Games", "Score", "Elo", "95 %"), rows, "saved scores") + (
        f'<p class="quiet">Gate {gate["number"]}: {kept}.</p>'
    )


def _time(run: Seen) -> str:
    return f"{run.seconds / 60:.1f} min" if run.seconds >= 60 else f"{run.seconds:.0f} s"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.0f}"


def _elo(log: Sequence[dict[str, Any]]) -> str:
    rated = [entry["gate"] for entry in log if "gate" in entry and entry["gate"]["elo"] is not None]
    if not rated:
        return "-"
    return f"{rated[-1]['elo']:+.0f} ({_signed(rated[-1]['low'])} to {_signed(rated[-1]['high'])})"
