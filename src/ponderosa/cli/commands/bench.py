"""`ponderosa bench`: how fast the search is here. Start at bench."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.common import INTERRUPTED, AsJson, Device, names_of_games
from ponderosa.cli.console import add_row, new_table, patience, preparing, show, show_json
from ponderosa.cli.thinking import told
from ponderosa.core.budget import Budget

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.mcts.report.report import Report


def bench(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="GAME", help="All, if none is named.", autocompletion=names_of_games)
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long each game is searched.")] = 1.0,
    as_json: AsJson = False,
    device: Device = None,
) -> None:
    """Measure the search from the start of each game, with its default settings and without proofs."""
    from ponderosa.registry import GAMES, load_game

    Budget(seconds=seconds)
    rows = []
    stopped = ""
    for game in [load_game(spec) for spec in games or GAMES]:
        report, size = _measure(game, seconds, device or "auto")
        rows.append(_row(report, size))
        stopped = report.stopped
        if stopped == "interrupted":
            break
    _show(rows, as_json)
    if stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _measure(game: Game, seconds: float, device: str) -> tuple[Report, int]:
    """What a search says, and how many bytes its nodes have."""
    from ponderosa.core.dice import roll_on
    from ponderosa.mcts.search import Search

    state = game.new_initial_state()
    roll_on(state, random.Random(0))
    with preparing(f"compiling {game.spec}"):
        search = Search(game, solve=False, device=device)
    with patience(f"searching {game.spec}") as update:
        report = search.run(state, seconds=seconds, progress=None if update is None else told(update))
    return report, search.engine.layout.itemsize


def _row(report: Report, bytes_per_node: int) -> dict[str, Any]:
    return {
        "game": report.game,
        "iterations_per_second": round(report.iterations_per_second, 1),
        "iterations": report.iterations,
        "seconds": report.seconds,
        "nodes": report.nodes,
        "bytes_per_node": bytes_per_node,
    }


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        show_json(rows)
        return
    numbers = ("Iterations/s", "Iterations", "Seconds", "Nodes", "Bytes a node")
    table = new_table("Game", *numbers, numbers=numbers, whole=("Game",))
    for row in rows:
        add_row(
            table,
            row["game"],
            f"{row['iterations_per_second']:,.0f}",
            f"{row['iterations']:,}",
            f"{row['seconds']:.2f}",
            f"{row['nodes']:,}",
            row["bytes_per_node"],
        )
    show(table)
