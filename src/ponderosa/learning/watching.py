"""What can be seen of runs of learning from outside, by whoever reads their folders. Start at runs and Seen.

Needs none of the extra's packages, and believes nothing: a folder may be half written, damaged, or somebody else's.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ponderosa.core.game import Game
from ponderosa.errors import FileError, unknown
from ponderosa.learning.checkpoints import MOST_STATE, STATE
from ponderosa.learning.showing import DONE, GAME, GATES, LOCKED, NOW, STOP, gate_file
from ponderosa.system.files import read_text
from ponderosa.system.lease import Lease

FOLDER = "ponderosa-learn"
"""Where runs go by default: a folder here, with a folder for each game."""
NETWORK, LOG = "network.onnx", "log.jsonl"
HERE = "."
"""The key of a folder that is a run itself."""
MOST_NOW, MOST_LOG = 2**20, 64 * 2**20
FIGURES = (
    "seconds",
    "games",
    "positions",
    "steps",
    "policy_loss",
    "value_loss",
    "games_a_second",
    "positions_a_second",
)


@dataclass(frozen=True)
class Seen:
    """A run, as its folder shows it."""

    key: str
    """The name of its folder."""
    path: Path
    game: str
    device: str
    doing: str
    done: float
    """The part of its plan, from 0 to 1."""
    plan: str
    """How long it is to learn, in words."""
    seconds: float
    games: int
    positions: int
    games_a_second: float
    losses: tuple[float, float] | None
    """Of the policy and of the value."""
    running: bool
    """Whether a process learns there now."""
    stopping: bool
    """Whether somebody has asked it to end."""
    changed: float
    """When it was last heard of, in seconds since 1970."""

    @property
    def finished(self) -> bool:
        """Whether it has come to the end of its plan."""
        return self.doing == DONE

    def log(self) -> list[dict[str, Any]]:
        """The lines of its log that can be read."""
        return read_log(self.path)

    def gates(self) -> list[int]:
        """The numbers of the networks that it has kept, one for each gate, from the one that had learned nothing."""
        names = (file.stem.removeprefix("gate-") for file in (self.path / GATES).glob("gate-*.onnx"))
        return sorted(int(name) for name in names if name.isascii() and name.isdecimal() and len(name) < 9)

    def gate(self, number: int) -> Path:
        """The file of one of them."""
        return gate_file(self.path, number)

    @property
    def game_file(self) -> Path:
        """Where its newest game is."""
        return self.path / GAME

    def stamp(self) -> tuple[Any, ...]:
        """Something that changes whenever there may be something new to see."""
        files = (self.path / NOW, self.path / LOG, self.game_file, self.path / GATES)
        return (*(_changed(file) for file in files), self.running, self.stopping)


def folder_name(game: Game) -> str:
    """What the folder of a game's run is called."""
    return re.sub(r"[^a-z0-9]+", "-", game.spec.lower()).strip("-")


def runs(folder: Path) -> list[Seen]:
    """All runs in a folder, the newest first, and the folder itself if it is one; what cannot be read is left out."""
    places = [folder] if (folder / NOW).is_file() else []
    places += [file.parent for file in folder.glob(f"*/{NOW}")] if folder.is_dir() else []
    found = [seen(place, HERE if place == folder else place.name) for place in places]
    return sorted((run for run in found if run is not None), key=lambda run: (-run.changed, run.key))


def run_of(folder: Path, key: str) -> Seen:
    """A run by its key; it is one of those that `runs` lists, and nothing else is ever opened."""
    known = {run.key: run for run in runs(folder)}
    if key not in known:
        raise unknown("run of learning", key[:100], known)
    return known[key]


def seen(path: Path, key: str) -> Seen | None:
    """The run of a folder; None: there is none that can be read."""
    try:
        told = json.loads(read_text(path / NOW, MOST_NOW))
        losses = told["losses"]
        return Seen(
            key,
            path,
            str(told["game"]),
            str(told["device"]),
            str(told["doing"]),
            min(max(_number(told["done"]), 0.0), 1.0),
            _plan(told["plan"]),
            _number(told["seconds"]),
            int(_number(told["games"])),
            int(_number(told["positions"])),
            _number(told["games_a_second"]),
            None if losses is None else (_number(losses[0]), _number(losses[1])),
            is_running(path),
            (path / STOP).exists(),
            (path / NOW).stat().st_mtime,
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError, FileError):
        return None


def begun_with(path: Path) -> Mapping[str, Any]:
    """What a run was begun with, of its last checkpoint: game, device, and the settings that were given."""
    try:
        told = json.loads(read_text(path / STATE, MOST_STATE))["run"]
        return {"game": str(told["game"]), "device": str(told["device"]), "given": dict(told["given"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileError(f"{path} has no checkpoint that can be read ({type(error).__name__})") from None


def is_running(path: Path) -> bool:
    """Whether some process learns in a folder now."""
    place = Lease(path / LOCKED)
    if not (path / f"{LOCKED}.lock").exists():
        return False
    try:
        free = place.take(patience=0.0)
    except OSError:  # a folder that is only to be looked at: nobody here can tell
        return False
    if free:
        place.give_back()
    return not free


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a run's log; those that make no sense are left out, a last one that is half written too."""
    try:
        lines = read_text(path / LOG, MOST_LOG).splitlines()
    except (OSError, ValueError, FileError):
        return []
    return [entry for entry in map(_entry, lines) if entry is not None]


def _entry(line: str) -> dict[str, Any] | None:
    try:
        told = json.loads(line)
        figures = {name: _number(told[name]) for name in FIGURES if name in told}
        if "gate" in told:
            return figures | {"gate": _gate(told["gate"])} if "seconds" in figures else None
        return figures if len(figures) == len(FIGURES) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _gate(told: Mapping[str, Any]) -> dict[str, Any]:
    ends = ("elo", "low", "high")
    pairings = [
        {"rival": str(one["rival"]), "games": int(one["games"]), "score": _number(one["score"])}
        | {end: None if one[end] is None else _number(one[end]) for end in ends}
        for one in told["pairings"]
    ]
    rated = {end: None if told[end] is None else _number(told[end]) for end in ends}
    return {"number": int(told["number"]), "best": bool(told["best"]), "pairings": pairings} | rated


def _number(told: Any) -> float:
    """A number that is one."""
    found = float(told)
    if isinstance(told, bool) or not math.isfinite(found):
        raise ValueError("no number")
    return found


def _plan(told: Mapping[str, Any]) -> str:
    minutes, games = told.get("minutes"), told.get("games")
    parts = [f"{_number(minutes):g} minutes"] if minutes is not None else []
    parts += [f"{int(_number(games)):,} games"] if games is not None else []
    return " or ".join(parts)


def _changed(file: Path) -> Any:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
