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
        add_row(table, row["name"], written(row["parameters"]), row["about"] + _kind(row))
    show(table)
    say("Change a setting: connect4:rows=5,cols=6. Your own: ./nim.py:Nim. Another package's: openspiel:chess")


def _kind(row: dict[str, Any]) -> str:
    """What is special about its turns."""
    words = {"chance": "chance", "hidden": "hidden information", "simultaneous": "choices at once"}
    found = [word for fact, word in words.items() if row[fact]]
    return f" ({', '.join(found)})" if found else ""


def _rows() -> list[dict[str, Any]]:
    from ponderosa.registry import GAMES, game_class

    return [
        {
            "name": name,
            "players": game_class(name).players,
            "chance": game_class(name).chance,
            "hidden": game_class(name).hidden,
            "simultaneous": game_class(name).simultaneous,
            "parameters": defaults(game_class(name).signature()),
            "about": about(game_class(name)),
        }
        for name in GAMES
    ]
