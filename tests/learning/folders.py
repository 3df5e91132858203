"""A folder as a run of learning leaves it, made without learning. Start at run_folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.learning.checkpoints import write_arrays
from ponderosa.learning.showing import GAME, GATES, NOW, gate_file
from ponderosa.learning.watching import LOG
from tests.helpers import loaded
from tests.networks.small import SAMPLE

MOVES = "b2 a1 c1 a3 a2 c3 c2"
NOW_TOLD: dict[str, Any] = {
    "game": "tictactoe",
    "device": "cpu",
    "process": 1,
    "plan": {"minutes": 2.0, "games": None},
    "doing": "playing",
    "done": 0.25,
    "seconds": 30.0,
    "games": 1200,
    "positions": 7000,
    "steps": 90,
    "games_a_second": 40.0,
    "positions_a_second": 240.0,
    "losses": [1.25, 0.5],
}


def line(seconds: float, loss: float) -> dict[str, Any]:
    """A line of the log."""
    speeds = {"games_a_second": 40.0, "positions_a_second": 240.0, "policy_loss": loss, "value_loss": loss / 2}
    return {"seconds": seconds, "games": 10, "positions": 100, "steps": 5, "rate": 1e-3} | speeds


def gate(number: int, seconds: float, elo: float | None, rival: str = "random") -> dict[str, Any]:
    """A gate of the log."""
    ends = {"elo": elo, "low": None if elo is None else elo - 50, "high": None if elo is None else elo + 50}
    pairing = {"rival": rival, "games": 64, "score": 0.9, "elo": 380.0, "low": 300.0, "high": None}
    told = {"number": number, "pairings": [pairing], "best": True, **ends}
    return {"gate": told, "seconds": seconds, "games": 10, "positions": 100, "steps": 5}


LINES = [line(5.0, 2.0), line(10.0, 1.5), gate(1, 12.0, 100.0), line(20.0, 1.25), gate(2, 24.0, 250.0)]


def game_of_moves(moves: str = MOVES) -> dict[str, Any]:
    """The arrays of a game of tic-tac-toe."""
    state = loaded("tictactoe").new_initial_state()
    rows: dict[str, list[Any]] = {"records": [], "players": [], "actions": []}
    for name in moves.split():
        action = state.legal_action(name)
        rows["records"].append(state.data.view(state.game.dtype)[0].copy())
        rows["players"].append(state.to_move())
        rows["actions"].append(action)
        state.apply_action(action)
    count = len(rows["actions"])
    known = np.full(count, np.nan, np.float32)
    known[-1] = 1.0
    return {
        "records": np.array(rows["records"], state.game.dtype),
        "players": np.array(rows["players"], np.int8),
        "actions": np.array(rows["actions"], np.int32),
        "searched": np.linspace(0.4, 0.6, count, dtype=np.float32),
        "certain": known,
        "results": np.array([1.0, 0.0], np.float32),
    }


def run_folder(path: Path, gates: int = 2, **now: Any) -> Path:
    """A run that was stopped after some gates; keywords change what now.json says."""
    (path / GATES).mkdir(parents=True)
    (path / NOW).write_text(json.dumps(NOW_TOLD | now))
    (path / LOG).write_text("".join(json.dumps(entry) + "\n" for entry in LINES))
    write_arrays(path / GAME, game_of_moves())
    for number in range(gates + 1):
        shutil.copy(SAMPLE, gate_file(path, number))
    return path
