"""A trained network at work, by ONNX Runtime. Start at Player; evaluator() is what a search asks.

Values in a network are from -1 to 1, and of more than two players the one to move has the first; in a search they are
returns of the game, in the order of the seats.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.core.state import RecordState
from ponderosa.errors import NetworkFileError, SettingError
from ponderosa.networks.extras import need
from ponderosa.networks.network import Shape

Floats = npt.NDArray[np.float32]


class Player:
    """A network of a file, which judges observations."""

    def __init__(self, path: Path, session: Any, shape: Shape) -> None:
        self.path, self.shape, self._session = path, shape, session

    def judge(self, planes: Floats) -> tuple[Floats, Floats]:
        """Logits (batch, actions) and values (batch,) or (batch, players), as Network.judge gives them."""
        logits, values = self._session.run(["logits", "values"], {"planes": planes})
        return logits, values


def evaluator(player: Player, game: Game) -> Callable[[Any], tuple[Any, Any]]:
    """What a search of the game asks about its leaves (`ponderosa docs evaluators`)."""
    low, high = game.min_utility, game.max_utility
    if not (math.isfinite(low) and math.isfinite(high)):
        raise SettingError(f"a network judges returns between bounds, and those of {game.spec} have none")

    def judge(states: Any) -> tuple[Any, Any]:
        logits, values = player.judge(observed(game, states))
        values = np.clip(values.astype(np.float64), -1.0, 1.0)
        values = low + (values + 1.0) * 0.5 * (high - low)
        return shares(logits), by_seat(values, game, states) if values.ndim == 2 else values

    return judge


def value_of(player: Player, state: RecordState) -> float:
    """What a network says of one state, from 0 to 1 for the player to move."""
    game = state.game
    assert game.dtype is not None
    _, values = player.judge(observed(game, state.data[: game.dtype.itemsize].view(game.dtype)))
    first = float(values[0] if values.ndim == 1 else values[0, 0])
    return 0.5 + 0.5 * min(max(first, -1.0), 1.0)


def shares(logits: Any) -> Any:
    """Exponentials of logits, in any scale; a search makes shares of those that are legal.

    As doubles they are above zero down to 700 below the largest, should that be an action which is not legal.
    """
    numbers = np.asarray(logits, np.float64)
    return np.exp(numbers - numbers.max(axis=1, keepdims=True))


def by_seat(values: Any, game: Game, states: Any) -> Any:
    """Values in the order of the seats, where the player to move has the first."""
    rows = np.ascontiguousarray(states).view(np.uint8).reshape(len(states), -1)
    movers = np.array([int(game.rules.current_player(row)) for row in rows])
    seats = (np.arange(game.players) - movers[:, None]) % game.players
    return np.take_along_axis(values, seats, axis=1)


def opened(path: Path, model: bytes, shape: Shape, threads: int) -> Player:
    """The network, ready; the same one for all who ask."""
    runtime = need("onnxruntime", "net")
    try:
        player = Player(path, _session(runtime, model, threads), shape)
        logits, values = player.judge(np.zeros((2, *shape.observation), np.float32))
    except Exception as error:  # the runtime raises whatever it likes of a model that does not hold together
        raise NetworkFileError(f"{path} does not run: {type(error).__name__}: {str(error)[:200]}") from None
    wanted = (2, shape.actions), ((2,) if shape.values == 1 else (2, shape.values))
    if (logits.shape, values.shape) != wanted:
        raise NetworkFileError(
            f"{path} gives results of the shapes {logits.shape} and {values.shape} for two positions, not {wanted}"
        )
    return player


@functools.lru_cache(maxsize=8)
def _session(runtime: Any, model: bytes, threads: int) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4  # what is wrong is raised, and said once
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
