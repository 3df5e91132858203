"""`ponderosa levels`: opponents by difficulty. Start at levels."""

from __future__ import annotations

from typing import Annotated

import typer

from ponderosa.cli.common import AsJson
from ponderosa.cli.console import add_row, new_table, say, show, show_json


def levels(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="Of this game only; it may be one of yours, ./nim.py:Nim.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the levels of difficulty of each game, and who plays them."""
    from ponderosa import levels as table_of
    from ponderosa.registry import GAMES, load_game

    rows = {name: dict(table_of.levels(load_game(name))) for name in ([game] if game else GAMES)}
    if as_json:
        show_json(rows)
        return
    table = new_table("Game", "Level", "Agent", whole=("Game", "Level"))
    for name, ladder in rows.items():
        for place, (level, agent) in enumerate(ladder.items()):
            add_row(table, name if place == 0 else "", table_of.PREFIX + level, agent)
    show(table)
    say("Each level beats the one below it; where luck decides there are fewer, and a name that is missing is the next")
    say("higher one. A level goes wherever an agent does: ponderosa play connect4 --agent level:hard")
