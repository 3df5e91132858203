"""Actions and observations of Gymnasium as values that can be listed and compared. Start at listed_actions."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import Any

import numpy as np

from ponderosa.errors import SettingError

MOST_ACTIONS = 10_000
SEEN, HISTORY, ACTIONS = "seen", "history", "actions"
"""What makes two positions one for a planner: the last observation, all since its root, or only the actions."""


def kind_of(space: Any) -> str:
    """A space's class, by name: Gymnasium need not be imported to know it."""
    return type(space).__name__


def listed_actions(space: Any) -> list[Any]:
    """Every action of a space that can be counted."""
    kind = kind_of(space)
    if kind == "Discrete":
        return [int(space.start) + number for number in range(int(space.n))]
    if kind in ("MultiDiscrete", "MultiBinary"):
        sizes = np.full(space.shape, 2) if kind == "MultiBinary" else np.asarray(space.nvec)
        start = np.zeros(sizes.shape, int) if kind == "MultiBinary" else np.asarray(space.start)
        if np.prod(sizes, dtype=float) <= MOST_ACTIONS:
            found = itertools.product(*(range(int(size)) for size in sizes.ravel()))
            return [start + np.array(action).reshape(sizes.shape) for action in found]
    raise SettingError(
        f"actions must be such that they can be listed (Discrete, or a small MultiDiscrete or MultiBinary), not {space}"
    )


def can_be_equal(space: Any) -> bool:
    """Whether two observations of a space may well be the same: it has whole numbers only."""
    kind = kind_of(space)
    if kind in ("Discrete", "MultiDiscrete", "MultiBinary"):
        return True
    if kind == "Tuple":
        return all(map(can_be_equal, space.spaces))
    return kind == "Dict" and all(map(can_be_equal, space.spaces.values()))


def key_of(observation: Any) -> Hashable:
    """An observation as a value that tells whether two are equal."""
    if isinstance(observation, int | np.integer):
        return int(observation)
    if isinstance(observation, np.ndarray):
        return observation.tobytes()
    if isinstance(observation, tuple | list):
        return tuple(key_of(part) for part in observation)
    if isinstance(observation, dict):
        return tuple((name, key_of(observation[name])) for name in sorted(observation))
    return observation if isinstance(observation, Hashable) else repr(observation)
