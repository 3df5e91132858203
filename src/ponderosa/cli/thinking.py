"""What a search thought, in words and tables. Start at show_report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ponderosa.cli.console import add_row, new_table, patience, say, show
from ponderosa.mcts.report.table import MOST_MOVES, percent, table_of
from ponderosa.system.interrupts import go_on_after_the_first

if TYPE_CHECKING:
    from ponderosa.agents.agent import Agent
    from ponderosa.cli.console import Update
    from ponderosa.mcts.report.report import Report
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


def show_report(report: Report, most: int = MOST_MOVES) -> None:
    """A table of the best actions at the root, the most visited first."""
    found = table_of(report, most)
    table = new_table(*found.columns, numbers=found.numbers, whole=("Move", "Proven"))
    for row in found.rows:
        add_row(table, *row)
    show(table)
    for remark in found.remarks:
        say(remark)
