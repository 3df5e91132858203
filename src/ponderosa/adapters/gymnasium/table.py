"""Environments that publish their table of transitions: what may happen are dice. Start at Table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ponderosa.adapters.gymnasium.copying import without_passing
from ponderosa.adapters.gymnasium.spaces import kind_of
from ponderosa.core.turns import CHANCE, TERMINAL

if TYPE_CHECKING:
    from ponderosa.adapters.gymnasium.game import GymnasiumGame
    from ponderosa.adapters.gymnasium.seeded import Stage


class Outcome(NamedTuple):
    """What an action may lead to."""

    chance: float
    state: int
    reward: float
    over: bool


class Table(NamedTuple):
    """All that may happen."""

    starts: tuple[tuple[int, float], ...]
    """Where an episode may begin, and how likely."""
    outcomes: dict[int, dict[int, list[Outcome]]]
    """By state and action."""

    @property
    def chance(self) -> bool:
        """Whether dice decide anything."""
        several = (len(found) > 1 for actions in self.outcomes.values() for found in actions.values())
        return len(self.starts) > 1 or any(several)

    def bounds(self) -> tuple[float, float]:
        """The least and the most of an episode, where only its end brings anything; else they are not known."""
        every = [one for actions in self.outcomes.values() for found in actions.values() for one in found]
        if any(one.reward and not one.over for one in every):
            return -math.inf, math.inf
        rewards = [0.0, *(one.reward for one in every)]
        return min(rewards), max(rewards)


def table_of(env: Any) -> Table | None:
    """The table of an environment that has one which says it all; equal outcomes are one."""
    inner = env.unwrapped
    known, begin = getattr(inner, "P", None), getattr(inner, "initial_state_distrib", None)
    whole = without_passing(env) is inner and kind_of(env.action_space) == "Discrete" and not env.action_space.start
    if not isinstance(known, dict) or begin is None or not whole or getattr(inner, "fickle_passenger", False):
        return None
    starts = tuple((int(state), float(begin[state])) for state in np.flatnonzero(begin))
    return Table(starts, {s: {a: _merged(found) for a, found in actions.items()} for s, actions in known.items()})


def _merged(found: list[tuple[float, int, float, bool]]) -> list[Outcome]:
    chances: dict[tuple[int, float, bool], float] = {}
    for chance, state, reward, over in found:
        key = int(state), float(reward), bool(over)
        chances[key] = chances.get(key, 0.0) + float(chance)
    return [Outcome(chance, *key) for key, chance in chances.items() if chance > 0.0]


class TableWorld:
    """A position, with the names of OpenSpiel's states."""

    def __init__(self, game: GymnasiumGame, table: Table, stage: Stage) -> None:
        self._game, self._table, self._stage = game, table, stage
        self._history: list[int] = []
        self._place = table.starts[0][0] if len(table.starts) == 1 else -1
        """The state's number; -1 before dice have said where it begins."""
        self._chosen = -1
        """The action whose outcome dice have yet to say."""
        self._steps, self._total, self._worth, self._over = 0, 0.0, 1.0, False

    def clone(self) -> TableWorld:
        """A copy; what never changes is shared."""
        twin = object.__new__(TableWorld)
        vars(twin).update(vars(self))
        twin._history = list(self._history)
        return twin

    def history(self) -> list[int]:
        """All actions and outcomes so far."""
        return list(self._history)

    def is_terminal(self) -> bool:
        """Whether the episode is over."""
        return self._over or (self._steps >= self._game.steps and self._chosen < 0)

    def current_player(self) -> int:
        """The one player, dice, or nobody."""
        if self.is_terminal():
            return TERMINAL
        return CHANCE if self._place < 0 or self._chosen >= 0 else 0

    def is_chance_node(self) -> bool:
        """Whether dice decide."""
        return self.current_player() == CHANCE

    def is_simultaneous_node(self) -> bool:
        """Never: there is one player."""
        return False

    def legal_actions(self) -> list[int]:
        """The numbers of the actions, or of the outcomes."""
        if self.is_terminal():
            return []
        return [number for number, _ in self.chance_outcomes()] if self.is_chance_node() else list(self._actions)

    @property
    def _actions(self) -> range:
        return range(len(self._game.actions))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Where it may begin, or what the action may lead to."""
        if self._place < 0:
            return list(self._table.starts)
        return [(number, one.chance) for number, one in enumerate(self._table.outcomes[self._place][self._chosen])]

    def apply_action(self, action: int) -> None:
        """Act, or let dice say what happens; what can only end in one way happens at once."""
        self._history.append(action)
        if self._place < 0:
            self._place = action
            return
        if self._chosen < 0:
            self._chosen, self._steps = action, self._steps + 1
            if len(self._table.outcomes[self._place][action]) > 1:
                return
            action = 0
        happened = self._table.outcomes[self._place][self._chosen][action]
        self._total += self._worth * happened.reward
        self._worth *= self._game.discount
        self._place, self._chosen, self._over = happened.state, -1, happened.over

    def returns(self) -> list[float]:
        """The rewards so far."""
        return [self._total]

    def action_to_string(self, player: int, action: int) -> str:
        """What an action is called, or where an outcome leads."""
        if not self.is_chance_node():
            return self._game.words(action)
        place = action if self._place < 0 else self._table.outcomes[self._place][self._chosen][action].state
        return f"to {place}"

    def seen(self) -> tuple[int, ...]:
        """All is seen."""
        return tuple(self._history)

    def __str__(self) -> str:
        if self._place < 0:
            return "before the start"
        shown = self._stage.picture_of({"s": self._place, "lastaction": None}) or f"state {self._place}"
        return f"{shown}\nstep {self._steps}, reward so far {self._total:g}"
