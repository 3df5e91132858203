"""Steps that bring a network nearer to its targets. Start at Trainer.train.

AdamW (Loshchilov & Hutter 2019) under a rate that the caller plans; whoever plays uses the mean of the latest weights,
which is steadier than the last ones (Polyak & Juditsky 1992).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.learn.replay import Replay
from ponderosa.learn.settings import LearnSettings
from ponderosa.networks.network import Network, Parameters, Shape

STEEPEST = 1.0
"""The longest that a gradient may be."""
WARM_UP = 200.0
"""Steps in which the rate rises."""


class Weights(NamedTuple):
    """All that training changes."""

    params: Parameters
    mean: Parameters
    """The averaged ones, which play."""
    moments: Any
    """What the optimiser remembers."""
    steps: Any


class Losses(NamedTuple):
    """How far the network is from its targets, in the mean of some steps."""

    policy: float
    """Nats beyond the target's own entropy."""
    value: float
    """The square of the difference, of values from -1 to 1."""


class Trainer:
    """A network and its optimiser."""

    def __init__(self, network: Network, shape: Shape, game: Game, settings: LearnSettings) -> None:
        import jax

        self._game, self._settings = game, settings
        self._optimiser = _optimiser(settings)
        params = network.init(jax.random.PRNGKey(settings.seed), shape)
        same = jax.tree.map(lambda part: part + 0, params)
        self.weights = Weights(params, same, self._optimiser.init(params), np.zeros((), np.int32))
        self._step = jax.jit(_step_of(network, self._optimiser, settings.averaging), donate_argnums=0)

    def train(self, replay: Replay, steps: int, rate: float) -> Losses:
        """Take some steps on positions drawn from the window; `rate` is the learning rate."""
        found = []
        for _ in range(steps):
            number = int(self.steps)
            luck = np.random.default_rng([self._settings.seed, number, 3])
            drawn = replay.draw(self._settings.batch or 1, luck)
            planes = observed(self._game, drawn.records)
            warm = rate * min(1.0, (number + 1) / WARM_UP)
            self.weights, losses = self._step(self.weights, planes, drawn.policies, drawn.values, warm)
            self._taken += 1
            found.append(losses)
        return Losses(*(float(np.mean([step[part] for step in found])) for part in range(2)))
