"""What a forest found, as arrays. Start at ForestReport."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ponderosa.core.bounds import is_settled, lower_bound
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import check_seed

UNKNOWN = np.nan
Number = TypeVar("Number", bound=np.generic)


@with_field_texts
@dataclass(frozen=True)
class ForestReport:
    """What was found at the roots, a row for each tree.

    `visits`, `values` and `proven` have a column for each action: `report.visits[tree, action]`. Values are for the
    player to move, from 0 (a loss) to 1 (a win).
    """

    best_actions: npt.NDArray[np.int32]
    """What to play, by tree; -1 where the game is over."""
    iterations: npt.NDArray[np.int64]
    """Iterations of this run, by tree; a tree whose root is proven needs fewer."""
    nodes: npt.NDArray[np.int64]
    """Nodes, by tree."""
    seconds: float
    """How long the run took."""
    stopped: str
    """What ended it: "iterations", "interrupted" or "progress"."""
    seed: int
    """The seed that repeats it, from a new forest."""
    device: str
    """Where it was searched."""
    found: Any = field(repr=False)
    """The tables of Found (forest/kernel.py); from a card they are fetched when somebody looks."""

    @property
    def best_values(self) -> npt.NDArray[np.float64]:
        """The mean result of the best actions, for the player to move; nan where the game is over."""
        values: npt.NDArray[np.float64] = self.found.value
        return values

    @property
    def child_actions(self) -> npt.NDArray[np.int32]:
        """The actions that the trees know of at their roots, in increasing order; -1 behind them."""
        actions: npt.NDArray[np.int32] = self.found.actions
        return actions

    @property
    def child_visits(self) -> npt.NDArray[np.int32]:
        """The visits of those actions."""
        visits: npt.NDArray[np.int32] = self.found.visits
        return visits

    @property
    def child_values(self) -> npt.NDArray[np.float64]:
        """The means of those actions."""
        values: npt.NDArray[np.float64] = self.found.values
        return values

    @property
    def child_proven(self) -> npt.NDArray[np.int32]:
        """What is proven of those actions, as core/bounds.py writes it."""
        proven: npt.NDArray[np.int32] = self.found.proven
        return proven

    @property
    def child_improved(self) -> npt.NDArray[np.float64]:
        """The improved policy of those actions."""
        shares: npt.NDArray[np.float64] = self.found.improved
        return shares

    @property
    def root_proven(self) -> npt.NDArray[np.int32]:
        """The same of the roots."""
        proven: npt.NDArray[np.int32] = self.found.certain
        return proven

    @property
    def columns(self) -> int:
        """How many columns an array by action has: one more than the highest action."""
        return int(self.child_actions.max(initial=-1)) + 1

    @cached_property
    def visits(self) -> npt.NDArray[np.int32]:
        """How many iterations tried an action."""
        return self._by_action(self.child_visits, 0)

    @cached_property
    def values(self) -> npt.NDArray[np.float64]:
        """The mean result of an action; nan: never tried, or not legal."""
        return self._by_action(self.child_values, UNKNOWN)

    @cached_property
    def proven(self) -> npt.NDArray[np.float64]:
        """What is certain of an action: 1 a win, 0.5 a draw, 0 a loss; nan: nothing."""
        return self._by_action(certain(self.child_proven), UNKNOWN)

    @cached_property
    def certain_values(self) -> npt.NDArray[np.float64]:
        """What is certain for the player to move at each root, as in `proven`."""
        return certain(self.root_proven)

    @property
    def policy(self) -> npt.NDArray[np.float64]:
        """The share of the visits that each action has, by tree."""
        total = self.visits.sum(axis=1, keepdims=True)
        shares: npt.NDArray[np.float64] = self.visits / np.maximum(total, 1)
        return shares

    @cached_property
    def improved(self) -> npt.NDArray[np.float64]:
        """The improved policy of `select="gumbel"`, by tree: of self-play, what a network learns to predict.

        Of other policies, the share of the visits.
        """
        return self._by_action(self.child_improved, 0.0)

    def sample(self, temperature: float = 1.0, seed: int = 0) -> npt.NDArray[np.int32]:
        """An action for each tree, drawn by its visits: as they are at temperature 1, nearly the best one near 0.

        -1 where the game is over.
        """
        check_number("temperature", temperature, 1e-3, 1000)
        check_seed(seed)
        with np.errstate(divide="ignore"):
            logs = np.log(self.child_visits) / temperature
        draws = logs + np.random.default_rng(seed).gumbel(size=logs.shape)  # the largest is a draw by the shares
        rows = np.arange(len(self))
        drawn = self.child_actions[rows, draws.argmax(axis=1)]
        return np.where(self.child_visits.any(axis=1), drawn, self.best_actions).astype(np.int32)

    def _by_action(self, children: npt.NDArray[Number], nothing: Any) -> npt.NDArray[Number]:
        """What is known of children, with a column for each action."""
        table: npt.NDArray[Number] = np.full((len(children), self.columns), nothing, children.dtype)
        rows, places = np.nonzero(self.child_actions >= 0)
        table[rows, self.child_actions[rows, places]] = children[rows, places]
        return table

    def __len__(self) -> int:
        return len(self.best_actions)


def certain(proven: Any) -> npt.NDArray[np.float64]:
    """What is proven as numbers: 1 a win, 0.5 a draw, 0 a loss; nan: nothing."""
    return np.where(is_settled(proven), 0.5 * lower_bound(proven), UNKNOWN)
