"""What a network is: two functions over batches of observations. Start at Network; named() has those of the package.

A network judges what `observe` fills in (core/observation.py): float32 planes, for the player to move. Its values are
from -1 (the least that the game's `returns` gives) to 1 (the most); whoever asks turns them into returns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ponderosa.errors import SettingError, unknown

Parameters = Any
"""A pytree of arrays: dicts and lists with arrays in them."""


@dataclass(frozen=True)
class Shape:
    """What goes into a network for a game, and what comes out."""

    observation: tuple[int, ...]
    """(rows, columns, planes) of a board, (n,) of anything else."""
    actions: int
    """How many logits there are: actions are numbers from 0 to one less."""
    players: int = 2
    """Up to two: one value, for the player to move. More: a value each, the player to move first, then the next ones
    in the order of their seats."""

    def __post_init__(self) -> None:
        sizes = (*self.observation, self.actions, self.players)
        if len(self.observation) not in (1, 3) or any(isinstance(n, bool) or not n >= 1 for n in sizes):
            raise SettingError(
                f"a network sees (rows, columns, planes) or (n,), and has an action and a player at least, not {self}"
            )

    @property
    def values(self) -> int:
        """How many values there are of a position."""
        return 1 if self.players <= 2 else self.players

    @property
    def floats(self) -> int:
        """How many numbers there are in an observation."""
        return math.prod(self.observation)


@runtime_checkable
class Network(Protocol):
    """Two functions in JAX; a frozen dataclass whose fields are its sizes will do."""

    def init(self, key: Any, shape: Shape) -> Parameters:
        """New parameters, from a key of jax.random."""

    def judge(self, params: Parameters, planes: Any) -> tuple[Any, Any]:
        """Logits (batch, actions) and values (batch,), or (batch, players) of more than two; planes are (batch,
        *shape.observation). It is compiled by jax.jit: no Python `if` over what is in an array."""


@runtime_checkable
class Exports(Network, Protocol):
    """A network that can be written to a file, so that it plays without JAX."""

    def export(self, params: Parameters, shape: Shape) -> bytes:
        """An ONNX model with the input `planes` and the outputs `logits` and `values`, in float32, any batch."""


def named(size: str, shape: Shape) -> Exports:
    """A network of the package by its size, `tiny`, `small` or `medium`: convolutions for boards, dense for others."""
    from ponderosa.networks.residual import SIZES, Convolutional, Dense

    if size not in SIZES:
        raise unknown("size of a network", size, SIZES)
    channels, blocks = SIZES[size]
    return Convolutional(channels, blocks) if len(shape.observation) == 3 else Dense(2 * channels, blocks)
