"""What match and tournament share on the command line: options, the live view. Start at terminal_door."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.console import messages, remark, say, show_json, show_view, telling_of_compiling

if TYPE_CHECKING:
    from ponderosa.arena.conditions import Conditions
    from ponderosa.arena.event import Event
    from ponderosa.arena.planned import Door, Progress, Watch
    from ponderosa.arena.results.result import EventResult

VIEW_COST = 20.0
"""Drawing the live view takes no more than one part in VIEW_COST of the time."""

Openings = Annotated[
    str,
    typer.Option(
        metavar="random:PLIES|balanced:PLIES|FILE", help="Where games begin: random moves, or a move list a line."
    ),
]
Iterations = Annotated[int | None, typer.Option(help="Iterations a move, for agents that have no budget of their own.")]
Seconds = Annotated[float | None, typer.Option(help="Seconds a move, likewise; who takes longer loses the game.")]
Concurrency = Annotated[
    int | None, typer.Option(help="How many games run at a time. [default: as many as there are cores]")
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="local:N|tcp://HOST:PORT", help="Play on a Dask cluster (ponderosa docs cluster)."),
]
DeviceOption = Annotated[
    str | None,
    typer.Option(
        metavar="cpu|cuda",
        help="Play all games together, move by move: for agents that count iterations (ponderosa docs forest).",
    ),
]
Seed = Annotated[int, typer.Option(help="Openings and agents follow from it.")]
Out = Annotated[str, typer.Option(metavar="FILE", help="The SQLite file that keeps the games.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop as soon as an agent loses a game by its own fault.")]
CountRepeats = Annotated[
    bool, typer.Option("--count-repeats", help="Count games that were played before every time, not once.")
]
Tolerance = Annotated[float, typer.Option(help="Seconds that a move may take beyond its limit.")]
Timeout = Annotated[float, typer.Option(help="Seconds that a move without a limit may take.")]
Memory = Annotated[
    float | None,
    typer.Option(help="Gigabytes of address space for the agents of one game. [default: a fair share]"),
]


_USUAL = {"--openings": "none", "--tolerance": 0.25, "--timeout": 600.0}


def options_of(conditions: Conditions, *names: str) -> dict[str, Any]:
    """Fields of the conditions as options, in the order of their names here."""
    return {f"--{name.replace('_', '-')}": getattr(conditions, name) for name in names}


def say_how_to_go_on(words: list[str], options: dict[str, Any]) -> None:
    """The command that continues, with all that decides the games."""
    given = [name if value is True else f"{name}={value}" for name, value in options.items() if _matters(name, value)]
    remark(f"To go on after a stop: {shlex.join(['ponderosa', *words, *given])}")


def _matters(name: str, value: object) -> bool:
    return value is not None and value is not False and value != _USUAL.get(name)


def timing_remark(event: Event, note: str) -> None:
    """Say how moves are timed, and what is unfair about it."""
    if note:
        remark(f"Note: {note}.")
    if event.time_control is not None:
        remark(f"Everybody has {event.time_control} on the clock; whose flag falls loses the game.")
    elif event.timed:
        remark(f"A move that takes {event.tolerance:g} s more than its limit loses the game.")


def terminal_door(words: list[str], options: dict[str, Any], as_json: bool, store: str | None) -> Door:
    """The terminal: says how to go on, shows a live view, and on Ctrl-C what the games so far have come to."""
    from ponderosa.arena.planned import Door

    games: list[str] = []

    def ready(event: Event, note: str) -> None:
        games.append(event.game)
        if store is None:
            remark("No game is kept.")
        else:
            remark(f"Games are kept in {store} as they end.")
            say_how_to_go_on(words, options)
        timing_remark(event, note)

    return Door(ready, lambda: live(*games), lambda result: show_result_of(result, as_json))


@contextlib.contextmanager
def live(game: str) -> Iterator[Watch | None]:
    """A table on stderr that follows the games; where there is no terminal, a line if something is compiled first."""
    console = messages()
    if not console.is_terminal:
        with telling_of_compiling(game):
            yield None
        return
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    next_time = 0.0

    with Live(console=console, transient=True, auto_refresh=False) as screen:

        def show(progress: Progress) -> None:
            nonlocal next_time
            begun = time.monotonic()
            if begun >= next_time:
                screen.update(Group(progress.result.view(), Text(line(progress))), refresh=True)
                next_time = time.monotonic() + VIEW_COST * (time.monotonic() - begun)  # ratings of many games take time

        yield show


def line(progress: Progress) -> str:
    """How far it is, and how long it will take."""
    now = progress.games - progress.before
    speed = now / progress.seconds if progress.seconds > 0 else 0.0
    of = "" if progress.wanted is None else f" of {progress.wanted:,}"
    left = "" if progress.games else "; who has never played here is compiled first"
    if progress.wanted is not None and speed > 0:
        left = f", {_clock(max(progress.wanted - progress.games, 0) / speed)} left"
    return f"{progress.games:,}{of} games, {_clock(progress.seconds)} so far{left}, {speed:,.2f} games/s"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def show_result_of(result: EventResult, as_json: bool) -> None:
    """Print what an event has come to."""
    if as_json:
        show_json(result.to_dict())
        return
    event = result.event
    between = f"{event.names[0]} against {event.names[1]}" if event.kind == "match" else event.kind
    say(f"{event.game}: {between}, seed {event.seed}")
    show_view(result.tables())
    for words in result.lines():
        say(words)
    if result.store is not None:
        say(f"{result.tally.games:,} games are in {result.store}, event {result.id}")
