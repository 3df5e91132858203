"""Asking an evaluator, such as a neural network, about many leaves at once. Start at Asker.

An evaluator is a function of your own: `evaluator(states) -> (priors, values)`. `states` are the records of the leaves
in one NumPy array, or a list of Python states; `sees_planes` asks for what the game's `observe` fills in. `values` are
the expected returns, in the measure of the game's `returns`: one for each player, or for two players one for the player
to move. `priors[i][action]` says how much an action is worth trying, in any scale from 0 up; None makes all alike.
mcts/loops/batches.py is the loop around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ponderosa.core.numbers import check_number
from ponderosa.core.observation import shape_of
from ponderosa.errors import PonderosaError, SettingError
from ponderosa.mcts.loops import batches
from ponderosa.mcts.loops.workspace import Batch
from ponderosa.mcts.policies.base import PlayoutPolicy, Policies
from ponderosa.mcts.settings import Evaluate
from ponderosa.mcts.tree.counters import Counters
from ponderosa.mcts.tree.node import Nodes

MOST_LEAVES = 4096
SLACK = 1e-6
"""How far outside of the range of results a value may be, by rounding, as a share of the range."""
ROUNDS = 8
"""How many times the size of the batch, iterations may end without the evaluator before it is asked."""
ASKED = PlayoutPolicy(lambda game, state, spare, actions, params, rng, values: 0, (), "evaluator", {}, judged=True)
"""What stands in the place of a playout that is never played."""


def sees_planes(evaluator: Evaluate) -> Evaluate:
    """Say of an evaluator that it is handed what the game's `observe` fills in, and not records.

        @sees_planes
        def judge(planes):  # (positions, rows, columns, planes)
            return priors, values

    `ponderosa docs evaluators` shows some.
    """
    evaluator.sees = "planes"  # type: ignore[attr-defined]
    return evaluator


def wants_planes(evaluator: Evaluate | None) -> bool:
    """Whether that was said of an evaluator."""
    return getattr(evaluator, "sees", "records") == "planes"


def fitted(policies: Policies, evaluator: Any, batch: Any, game: Any) -> Policies:
    """The policies of a search with an evaluator, or an error that says what would fit one."""
    if not callable(evaluator):
        raise SettingError(f"evaluator is a function of a batch of states, not {evaluator!r}")
    check_number("batch", batch, 1, MOST_LEAVES, whole=True)
    if game.viewed:
        raise SettingError(
            "an evaluator judges states that all players see: not where something is hidden or all choose at once"
        )
    if wants_planes(evaluator):
        shape_of(game)  # or the reason why nothing is seen of it
    select, playout = policies.select, policies.playout
    if not (playout.replaceable or playout.judged) or playout.rollouts != 1:
        raise SettingError(f"an evaluator takes the place of playouts: leave out playout={playout.name} and rollouts")
    if select.moves or select.static or select.mixed or select.scaled:
        raise SettingError(f"{select} needs playouts, or values that an evaluator does not give; puct needs none")
    needs = tuple(need for need in select.needs if need != "prior")
    return replace(policies, select=replace(select, needs=needs), playout=ASKED)


def no_prior(action: int) -> SettingError:
    """What to say when the evaluator's rows are too short."""
    return SettingError(f"the evaluator gives no prior for the action {action}: its rows need {action + 1} columns")


