"""Small networks that nobody has trained, and files of them. Start at written; run it to make the sample again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.core.game import Game
from ponderosa.networks.file import About, save, shape_for
from ponderosa.networks.residual import Convolutional, Dense
from tests.helpers import loaded

SAMPLE = Path(__file__).parent.parent / "samples" / "network_tictactoe.onnx"
"""A network of the size of a mouse's, which tests play with that have no JAX."""


def small(shape: Any) -> Any:
    """A network of few features."""
    return Convolutional(8, 1) if len(shape.observation) == 3 else Dense(8, 1)


def drawn(network: Any, shape: Any, seed: int = 0) -> Any:
    """Parameters all of which matter: no layer begins near zero, and no bias at zero."""
    import jax

    rng = np.random.default_rng(seed)
    new = network.init(jax.random.key(seed), shape)
    return jax.tree.map(lambda x: np.asarray(x + rng.normal(scale=0.2, size=x.shape), np.float32), new)


def written(path: Path, game: Game, actions: int, training: Any = None, seed: int = 0) -> Path:
    """The file of a small network for a game."""
    shape = shape_for(game, actions)
    network = small(shape)
    save(path, network, drawn(network, shape, seed), About.of(game, actions, network, training or {}))
    return path


if __name__ == "__main__":
    written(SAMPLE, loaded("tictactoe"), 9, {"seed": 0, "games": 0})
