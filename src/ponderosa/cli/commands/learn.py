"""`ponderosa learn`: a network for a game by self-play. Start at learn."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.common import INTERRUPTED, AsJson, GameName
from ponderosa.cli.console import add_row, messages, new_table, remark, say, show, show_json

if TYPE_CHECKING:
    from ponderosa.learning.learn import Learned
    from ponderosa.learning.run import Now

EVERY = 15.0
"""Seconds between two lines where there is no terminal to draw on."""


def learn(
    game: GameName,
    minutes: Annotated[
        float | None, typer.Option(help="How long, together with earlier runs. [default: 10, unless games are said]")
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="How many games of self-play, likewise.")] = None,
    device: Annotated[str, typer.Option(metavar="cpu|cuda", help="Where to play and train.")] = "cpu",
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="The folder: begun anew, or gone on with.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting, as in simulations=64; repeatable (ponderosa docs learn)."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="local:N|tcp://HOST:PORT", help="Play on a Dask cluster, train here (ponderosa docs cluster)."
        ),
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A new folder begins with the weights of another run.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="All that is random follows from it.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Train a network for a game by letting it play against itself; the file DIR/network.onnx plays.

    Everything is kept in DIR: after Ctrl-C, or any other end, the same command
    goes on.
    """
    from ponderosa.core.spec import read_settings
    from ponderosa.learning.learn import learn as run
    from ponderosa.learning.settings import LearnSettings

    written = {"seed": str(seed)} | dict(_pair(text) for text in set_ or ())
    settings = LearnSettings(**read_settings("learning", LearnSettings, written))
    with _bar() as watch:
        found = run(
            game,
            minutes,
            games,
            device=device,
            out=out,
            watch=watch,
            settings=settings,
            cluster=cluster,
            weights=weights,
        )
    if as_json:
        show_json(vars(found))
    else:
        _show(found)
    if found.interrupted:
        remark("interrupted: the same command goes on")
        raise typer.Exit(INTERRUPTED)


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(), value.strip()


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[Now], None]]:
    """One line on stderr that says how far it is; where there is no terminal, a line now and then."""
    console = messages()
    if not console.is_terminal:
        last = -EVERY

        def line(now: Now) -> None:
            nonlocal last
            if now.seconds - last >= EVERY:
                last = now.seconds
                remark(f"{100 * now.done:3.0f} %  {words(now)}")

        yield line
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (BarColumn(20), TaskProgressColumn(), TextColumn("{task.fields[words]}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=1.0, words="getting ready")
        yield lambda now: progress.update(task, completed=now.done, words=words(now))


def words(now: Now) -> str:
    """How far learning is, on one line."""
    parts = [f"{now.doing}, {now.seconds / 60:.1f} min", f"{now.games:,} games ({now.games_a_second:.0f}/s)"]
    parts.append(f"{now.positions:,} positions ({now.positions_a_second:,.0f}/s)")
    if now.losses is not None:
        parts.append(f"losses {now.losses.policy:.3f} {now.losses.value:.3f}")
    if now.measured is not None:
        pairing = now.measured.highest
        elo = "" if now.measured.elo is None else f"Elo {now.measured.elo:+.0f}, "
        parts.append(f"{elo}{100 * pairing.score:.0f} % against {pairing.rival}")
    return ", ".join(parts)


def _show(found: Learned) -> None:
    """The gates as a table, and where the network is."""
    table = new_table("Gate", "Rival", "Games", "Score", "Elo", "Interval", numbers=("Gate", "Games", "Score", "Elo"))
    for gate in found.gates:
        for pairing in gate["pairings"]:
            ends = [_whole(pairing[end]) for end in ("elo", "low", "high")]
            score = f"{100 * pairing['score']:.1f} %"
            add_row(
                table, gate["number"], pairing["rival"], pairing["games"], score, ends[0], f"{ends[1]} to {ends[2]}"
            )
    if found.gates:
        show(table)
    say(f"{found.games:,} games, {found.positions:,} positions, {found.seconds / 60:.1f} minutes in all")
    say(f"Play with it: --agent net:file={found.network},seconds=1")
    remark(f"The report is {found.folder / 'report.html'}")


def _whole(value: Any) -> str:
    return "-" if value is None else f"{value:+.0f}"
