"""Planning in an environment with rewards along the way. Start at Planner.plan.

Each trial begins at the environment's position, with random numbers that nobody has seen; it follows the search down to
a position that is new, and plays on from there. Nothing of the future is seen in advance: what happened is counted, and
never looked up.

Where observations can be equal, positions in which the same is seen are one, and what was learnt on one way serves on
all. An action's value is then its mean reward, and the values of the positions that followed, by how often they did; a
position's value is that of its best action: partial Bellman backups, as of DP-UCT (Keller & Helmert 2013).

Where they cannot, positions are the actions that lead there, and an action's value is the mean of what its trials
brought, over everything that may happen on the way: open-loop search.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ponderosa.adapters.gymnasium.copying import AUTO, WAYS, Copy, Redraw, copy_of, steps_left
from ponderosa.adapters.gymnasium.hidden import redraw_for
from ponderosa.adapters.gymnasium.spaces import ACTIONS, HISTORY, SEEN, can_be_equal, key_of, listed_actions
from ponderosa.core.budget import Budget
from ponderosa.errors import SettingError

HORIZON = 200
"""How many steps a trial may have where the environment sets no limit."""
END = None
"""The key of every position at which an episode is over."""


class Position:
    """What is known of a position, or of all in which the same is seen."""

    __slots__ = ("followed", "number", "rewards", "tried", "untried", "value", "values", "visits")

    def __init__(self, number: int, value: float, order: list[int]) -> None:
        actions = len(order)
        self.number = number
        self.value = value
        """What is still to come, discounted: at first what one random play from here has brought."""
        self.visits = 0
        self.tried = [0] * actions
        self.rewards = [0.0] * actions
        """The sum of what each action brought at once."""
        self.values = [0.0] * actions
        self.followed: list[dict[Hashable, int]] = [{} for _ in range(actions)]
        """For each action, how often it led to which position."""
        self.untried = order


@dataclass(frozen=True)
class PlannedAction:
    """An action at the position that was planned for."""

    action: Any
    visits: int
    """How many trials took it."""
    value: float
    """What is expected after it, discounted."""


@dataclass(frozen=True)
class Plan:
    """What was found."""

    actions: tuple[PlannedAction, ...]
    """All that were tried, the best one first."""
    iterations: int
    """How many trials there were."""
    steps: int
    """How many steps of the environment they took."""
    seconds: float
    positions: int
    """How many positions are known."""
    copied: str
    """How the environment was copied: "state" or "replay"."""
    nodes: str
    """What makes two positions one: "seen", "history" or "actions"."""

    @property
    def best_action(self) -> Any:
        """What to do."""
        return self.actions[0].action

    @property
    def value(self) -> float:
        """What is expected from here on, discounted."""
        return self.actions[0].value

    def __str__(self) -> str:
        rows = [("Action", "Visits", "Value")]
        rows += [(str(entry.action), f"{entry.visits:,}", f"{entry.value:.4g}") for entry in self.actions]
        table = "\n".join(f"{action:<8}{visits:>10}{value:>10}" for action, visits, value in rows)
        return (
            f"{table}\n{self.iterations:,} trials, {self.steps:,} steps in {self.seconds:.2f} s; "
            f"{self.positions:,} positions, told apart by {self.nodes}, copied by {self.copied}"
        )


class Planner:
    """Plans in one environment, and keeps what it has learnt from step to step of an episode, and between episodes."""

    def __init__(
        self,
        env: Any,
        *,
        discount: float = 0.99,
        horizon: int | None = None,
        nodes: str | None = None,
        copy: str = AUTO,
        redraw: Redraw | None = None,
        playout: Callable[[Any], Any] | None = None,
        c: float = 1.0,
        seed: int = 0,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`env` is reset before the first plan. `discount` is what a reward one step later is worth.

        `horizon` is the most steps that a trial looks ahead; None: to the environment's own limit. `nodes` says what
        makes two positions one: "seen", the last observation; "history", all observations since; "actions", only the
        actions; None: what was seen, if observations can be equal. `copy` is "state", "replay" (of a Recorded
        environment) or "auto". `redraw(env, rng)` draws anew what a player cannot see. `playout(observation)` is the
        action with which play goes on from new positions; None: any. More `c` explores more.
        """
        if not 0.0 < discount <= 1.0:
            raise SettingError(f"discount must be more than 0 and at most 1, not {discount!r}")
        if nodes not in (None, SEEN, HISTORY, ACTIONS):
            raise SettingError(f"nodes is {SEEN!r}, {HISTORY!r} or {ACTIONS!r}, not {nodes!r}")
        if copy not in WAYS:
            raise SettingError(f"copy is {', '.join(map(repr, WAYS))}, not {copy!r}")
        if horizon is not None and (isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1):
            raise SettingError(f"horizon must be a whole number of at least 1, or None, not {horizon!r}")
        if not hasattr(env, "action_space"):
            raise SettingError(f"env is an environment of Gymnasium, as gymnasium.make makes it, not {env!r}")
        self.env, self.discount, self.horizon, self._c, self._clock = env, discount, horizon, c, clock
        self.actions = listed_actions(env.action_space)
        self.nodes = nodes or (SEEN if can_be_equal(env.observation_space) else ACTIONS)
        self._random, self._playout = random.Random(seed), playout
        self._way, self._redraw = copy, redraw or redraw_for(env)
        self._rng = np.random.default_rng(seed)
        self._made: Copy | None = None
        self._known: dict[Hashable, Position] = {}
        self._steps = 0

    def plan(self, seen: Any = None, *, seconds: float | None = None, iterations: int | None = None) -> Plan:
        """Plan for the environment's position; `seen` is the observation there, needed where positions are told by it.

        Ctrl-C ends it with what it has.
        """
        budget = Budget(iterations, seconds)
        left = steps_left(self.env)
        most = min(HORIZON if left is None and self.horizon is None else math.inf, left or math.inf)
        most = int(min(most, self.horizon or math.inf))
        self._copy.save()
        root, began, self._steps, done = self._root(seen), self._clock(), 0, 0
        try:
            while (budget.iterations is None or done < budget.iterations) and (
                not done or budget.seconds is None or self._clock() - began < budget.seconds
            ):
                self._trial(root, most)
                done += 1
        except KeyboardInterrupt:
            if not any(root.tried):
                raise
        return self._found(root, done, self._clock() - began)

    @property
    def _copy(self) -> Copy:
        """The copy to plan in, made when the environment has been reset."""
        if self._made is None:
            self._made = copy_of(self.env, self._way, self._rng, self._redraw)
        return self._made

    def forget(self) -> None:
        """Begin anew."""
        self._known.clear()

    def _root(self, seen: Any) -> Position:
        """The position to plan for; where positions are told by their way from the root, all others are forgotten."""
        if self.nodes == SEEN:
            if seen is None:
                raise SettingError("say what is seen: plan(observation, seconds=...), as reset and step gave it")
            key: Hashable = key_of(seen)
        else:
            self.forget()
            key = ()
        return self._known.get(key) or self._new(key, 0.0)

    def _new(self, key: Hashable, value: float) -> Position:
        order = list(range(len(self.actions)))
        self._random.shuffle(order)
        found = self._known[key] = Position(len(self._known), value, order)
        return found

    def _trial(self, root: Position, most: int) -> None:
        """One way down to what is new, and the values of all positions on it anew, the last one first."""
        copied = self._copy
        copied.load()
        step, known, here, worth = copied.env.step, self._known, root, 0.0
        path: list[tuple[Position, int, float]] = []
        for depth in range(1, most + 1):
            index = self._chosen(here)
            observation, reward, terminated, truncated, _ = step(self.actions[index])
            key = END if terminated else self._key(here, index, observation)
            there = None if terminated else known.get(key)
            fresh = there is None and not terminated
            if fresh:
                there = self._new(key, 0.0 if truncated else self._played_out(observation, most - depth))
                worth = there.value
            path.append((here, index, float(reward)))
            here.visits += 1
            here.tried[index] += 1
            here.rewards[index] += float(reward)
            here.followed[index][key] = here.followed[index].get(key, 0) + 1
            self._steps += 1
            if there is None or fresh or truncated:
                break
            here = there
        for here, index, gained in reversed(path):
            if self.nodes == SEEN:
                self._back_up(here)
            else:
                worth = gained + self.discount * worth
                here.values[index] += (worth - here.values[index]) / here.tried[index]

    def _key(self, here: Position, index: int, observation: Any) -> Hashable:
        if self.nodes == SEEN:
            return key_of(observation)
        return (here.number, index) if self.nodes == ACTIONS else (here.number, index, key_of(observation))

    def _chosen(self, here: Position) -> int:
        """An action that was never tried; else the one of the greatest value and bonus.

        The spread of this position's values is the scale of its rewards. The bonus is c * spread * sqrt(N) / (1 + n)
        where values are those of the best that follows, which trying what seems bad does not spoil; and UCB1's where
        they are means.
        """
        if here.untried:
            return here.untried.pop()
        values, tried = here.values, here.tried
        spread = max(values) - min(values)
        if spread <= 1e-12:
            return tried.index(min(tried))
        if self.nodes == SEEN:
            more = self._c * spread * math.sqrt(here.visits)
            bounds = [value + more / (1 + times) for value, times in zip(values, tried, strict=True)]
        else:
            more = self._c * spread * math.sqrt(math.log(here.visits))
            bounds = [value + more / math.sqrt(times) for value, times in zip(values, tried, strict=True)]
        return bounds.index(max(bounds))

    def _back_up(self, here: Position) -> None:
        """V = max Q(a), Q(a) = (rewards + discount * sum of times * V) / tried."""
        known, discount, best = self._known, self.discount, -math.inf
        for index, followed in enumerate(here.followed):
            if followed:
                total = here.rewards[index]
                for key, times in followed.items():
                    if key is not END:
                        total += discount * times * known[key].value
                here.values[index] = total = total / here.tried[index]
                best = max(best, total)
        here.value = best

    def _played_out(self, seen: Any, most: int) -> float:
        """What the playout brings from here, discounted."""
        step, actions, draw, playout = self._copy.env.step, self.actions, self._random.random, self._playout
        total, worth = 0.0, 1.0
        for _ in range(most):
            action = actions[int(draw() * len(actions))] if playout is None else playout(seen)
            seen, reward, terminated, truncated, _ = step(action)
            self._steps += 1
            total += worth * float(reward)
            worth *= self.discount
            if terminated or truncated:
                break
        return total

    def _found(self, root: Position, iterations: int, seconds: float) -> Plan:
        entries = [
            PlannedAction(action, root.tried[index], root.values[index])
            for index, action in enumerate(self.actions)
            if root.tried[index]
        ]
        entries.sort(key=lambda entry: (-entry.value, -entry.visits))
        return Plan(tuple(entries), iterations, self._steps, seconds, len(self._known), self._copy.way, self.nodes)


def plan(
    env: Any, seen: Any = None, *, seconds: float | None = None, iterations: int | None = None, **more: Any
) -> Plan:
    """Plan once in an environment that has been reset: `plan(env, observation, seconds=1).best_action`.

    `more` are settings of Planner.
    """
    return Planner(env, **more).plan(seen, seconds=seconds, iterations=iterations)


def play(
    env: Any,
    *,
    episodes: int = 1,
    seconds: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
    **more: Any,
) -> list[float]:
    """Play episodes with a plan for every step, and say what each brought, undiscounted; `more` are for Planner."""
    totals, planner = [], None
    for episode in range(episodes):
        seen, _ = env.reset(seed=seed + episode)
        planner = planner or Planner(env, seed=seed, **more)
        total, over = 0.0, False
        while not over:
            found = planner.plan(seen, seconds=seconds, iterations=iterations)
            seen, reward, terminated, truncated, _ = env.step(found.best_action)
            total, over = total + float(reward), bool(terminated or truncated)
        totals.append(total)
    return totals