class Asker:
    """The batch of a search, and the evaluator that judges it."""

    def __init__(
        self, evaluator: Evaluate, players: int, scale: tuple[float, float], batch: Batch, leaves: Any, actions: Any
    ):
        """`leaves(count)` shows the first states of the batch to the evaluator; `actions` says what numbers mean."""
        self._evaluate, self._players, self._scale = evaluator, players, scale
        self._batch, self._leaves, self._actions = batch, leaves, actions

    def grow(self, iterations: int, nodes: Nodes, counters: Counters, run: Callable[[int, Batch], int]) -> int:
        """Collect leaves, ask, and use the answers; returns how many iterations ended. No leaf is left waiting."""
        try:
            done = int(run(iterations, self._batch))
            waiting = int(counters["waiting"])
            if waiting == 0:
                return done
            self._ask(waiting)
            return done + int(run(0, self._batch))
        except BaseException:
            batches.withdraw(nodes, counters, self._batch)
            raise

    def _ask(self, count: int) -> None:
        priors, values = self.judged(self._leaves(count), count)
        self._batch = self._batch._replace(priors=priors, values=values)

    def judged(self, states: Any, count: int) -> tuple[Any, Any]:
        """What the evaluator says of this many states, checked: priors, and values from 0 to 1."""
        return self.checked(*self.asked(states), count)

    def asked(self, states: Any) -> tuple[Any, Any]:
        """What the evaluator says, as it says it."""
        try:
            answer = self._evaluate(states)
        except PonderosaError:
            raise
        except Exception as error:
            raise SettingError(f"the evaluator raised {type(error).__name__}: {error}") from error
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise SettingError(f"an evaluator returns (priors, values), not {type(answer).__name__}")
        return answer

    def checked(self, priors: Any, values: Any, count: int) -> tuple[Any, Any]:
        """Priors and values of this many states as numbers that a loop may believe."""
        return self._checked_priors(priors, count), self._checked_values(values, count)

    def columns(self, shape: tuple[int, ...], count: int) -> int:
        """How many values there are of each state."""
        if shape == (count,) and self._players <= 2:
            return 1
        if shape == (count, self._players) or (shape == (count, 1) and self._players <= 2):
            return shape[1]
        raise SettingError(
            f"an evaluator returns values of the shape ({count}, {self._players}), one for each state and player"
            f"{f', or ({count},) for the player to move' if self._players == 2 else ''}; not {shape}"
        )

    @property
    def range(self) -> tuple[float, float]:
        """The least and the most that a game returns."""
        return self._scale

    def _checked_values(self, given: Any, count: int) -> Any:
        values = as_numbers("values", given)
        values = values.reshape(count, self.columns(values.shape, count))
        low, high = self._scale
        least, most = values.min(), values.max()
        slack = SLACK * (high - low)
        if not (least >= low - slack and most <= high + slack):  # which is so of nan, too
            raise SettingError(
                f"an evaluator's values are returns of the game, from {low:g} to {high:g}; "
                f"these go from {least:g} to {most:g}"
            )
        return np.ascontiguousarray(np.clip((values - low) / (high - low), 0.0, 1.0))

    def _checked_priors(self, given: Any, count: int) -> Any:
        if given is None:
            return np.zeros((count, 0))
        if self._actions is not None:
            return PriorsByState(given, count, self._actions)
        priors = as_numbers("priors", given)
        check_rows(priors.shape, count)
        if not (priors.min(initial=0.0) >= 0.0 and priors.max(initial=0.0) < np.inf):  # which is so of nan, too
            raise SettingError("an evaluator's priors are numbers of at least 0: give logits through a softmax")
        return np.ascontiguousarray(priors)


def check_rows(shape: tuple[int, ...], count: int) -> None:
    """Priors have a row for each state."""
    if len(shape) != 2 or shape[0] != count:
        raise SettingError(
            f"an evaluator returns priors of the shape ({count}, actions), "
            f"one row for each state and one column for each action, or None; not {shape}"
        )


class PriorsByState:
    """Priors of Python states: a row is an array by action, or a dict; looked at like a two-dimensional array."""

    def __init__(self, rows: Any, count: int, actions: Any) -> None:
        if not hasattr(rows, "__len__") or len(rows) != count:
            raise SettingError(f"an evaluator returns priors for each of the {count} states, or None")
        self.rows, self.actions, self.shape = rows, actions, (count, batches.MANY)

    def __getitem__(self, place: tuple[int, int]) -> float:
        action = self.actions[place[1]]
        try:
            share = float(self.rows[place[0]][action])
        except (KeyError, IndexError, TypeError, ValueError):
            raise SettingError(f"the evaluator gives no prior for the action {action!r}") from None
        if not 0.0 <= share < float("inf"):
            raise SettingError(f"an evaluator's priors are numbers of at least 0, not {share!r}")
        return share


def as_numbers(what: str, given: Any) -> Any:
    """What an evaluator returns, in memory of the processor."""
    if hasattr(given, "detach"):  # a tensor of PyTorch, which may still carry its gradient
        given = given.detach().cpu()
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SettingError(f"an evaluator returns {what} as an array of numbers: {error}") from None
