"""What several commands share: exit codes and options. Start at exit_code."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ponderosa.errors import IllegalActionError, PonderosaError, SettingError, UnknownNameError
from ponderosa.presets import VARIABLE
from ponderosa.system.leaving import INTERRUPTED as INTERRUPTED

FAILED = 1
MISUSED = 2


def names_of_games(begun: str) -> list[str]:
    """The games whose names begin so, for the shell to complete."""
    from ponderosa.registry import GAMES

    return [name for name in GAMES if name.startswith(begun)]


def names_of_agents(begun: str) -> list[str]:
    """Likewise the agents, their presets and the levels."""
    from ponderosa.levels import NAMES, PREFIX
    from ponderosa.presets import PRESETS
    from ponderosa.registry import AGENTS

    return [name for name in (*AGENTS, *PRESETS, *(PREFIX + level for level in NAMES)) if name.startswith(begun)]


GAME = typer.Argument(
    metavar="GAME",
    help="connect4, connect:m=12,n=12,k=5, or a class of yours, ./nim.py:Nim.",
    autocompletion=names_of_games,
)
GameName = Annotated[str, GAME]
Moves = Annotated[
    str | None,
    typer.Option(help='The moves that led to the position, with spaces or commas between: "4 4 3".'),
]
ShowThinking = Annotated[
    bool, typer.Option("--show-thinking", help="Show what an agent thought of its best moves, after each move.")
]
DiceSeed = Annotated[
    int | None, typer.Option("--seed", min=0, help="Of the dice: the same seed and moves, the same dice.")
]
Device = Annotated[
    str | None,
    typer.Option(
        metavar="cpu|cuda", help="Where the search grows its trees: cuda is a CUDA card (ponderosa docs forest)."
    ),
]
ByTheClock = Annotated[
    str | None,
    typer.Option(metavar="60+1|5m+3|10m+5x30", help="Time for a whole game instead: plus a move, or byoyomi."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def exit_code(error: PonderosaError) -> int:
    """2 when another command line would do, 1 when something failed."""
    return MISUSED if isinstance(error, SettingError | UnknownNameError | IllegalActionError) else FAILED


@contextlib.contextmanager
def own_presets(path: Path) -> Iterator[None]:
    """While a command runs, it and the processes that it starts know the presets of a file."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(path.expanduser().absolute())
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before
