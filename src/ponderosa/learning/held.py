"""The window's positions on a card, where training draws from them. Start at Held.follow.

Each position is looked at and sent once, in chunks that are always as large, so that what writes them is compiled once.
Places are those of the ring of replay.py: what is drawn there is the same wherever the positions are.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.learning.pieces import ahead
from ponderosa.learning.replay import Replay
from ponderosa.networks.network import Shape

CHUNK = 8192
"""So many positions are sent together."""


class Rows(NamedTuple):
    """Positions as training sees them, a row each."""

    planes: Any
    """The numbers that are seen, one behind the other."""
    policies: Any
    values: Any


class Held:
    """The positions of a window, on a device."""

    def __init__(self, game: Game, shape: Shape, size: int, device: Any, kind: Any) -> None:
        """Room for so many positions, whose planes are numbers of this kind."""
        import jax
        import jax.numpy as jnp

        self._game, self._shape, self._size, self._device, self._total = game, shape, size, device, 0
        values = (size,) if shape.values == 1 else (size, shape.values)
        with jax.default_device(device):
            self.rows = Rows(
                jnp.zeros((size, shape.floats), kind),
                jnp.zeros((size, shape.actions), jnp.float16),
                jnp.zeros(values, jnp.float32),
            )

    def follow(self, replay: Replay) -> None:
        """Take over what has come into the window, as far as it may be drawn."""
        new = np.arange(max(self._total, replay.total - replay.reach), replay.total)
        chunks = ahead(lambda at: self._chunk(replay, new[at * CHUNK : (at + 1) * CHUNK]), -(-len(new) // CHUNK))
        for places, rows in chunks:
            self.rows = _written()(self.rows, places, rows)
        self._total = replay.total

    def _chunk(self, replay: Replay, numbers: npt.NDArray[np.int64]) -> Any:
        """Where these positions go, and what is written there; behind them, what goes nowhere."""
        import jax

        lessons, count = replay.at(numbers), len(numbers)
        places = np.full(CHUNK, self._size, np.int32)  # none is there
        places[:count] = numbers % self._size
        seen = observed(self._game, lessons.records).reshape(count, self._shape.floats)
        rows = Rows(*(_filled_up(column) for column in (seen, lessons.policies, lessons.values)))
        return jax.device_put((places, rows), self._device)


def _filled_up(column: Any) -> Any:
    whole = np.zeros((CHUNK, *column.shape[1:]), column.dtype)
    whole[: len(column)] = column
    return whole


@functools.cache
def _written() -> Any:
    """What writes rows to their places, for the compiler; the old rows' memory is that of the new ones."""
    import jax

    def written(rows: Rows, places: Any, new: Rows) -> Rows:
        return Rows(
            *(old.at[places].set(more.astype(old.dtype), mode="drop") for old, more in zip(rows, new, strict=True))
        )

    return jax.jit(written, donate_argnums=0)
