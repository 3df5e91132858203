"""The command line: one file a subcommand. Start at main.

Only what answers `--help` is imported here; a command imports what it needs when it runs, so that help is quick and
does not load the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ponderosa.cli.commands import (
    agents,
    analyze,
    bench,
    cache,
    check,
    docs,
    engine,
    games,
    games_db,
    lab,
    learn,
    levels,
    match,
    memory,
    new,
    play,
    serve,
    sweep,
    tournament,
    train,
    tune,
    warmup,
    watch,
)
from ponderosa.cli.common import FAILED, INTERRUPTED, exit_code, own_presets
from ponderosa.cli.console import close_output, complain, open_streams, remark, say, tell_warnings
from ponderosa.errors import PonderosaError
from ponderosa.system.interrupts import go_on_after_the_first
from ponderosa.system.leaving import interrupts_raised


class _Commands(TyperGroup):
    """Runs a command, and turns what went wrong into a message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with interrupts_raised():
                go_on_after_the_first()  # from here on they are raised
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
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(serve.serve)
app.command()(play.play)
app.command()(watch.watch)
app.command()(match.match)
app.command()(tournament.tournament)
app.command()(train.train)
app.command()(new.new)
app.command()(learn.learn)
app.add_typer(memory.app, name="memory")
app.add_typer(games_db.app, name="games-db")
app.command()(sweep.sweep)
app.command()(tune.tune)
app.add_typer(lab.app, name="lab")
app.command()(analyze.analyze)
app.command()(games.games)
app.command()(agents.agents)
app.command()(levels.levels)
app.command()(check.check)
app.command()(bench.bench)
app.command()(warmup.warmup)
app.command()(docs.docs)
app.add_typer(cache.app, name="cache")
app.command()(engine.engine)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"ponderosa {version('ponderosa')}")
        raise typer.Exit


@app.callback()
def ponderosa(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    presets: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Agents that you composed, a TOML file; also PONDEROSA_PRESETS."),
    ] = None,
) -> None:
    """Monte Carlo tree search for games: play against it, watch it, ask it.

    A GAME is a name with settings, connect4 or connect:m=12,n=12,k=5, or a
    class in a file of yours, ./nim.py:Nim. An AGENT is a name with settings
    too, mcts:seconds=1,playout=decisive, a preset, rave:seconds=1, or a level,
    level:hard. The commands games, agents and levels list them.

    Without a command, the page opens in the browser.
    """
    if presets is not None:
        ctx.with_resource(own_presets(presets))
    if ctx.invoked_subcommand is None:
        if serve.installed():
            serve.serve()
        else:
            say(ctx.get_help())
            remark(f"\nWithout a command, ponderosa opens its page in the browser: {serve.INSTALL}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 0 fine, 1 failure, 2 usage, 130 interrupted."""
    open_streams()
    tell_warnings()
    try:
        app(args=arguments, prog_name="ponderosa")
    except OSError as error:  # a full disk, for one; a reader that has gone ends in SystemExit
        complain(str(error))
        raise SystemExit(FAILED) from None
    finally:
        close_output()
