"""A report as a table, the same in the terminal, in `print` and in a notebook. Start at table_of."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from ponderosa.core.notation import in_a_row

if TYPE_CHECKING:
    from ponderosa.mcts.report.report import ActionReport, Report

MOST_MOVES = 20
"""How many moves are shown."""
GAP = "   "


class Table(NamedTuple):
    """What is shown of a search: a row for every move, and what is said below."""

    columns: tuple[str, ...]
    numbers: tuple[str, ...]
    """The columns that are aligned to the right."""
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...]


def table_of(report: Report, most: int = MOST_MOVES) -> Table:
    """The best actions at the root, the most visited first."""
    votes = ("Votes",) if report.threads > 1 else ()
    also = tuple(title for title, words in _MORE.items() if any(map(words, report.actions)))
    numbers = ("Visits", *votes, "Value", *also)
    rows = tuple(_row(entry, bool(votes), also) for entry in report.actions[:most])
    return Table(("Move", *numbers, "Proven", "Line"), numbers, rows, tuple(_remarks(report, most)))


def _row(entry: ActionReport, votes: bool, also: tuple[str, ...]) -> tuple[str, ...]:
    visits = f"{entry.visits:,}" if entry.equal_to is None else f"= {entry.equal_to}"
    counts = visits, *((str(entry.votes or ""),) if votes else ()), percent(entry.value)
    return entry.name, *counts, *(_MORE[title](entry) for title in also), entry.proven or "", in_a_row(entry.pv)


def _remarks(report: Report, most: int) -> list[str]:
    said = []
    if len(report.actions) > most:
        said.append(f"and {len(report.actions) - most} more, visited less")
    if report.judged is not None:
        said.append(f"The network alone says {percent(report.judged)}.")
    if report.depth is not None:
        said.append("Values of other moves than the best are the most that they can be.")
    if report.best_score is not None:
        said.append(f"Best score so far: {report.best_score:g}, by {in_a_row(report.best_line)}")
    return said


def closing(report: Report) -> tuple[str, str]:
    """What to play, and how much was searched: the two lines below the table."""
    found = f"{effort(report)}, seed {report.seed}; ended by {report.stopped}"
    return f"Best: {report.best_name} ({verdict(report)})", found


def as_text(report: Report) -> str:
    """The table as plain text."""
    table = table_of(report)
    widths = [max(map(len, column)) for column in zip(table.columns, *table.rows, strict=True)]
    right = [title in table.numbers for title in table.columns]

    def line(cells: tuple[str, ...]) -> str:
        places = zip(cells, widths, right, strict=True)
        return GAP.join(cell.rjust(width) if ends else cell.ljust(width) for cell, width, ends in places).rstrip()

    rule = "─" * (sum(widths) + len(GAP) * (len(widths) - 1))
    return "\n".join([line(table.columns), rule, *map(line, table.rows), *table.remarks, "", *closing(report)])


def as_html(report: Report) -> str:
    """The table for a notebook."""
    table = table_of(report)
    heads = "".join(f"<th>{escape(title)}</th>" for title in table.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    below = "<br>".join(escape(line) for line in (*table.remarks, *closing(report)))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table><p>{below}</p>"


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
