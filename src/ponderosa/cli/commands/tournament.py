"""`ponderosa tournament`: many agents play each other, as a file says. Start at tournament."""

from __future__ import annotations

from typing import Annotated

import typer

from ponderosa.cli.arena_options import (
    show_result_of,
    terminal_door,
)
from ponderosa.cli.common import AsJson
from ponderosa.cli.console import preparing, write_file

HELP = "Instead of what the file says."


def tournament(
    file: Annotated[str, typer.Argument(metavar="FILE.toml", help="The game, the agents and the conditions.")],
    games: Annotated[int | None, typer.Option(help=f"Games a pairing. {HELP}")] = None,
    concurrency: Annotated[int | None, typer.Option(help=f"Games at a time. {HELP}")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="local:N|tcp://HOST:PORT", help=HELP)] = None,
    seed: Annotated[int | None, typer.Option(help=HELP)] = None,
    out: Annotated[str | None, typer.Option(metavar="FILE", help=f"The file for the games. {HELP}")] = None,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Write the standings there, as CSV.")] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a page with figures there.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let many agents play each other: round robin, gauntlet or ladder; `ponderosa docs arena` shows a file.

    Every game is stored as it ends; the same command goes on where it was
    stopped.
    """
    from ponderosa.arena.results.html import check_figures
    from ponderosa.arena.results.store import DEFAULT
    from ponderosa.arena.tournament import run_tournament
    from ponderosa.arena.tournament_file import read_tournament

    read = read_tournament(file)
    given = {
        "games": games,
        "concurrency": concurrency,
        "cluster": cluster,
        "seed": seed,
        "out": out,
        "csv": csv,
        "html": html,
    }
    settings = read.settings | {name: value for name, value in given.items() if value is not None}
    if "html" in settings:
        check_figures()  # before hours of play, not after
    with preparing():
        planned = read.plan(settings)
    options = {f"--{name}": value for name, value in given.items()}
    store = settings.get("out", DEFAULT)
    door = terminal_door(["tournament", file], options, as_json, store)
    result = run_tournament(planned, store, door)
    show_result_of(result, as_json)
    write_file(settings.get("csv"), result.to_csv)
    write_file(settings.get("html"), result.to_html)
