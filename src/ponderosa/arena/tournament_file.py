"""Tournaments as files: TOML with the game, the agents and the conditions. Start at read_tournament."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ponderosa.arena.conditions import Conditions
from ponderosa.arena.event import KINDS
from ponderosa.arena.tournament import GAMES, PlannedTournament, plan_tournament
from ponderosa.errors import SettingError
from ponderosa.system.files import FLAG, LIST, NUMBER, TEXT, WHOLE, read_toml

KEYS = {
    "game": TEXT,
    "agents": LIST,
    "kind": TEXT,
    "games": WHOLE,
    "rounds": WHOLE,
    "openings": TEXT,
    "iterations": WHOLE,
    "seconds": NUMBER,
    "time_control": TEXT,
    "seed": WHOLE,
    "concurrency": WHOLE,
    "cluster": TEXT,
    "device": TEXT,
    "out": TEXT,
    "csv": TEXT,
    "html": TEXT,
    "strict": FLAG,
    "count_repeats": FLAG,
    "tolerance": NUMBER,
    "timeout": NUMBER,
    "memory": NUMBER,
}


@dataclass(frozen=True)
class TournamentFile:
    """What a file says."""

    game: str
    agents: tuple[str, ...]
    names: tuple[str, ...]
    settings: dict[str, Any]
    """Everything else that it gives."""

    def plan(self, settings: Mapping[str, Any]) -> PlannedTournament:
        """The tournament, checked, with these settings."""
        conditions = {field.name: settings[field.name] for field in fields(Conditions) if field.name in settings}
        return plan_tournament(
            self.game,
            self.agents,
            settings.get("games", GAMES),
            settings.get("kind", KINDS[1]),
            settings.get("rounds"),
            self.names,
            Conditions(**conditions),
        )


def read_tournament(path: str | Path) -> TournamentFile:
    """A tournament's file, checked; the error says what would be right."""
    values = read_toml(path, KEYS)
    for key, example in (("game", 'game = "connect4"'), ("agents", 'agents = ["random", "mcts:iterations=100"]')):
        if key not in values:
            raise SettingError(f"{path} has no {key!r}: write {example}")
    named = [_agent(path, entry) for entry in values.pop("agents")]
    kind = values.setdefault("kind", KINDS[1])
    if kind not in KINDS[1:]:
        raise SettingError(f"{path}: kind is one of {', '.join(KINDS[1:])}, not {kind!r}")
    return TournamentFile(
        values.pop("game"), tuple(text for _, text in named), tuple(name for name, _ in named), values
    )


def _agent(path: str | Path, entry: object) -> tuple[str, str]:
    """An agent's name and text: a text is both."""
    if isinstance(entry, str):
        return entry, entry
    if isinstance(entry, dict) and isinstance(entry.get("agent"), str) and set(entry) <= {"agent", "name"}:
        return str(entry.get("name", entry["agent"])), entry["agent"]
    raise SettingError(f'{path}: an agent is "mcts:iterations=100" or {{name = "Max", agent = "mcts"}}, not {entry!r}')
