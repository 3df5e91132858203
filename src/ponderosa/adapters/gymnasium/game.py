"""Gymnasium's environments by name: `gymnasium:FrozenLake-v1(is_slippery=false)`. Start at GymnasiumGame.

One player collects the rewards of an episode. What the environment publishes as a table of transitions is dice
(table.py); random numbers that only its program knows are hidden from the player (seeded.py).
"""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from ponderosa.adapters.gymnasium.seeded import MOST_STARTS, SeededWorld, Stage
from ponderosa.adapters.gymnasium.spaces import listed_actions
from ponderosa.adapters.gymnasium.table import TableWorld, table_of
from ponderosa.adapters.world import WorldGame, package
from ponderosa.core.game import LONGEST
from ponderosa.core.rng import Rng, below
from ponderosa.core.spec import join_spec, read_value, split_spec
from ponderosa.errors import SettingError, unknown

EXTRA = "gymnasium"
LONG_EPISODE = 200
"""How many steps an episode may have where the environment sets no limit."""
NAMES = {
    "FrozenLakeEnv": ("left", "down", "right", "up"),
    "CliffWalkingEnv": ("up", "right", "down", "left"),
    "TaxiEnv": ("south", "north", "east", "west", "pick up", "drop off"),
    "BlackjackEnv": ("stick", "hit"),
    "CartPoleEnv": ("left", "right"),
    "MountainCarEnv": ("left", "wait", "right"),
}
"""What Gymnasium's documentation calls the actions of these environments."""
STEP_REWARDS = {"CartPoleEnv": (0.0, 1.0), "MountainCarEnv": (-1.0, 0.0), "AcrobotEnv": (-1.0, 0.0)}
"""The least and the most that a step brings."""


class GymnasiumGame(WorldGame):
    """An environment of Gymnasium, by its name and settings there: `gymnasium:Taxi-v4`."""

    name = "gymnasium"
    players = 1

    def __init__(
        self, name: str = "", discount: float = 1.0, least: float | None = None, most: float | None = None
    ) -> None:
        if not 0.0 < discount <= 1.0:
            raise SettingError(f"discount must be more than 0 and at most 1, not {discount!r}")
        self.discount = discount
        kind, settings = read_name(name)
        self._stage = Stage(kind, settings)
        env = self._stage.env
        self.world_name = join_name(kind, settings)
        self.steps = self._stage.most_steps or LONG_EPISODE
        self.actions = listed_actions(env.action_space)
        self._names = NAMES.get(type(env.unwrapped).__name__, ())
        self._table = table_of(env)
        self.chance = self._table is None or self._table.chance
        self.hidden = self._table is None
        low, high = self._table.bounds() if self._table is not None else self._bounds(type(env.unwrapped).__name__)
        self.min_utility, self.max_utility = low if least is None else least, high if most is None else most
        if self.hidden and not (math.isfinite(self.min_utility) and math.isfinite(self.max_utility)):
            raise SettingError(
                f"{self.world_name} does not say what an episode may bring: write the least and the most, "
                f"as in gymnasium:{self.world_name},least=0,most=100"
            )
        self.max_game_length = min(2 * self.steps + 1, LONGEST)
        self.max_actions = max(len(self.actions), MOST_STARTS, 1)

    def _bounds(self, kind: str) -> tuple[float, float]:
        """The least and the most of an episode, of environments whose rewards are known."""
        a_step = STEP_REWARDS.get(kind)
        if a_step is not None:
            return a_step[0] * self.steps, a_step[1] * self.steps
        return (-1.0, 1.5) if kind == "BlackjackEnv" else (-math.inf, math.inf)

    def new_world(self) -> Any:
        if self._table is not None:
            return TableWorld(self, self._table, self._stage)
        return SeededWorld(self, self._stage)

    def seen(self, world: Any, player: int) -> str:
        return str(world.seen())

    def shown(self, world: Any, player: int | None) -> str:
        return str(world)

    def concealed(self, world: Any, player: int) -> Any:
        return world.with_another_future() if self.hidden else world

    def resampled(self, world: Any, player: int, rng: Rng) -> Any:
        twin = world.clone()
        twin.draw_future(int(below(rng, 2**31 - 1)))
        return twin

    def words(self, number: int) -> str:
        """What an action is called."""
        if len(self._names) == len(self.actions):
            return self._names[number]
        action = self.actions[number]
        return ",".join(map(str, action.ravel())) if isinstance(action, np.ndarray) else str(action)


def read_name(text: str) -> tuple[str, dict[str, Any]]:
    """An environment's name and settings: `FrozenLake-v1(map_name=8x8)`."""
    gymnasium = package("gymnasium", EXTRA)
    kind, settings = read_settings_of(
        text, "environment", "gymnasium:FrozenLake-v1 or gymnasium:FrozenLake-v1(map_name=8x8)"
    )
    if kind not in gymnasium.registry and ":" not in kind and "/" not in kind:
        raise unknown("environment of Gymnasium", kind, list(gymnasium.registry))
    return kind, settings


def read_settings_of(text: str, what: str, example: str) -> tuple[str, dict[str, Any]]:
    """A name and the settings in brackets behind it, each as what it looks like."""
    kind, bracket, inner = text.strip().partition("(")
    if not kind:
        raise SettingError(f"say which {what}, as in {example}")
    given = split_spec(f"settings:{inner.strip().removesuffix(')')}")[1] if bracket else {}
    return kind, {key: _value(key, value) for key, value in given.items()}


def join_name(kind: str, settings: dict[str, Any]) -> str:
    """What `read_name` reads so, equal texts for equal settings."""
    if not settings:
        return kind
    texts = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in settings.items()}
    return f"{kind}({join_spec('', dict(sorted(texts.items()))).removeprefix(':')})"


def _value(key: str, text: str) -> Any:
    return read_value(f"{key} of the environment", text, inspect.Parameter.empty, None)
