"""Going back to a position of an environment: by its state, or by repeating its actions. Start at copy_of.

An environment is a program with random numbers in it. A copy that keeps them sees what will happen, and a plan that is
made with it is worth more than any policy can get. Both ways here give the copy random numbers of its own.
"""

from __future__ import annotations

import copy
import random
import types
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ponderosa.adapters.gymnasium.spaces import key_of, listed_actions
from ponderosa.errors import GameError, SettingError

WAYS = STATE, REPLAY, AUTO = "state", "replay", "auto"
PASSING = ("PassiveEnvChecker", "OrderEnforcing", "TimeLimit")
"""Wrappers that change nothing of a step that is in order; TimeLimit's count of steps is kept by whoever plans."""
CONSTANT = ("P", "spec", "metadata", "observation_space", "action_space", "_observation_space", "_action_space")
"""What an environment has and never changes: the table of transitions, above all, is large."""
SOURCES = (np.random.Generator, np.random.RandomState, random.Random)
SHARED = (types.FunctionType, types.MethodType, types.ModuleType, type)
PROBE = 24
"""How many steps are repeated to see whether a copy does as it should."""

Redraw = Callable[[Any, np.random.Generator], Any]
"""Draws anew, in an environment, what its player cannot see; it gets the environment and random numbers."""


class Copy(Protocol):
    """An environment of one's own that can be brought to the position of another."""

    way: str
    """STATE or REPLAY."""
    env: Any
    """What `step` is called on after `load`."""

    def save(self) -> None:
        """Keep the position that the original has now."""

    def load(self) -> None:
        """Bring `env` to the position that was kept; its random numbers to come are fresh ones."""


def copy_of(env: Any, way: str, rng: np.random.Generator, redraw: Redraw | None) -> Copy:
    """A copy by the way that is asked for; "auto" is by the state if that does as it should."""
    if any(vars(layer).get("_has_reset") is False for layer in _layers(env)):
        raise GameError(f"{env} has no position yet: reset it first, seen, _ = env.reset(seed=1)")
    if way == REPLAY:
        return ByReplay(env, rng, redraw)
    try:
        found = ByState(env, rng)
        found.save()
        check_repeats(found, env.action_space)
        found.redraw = redraw
    except Exception as error:
        if way == AUTO and hasattr(env, "actions_since_reset"):
            return ByReplay(env, rng, redraw)
        raise GameError(
            f"the state of {env} cannot be copied ({type(error).__name__}: {error}); "
            "make it with Recorded(env), so that its actions can be repeated"
        ) from error
    return found


class ByState:
    """Copies what an environment's objects hold, but for its random numbers."""

    way = STATE

    def __init__(self, env: Any, rng: np.random.Generator) -> None:
        self._rng = rng
        self.redraw: Redraw | None = None
        self._original = without_passing(env)
        self.env = _twin(self._original, env)
        self._layers = list(zip(_layers(self._original), _layers(self.env), strict=True))
        self._kept: list[tuple[dict[str, Any], dict[str, Any], list[tuple[str, Any]]]] = []

    def save(self) -> None:
        self._kept = []
        for theirs, own in self._layers:
            found = attributes_of(theirs)
            fixed = {name: value for name, value in found.items() if _never_changes(value)}
            moving = [(name, copy.deepcopy(value)) for name, value in found.items() if name not in fixed]
            drawn = {name: value for name, value in vars(theirs).items() if isinstance(value, SOURCES)}
            fixed |= {name: fresh(value, self._rng) for name, value in drawn.items()}
            self._kept.append((vars(own), fixed, moving))

    def load(self) -> None:
        for own, fixed, moving in self._kept:
            own.update(fixed)
            for name, value in moving:
                own[name] = value.copy() if type(value) is np.ndarray else copy.deepcopy(value)
        if self.redraw is not None:
            self.redraw(self.env.unwrapped, self._rng)


