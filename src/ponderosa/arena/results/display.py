"""Results as figures and as text. Start at match_figures and match_tables, or at those of a tournament."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

from ponderosa.arena.results.statistics import Estimate, normalised_elo
from ponderosa.arena.results.tally import Line
from ponderosa.arena.running.judge import RESIGNED

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ponderosa.arena.match import MatchResult
    from ponderosa.arena.results.ratings import Ratings
    from ponderosa.arena.results.result import EventResult
    from ponderosa.arena.tournament import TournamentResult


def match_figures(result: MatchResult) -> dict[str, Any]:
    """All figures of a match as plain values; what is infinite is None."""
    event, tally = result.event, result.tally
    nelo, nelo_error = normalised_elo(tally.pentanomial())
    return {
        "event": result.id,
        "store": None if result.store is None else str(result.store),
        "game": event.game,
        "settings": event.to_dict(),
        "games": tally.games,
        "counted": len(tally.counted),
        "repeated": tally.repeats,
        "agents": [agent_figures(*entry, 2 - tally.alone) for entry in zip(event.names, tally.lines, strict=True)],
        "elo": estimate_figures(result.elo),
        "pentanomial": tally.pentanomial(),
        "normalised_elo": {"difference": finite(nelo), "error": finite(nelo_error)},
        "sprt": None
        if result.sprt is None
        else {"elo0": result.sprt.elo0, "elo1": result.sprt.elo1, "llr": result.llr, "verdict": result.verdict},
    }


def agent_figures(name: str, line: Line, least: int = 2) -> dict[str, Any]:
    """An agent's counts, in that many seats at least, and its effort a move."""
    seats = range(max([least - 1, *line.wins, *line.draws, *line.losses]) + 1)
    moves = max(line.moves, 1)
    return {
        "name": name,
        "games": line.games,
        "score": line.score,
        "mean_return": line.returned / line.finished if line.finished else None,
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


def match_tables(result: MatchResult) -> RenderableType:
    """Scores by seat, and what the moves took, for a rich console."""
    from rich.console import Group

    return Group(_score_table(result), _effort_table(result))


def match_lines(result: MatchResult) -> list[str]:
    """What the counts are worth, in words."""
    tally = result.tally
    if result.elo is None:
        return ["No game is finished yet."]
    lines = [_elo_line(result.elo), *mean_scores(result)]
    if result.sprt is not None:
        low, high = result.sprt.bounds
        nelo, error = normalised_elo(tally.pentanomial())
        lines.append(
            f"Sequential test of {result.sprt.elo0:g} against {result.sprt.elo1:g} normalised Elo: "
            f"LLR {result.llr:.2f} of {low:.2f} .. {high:.2f}, {_VERDICTS[result.verdict]}"
        )
        lines.append(f"Normalised Elo {nelo:+.2f} +- {error:.2f}; pairs {tally.pentanomial()}")
    return lines + _remarks(result)


def mean_scores(result: EventResult) -> list[str]:
    """Of a game for one: what the agents got on average, in the games that came to their end."""
    if not result.tally.alone:
        return []
    named = zip(result.event.names, result.tally.lines, strict=True)
    means = [f"{name} {line.returned / line.finished:,.4g}" for name, line in named if line.finished]
    return [f"Each agent plays the same games alone; who got more has won. Mean score: {', '.join(means)}"]


def _remarks(result: EventResult) -> list[str]:
    """Repeated games and games that were lost by somebody's own fault."""
    tally, lines = result.tally, []
    if len(result.versions) > 1:
        lines.append(f"The games were played by different versions of Ponderosa: {', '.join(result.versions)}")
    if tally.repeats:
        lines.append(
            f"{tally.repeats:,} of {tally.games:,} games were played before and are counted once"
            + ("; random openings give more different ones" if result.event.openings == "none" else "")
        )
    for name, line in zip(result.event.names, tally.lines, strict=True):
        faults = dict(line.faults)
        resigned = faults.pop(RESIGNED, 0)
        if resigned:
            lines.append(f"{name} resigned {resigned:,} of its games")
        if faults:
            words = ", ".join(f"{count} by {reason}" for reason, count in faults.items())
            lines.append(f"{name} lost by its own fault: {words}")
    return lines


_VERDICTS = {"H1": "H1 accepted", "H0": "H0 accepted", "undecided": "undecided"}


def _elo_line(estimate: Estimate) -> str:
    return (
        f"Score {100 * estimate.score:.1f} %, Elo difference {_elo(estimate.elo)} "
        f"(95 %: {_elo(estimate.low)} to {_elo(estimate.high)}), "
        f"likelihood of superiority {_likely(estimate.los)}"
    )


def _likely(chance: float) -> str:
    """A chance, which is never called certain."""
    if 0.0005 <= chance <= 0.9995:
        return f"{100 * chance:.1f} %"
    return "over 99.9 %" if chance > 0.5 else "under 0.1 %"


def _elo(value: float) -> str:
    return f"{value:+.1f}" if math.isfinite(value) else "+infinity" if value > 0 else "-infinity"


_SEATS: tuple[tuple[str, tuple[int, ...]], ...] = (("first", (0,)), ("second", (1,)), ("both", (0, 1)))
_ALONE: tuple[tuple[str, tuple[int, ...]], ...] = (("alone", (0,)),)


def _score_table(result: MatchResult) -> RenderableType:
    rows = []
    for name, line in zip(result.event.names, result.tally.lines, strict=True):
        for title, seats in _ALONE if result.tally.alone else _SEATS:
            counts = [sum(counter[seat] for seat in seats) for counter in (line.wins, line.draws, line.losses)]
            games = sum(counts)
            share = "-" if not games else f"{100 * (counts[0] + counts[1] / 2) / games:.1f} %"
            rows.append(
                [name if seats[0] == 0 and len(seats) == 1 else "", title, *(f"{count:,}" for count in counts), share]
            )
    return table(["Agent", "Plays"], ["Wins", "Draws", "Losses", "Score"], rows)


def _effort_table(result: EventResult) -> RenderableType:
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
        made.add_column(name, overflow="fold", min_width=min(12, 2 * len(name)))
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


def standings(result: TournamentResult) -> list[dict[str, Any]]:
    """One row an agent, the best first: by rating if there is one, else by its share of points; a ladder by rung."""
    found = known_ratings(result)
    rated = {} if found is None else {entry.agent: entry for entry in found.entries}
    rows = []
    for agent, (name, line) in enumerate(zip(result.event.names, result.tally.lines, strict=True)):
        rating = rated.get(agent)
        rows.append(
            {
                "agent": agent,
                "name": name,
                "games": line.games,
                "score": line.score,
                "share": line.score / line.games if line.games else 0.0,
                "wins": line.wins.total(),
                "draws": line.draws.total(),
                "losses": line.losses.total(),
                "rating": None if rating is None else rating.value,
                "low": None if rating is None else rating.low,
                "high": None if rating is None else rating.high,
                "seconds_a_move": line.seconds / max(line.moves, 1),
            }
        )
    rows.sort(key=lambda row: (row["rating"] or 0.0, row["share"]), reverse=True)
    if result.ladder:
        rows.sort(key=lambda row: result.ladder.index(row["agent"]))
    return rows


def known_ratings(result: TournamentResult) -> Ratings | None:
    """The ratings, unless the packages for them are missing."""
    from ponderosa.errors import PonderosaError

    try:
        return result.ratings
    except PonderosaError:
        return None


def crosstable(result: TournamentResult) -> list[list[dict[str, Any] | None]]:
    """What each agent scored against each other, in the order of the event; None where they did not meet."""
    agents = range(len(result.event.agents))
    return [[estimate_figures(result.tally.between(agent, other)) for other in agents] for agent in agents]


def tournament_figures(result: TournamentResult) -> dict[str, Any]:
    """All figures of a tournament as plain values."""
    found = known_ratings(result)
    named = zip(result.event.names, result.tally.lines, strict=True)
    agents = [agent_figures(*entry, 2 - result.tally.alone) for entry in named]
    return {
        "event": result.id,
        "store": None if result.store is None else str(result.store),
        "game": result.event.game,
        "kind": result.event.kind,
        "settings": result.event.to_dict(),
        "games": result.tally.games,
        "counted": len(result.tally.counted),
        "repeated": result.tally.repeats,
        "standings": standings(result),
        "agents": agents,
        "crosstable": crosstable(result),
        "ratings": None if found is None else {"model": found.model, "note": found.note},
        "ladder": [result.event.names[agent] for agent in result.ladder],
    }


def standings_csv(result: TournamentResult) -> str:
    """The standings, one line an agent."""
    rows = [{"rank": rank, **row} for rank, row in enumerate(standings(result), 1)]
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def tournament_tables(result: TournamentResult) -> RenderableType:
    """Standings, scores against each other, and what the moves took, for a rich console."""
    from rich.console import Group

    rows = standings(result)
    order = [row["agent"] for row in rows]
    return Group(_standings_table(rows), _crosstable_view(result, order), _effort_table(result))


def tournament_lines(result: TournamentResult) -> list[str]:
    """What must be known about the figures."""
    from ponderosa.errors import PonderosaError

    lines = []
    try:
        found = result.ratings
        if found is None:
            lines.append("Too few games for ratings yet.")
        else:
            lines.append(f"Ratings: {found.model}, with intervals of 95 %" + (f"; {found.note}" if found.note else ""))
    except PonderosaError as error:
        lines.append(str(error))
    return lines + mean_scores(result) + _remarks(result)


def _standings_table(rows: list[dict[str, Any]]) -> RenderableType:
    cells = [
        [
            str(rank),
            row["name"],
            "-" if row["rating"] is None else f"{row['rating']:+.1f}",
            "-" if row["rating"] is None else f"+- {(row['high'] - row['low']) / 2:.1f}",
            f"{row['games']:,}",
            f"{100 * row['share']:.1f} %",
            *(f"{row[name]:,}" for name in ("wins", "draws", "losses")),
        ]
        for rank, row in enumerate(rows, 1)
    ]
    numbers = ["Rating", "95 %", "Games", "Score", "Wins", "Draws", "Losses"]
    return table(["", "Agent"], numbers, cells)


def _crosstable_view(result: TournamentResult, order: list[int]) -> RenderableType:
    cells = crosstable(result)
    rows = [
        [str(rank), result.event.names[agent], *(_cell(cells[agent][other], agent == other) for other in order)]
        for rank, agent in enumerate(order, 1)
    ]
    return table(["", "Score against"], [str(rank) for rank in range(1, len(order) + 1)], rows)


def _cell(figures: dict[str, Any] | None, oneself: bool) -> str:
    return "" if oneself else "-" if figures is None else f"{100 * figures['score']:.1f} %"
