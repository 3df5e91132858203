"""A network with its weights, as the evaluator of a search. Start at Judge."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.networks.network import Network, Parameters
from ponderosa.networks.player import by_seat

SMALLEST = 16
"""The fewest positions that are judged together: fewer are filled up."""


class Judge:
    """Priors and values of positions, as a search wants them; `params` may be exchanged at any time."""

    def __init__(self, network: Network, params: Parameters, game: Game) -> None:
        self.params = params
        self.sees = (
            "planes" if game.players <= 2 else "records"
        )  # of more, whose turn it is decides who has which value
        self._game = game
        self.judged = _judged(network, game.min_utility, game.max_utility)  # type: ignore[arg-type]  # it is hashable
        """The same of parameters and planes, which must be in batches of few sizes."""

    def __call__(self, seen: Any) -> tuple[Any, Any]:
        """Priors by action, and values in the measure of the game; on a card, arrays of the card for such."""
        if hasattr(seen, "__cuda_array_interface__"):
            import jax.numpy as jnp

            there: tuple[Any, Any] = self.judged(self.params, jnp.asarray(seen))
            return there
        planes = seen if self.sees == "planes" else observed(self._game, seen)
        priors, values = (np.asarray(part)[: len(planes)] for part in self.judged(self.params, _filled_up(planes)))
        return priors, values if self.sees == "planes" else by_seat(values, self._game, seen)


def _filled_up(planes: Any) -> Any:
    """Planes with empty rows behind them: each number of positions would be compiled anew."""
    full = max(SMALLEST, 1 << (len(planes) - 1).bit_length())
    return np.concatenate([planes, np.zeros((full - len(planes), *planes.shape[1:]), np.float32)])


@functools.lru_cache(maxsize=16)
def _judged(network: Network, low: float, high: float) -> Any:
    """A network for the compiler, which sees it once for all who ask."""
    import jax

    def judged(params: Parameters, planes: Any) -> tuple[Any, Any]:
        logits, values = network.judge(params, planes)
        return jax.nn.softmax(logits), low + (values + 1.0) * (0.5 * (high - low))

    return jax.jit(judged)
