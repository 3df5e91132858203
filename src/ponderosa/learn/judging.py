"""A network with its weights, as the evaluator of a search. Start at Judge."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.networks.network import Network, Parameters

SMALLEST = 16
"""The fewest positions that are judged together: fewer are filled up."""


class Judge:
    """Priors and values of positions, as a search wants them; `params` may be exchanged at any time."""

    def __init__(self, network: Network, params: Parameters, game: Game) -> None:
        self.params = params
        self._game = game
        self.judged = _judged(network, game.min_utility, game.max_utility)
        """The same of parameters and planes, which must be in batches of few sizes."""

    def __call__(self, states: Any) -> tuple[Any, Any]:
        """Priors by action, and values in the measure of the game, for the player to move."""
        planes = observed(self._game, states)
        count = len(planes)
        full = max(SMALLEST, 1 << (count - 1).bit_length())
        if count < full:  # each number of positions would be compiled anew
            planes = np.concatenate([planes, np.zeros((full - count, *planes.shape[1:]), np.float32)])
        priors, values = self.judged(self.params, planes)
        return np.asarray(priors)[:count], np.asarray(values)[:count]


@functools.lru_cache(maxsize=16)
def _judged(network: Network, low: float, high: float) -> Any:
    """A network for the compiler, which sees it once for all who ask."""
    import jax

    def judged(params: Parameters, planes: Any) -> tuple[Any, Any]:
        logits, values = network.judge(params, planes)
        return jax.nn.softmax(logits), low + (values + 1.0) * (0.5 * (high - low))

    return jax.jit(judged)
