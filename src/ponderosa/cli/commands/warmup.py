"""`ponderosa warmup`: compile everything now, so that nobody waits later. Start at warmup."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.console import messages, remark, say
from ponderosa.system.interrupts import interrupts_waiting

if TYPE_CHECKING:
    from ponderosa.core.game import Game

ONCE = ("select", "expand", "backup", "choose")
"""Phases that are compiled once for all games of a class; a playout is compiled for each."""


def warmup(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME", help="All, if none is named.")] = None,
) -> None:
    """Compile games with every policy now; later searches start without a delay."""
    from ponderosa.compile.cache import cache_folder
    from ponderosa.core.rules import jit_enabled
    from ponderosa.registry import GAMES, load_game

    rules = [load_game(name) for name in games or GAMES]
    if not jit_enabled():
        say("Nothing to compile: NUMBA_DISABLE_JIT is set.")
        return
    begun = time.perf_counter()
    searches = _searches(rules)
    remark(f"{len(searches)} searches are made ready; those that are compiled already take no time.")
    _compile(searches)
    folder = cache_folder()
    say(f"{len(searches)} searches are ready after {time.perf_counter() - begun:.1f} s.")
    if folder is None:
        remark("The machine code is not kept: its folder cannot be written; PONDEROSA_CACHE_DIR names another.")
    else:
        say(f"Their machine code is kept in {folder}")


def _searches(games: Sequence[Game]) -> list[tuple[Game, dict[str, Any]]]:
    """The game and the policies of every search that is worth compiling."""
    from ponderosa.mcts.policies.fitting import fitting_policies
    from ponderosa.mcts.policies.registry import NAMED

    searches: list[tuple[Game, dict[str, Any]]] = []
    classes = set()
    for game in games:
        kind = (game.viewed, game.players == 1, game.chance)
        for phase, policy in fitting_policies(game, NAMED):
            if phase == "playout" or (phase in ONCE and kind not in classes):
                searches.append((game, {phase: policy}))
        classes.add(kind)
    return searches


def _compile(searches: list[tuple[Game, dict[str, Any]]]) -> None:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from ponderosa.mcts.search import Search

    console = messages()
    what = TextColumn("{task.description}", markup=False)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(), what)
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=len(searches))
        for game, policies in searches:
            words = ", ".join(f"{phase}={policy}" for phase, policy in policies.items())
            progress.update(task, description=f"{game.title()}: {words}")
            with interrupts_waiting():
                Search(game, **policies)
            progress.advance(task)
