"""`ponderosa tournament`: many agents play each other, as a file says. Start at tournament."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ponderosa.cli.arena_options import (
    live,
    say_how_to_go_on,
    show_result_of,
    telling_what_is_there,
    timing_remark,
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
    """Let many agents play each other: round robin, gauntlet or ladder; docs/arena.md shows a file.

    Every game is stored as it ends; the same command goes on where it was stopped.
    """
    from ponderosa.arena.match import check_names
    from ponderosa.arena.results.html import check_figures
    from ponderosa.arena.results.store import DEFAULT, Store
    from ponderosa.arena.running.places import place_for
    from ponderosa.arena.toml import read_tournament
    from ponderosa.arena.tournament import GAMES, play_tournament, tournament_event

    told = read_tournament(file)
    check_names(told.game, told.agents)
    given = {
        "games": games,
        "concurrency": concurrency,
        "cluster": cluster,
        "seed": seed,
        "out": out,
        "csv": csv,
        "html": html,
    }
    settings: dict[str, Any] = told.settings | {name: value for name, value in given.items() if value is not None}
    if "html" in settings:
        check_figures()  # before hours of play, not after
    wanted = settings.get("games", GAMES)
    limits = ("kind", "openings", "iterations", "seconds", "seed", "tolerance", "timeout")
    with preparing():
        conditions = {name: settings[name] for name in limits if name in settings}
        event = tournament_event(told.game, told.agents, wanted, names=told.names, **conditions)
    where = (settings.get("concurrency"), settings.get("memory"), settings.get("cluster"))
    with Store(settings.get("out", DEFAULT)) as store, place_for(event, *where) as place:
        say_how_to_go_on(["tournament", file], {f"--{name}": value for name, value in given.items()})
        timing_remark(event, place.note)
        flags = (settings.get("rounds"), settings.get("strict", False), settings.get("count_repeats", False))
        with telling_what_is_there(store, event, as_json, flags[2]), live() as watch:
            result = play_tournament(event, wanted, store, place, *flags, watch)
    show_result_of(result, as_json)
    write_file(settings.get("csv"), result.to_csv)
    write_file(settings.get("html"), result.to_html)
