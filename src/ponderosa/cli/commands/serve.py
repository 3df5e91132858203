"""`ponderosa serve`: the page in the browser. Start at serve."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ponderosa.arena.results.store import DEFAULT
from ponderosa.cli.console import say
from ponderosa.errors import SettingError
from ponderosa.lab.reports.folder import FOLDER
from ponderosa.learning.watching import FOLDER as LEARNING

INSTALL = 'the page needs the extra "web": pip install "ponderosa[web]"'


def serve(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]...", help="Games to offer too: ./nim.py:Nim, openspiel:NAME.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; others than this machine need --token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8080,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    token: Annotated[str | None, typer.Option(help="What visitors must know; the link that is printed has it.")] = None,
    max_seconds: Annotated[float, typer.Option(help="No search takes longer.")] = 60.0,
    max_sessions: Annotated[int, typer.Option(min=1, help="How many games may be open at the same time.")] = 100,
    max_games: Annotated[
        int, typer.Option(min=2, help="The most games of a match that is started on the page.")
    ] = 1000,
    max_minutes: Annotated[
        float, typer.Option(help="The longest that a run of learning which is started on the page goes on at once.")
    ] = 600.0,
    agent: Annotated[
        list[str] | None, typer.Option(metavar="AGENT", help="An agent that runs a program, to offer too.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where saved games are kept; PONDEROSA_DATA_DIR else.")
    ] = None,
    arena: Annotated[
        Path, typer.Option(metavar="FILE", help="The matches and tournaments to show, and where new ones go.")
    ] = Path(DEFAULT),
    lab: Annotated[Path, typer.Option(metavar="FOLDER", help="The reports of the lab to show.")] = Path(FOLDER),
    learn: Annotated[
        Path, typer.Option(metavar="FOLDER", help="The runs of `ponderosa learn` to show, and where new ones go.")
    ] = Path(LEARNING),
) -> None:
    """Open the page: play, analyse and watch the search in the browser."""
    if not installed():
        raise SettingError(INSTALL)
    from ponderosa.web.model.limits import Limits
    from ponderosa.web.server import Settings
    from ponderosa.web.server import serve as run

    limits = Limits(max_seconds=max_seconds, max_sessions=max_sessions, max_games=max_games, max_minutes=max_minutes)
    settings = Settings(host, port, token, data, tuple(games or ()), tuple(agent or ()), limits, arena, lab, learn)
    run(settings, open_page, say)


def installed() -> bool:
    """Whether the extra is there."""
    return find_spec("nicegui") is not None
