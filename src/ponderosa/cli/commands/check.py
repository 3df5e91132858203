"""`ponderosa check`: does a game keep its promises? Start at check."""

from __future__ import annotations

from typing import Annotated

import typer

from ponderosa.cli.common import FAILED, GameName
from ponderosa.cli.console import patience, say, telling_of_compiling


def check(
    game: GameName,
    games: Annotated[int, typer.Option(help="How many random games are played.")] = 1000,
    seed: Annotated[int, typer.Option(help="Another seed plays other games.")] = 0,
) -> None:
    """Play random games and say which promises the rules break; exit code 1 if any."""
    from ponderosa.core.checks.check_game import check_game
    from ponderosa.registry import load_game

    rules = load_game(game)
    with patience(f"playing {games} games of {rules.title()}") as update, telling_of_compiling(game, update):
        problems = check_game(rules, games, seed)
    for problem in problems:
        say(" ".join(problem.splitlines()))
    if problems:
        raise typer.Exit(FAILED)
    say(f"{rules.spec} kept all its promises in {games} random games.")
