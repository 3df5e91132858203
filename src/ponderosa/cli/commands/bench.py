"""`ponderosa bench`: how fast the search is here. Start at bench."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.common import INTERRUPTED, AsJson, Device, names_of_games
from ponderosa.cli.console import add_row, new_table, patience, preparing, say, show, show_json
from ponderosa.cli.thinking import told
from ponderosa.core.budget import Budget
from ponderosa.errors import SettingError

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.mcts.report.report import Report

SECONDS = 1.0
"""How long a game is searched when nothing says otherwise."""


def bench(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="GAME", help="All, if none is named.", autocompletion=names_of_games)
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="How long each game is searched; 1 second when nothing says otherwise.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="How many iterations; with --seconds, whichever ends first.")
    ] = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="Say which rules take the time, and what would make them faster.")
    ] = False,
    depth: Annotated[
        int | None,
        typer.Option("--perft", help="Count the sequences of moves up to this length, in the place of searching."),
    ] = None,
    as_json: AsJson = False,
    device: Device = None,
) -> None:
    """Measure the search from the start of each game, with its default settings and without proofs."""
    from ponderosa.registry import GAMES, load_game

    if seconds is None and iterations is None:
        seconds = SECONDS
    budget = Budget(iterations=iterations, seconds=seconds)
    if depth is not None:
        if not games or rules or device is not None:
            raise SettingError(
                "--perft counts the moves of games that are named, on the processor: bench --perft 4 GAME"
            )
        _show_sequences(games, depth, as_json)
        return
    if rules:
        if not games or device is not None:
            raise SettingError("--rules is about the games that are named, and about the processor: bench --rules GAME")
        _show_rules(games, budget, as_json)
        return
    rows = []
    stopped = ""
    for game in [load_game(spec) for spec in games or GAMES]:
        report, size = _measure(game, budget, device or "auto")
        rows.append(_row(report, size))
        stopped = report.stopped
        if stopped == "interrupted":
            break
    _show(rows, as_json)
    if stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _show_rules(specs: list[str], budget: Budget, as_json: bool) -> None:
    """Which rule of each game takes the time."""
    from ponderosa.cli.rule_shares import shares_of, show_shares
    from ponderosa.registry import load_game

    games = [load_game(spec) for spec in specs]
    found = [shares_of(spec, budget) for spec in specs]
    if as_json:
        show_json([each.to_dict() for each in found])
        return
    for game, shares in zip(games, found, strict=True):
        show_shares(game, shares)


def _show_sequences(specs: list[str], depth: int, as_json: bool) -> None:
    """How many sequences of moves each game has, and how fast they are made."""
    from ponderosa.core.checks.perft import perft
    from ponderosa.registry import load_game

    found = []
    for game in [load_game(spec) for spec in specs]:
        with preparing(f"counting the moves of {game.spec}"):
            found.append(perft(game, depth))
    if as_json:
        show_json([each.to_dict() for each in found])
        return
    for counted in found:
        table = new_table("Moves", "Sequences", numbers=("Moves", "Sequences"))
        for length, count in enumerate(counted.sequences):
            add_row(table, str(length), f"{count:,}")
        say(f"{counted.game}: {counted.a_second:,.0f} moves a second of processor time")
        show(table)
        ends = (("won", counted.wins), ("drawn", counted.draws), ("lost", counted.losses))
        if any(count for _, count in ends):
            say("Ended for the first player: " + ", ".join(f"{count:,} {how}" for how, count in ends))


def _measure(game: Game, budget: Budget, device: str) -> tuple[Report, int]:
    """What a search says, and how many bytes its nodes have."""
    from ponderosa.core.dice import roll_on
    from ponderosa.mcts.search import Search

    state = game.new_initial_state()
    roll_on(state, random.Random(0))
    with preparing(game.spec):
        search = Search(game, solve=False, device=device)
    with patience(f"searching {game.spec}") as update:
        report = search.run(state, budget, progress=None if update is None else told(update))
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
