"""What a search thought, in words and tables. Start at show_report."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ponderosa.cli.console import add_row, new_table, patience, say, show
from ponderosa.core.notation import in_a_row
from ponderosa.system.interrupts import go_on_after_the_first

if TYPE_CHECKING:
    from ponderosa.agents.agent import Agent
    from ponderosa.cli.console import Update
    from ponderosa.mcts.report.report import ActionReport, Report
    from ponderosa.mcts.search import Progress


def chosen(agent: Agent, state: Any, words: str = "thinking") -> Any:
    """The agent's move, with a spinner when that takes long; after Ctrl-C, the best that a search had found."""
    go_on_after_the_first()
    with patience(words) as update:
        return agent.think(state, None if update is None else told(update))


def think(agent: Agent, state: Any, words: str = "thinking") -> Any:
    """The same, with Ctrl-C passed on."""
    action = chosen(agent, state, words)
    report = agent.last_report
    if report is not None and report.stopped == "interrupted":
        raise KeyboardInterrupt
    return action


def told(update: Update) -> Progress:
    """A search's progress as words beside the spinner."""

    def tell(report: Report) -> None:
        update(f"{report.effort}, {report.best_name} at {percent(report.value)}")

    return tell


def show_report(report: Report, most: int) -> None:
    """A table of the best actions at the root, the most visited first."""
    votes = ["Votes"] if report.threads > 1 else []
    also = [title for title, words in _MORE.items() if any(map(words, report.actions))]
    numbers = ("Visits", *votes, "Value", *also)
    table = new_table("Move", *numbers, "Proven", "Line", numbers=numbers, whole=("Move", "Proven"))
    for entry in report.actions[:most]:
        visits = f"{entry.visits:,}" if entry.equal_to is None else f"= {entry.equal_to}"
        counts = [visits, *([entry.votes or ""] if votes else []), percent(entry.value)]
        more = [_MORE[title](entry) for title in also]
        add_row(table, entry.name, *counts, *more, entry.proven or "", in_a_row(entry.pv))
    show(table)
    if len(report.actions) > most:
        say(f"and {len(report.actions) - most} more, visited less")
    if report.depth is not None:
        say("Values of other moves than the best are the most that they can be.")
    if report.best_score is not None:
        say(f"Best score so far: {report.best_score:g}, by {in_a_row(report.best_line)}")


def _expected(entry: ActionReport) -> str:
    """The mean result in the game's own measure; nothing where that is the value over again, from -1 to 1."""
    if entry.expected is None or entry.value is None or math.isclose(entry.expected, 2 * entry.value - 1, abs_tol=1e-6):
        return ""
    return f"{entry.expected:.4g}"


_MORE: dict[str, Callable[[ActionReport], str]] = {
    "Prior": lambda entry: "" if entry.prior is None else percent(entry.prior),
    "Expected": _expected,
    "Strategy": lambda entry: "" if entry.strategy is None else percent(entry.strategy),
}
"""Columns that only some searches have something to say in."""


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
