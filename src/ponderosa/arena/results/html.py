"""A tournament as a page of its own, with figures. Start at tournament_page."""

from __future__ import annotations

import io
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ponderosa.arena.results.display import crosstable, known_ratings, standings, tournament_lines
from ponderosa.errors import PonderosaError

if TYPE_CHECKING:
    from ponderosa.arena.tournament import TournamentResult

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #ddd; text-align: right; }
th:nth-child(2), td:nth-child(2) { text-align: left; }
svg { max-width: 100%; height: auto; }
"""


def tournament_page(result: TournamentResult) -> str:
    """HTML that needs nothing from elsewhere."""
    event, rows = result.event, standings(result)
    title = f"{event.game}: {event.kind}"
    order = [row["agent"] for row in rows]
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{result.tally.games:,} games, openings {escape(event.openings)}, seed {event.seed}</p>",
        _standings(rows),
        "".join(f"<p>{escape(line)}</p>" for line in tournament_lines(result)),
        "<h2>Ratings</h2>" + ratings_figure(result) if known_ratings(result) else "",
        "<h2>Scores against each other</h2>" + _crosstable(result, order) + scores_figure(result, order),
    ]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _standings(rows: list[dict[str, Any]]) -> str:
    titles = ("", "Agent", "Rating", "95 %", "Games", "Points", "Score", "Wins", "Draws", "Losses")
    cells = [
        (
            rank,
            row["name"],
            "-" if row["rating"] is None else f"{row['rating']:+.1f}",
            "-" if row["rating"] is None else f"{row['low']:+.1f} to {row['high']:+.1f}",
            f"{row['games']:,}",
            f"{row['score']:,.1f}",
            f"{row['share']:.1%}",
            row["wins"],
            row["draws"],
            row["losses"],
        )
        for rank, row in enumerate(rows, 1)
    ]
    return _table(titles, cells)


def _crosstable(result: TournamentResult, order: list[int]) -> str:
    cells = crosstable(result)
    rows = [
        (
            rank,
            result.event.names[agent],
            *("" if (cell := cells[agent][other]) is None else f"{cell['score']:.1%}" for other in order),
        )
        for rank, agent in enumerate(order, 1)
    ]
    return _table(("", "Agent", *range(1, len(order) + 1)), rows)


def _table(titles: tuple[Any, ...], rows: list[tuple[Any, ...]]) -> str:
    head = "".join(f"<th>{escape(str(title))}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def ratings_figure(result: TournamentResult) -> str:
    """Every agent's rating with its interval, as SVG."""
    found = known_ratings(result)
    assert found is not None
    figure, axes = _new_figure(len(found.entries))
    places = range(len(found.entries))
    values = [entry.value for entry in found.entries]
    errors = [
        [entry.value - entry.low for entry in found.entries],
        [entry.high - entry.value for entry in found.entries],
    ]
    axes.errorbar(values, places, xerr=errors, fmt="o", color="#2a6f97", capsize=4)
    axes.set_yticks(list(places), [_label(result, entry.agent) for entry in found.entries])
    axes.invert_yaxis()
    axes.set_xlabel(f"rating ({found.model}), interval of 95 %")
    axes.grid(axis="x", alpha=0.3)
    return _svg(figure)


def scores_figure(result: TournamentResult, order: list[int]) -> str:
    """What the agents of the rows scored against those of the columns, as SVG."""
    cells = crosstable(result)
    figure, axes = _new_figure(len(order) + 2)
    shares = [
        [float("nan") if (cell := cells[agent][other]) is None else cell["score"] for other in order] for agent in order
    ]
    image = axes.imshow(shares, cmap="RdYlBu", vmin=0, vmax=1)
    axes.set_xticks(range(len(order)), [str(rank) for rank in range(1, len(order) + 1)])
    axes.set_yticks(range(len(order)), [_label(result, agent) for agent in order])
    figure.colorbar(image, label="score of the row")
    return _svg(figure)


def _label(result: TournamentResult, agent: int) -> str:
    name = result.event.names[agent].replace("$", r"\$")  # no formulas
    return name if len(name) <= 32 else name[:31] + "…"


def check_figures() -> None:
    """Figures can be drawn here."""
    if find_spec("matplotlib") is None:
        raise PonderosaError('a page with figures needs more packages: pip install "ponderosa[arena]"')


def _new_figure(rows: int) -> tuple[Any, Any]:
    check_figures()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 1.2 + 0.4 * rows), layout="constrained")
    return figure, figure.subplots()


def _svg(figure: Any) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue().partition("<svg")[1] + text.getvalue().partition("<svg")[2]
