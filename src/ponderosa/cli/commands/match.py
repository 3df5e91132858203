"""`ponderosa match`: two agents play many games, and it is said what that shows. Start at match."""

from __future__ import annotations

from typing import Annotated

import typer

from ponderosa.cli.arena_options import (
    Cluster,
    Concurrency,
    CountRepeats,
    DeviceOption,
    Iterations,
    Memory,
    Openings,
    Out,
    Seconds,
    Seed,
    Strict,
    Timeout,
    Tolerance,
    options_of,
    show_result_of,
    terminal_door,
)
from ponderosa.cli.common import AsJson, ByTheClock, GameName, names_of_agents
from ponderosa.cli.console import preparing

H0_ACCEPTED = 3
UNDECIDED = 4
"""Exit codes of a sequential test; 0 is for H1 accepted."""


def match(
    game: GameName,
    first: Annotated[
        str,
        typer.Argument(
            metavar="AGENT", help="One agent: mcts:iterations=1000, ./mine.py:Mine, ...", autocompletion=names_of_agents
        ),
    ],
    second: Annotated[str, typer.Argument(metavar="AGENT", help="The other agent.", autocompletion=names_of_agents)],
    games: Annotated[
        int | None, typer.Option(help="How many games, in pairs. [default: 100; with --sprt until it is decided]")
    ] = None,
    openings: Openings = "none",
    iterations: Iterations = None,
    seconds: Seconds = None,
    time_control: ByTheClock = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Play until a sequential test decides between two normalised Elo differences of the first agent.",
        ),
    ] = None,
    concurrency: Concurrency = None,
    cluster: Cluster = None,
    device: DeviceOption = None,
    seed: Seed = 0,
    out: Out = "ponderosa.db",
    no_store: Annotated[
        bool, typer.Option("--no-store", help="Keep no games: nothing is written, and a stop loses what was played.")
    ] = False,
    strict: Strict = False,
    count_repeats: CountRepeats = False,
    tolerance: Tolerance = 0.25,
    timeout: Timeout = 600.0,
    memory: Memory = None,
    as_json: AsJson = False,
) -> None:
    """Let two agents play a match in pairs of games with seats swapped; a game for one is played by each alone.

    Every game is stored as it ends; the same command goes on where it was
    stopped, and --games with a larger number adds games. Exit codes with
    --sprt: 0 when H1 is accepted, 3 when H0 is, 4 when it is undecided.
    """
    from ponderosa.arena.conditions import Conditions
    from ponderosa.arena.match import plan_match, run_match

    conditions = Conditions(
        openings,
        iterations,
        seconds,
        seed,
        tolerance,
        timeout,
        concurrency,
        cluster,
        memory,
        strict,
        count_repeats,
        device,
        time_control,
    )
    with preparing(game):
        planned = plan_match(game, first, second, games, sprt, conditions)
    options = options_of(conditions, "openings", "iterations", "seconds", "time_control") | {
        "--games": games,
        "--sprt": sprt,
    }
    options |= options_of(conditions, "seed") | {"--out": out}
    options |= options_of(conditions, "tolerance", "timeout", "count_repeats", "strict")
    options |= options_of(conditions, "concurrency", "cluster", "device", "memory")
    door = terminal_door(["match", game, first, second], options, as_json, None if no_store else out)
    result = run_match(planned, None if no_store else out, door)
    show_result_of(result, as_json)
    if planned.sprt is not None and result.verdict != "H1":
        raise typer.Exit(H0_ACCEPTED if result.verdict == "H0" else UNDECIDED)