class ByReplay:
    """Repeats all actions since the reset, from the same seed, and takes fresh random numbers then."""

    way = REPLAY

    def __init__(self, env: Any, rng: np.random.Generator, redraw: Redraw | None) -> None:
        if not hasattr(env, "actions_since_reset"):
            raise SettingError("actions can be repeated that were recorded: make the environment with Recorded(env)")
        self._recorded, self._rng, self._redraw = env, rng, redraw
        self.env = _twin(without_passing(env.env), env.env)

    def save(self) -> None:
        self._seed, self._options, self._actions = self._recorded.actions_since_reset()
        if key_of(self._repeat()) != key_of(self._recorded.last_observation):
            raise GameError(f"{self._recorded} does not do the same again from the same seed: nobody can copy it")

    def load(self) -> None:
        self._repeat()
        for layer in _layers(self.env):
            for name, value in list(vars(layer).items()):
                if isinstance(value, SOURCES):
                    vars(layer)[name] = fresh(value, self._rng)
        if self._redraw is not None:
            self._redraw(self.env.unwrapped, self._rng)

    def _repeat(self) -> Any:
        seen, _ = self.env.reset(seed=self._seed, options=self._options)
        for action in self._actions:
            seen = self.env.step(action)[0]
        return seen


def attributes_of(layer: Any) -> dict[str, Any]:
    """What a step may change in an environment or a wrapper, its random numbers excepted."""
    return {
        name: value
        for name, value in vars(layer).items()
        if not (name in CONSTANT or name == "env" or isinstance(value, SHARED + SOURCES) or _is_drawn(value))
    }


def fresh(source: Any, rng: np.random.Generator) -> Any:
    """A source of random numbers of the same kind, which nobody has seen."""
    if isinstance(source, np.random.Generator):
        return rng
    seed = int(rng.integers(2**32))
    return random.Random(seed) if isinstance(source, random.Random) else np.random.RandomState(seed)


def without_passing(env: Any) -> Any:
    """The environment itself, where its wrappers only watch; with all of them, where one does more."""
    layers = _layers(env)
    return layers[-1] if all(type(layer).__name__ in PASSING for layer in layers[:-1]) else env


def steps_left(env: Any) -> int | None:
    """After how many more steps a wrapper ends the episode; None: there is no such limit."""
    limits = [layer for layer in _layers(env) if type(layer).__name__ == "TimeLimit"]
    left = [int(layer._max_episode_steps) - int(layer._elapsed_steps or 0) for layer in limits]
    return min(left, default=None)


def check_repeats(copied: Copy, space: Any) -> None:
    """Two copies of a position must go the same way with the same random numbers: else they are none."""
    actions = listed_actions(space)
    runs = []
    for _ in range(2):
        copied.load()
        for layer in _layers(copied.env):
            for name, value in list(vars(layer).items()):
                if isinstance(value, SOURCES):
                    vars(layer)[name] = fresh(value, np.random.default_rng(1))
        chosen, seen = random.Random(1), []
        for _ in range(PROBE):
            observation, reward, terminated, truncated, _ = copied.env.step(chosen.choice(actions))
            seen.append((key_of(observation), float(reward), bool(terminated)))
            if terminated or truncated:
                break
        runs.append(seen)
    if runs[0] != runs[1]:
        raise GameError("two copies of one state went different ways")


def _layers(env: Any) -> list[Any]:
    """The wrappers, the outermost first, and what they wrap."""
    found = [env]
    while found[-1] is not found[-1].unwrapped:
        found.append(found[-1].env)
    return found


def _twin(inner: Any, env: Any) -> Any:
    """Another environment like it: a deep copy, or one that is made as it was."""
    try:
        return copy.deepcopy(inner)
    except Exception:
        if env.spec is None or inner is not inner.unwrapped:
            raise
    import gymnasium

    spec = copy.deepcopy(env.spec)
    spec.kwargs.pop("render_mode", None)
    twin = gymnasium.make(spec, disable_env_checker=True)
    twin.reset()
    return twin.unwrapped


def _never_changes(value: Any) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(map(_never_changes, value))
    return value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic)


def _is_drawn(value: Any) -> bool:
    """Whether it belongs to a window."""
    return type(value).__module__.partition(".")[0] == "pygame"
