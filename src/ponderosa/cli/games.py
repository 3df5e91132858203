"""`ponderosa games`: what can be played. Start at games."""

from __future__ import annotations

from typing import Any

from ponderosa.cli.common import AsJson
from ponderosa.cli.console import add_row, new_table, say, show, show_json
from ponderosa.cli.parameters import about, defaults, written


def games(as_json: AsJson = False) -> None:
    """List the games and their settings."""
    rows = _rows()
    if as_json:
        show_json(rows)
        return
    table = new_table("Game", "Settings and defaults", "What it is", whole=("Game",))
    for row in rows:
        add_row(table, row["name"], written(row["parameters"]), row["about"])
    show(table)
    say("Change a setting: connect4:rows=5,cols=6. A game of your own: ./nim.py:Nim")


def _rows() -> list[dict[str, Any]]:
    from ponderosa.registry import GAMES, game_class

    return [
        {
            "name": name,
            "players": game_class(name).players,
            "parameters": defaults(game_class(name).signature()),
            "about": about(game_class(name)),
        }
        for name in GAMES
    ]
