"""A wrapper that records what an environment was told, so that it can be repeated. Start at Recorded."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np


class Recorded(gymnasium.Wrapper):  # type: ignore[misc, type-arg, unused-ignore]
    """Keeps the seed and the actions since the last reset; a reset without a seed gets one."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.last_observation: Any = None
        """What was seen last."""
        self._seed = 0
        self._options: dict[str, Any] | None = None
        self._actions: list[Any] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environment does."""
        self._seed = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        self._options, self._actions = options, []
        self.last_observation, info = self.env.reset(seed=self._seed, options=options)
        return self.last_observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment does."""
        self.last_observation, *rest = self.env.step(action)
        self._actions.append(action)
        reward, terminated, truncated, info = rest
        return self.last_observation, reward, terminated, truncated, info

    def actions_since_reset(self) -> tuple[int, dict[str, Any] | None, list[Any]]:
        """The seed and the options of the last reset, and the actions since then."""
        return self._seed, self._options, list(self._actions)
