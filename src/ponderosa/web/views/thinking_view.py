"""What a search thinks, as a table that keeps its size. Start at ThinkingPanel."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from ponderosa.core.game import Game
from ponderosa.core.notation import in_a_row
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.pictures.board import short
from ponderosa.web.drawing.summary import scored
from ponderosa.web.drawing.waiting import compiling_words
from ponderosa.web.model.runner import PREPARING, THINKING, WAITING, Job
from ponderosa.web.views.layout import Html

ROWS = 8
"""How many moves stand in the table, always."""
POINT = """(e) => {
    const row = e.type === 'mouseleave' ? null : e.target.closest('tr[data-row]');
    const pointed = row ? row.dataset.row : '-1';
    if (e.currentTarget.dataset.pointed === pointed) return;
    e.currentTarget.dataset.pointed = pointed;
    emit(Number(pointed));
}"""
"""Tells the row under the pointer, once for each."""

_WHY = {"solved": "proof", "seconds": "time", "progress": "you", "clear": "a clear choice"}
"""What ends a search, in a word for the person who looks at it."""


def legend_of(game: Game) -> str:
    """What the numbers on the board mean."""
    score = scored(game)
    number = "expected score, 100 is the most" if score else "win probability in %, for the player to move"
    signs = "" if score else "<span><b>✓</b> proven win <b>=</b> draw <b>✗</b> loss</span>"
    return (
        '<span>Shade: share of visits <span class="ramp"></span> most</span>'
        f"<span><b>53</b> {number}</span><span><b>1.2k</b> visits below it</span>{signs}"
    )


def percent(value: float | None) -> str:
    """A value from 0 to 1; a dash when there is none."""
    return "-" if value is None else f"{100 * value:.1f} %"


def effort(report: Report | None, job: Job | None) -> str:
    """How much was searched, and what is going on, in one line."""
    if job is not None and (made := job.compiled) is not None:
        return f"{compiling_words(made, job.thinker.game)} …"
    phases = {WAITING: "waiting for a free place …", PREPARING: "preparing …"}
    if job is not None and not job.over and job.phase in phases:
        return phases[job.phase]
    if report is None:
        return "thinking …" if job is not None and job.phase == THINKING else ""
    nodes = f"{short(report.nodes)} nodes, " if report.depth is None else ""
    network = "" if report.judged is None else f"network alone {percent(report.judged)}, "
    score = "" if report.best_score is None else f"best score {report.best_score:g}, "
    words = f"{network}{score}{report.effort}, {short(report.iterations_per_second)}/s, {nodes}{report.seconds:.1f} s"
    running = job is not None and not job.over
    return words if running else f"{words}, ended by {_WHY.get(report.stopped, report.stopped)}"


def considered(report: Report | None) -> list[ActionReport]:
    """The moves that stand in the table: of a search that leaves moves out, none of those."""
    actions = () if report is None else report.actions
    return [entry for entry in actions if entry.visits or _told(entry)][:ROWS]


def _told(entry: ActionReport) -> bool:
    """Whether something is said of a move that was not tried itself."""
    return any(known is not None for known in (entry.value, entry.proven, entry.prior, entry.equal_to, entry.strategy))


def table(report: Report | None, chosen: int = -1) -> str:
    """The moves that were visited most, as an HTML table of fixed height; with what a network said of them before."""
    entries = considered(report)
    priors = report is not None and report.judged is not None
    widths = (14, 17, 14, 17, 14) if priors else (15, 19, 18, 15)
    columns = "".join(f'<col style="width:{width}%">' for width in widths)
    prior = '<th class="number" title="how likely the network took it for before the search">Prior</th>'
    head = (
        f'<colgroup>{columns}<col></colgroup><thead><tr><th>Move</th><th class="number">Visits</th>'
        f"{prior if priors else ''}"
        '<th class="number">Value</th><th>Proven</th><th>Line</th></tr></thead>'
    )
    best = report.best_action if report is not None else None
    rows = [_row(number, entry, entry.action == best, number == chosen, priors) for number, entry in enumerate(entries)]
    rows += [f"<tr><td>&nbsp;</td>{'<td></td>' * len(widths)}</tr>"] * (ROWS - len(rows))
    return f'<table class="moves" aria-label="moves">{head}<tbody>{"".join(rows)}</tbody></table>'


def _row(number: int, entry: ActionReport, best: bool, chosen: bool, priors: bool) -> str:
    kinds = " ".join(kind for kind, wanted in (("best", best), ("chosen", chosen)) if wanted)
    line = in_a_row(entry.pv) if entry.strategy is None else f"play it {percent(entry.strategy)} of the time"
    visits = f"{entry.visits:,}" if entry.equal_to is None else f"= {escape(entry.equal_to)}"
    expected = "" if entry.expected is None else f"{entry.expected:.4g} expected"
    prior = "" if entry.prior is None else f"{percent(entry.prior)} before it was searched"
    column = f'<td class="number">{percent(entry.prior)}</td>'
    return (
        f'<tr data-row="{number}" data-move="{escape(entry.name)}" class="{kinds}"><td>{escape(entry.name)}</td>'
        f'<td class="number" title="{prior}">{visits}</td>'
        f"{column if priors else ''}"
        f'<td class="number" title="{expected}">{percent(entry.value)}</td>'
        f'<td class="{entry.proven or ""}">{proven(entry)}</td><td title="{escape(line)}">{escape(line)}</td></tr>'
    )


def proven(entry: ActionReport) -> str:
    """What is certain of a move, with the number of moves to the end where somebody has counted them."""
    if entry.proven is None or entry.moves_left is None or entry.proven == "draw":
        return entry.proven or ""
    return f"{entry.proven} in {entry.moves_left}"


class ThinkingPanel:
    """The table, the effort, and the line under the pointer."""

    def __init__(self, on_line: Callable[[tuple[str, ...]], Any]) -> None:
        """`on_line` gets the moves of the line that a person points at; none when the pointer has left."""
        self._on_line = on_line
        self._report: Report | None = None
        self._row = -1
        self._table = Html("wide")
        self._effort = Html("effort")
        element = self._table.element
        for event in ("mouseover", "mouseleave", "click"):
            element.on(event, lambda event: self._point(event.args), js_handler=POINT)

    def update(self, report: Report | None, job: Job | None) -> None:
        """Show a report, and what is going on."""
        self._report = report
        self._table.show(table(report, self._row))
        self._effort.show(escape(effort(report, job)) or "&nbsp;")

    @property
    def line(self) -> tuple[str, ...]:
        """The line that is pointed at."""
        entries = considered(self._report)
        return entries[self._row].pv if 0 <= self._row < len(entries) else ()

    def _point(self, row: Any) -> None:
        row = int(row) if isinstance(row, int | float) else -1
        if row != self._row:
            self._row = row
            self._table.show(table(self._report, row))
            self._on_line(self.line)
