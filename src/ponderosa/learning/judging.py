"""A network with its weights, as the evaluator of a search. Start at Judge.

On a card, all positions are judged in one batch. On a processor, by all cores, in pieces so small that what lies
between two layers stays in a core's cache: of one large batch, JAX computes convolutions on hardly more than one core.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.learning.pieces import in_pieces
from ponderosa.networks.network import Network, Parameters
from ponderosa.networks.player import by_seat

SMALLEST = 16
"""The fewest positions that are judged together: fewer are filled up."""
PIECE = 64
"""The most positions that a core judges together."""

Judgement = tuple[Any, Any]


class Judge:
    """Priors and values of positions, as a search wants them; `params` may be exchanged at any time."""

    def __init__(self, network: Network, params: Parameters, game: Game) -> None:
        self.params = params
        self.sees = (
            "planes" if game.players <= 2 else "records"
        )  # of more, whose turn it is decides who has which value
        self._game, self._network = game, network
        self._rounded: tuple[Parameters, Parameters] | None = None
        """The parameters that were asked last, and the same rounded."""
        self._seen: tuple[Any, Any, Any] | None = None
        """Where planes of a card were the last time, and the array of JAX that shows them."""
        self._judged = _judged(network, game.min_utility, game.max_utility)  # type: ignore[arg-type]  # it is hashable

    def __call__(self, seen: Any) -> Judgement:
        """Priors by action, and values in the measure of the game; on a card, arrays of the card for such."""
        if hasattr(seen, "__cuda_array_interface__"):
            return self.at_once(seen)
        planes = seen if self.sees == "planes" else observed(self._game, seen)
        pieces: list[Any] = [None] * -(-len(planes) // PIECE)
        device = device_of(self.params)

        def piece(begin: int, end: int) -> None:
            pieces[begin // PIECE] = self._filled_up(planes[begin:end], device)

        in_pieces(piece, len(planes), PIECE)
        priors, values = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        return priors, values if self.sees == "planes" else by_seat(values, self._game, seen)

    def at_once(self, planes: Any) -> Judgement:
        """The same in one batch, of few sizes: each is compiled for itself."""
        judged: Judgement = self._judged(self._params_of_now(), self._as_of_jax(planes))
        return judged

    def _params_of_now(self) -> Parameters:
        """The parameters, rounded when they are new: for a card, each small thing to do for a batch is a wait."""
        if self._rounded is None or self._rounded[0] is not self.params:
            rounded = getattr(self._network, "rounded", lambda params: params)
            self._rounded = self.params, rounded(self.params)
        return self._rounded[1]

    def _as_of_jax(self, planes: Any) -> Any:
        """Planes as an array of JAX; those of a card are where they are, and as a rule there again the next time."""
        import jax.numpy as jnp

        place = getattr(planes, "__cuda_array_interface__", {}).get("data")
        if place is not None and self._seen is not None and self._seen[0] == (place, planes.shape):
            return self._seen[1]
        seen = jnp.asarray(planes)
        if place is not None and seen.unsafe_buffer_pointer() == place[0]:  # no copy: it shows what is there now
            self._seen = (place, planes.shape), seen, planes  # kept, or its place might become another's
        return seen

    def _filled_up(self, planes: Any, device: Any) -> Judgement:
        """The same with empty rows behind the planes, which are left out again."""
        import jax

        count, full = len(planes), max(SMALLEST, 1 << (len(planes) - 1).bit_length())
        empty = np.zeros((full - count, *planes.shape[1:]), np.float32)
        seen = jax.device_put(np.concatenate([planes, empty]) if full > count else planes, device)
        priors, values = self._judged(self.params, seen)
        return np.asarray(priors)[:count], np.asarray(values)[:count]


def device_of(params: Parameters) -> Any:
    """Where parameters are: threads know nothing of the device that another one has chosen."""
    import jax

    (device,) = jax.tree.leaves(params)[0].devices()
    return device


@functools.lru_cache(maxsize=16)
def _judged(network: Network, low: float, high: float) -> Any:
    """A network for the compiler, which sees it once for all who ask."""
    import jax

    def judged(params: Parameters, planes: Any) -> Judgement:
        logits, values = network.judge(params, planes)
        return jax.nn.softmax(logits), low + (values + 1.0) * (0.5 * (high - low))

    return jax.jit(judged)
