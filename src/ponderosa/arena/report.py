"""Results as figures and as text. Start at match_figures and match_text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ponderosa.arena.statistics import Estimate, normalised_elo
from ponderosa.arena.tally import Line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ponderosa.arena.match import MatchResult


def match_figures(result: MatchResult) -> dict[str, Any]:
    """All figures of a match as plain values; what is infinite is None."""
    event, tally = result.event, result.tally
    nelo, nelo_error = normalised_elo(tally.pentanomial())
    return {
        "event": result.id,
        "store": str(result.store),
        "game": event.game,
        "settings": event.to_dict(),
        "games": tally.games,
        "counted": len(tally.counted),
        "repeated": tally.repeats,
        "agents": [agent_figures(name, line) for name, line in zip(event.names, tally.lines, strict=True)],
        "elo": estimate_figures(result.elo),
        "pentanomial": tally.pentanomial(),
        "normalised_elo": {"difference": finite(nelo), "error": finite(nelo_error)},
        "sprt": None
        if result.sprt is None
        else {"elo0": result.sprt.elo0, "elo1": result.sprt.elo1, "llr": result.llr, "verdict": result.verdict},
    }


def agent_figures(name: str, line: Line) -> dict[str, Any]:
    """An agent's counts and its effort a move."""
    seats = range(max([1, *line.wins, *line.draws, *line.losses]) + 1)
    moves = max(line.moves, 1)
    return {
        "name": name,
        "games": line.games,
        "score": line.score,
        "seats": [{"wins": line.wins[at], "draws": line.draws[at], "losses": line.losses[at]} for at in seats],
        "faults": dict(line.faults),
        "moves": line.moves,
        "seconds_a_move": line.seconds / moves,
        "iterations_a_move": line.iterations / moves,
        "nodes_a_move": line.nodes / moves,
    }


def estimate_figures(estimate: Estimate | None) -> dict[str, Any] | None:
    """An Elo difference; infinite ends are None."""
    if estimate is None:
        return None
    return {
        "score": estimate.score,
        "difference": finite(estimate.elo),
        "low": finite(estimate.low),
        "high": finite(estimate.high),
        "likelihood_of_superiority": estimate.los,
    }


def finite(value: float) -> float | None:
    """JSON knows no infinity."""
    return value if math.isfinite(value) else None


def match_view(result: MatchResult) -> RenderableType:
    """The tables and lines of a match, for a rich console."""
    from rich.console import Group
    from rich.text import Text

    return Group(_score_table(result), _effort_table(result), Text("\n".join(match_lines(result))))


def match_text(result: MatchResult) -> str:
    """The same as plain text."""
    from rich.console import Console

    console = Console(width=120, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(match_view(result))
    return capture.get()


def match_lines(result: MatchResult) -> list[str]:
    """What the counts are worth, in words."""
    tally = result.tally
    if result.elo is None:
        return ["No game is finished yet."]
    lines = [_elo_line(result.elo)]
    if result.sprt is not None:
        low, high = result.sprt.bounds
        nelo, error = normalised_elo(tally.pentanomial())
        lines.append(
            f"Sequential test of {result.sprt.elo0:g} against {result.sprt.elo1:g} normalised Elo: "
            f"LLR {result.llr:.2f} of {low:.2f} .. {high:.2f}, {_VERDICTS[result.verdict]}"
        )
        lines.append(f"Normalised Elo {nelo:+.2f} +- {error:.2f}; pairs {tally.pentanomial()}")
    if tally.repeats:
        lines.append(
            f"{tally.repeats:,} of {tally.games:,} games were played before and are counted once"
            + ("; --openings random:2 gives more different ones" if result.event.openings == "none" else "")
        )
    for name, line in zip(result.event.names, tally.lines, strict=True):
        if line.faults:
            faults = ", ".join(f"{count} by {reason}" for reason, count in line.faults.items())
            lines.append(f"{name} lost by its own fault: {faults}")
    return lines


_VERDICTS = {"H1": "H1 accepted", "H0": "H0 accepted", "undecided": "undecided"}


def _elo_line(estimate: Estimate) -> str:
    return (
        f"Score {100 * estimate.score:.1f} %, Elo difference {_elo(estimate.elo)} "
        f"(95 %: {_elo(estimate.low)} to {_elo(estimate.high)}), "
        f"likelihood of superiority {100 * estimate.los:.1f} %"
    )


def _elo(value: float) -> str:
    return (
        f"{value:+.1f}" if math.isfinite(value) else ("more than can be said" if value > 0 else "less than can be said")
    )


def _score_table(result: MatchResult) -> RenderableType:
    rows = []
    for name, line in zip(result.event.names, result.tally.lines, strict=True):
        for title, seats in (("first", (0,)), ("second", (1,)), ("both", (0, 1))):
            counts = [sum(counter[seat] for seat in seats) for counter in (line.wins, line.draws, line.losses)]
            games = sum(counts)
            share = "-" if not games else f"{100 * (counts[0] + counts[1] / 2) / games:.1f} %"
            rows.append([name if title == "first" else "", title, *(f"{count:,}" for count in counts), share])
    return table(["Agent", "Plays"], ["Wins", "Draws", "Losses", "Score"], rows)


def _effort_table(result: MatchResult) -> RenderableType:
    rows = []
    for name, line in zip(result.event.names, result.tally.lines, strict=True):
        moves = max(line.moves, 1)
        iterations = f"{line.iterations / moves:,.0f}" if line.iterations else "-"
        nodes = f"{line.nodes / moves:,.0f}" if line.nodes else "-"
        rows.append([name, f"{line.moves:,}", duration(line.seconds / moves), iterations, nodes])
    return table(["Agent"], ["Moves", "Time a move", "Iterations a move", "Nodes"], rows)


def table(words: list[str], numbers: list[str], rows: list[list[str]]) -> RenderableType:
    """A table: columns of words, then columns of numbers; no cell is read as markup."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    made = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in words:
        made.add_column(name, overflow="fold")
    for name in numbers:
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made


def duration(seconds: float) -> str:
    """Seconds in a unit that fits."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
