"""The command line: one file a subcommand. Start at main.

Only what answers `--help` is imported here; a command imports what it needs when it runs, so that help is quick and
does not load the compiler.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ponderosa.cli.agents import agents
from ponderosa.cli.analyze import analyze
from ponderosa.cli.bench import bench
from ponderosa.cli.check import check
from ponderosa.cli.common import INTERRUPTED, exit_code
from ponderosa.cli.console import complain, remark, say
from ponderosa.cli.games import games
from ponderosa.cli.play import play
from ponderosa.cli.warmup import warmup
from ponderosa.cli.watch import watch
from ponderosa.core.errors import PonderosaError


class _Commands(TyperGroup):
    """Runs a command, and turns what went wrong into a message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except PonderosaError as error:
            complain(str(error))
            raise typer.Exit(exit_code(error)) from None
        except KeyboardInterrupt:
            remark("\ninterrupted")
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    name="ponderosa",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (play, watch, analyze, games, agents, check, bench, warmup):
    app.command()(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"ponderosa {version('ponderosa')}")
        raise typer.Exit


@app.callback()
def ponderosa(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Monte Carlo tree search for games: play against it, watch it, ask it.

    A GAME is a name with settings, connect4 or connect:m=12,n=12,k=5, or a class in a file of yours, ./nim.py:Nim.
    An AGENT is a name with settings too, mcts:seconds=1,playout=decisive. The commands games and agents list them.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 0 fine, 1 failure, 2 usage, 130 interrupted."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a stone that the terminal cannot show is no reason to stop
    try:
        app(args=arguments, prog_name="ponderosa")
    finally:
        _flush(sys.stdout)


def _flush(stream: Any) -> None:
    """Hand over what is printed; a reader that has gone, as in `ponderosa games | head -1`, is no error to report."""
    try:
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
