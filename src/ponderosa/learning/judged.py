"""The newest game of a run, and what its networks say of each position. Start at Shown.

Compiled rules believe the states that they are given; these come from a file. So all here is done by the rules as plain
Python, in which NumPy checks every index.
"""

from __future__ import annotations

import copy
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.core.state import RecordState, State
from ponderosa.errors import FileError
from ponderosa.learning.checkpoints import read_arrays
from ponderosa.learning.selfplay import Played
from ponderosa.learning.watching import Seen
from ponderosa.networks.file import load
from ponderosa.networks.player import Player, shares

MOST_PLAYERS = 64
"""So many networks are kept ready."""


@dataclass(frozen=True)
class Judged:
    """What a network says of a position."""

    value: float
    """For the player to move, from 0 to 1."""
    priors: dict[int, float]
    """How likely it takes each legal action for, together one."""

    @property
    def best(self) -> int:
        """The action that it likes most."""
        return max(self.priors, key=self.priors.__getitem__)


class Shown:
    """A game of self-play, position by position; of the random moves that it began with, nothing is known."""

    def __init__(self, game: Game, run: Seen) -> None:
        """`game` is the run's, and may be compiled; here it is not."""
        self.run, self.game = run, in_plain(game)
        self.played = _read(self.game, run)
        self.states: list[State]
        """The positions in which somebody moved, and what the last move led to."""
        self.names: list[str]
        """The moves."""
        try:
            self.states, self.names = _followed(self.game, self.played)
        except Exception as error:  # rules may do anything with a state that no game leads to
            raise FileError(f"{run.game_file} cannot be shown: {type(error).__name__}: {error}") from None
        self._judged: dict[tuple[int, int], Judged] = {}

    @property
    def plies(self) -> int:
        """How many moves there are."""
        return len(self.names)

    def searched(self, ply: int) -> float | None:
        """What the search said of a position, for the player to move; a proven result counts as it is."""
        if ply >= self.plies:
            return None
        found, certain = float(self.played.searched[ply]), float(self.played.certain[ply])
        return certain if np.isfinite(certain) else found if np.isfinite(found) else None

    def judged(self, ply: int, gate: int) -> Judged | None:
        """What the network of a gate says of a position; None: the game is over there."""
        if ply >= self.plies:
            return None
        if (ply, gate) not in self._judged:
            self._judged[ply, gate] = self._ask(gate, self.played.records[ply : ply + 1], [self.states[ply]])[0]
        return self._judged[ply, gate]

    def whole_game(self, gate: int) -> list[Judged | None]:
        """What the network of a gate says of every position."""
        if any((ply, gate) not in self._judged for ply in range(self.plies)):
            found = self._ask(gate, self.played.records, self.states[: self.plies])
            self._judged |= {(ply, gate): judged for ply, judged in enumerate(found)}
        return [self.judged(ply, gate) for ply in range(self.plies + 1)]

    def _ask(self, gate: int, records: Any, states: list[State]) -> list[Judged]:
        path = self.run.gate(gate)
        logits, values = _player(str(path), path.stat().st_mtime_ns, self.game).judge(observed(self.game, records))
        first = np.clip(values if values.ndim == 1 else values[:, 0], -1.0, 1.0)
        likely = shares(logits)
        return [
            Judged(float(value) * 0.5 + 0.5, _legal_shares(state, row))
            for value, row, state in zip(first, likely, states, strict=True)
        ]


@functools.lru_cache(maxsize=64)
def in_plain(game: Game) -> Game:
    """The same game, whose rules are plain Python."""
    twin = copy.copy(game)
    vars(twin)["rules"] = game.build_rules(compiled=False)
    return twin


@functools.lru_cache(maxsize=MOST_PLAYERS)
def _player(path: str, changed: int, game: Game) -> Player:
    return load(path, game)


def _legal_shares(state: State, likely: npt.NDArray[np.float64]) -> dict[int, float]:
    legal = [action for action in state.legal_actions() if 0 <= action < len(likely)]
    whole = float(sum(likely[action] for action in legal))
    return {action: float(likely[action]) / whole if whole > 0 else 1.0 / len(legal) for action in legal}


def _read(game: Game, run: Seen) -> Played:
    """The newest game, if its file is what it should be."""
    found = read_arrays(run.game_file)
    try:
        played = Played(**{name: np.asarray(found[name]) for name in Played._fields})
    except KeyError as error:
        raise FileError(f"{run.game_file} lacks {error}") from None
    rows = len(played.records) if played.records.ndim == 1 else 0
    columns = (played.players, played.actions, played.searched, played.certain)
    numbers = all(column.shape == (rows,) and column.dtype.kind in "if" for column in columns)
    if not rows or played.records.dtype != game.dtype or not numbers or played.results.shape != (game.players,):
        raise FileError(f"{run.game_file} is no game of {game.spec}")
    return played


def _followed(game: Game, played: Played) -> tuple[list[State], list[str]]:
    """The positions of a game, the one at its end too, and the names of its moves."""
    states: list[State] = [_state(game, record) for record in played.records]
    actions = [state.legal_action(int(action)) for state, action in zip(states, played.actions.tolist(), strict=True)]
    names = [state.action_to_string(action) for state, action in zip(states, actions, strict=True)]
    return [*states, states[-1].child(actions[-1])], names


def _state(game: Game, record: Any) -> RecordState:
    data = np.zeros(game.state_bytes, np.uint8)
    raw = np.frombuffer(record.tobytes(), np.uint8)
    data[: len(raw)] = raw
    return RecordState(game, data, [])
