"""`ponderosa agents`: who can play, presets, and the policies of the search. Start at agents."""

from __future__ import annotations

import inspect
from typing import Any

from ponderosa.cli.common import AsJson
from ponderosa.cli.console import add_row, new_table, say, show, show_json
from ponderosa.cli.parameters import about, defaults, written


def agents(as_json: AsJson = False) -> None:
    """List the agents, their settings, presets of them, and the policies of each phase of the search."""
    players, policies, presets = _players(), _policies(), _presets()
    if as_json:
        show_json({"agents": players, "presets": presets, "policies": policies})
        return
    table = new_table("Agent", "Settings and defaults", "What it is", whole=("Agent",))
    for row in players:
        add_row(table, row["name"], written(row["parameters"]), row["about"])
    show(table, "Agents")
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
