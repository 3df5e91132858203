"""What every move brings: what is certain, and what a search believes. Start at scores_table."""

from __future__ import annotations

from html import escape

from ponderosa.core.notation import in_a_row
from ponderosa.core.state import State
from ponderosa.mcts.report.reader import percent
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.pictures.board import short
from ponderosa.pictures.inside import PROVEN_SIGNS

NOT_SOLVED = "not solved in the time that a search may take here; “Search once more” goes on from there"
MOST_ROWS = 40
"""No more moves stand in the table."""


def scores_table(state: State, searched: Report | None, exact: Report | None, solving: bool) -> str:
    """A row a move; with a solver, by the game's own order, else the most visited first. `solving`: it is at work."""
    known = {} if exact is None else {entry.action: entry for entry in exact.actions}
    believed = {} if searched is None else {entry.action: entry for entry in searched.actions}
    actions = state.legal_actions()
    if exact is None and not solving and searched is not None:
        actions = [entry.action for entry in searched.actions]
    best = None if searched is None or searched.iterations == 0 else searched.best_action
    columns = ["Move", *(["Exact"] if solving or exact else []), "Believed", "Visits", "Line"]
    kinds = {"Believed": ' class="number"', "Visits": ' class="number"'}
    head = "".join(f"<th{kinds.get(name, '')}>{name}</th>" for name in columns)
    rows = "".join(
        _row(
            state.action_to_string(action),
            believed.get(action),
            known.get(action),
            "Exact" in columns,
            action == best,
        )
        for action in actions[:MOST_ROWS]
    )
    body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    return f'<table class="moves scores" aria-label="every move">{body}</table>'


def _row(name: str, entry: ActionReport | None, exact: ActionReport | None, has_exact: bool, best: bool) -> str:
    value, visits = ("-", "0") if entry is None else (percent(entry.value), short(entry.visits))
    proven = "" if entry is None or entry.proven is None or has_exact else f' class="number {entry.proven}"'
    line = "" if entry is None else escape(in_a_row(entry.pv))
    certain = f"<td>{certain_words(exact)}</td>" if has_exact else ""
    return (
        f'<tr class="{"best" if best else ""}"><td>{escape(name)}</td>{certain}'
        f"<td{proven or ' class=number'}>{_sign(entry) if proven else ''}{value}</td>"
        f'<td class="number">{visits}</td><td title="{line}">{line}</td></tr>'
    )


def _sign(entry: ActionReport | None) -> str:
    return "" if entry is None or entry.proven is None else f"{PROVEN_SIGNS[entry.proven]} "


def certain_words(exact: ActionReport | None) -> str:
    """What a solver knows of a move."""
    if exact is None or exact.proven is None:
        return '<span class="quiet">…</span>'
    far = "" if exact.moves_left is None or exact.proven == "draw" else f" in {exact.moves_left}"
    more = "" if exact.proven == "draw" or exact.moves_left is not None else " …"
    return f'<span class="{exact.proven}">{PROVEN_SIGNS[exact.proven]} {exact.proven}{far}{more}</span>'


def solver_words(state: State, exact: Report | None, solving: bool, given_up: bool) -> str:
    """How far a solver is: in how many columns it knows who wins, and in how many after how many moves."""
    moves = len(state.legal_actions())
    known = [] if exact is None else [entry for entry in exact.actions if entry.proven is not None]
    counted = [entry for entry in known if entry.proven == "draw" or entry.moves_left is not None]
    if not solving and not given_up:
        return "exact: all columns solved"
    rest = NOT_SOLVED if given_up else "solving …"
    return f"exact: winner known in {len(known)} of {moves} columns, number of moves in {len(counted)}; {rest}"
