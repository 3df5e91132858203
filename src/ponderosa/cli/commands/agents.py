"""`ponderosa agents`: who can play, who is the strongest, presets, and the policies of the search. Start at agents."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from ponderosa.cli.common import AsJson
from ponderosa.cli.console import add_row, new_table, say, show, show_json
from ponderosa.cli.parameters import about, defaults, written


def agents(
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help="Only who is the strongest in this game; it may be yours, ./nim.py:Nim."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the agents, the strongest of each game, presets, and the policies of each phase of the search."""
    from ponderosa.registry import GAMES

    if game is not None:
        (show_json if as_json else _tell_strongest)(_strongest(game))
        return
    players, policies, presets = _players(), _policies(), _presets()
    strongest = [_strongest(name) for name in GAMES]
    if as_json:
        show_json({"agents": players, "strongest": strongest, "presets": presets, "policies": policies})
        return
    table = new_table("Agent", "Settings and defaults", "What it is", whole=("Agent",))
    for row in players:
        add_row(table, row["name"], written(row["parameters"]), row["about"])
    show(table, "Agents")
    _show_strongest(strongest)
    table = new_table("Preset", "What it stands for", whole=("Preset",))
    for row in presets:
        add_row(table, row["name"], row["agent"])
    show(table, "Presets")
    table = new_table("Phase", "Policy", "Settings and defaults", "What it does", whole=("Phase", "Policy"))
    for row in policies:
        add_row(table, row["phase"], row["name"], written(row["parameters"]), row["about"])
    show(table, "Policies of mcts")
    say("Opponents by difficulty, such as level:hard: ponderosa levels")
    say("Settings may follow a preset: rave:seconds=2,k=500. Your own: --presets FILE (ponderosa docs policies)")
    say("Settings of a policy stand beside its name: mcts:seconds=2,select=ucb1,c=1,playout=decisive,rollouts=2")


def _show_strongest(rows: list[dict[str, Any]]) -> None:
    """Who is the strongest in each game, and what shows it."""
    table = new_table("Game", "Strongest", "Won-drawn-lost", "Against", whole=("Game", "Won-drawn-lost", "Against"))
    for row in rows:
        add_row(table, row["game"], row["agent"], _score(row["games"]), row["against"])
    show(table, "The strongest agent of each game")
    say(
        "It is level:strongest. The name strong stands for it in every game, and thinks for a second, or as long as you"
    )
    say("say; ponderosa agents GAME shows it. How it was measured, on the usual boards: ponderosa docs levels")


def _score(games: dict[str, int] | None) -> str:
    """Games won, drawn and lost."""
    return "not measured" if games is None else "-".join(map(str, games.values()))


def _tell_strongest(row: dict[str, Any]) -> None:
    """Who is the strongest in a game, and what shows it, in sentences."""
    from ponderosa.levels import STRONG

    say(f"The strongest agent of {row['game']} is {row['agent']} (level:strongest).")
    if row["games"] is None:
        say("That was not measured.")
    else:
        won, drawn, lost = row["games"].values()
        say(f"On the usual board it won {won}, drew {drawn} and lost {lost} games against {row['against']}.")
    named = "" if row["strong"] == STRONG else f", which is {row['strong']} there,"
    say(f"strong{named} thinks for a second, or as long as you say.")


def _strongest(name: str) -> dict[str, Any]:
    """The strongest agent of a game, what `strong` stands for there, and the games that it won against the next."""
    from ponderosa.levels import PREFIX, STRONG, STRONGEST, levels, shown, strong_agent
    from ponderosa.registry import load_game

    game = load_game(name)
    ladder, games = levels(game), shown(game)
    return {
        "game": name,
        "agent": ladder[STRONGEST],
        "strong": strong_agent(STRONG, game),
        "games": None if games is None else dict(zip(("won", "drawn", "lost"), games, strict=True)),
        "against": "" if games is None else PREFIX + list(ladder)[-2],
    }


def _players() -> list[dict[str, Any]]:
    from ponderosa.registry import AGENTS, agent_class

    return [
        {
            "name": name,
            "parameters": defaults(inspect.signature(agent_class(name)), leading=1),  # the first is the game
            "about": about(agent_class(name)),
        }
        for name in AGENTS
    ]


def _presets() -> list[dict[str, Any]]:
    from ponderosa.registry import known_presets, written_out

    return [{"name": name, "agent": written_out(name)} for name in known_presets()]


def _policies() -> list[dict[str, Any]]:
    from ponderosa.mcts.policies.registry import NAMED

    return [
        {"phase": phase, "name": name, "parameters": defaults(inspect.signature(maker)), "about": about(maker)}
        for phase, makers in NAMED.items()
        for name, maker in makers.items()
    ]
