"""`ponderosa tune`: the settings of an agent that win most. Start at tune."""

from __future__ import annotations

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
    options_of,
    say_how_to_go_on,
)
from ponderosa.cli.commands.lab import steps
from ponderosa.cli.commands.sweep import command
from ponderosa.cli.common import AsJson, GameName
from ponderosa.cli.console import preparing, remark, say, show_json


def tune(
    game: GameName,
    agent: Annotated[
        str, typer.Option(metavar="SPEC", help="The agent whose settings are tuned: mcts:iterations=100.")
    ],
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary",
            "--param",
            metavar="NAME=RANGE",
            help="c=0.1:3, rollouts=1:8 (whole numbers), c=0.1:10:log, choose=robust,secure; repeatable.",
        ),
    ],
    budget: Annotated[str, typer.Option(metavar="GAMES|TIME", help="500 games, or a time: 90s, 10m, 2h.")] = "500",
    against: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Whom every setting plays. [default: the agent as it is given]")
    ] = None,
    seconds: Seconds = None,
    iterations: Iterations = None,
    max_move_seconds: Annotated[
        float | None, typer.Option(help="Only settings of which 95 % of the moves take no longer.")
    ] = None,
    validate: Annotated[
        int | None, typer.Option(min=2, help="Fresh games that measure the best. [default: a quarter of the budget]")
    ] = None,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="The folder for games, trials and report.")] = None,
    openings: Openings = "none",
    seed: Seed = 0,
    concurrency: Concurrency = None,
    cluster: Cluster = None,
    device: DeviceOption = None,
    count_repeats: CountRepeats = False,
    as_json: AsJson = False,
) -> None:
    """Find the settings that win most; prints the best agent, ready to paste, with its Elo in a fresh match.

    Every game and trial is stored as it ends; the same command goes on where it
    was stopped, and a larger budget adds trials.
    """
    from ponderosa.arena.conditions import Conditions
    from ponderosa.lab.experiment import Step
    from ponderosa.lab.extra import check_extra
    from ponderosa.lab.tuning.tune import TuneBudget, Tuned, make_plan
    from ponderosa.lab.tuning.tune import tune as find_best
    from ponderosa.lab.tuning.tune_report import findings, write_tuning

    check_extra()
    TuneBudget.read(budget)
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
    with preparing(game):
        plan = make_plan(game, agent, vary, against, conditions, max_move_seconds)
    folder = plan.folder(out)
    options: dict[str, Any] = {"--budget": budget, "--against": against, "--openings": openings, "--seconds": seconds}
    options |= {"--iterations": iterations, "--max-move-seconds": max_move_seconds, "--seed": seed}
    options |= {"--validate": validate, "--count-repeats": count_repeats}
    words = ["tune", game, "--agent", agent, *(word for entry in vary for word in ("--vary", entry))]
    say_how_to_go_on(words, options | {"--out": out} | options_of(conditions, "concurrency", "cluster", "device"))
    with steps() as watch:

        def follow(tuned: Tuned) -> None:
            watch(Step(tuned.words, tuned.games, tuned.of))

        result = find_best(
            game,
            agent,
            vary,
            budget,
            against=against,
            out=folder,
            max_move_seconds=max_move_seconds,
            validate=validate,
            watch=follow,
            conditions=conditions,
        )
    page = write_tuning(folder, result, command(words, options))
    if as_json:
        figures = result.validation.to_dict()["elo"]
        show_json({"agent": result.agent, "settings": result.settings, "elo": figures, "report": str(page)})
        return
    say(findings(result).summary)
    remark(f"\n{result.games:,} games of {len(result.trials)} trials are in {folder}; the page is {page}")
