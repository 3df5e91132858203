"""`ponderosa memory`: what an agent has learned, shown. Start at show_memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ponderosa.cli.common import AsJson
from ponderosa.cli.console import add_row, new_table, preparing, say, show, show_json
from ponderosa.errors import PonderosaError, TreeFileError

if TYPE_CHECKING:
    from ponderosa.agents.memory_reader import Known
    from ponderosa.core.game import Game

app = typer.Typer(no_args_is_help=True, help="Show the file in which an agent keeps what it has learned.")


@app.command("show")
def show_memory(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A memory, as ponderosa train writes it.")],
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="The game, if it is one of yours: ./nim.py:Nim.")
    ] = None,
    most: Annotated[int, typer.Option("--moves", min=1, help="How many first moves are shown.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show which game it is of, how many games were played, the best first moves, the deepest line."""
    from ponderosa.agents.memory_reader import read_known

    with preparing():
        known = read_known(file, lambda name: _game(file, name, game))
    if as_json:
        show_json(known.to_dict())
        return
    _show(known, most)


def _game(file: Path, name: str, given: str | None) -> Game:
    from ponderosa.registry import load_game, registered_game

    if given is not None:
        return load_game(given)
    try:
        return registered_game(name)
    except PonderosaError:
        raise TreeFileError(
            f"{file} is of the game {name!r}, which is not in the registry: --game ./FILE.py:CLASS"
        ) from None


def _show(known: Known, most: int) -> None:
    say(f"Game: {known.game}")
    say(f"Format: {known.format}, written by ponderosa {known.version}, {known.size:,} bytes; select={known.select}")
    say(f"Games played: {known.games:,}")
    say(f"Positions: {known.positions:,} in {known.nodes:,} nodes")
    numbers = ("Visits", "Value", "Games", "Score in games")
    table = new_table("First move", *numbers, "Proven", numbers=numbers)
    for move in known.moves[:most]:
        add_row(
            table, move.name, f"{move.visits:,}", _share(move.value), f"{move.games:,}", _share(move.score),
            move.proven or "",
        )  # fmt: skip
    show(table)
    if len(known.moves) > most:
        say(f"and {len(known.moves) - most} more first moves (--moves {len(known.moves)})")
    say(f"Most visited line: {' '.join(known.main_line) or 'none'}")
    say(f"Deepest known line ({len(known.deepest_line)} moves): {' '.join(known.deepest_line) or 'none'}")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
