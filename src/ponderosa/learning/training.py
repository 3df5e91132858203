"""Steps that bring a network nearer to its targets. Start at Trainer.train.

AdamW (Loshchilov & Hutter 2019) under a rate that the caller plans; whoever plays uses the mean of the latest weights,
which is steadier than the last ones (Polyak & Juditsky 1992).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.images import symmetric_images
from ponderosa.core.observation import observed
from ponderosa.learning.held import Held, Rows
from ponderosa.learning.judging import device_of
from ponderosa.learning.pieces import ahead
from ponderosa.learning.replay import Replay
from ponderosa.learning.settings import LearnSettings
from ponderosa.networks.network import Network, Parameters, Shape
from ponderosa.networks.operations import JaxOperations
from ponderosa.networks.residual import Described

STEEPEST = 1.0
"""The longest that a gradient may be."""
WARM_UP = 200.0
"""Steps in which the rate rises."""
ORDER = 3
"""What the random numbers of training are for; selfplay.py has others."""


class Weights(NamedTuple):
    """All that training changes."""

    params: Parameters
    mean: Parameters
    """The averaged ones, which play."""
    moments: Any
    """What the optimiser remembers."""
    steps: Any


class Shown(NamedTuple):
    """What a step is shown, a row each."""

    planes: Any
    policies: Any
    values: Any
    images: Any
    """Which of the game's symmetries each is turned by."""


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
        same = jax.tree.map(lambda part: part + 0, params)  # a step of training takes each apart
        self.weights = Weights(params, same, self._optimiser.init(params), np.zeros((), np.int32))
        self._taken = 0
        self._images = image_tables(game, shape, settings.seed)
        step = _step_of(network, self._optimiser, settings.averaging or 0.0, self._images)
        self._step = jax.jit(step, donate_argnums=0)
        self._step_on_held = jax.jit(_on_held(step, shape), donate_argnums=0)
        self._shape, self._kind = shape, JaxOperations().kind if isinstance(network, Described) else np.float32
        self._held: Held | None = None
        """On a card: the positions that are drawn from."""

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return self._taken

    def train(self, replay: Replay, steps: int, rate: float) -> Losses:
        """Take some steps on positions drawn from the window; `rate` is the learning rate."""
        import jax

        first, device = self._taken, device_of(self.weights.params)
        if is_card(device):
            found = self._train_on_held(self._holding(replay, device), replay, steps, rate)
        else:
            batches = ahead(lambda number: self._batch(replay, first + number, device), steps)
            found = [self._step_on(shown, rate) for shown in batches]
        return Losses(*map(float, np.mean(jax.device_get(found), axis=0)))

    def _holding(self, replay: Replay, device: Any) -> Held:
        """The window on a card, as it is now."""
        if self._held is None:
            self._held = Held(self._game, self._shape, replay.size, device, self._kind)
        self._held.follow(replay)
        return self._held

    def _train_on_held(self, held: Held, replay: Replay, steps: int, rate: float) -> list[Any]:
        """Take steps on positions that are where the network is: only their places are sent."""
        first, found = self._taken, []
        for numbers, images in ahead(lambda number: self._drawn(replay, first + number), steps):
            places = (numbers % replay.size).astype(np.int32)
            self.weights, losses = self._step_on_held(self.weights, held.rows, places, images, self._warm(rate))
            self._taken += 1
            found.append(losses)
        return found

    def _drawn(self, replay: Replay, number: int) -> tuple[Any, Any]:
        """The numbers of the positions that are shown to a step, and by which symmetry each is turned."""
        luck = np.random.default_rng([self._settings.seed, number, ORDER])
        numbers = replay.drawn(self._settings.batch or 1, luck)
        return numbers, luck.integers(0, len(self._images[0]), len(numbers), dtype=np.int32)

    def _batch(self, replay: Replay, number: int, device: Any) -> Shown:
        """What is shown to the step of this number, on the device."""
        import jax

        numbers, images = self._drawn(replay, number)
        drawn = replay.at(numbers)
        shown = Shown(observed(self._game, drawn.records), drawn.policies, drawn.values, images)
        found: Shown = jax.device_put(shown, device)
        return found

    def _step_on(self, shown: Shown, rate: float) -> Any:
        self.weights, losses = self._step(self.weights, shown, self._warm(rate))
        self._taken += 1
        return losses

    def _warm(self, rate: float) -> Any:
        """The rate of the next step."""
        return np.float32(rate * min(1.0, (self._taken + 1) / WARM_UP))

    def playing(self) -> Parameters:
        """A copy of the averaged weights: a step of training takes what it is given apart."""
        import jax

        return jax.tree.map(lambda part: part + 0, self.weights.mean)

    def kept(self) -> dict[str, Any]:
        """All that training changes, as arrays by name."""
        return {"taken": np.array(self._taken)} | named_arrays(self.weights)

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Go on with what was kept."""
        self._taken = int(kept["taken"])
        self.weights = with_arrays(self.weights, kept)


def is_card(device: Any) -> bool:
    """Whether a device has memory of its own, where the window is to be."""
    return str(device.platform) != "cpu"


def named_arrays(tree: Any) -> dict[str, Any]:
    """The arrays of a pytree by where they are in it."""
    import jax

    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    return {jax.tree_util.keystr(path, simple=True, separator="/"): np.asarray(leaf) for path, leaf in leaves}


def with_arrays(tree: Any, arrays: Mapping[str, Any]) -> Any:
    """A pytree with other arrays, by where they are in it."""
    import jax
    import jax.numpy as jnp

    found = [jnp.asarray(arrays[name]) for name in named_arrays(tree)]
    return jax.tree.unflatten(jax.tree.structure(tree), found)


def _optimiser(settings: LearnSettings) -> Any:
    """AdamW without its rate, which each step is given."""
    import optax

    return optax.chain(
        optax.clip_by_global_norm(STEEPEST),
        optax.scale_by_adam(),
        optax.add_decayed_weights(settings.weight_decay),
    )


def image_tables(game: Game, shape: Shape, seed: int) -> tuple[Any, Any]:
    """From where each number of an observation, and of a policy, comes in each symmetric image: a row an image."""
    planes = np.arange(shape.floats, dtype=np.float32).reshape(shape.observation)
    actions = np.arange(shape.actions)
    turned = [image(planes, actions) for image in symmetric_images(game, seed)]
    return (
        np.array([seen.ravel() for seen, _ in turned], np.int32),
        np.array([policy for _, policy in turned], np.int32),
    )


def _step_of(network: Network, optimiser: Any, averaging: float, tables: tuple[Any, Any]) -> Any:
    """One step, for the compiler."""
    import jax
    import jax.numpy as jnp
    import optax

    def losses_of(params: Parameters, planes: Any, targets: Any, values: Any) -> Any:
        logits, judged = network.judge(params, planes)
        unlike = jnp.sum(jax.scipy.special.xlogy(targets, targets) - targets * jax.nn.log_softmax(logits), axis=-1)
        losses = jnp.mean(unlike), jnp.mean((judged - values) ** 2)
        return losses[0] + losses[1], losses

    def turned(shown: Shown) -> Any:
        flat = shown.planes.reshape(len(shown.planes), -1)
        planes = jnp.take_along_axis(flat, jnp.asarray(tables[0])[shown.images], axis=1).reshape(shown.planes.shape)
        return planes, jnp.take_along_axis(shown.policies, jnp.asarray(tables[1])[shown.images], axis=1)

    def step(weights: Weights, shown: Shown, rate: Any) -> Any:
        planes, policies = turned(shown)
        compared = planes, policies.astype(jnp.float32), shown.values
        (_, losses), slopes = jax.value_and_grad(losses_of, has_aux=True)(weights.params, *compared)
        changes, moments = optimiser.update(slopes, weights.moments, weights.params)
        params = optax.apply_updates(weights.params, jax.tree.map(lambda change: -rate * change, changes))
        keep = jnp.minimum(averaging, (1.0 + weights.steps) / (10.0 + weights.steps))  # the first ones count less
        mean = jax.tree.map(lambda old, new: keep * old + (1.0 - keep) * new, weights.mean, params)
        return Weights(params, mean, moments, weights.steps + 1), losses

    return step


def _on_held(step: Any, shape: Shape) -> Any:
    """The step on positions that are there already, by their places."""

    def on_held(weights: Weights, rows: Rows, places: Any, images: Any, rate: Any) -> Any:
        planes = rows.planes[places].astype(np.float32).reshape(-1, *shape.observation)
        return step(weights, Shown(planes, rows.policies[places], rows.values[places], images), rate)

    return on_held
