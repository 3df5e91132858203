"""What a search thought, in words and tables. Start at show_report."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ponderosa.cli.console import add_row, new_table, patience, say, show
from ponderosa.core.notation import in_a_row

if TYPE_CHECKING:
    from ponderosa.cli.console import Update
    from ponderosa.search.report import Report
    from ponderosa.search.search import Progress


def think(agent: Any, state: Any, words: str = "thinking") -> Any:
    """The agent's move, with a spinner when that takes long; Ctrl-C is passed on."""
    with patience(words) as update:
        if update is not None and "progress" in inspect.signature(agent.step).parameters:
            action = agent.step(state, progress=told(update))
        else:
            action = agent.step(state)
    if agent.last_report is not None and agent.last_report.stopped == "interrupted":
        raise KeyboardInterrupt
    return action


def told(update: Update) -> Progress:
    """A search's progress as words beside the spinner."""

    def tell(report: Report) -> None:
        update(f"{report.effort}, {report.best_name} at {percent(report.value)}")

    return tell


def show_report(report: Report, most: int) -> None:
    """A table of the best actions at the root, the most visited first."""
    votes = ("Votes",) if report.threads > 1 else ()
    table = new_table(
        "Move", "Visits", *votes, "Value", "Proven", "Line",
        numbers=("Visits", *votes, "Value"), whole=("Move", "Proven"),
    )  # fmt: skip
    for entry in report.actions[:most]:
        counts = [f"{entry.visits:,}", *([entry.votes or ""] if votes else [])]
        add_row(table, entry.name, *counts, percent(entry.value), entry.proven or "", in_a_row(entry.pv))
    show(table)
    if len(report.actions) > most:
        say(f"and {len(report.actions) - most} more, visited less")


def effort(report: Report) -> str:
    """How much was searched."""
    threads = f" on {report.threads} threads" if report.threads > 1 else ""
    nodes = f", {report.nodes:,} nodes" if report.depth is None else ""
    return f"{report.effort}{threads} in {report.seconds:.2f} s ({report.iterations_per_second:,.0f}/s){nodes}"


def percent(value: float | None) -> str:
    """A value from 0 to 1; a dash when there is none."""
    return "-" if value is None else f"{100 * value:.1f} %"


def verdict(report: Report) -> str:
    """What the best move is worth to the player who makes it, in words."""
    return f"a proven {report.proven}" if report.proven else f"value {percent(report.value)}"
