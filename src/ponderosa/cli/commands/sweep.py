"""`ponderosa sweep`: which settings of an agent are best, with figures. Start at sweep."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from ponderosa.cli.arena_options import (
    Cluster,
    Concurrency,
    CountRepeats,
    DeviceOption,
    Iterations,
    Openings,
    Seconds,
    Seed,
    live,
    options_of,
    say_how_to_go_on,
)
from ponderosa.cli.common import AsJson, GameName
from ponderosa.cli.console import preparing, remark, say, show_json, show_view


def sweep(
    game: GameName,
    agent: Annotated[str, typer.Option(metavar="SPEC", help="The agent whose settings vary: mcts:iterations=100.")],
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUES", help="c=0.5:2.0:4 (four values), c=0.1:10:5:log, rollouts=1,5; repeatable."
        ),
    ],
    against: Annotated[
        str, typer.Option(metavar="SPEC|each-other", help="Whom every combination plays.")
    ] = "each-other",
    games: Annotated[int, typer.Option(min=1, help="Games a pairing, half of them with seats swapped.")] = 100,
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="The folder for games, data, figures and report.")
    ] = None,
    openings: Openings = "none",
    iterations: Iterations = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    concurrency: Concurrency = None,
    cluster: Cluster = None,
    device: DeviceOption = None,
    count_repeats: CountRepeats = False,
    as_json: AsJson = False,
) -> None:
    """Play every combination of settings, against one opponent or each other; table, CSV, Parquet and figures.

    Every game is stored as it ends; the same command goes on where it was
    stopped.
    """
    from ponderosa.arena.conditions import Conditions
    from ponderosa.lab.extra import check_extra
    from ponderosa.lab.sweeps import sweep as lab
    from ponderosa.lab.sweeps.ranges import read_vary
    from ponderosa.lab.sweeps.sweep_report import write_sweep

    check_extra()
    conditions = Conditions(
        openings,
        iterations,
        seconds,
        seed,
        concurrency=concurrency,
        cluster=cluster,
        count_repeats=count_repeats,
        device=device,
    )
    values = read_vary(vary)
    with preparing(game):
        lab.contestants(game, agent, values, against)
    options: dict[str, Any] = {"--games": games}
    options |= options_of(conditions, "openings", "iterations", "seconds", "seed", "count_repeats")
    words = ["sweep", game, "--agent", agent, *(word for entry in vary for word in ("--vary", entry))]
    words += ["--against", against]
    say_how_to_go_on(words, options | {"--out": out} | options_of(conditions, "concurrency", "cluster", "device"))
    folder = lab.folder_of_sweep(out, game, agent, values, against, conditions)
    with live(game) as watch:
        store = lab.store_in(folder)
        result = lab.sweep(game, agent, vary, against, games, out=store, watch=watch, conditions=conditions)
    page = write_sweep(folder, result, command(words, options))
    found = result.findings()
    if as_json:
        show_json({"report": str(page), "best": result.best.agent, "rows": found.tables[0].to_dicts()})
        return
    measured = ("games", "mean result", "score (%)", "score low", "score high", "Elo", "Elo low", "Elo high")
    show_view(found.tables[0].only(*values, *measured, "time a move (ms)").to_rich())
    say(found.summary)
    remark(f"\nData and figures are in {folder}; the page is {page}")


def command(words: list[str], options: dict[str, Any]) -> str:
    """The command as the report shows it."""
    given = [
        name if value is True else f"{name}={value}" for name, value in options.items() if value not in (None, False)
    ]
    return shlex.join(["ponderosa", *words, *given])
