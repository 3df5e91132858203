"""One tree on the processor, each of whose leaves a tree of a forest searches for itself. Start at LeafTrees.

Leaf parallelization (Cazenave & Jouandeau 2007, "On the parallelization of UCT") in bundles, with a short search in
the place of a playout: leaves are collected by virtual loss (mcts/loops/batches.py) and judged together, on a card or
on all cores. What their trees visited are the priors of the moves, and what they found is the value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import seed_of
from ponderosa.errors import SettingError
from ponderosa.forest.growing import GrowingForest
from ponderosa.mcts.engines.evaluator import MOST_LEAVES
from ponderosa.mcts.policies.composition import composed
from ponderosa.mcts.settings import NAMES, SearchSettings
from ponderosa.mcts.tree_search import TreeSearch
from ponderosa.mcts.turn import in_turn

LEAVES = 256
"""How many leaves are judged together if nothing is said."""
ITERATIONS = 64
"""How many iterations the tree of a leaf gets."""


class LeafJudge:
    """An evaluator: a short search of each of its states, by a tree of their own."""

    def __init__(
        self,
        game: Game,
        trees: int = LEAVES,
        iterations: int = ITERATIONS,
        device: str = "auto",
        settings: SearchSettings | None = None,
    ) -> None:
        """`trees` is how many states it judges at once, at most, and `iterations` how long it searches each."""
        check_number("trees", trees, 1, MOST_LEAVES, whole=True)
        if game.players > 2:
            raise SettingError("trees judge leaves in games of one or two players: parallel='merge' takes all")
        self.trees, self._game, self._iterations = int(trees), game, iterations
        self._forest = GrowingForest(game, self.trees, device=device, settings=settings)
        self._forest.warm_up()

    def __call__(self, states: Any) -> tuple[Any, Any]:
        """Priors by action, and the expected results of the players to move."""
        spare = np.repeat(states[:1], self.trees - len(states))
        found = self._forest.run(np.concatenate([states, spare]), iterations=self._iterations)
        certain = found.certain_values
        means = np.where(np.isnan(certain), found.best_values, certain)[: len(states)]
        low, high = self._game.min_utility, self._game.max_utility
        return self._priors(found.visits[: len(states)]), low + means * (high - low)

    def _priors(self, visits: Any) -> Any:
        """One more than the visits of each action, for some were not tried; all alike where numbers have gaps."""
        priors = np.ones((len(visits), self._game.max_actions))
        if visits.shape[1] > priors.shape[1]:
            return None
        priors[:, : visits.shape[1]] += visits
        return priors

    def restart(self, seed: int) -> None:
        """Begin the random numbers anew."""
        self._forest.restart(seed)


class LeafTrees(TreeSearch):
    """A search whose leaves are judged by trees of their own, many at a time."""

    def __init__(self, game: Any, settings: SearchSettings) -> None:
        if settings.evaluator is not None:
            raise SettingError("parallel='leaf' judges leaves by trees, or an evaluator does: leave one of them out")
        if not isinstance(game, Game) or game.dtype is None:
            raise SettingError("many trees are for a Game with a dtype: for Python states, leave trees and device out")
        own = replace(settings, select=settings.select or "puct", device="auto", trees=None, parallel="merge")
        policies = composed(game, own, NAMES)
        made = replace(own, utility=None).with_policies(policies)
        below = SearchSettings(playout=policies.playout, solve=settings.solve, seed=seed_of(settings.seed, 1))
        self._judge = LeafJudge(game, settings.trees or LEAVES, ITERATIONS, settings.device, below)
        self._asked = replace(settings, select=own.select)
        super().__init__(game, replace(made, playout="random", evaluator=self._judge, batch=self._judge.trees))

    def _made_with(self) -> tuple[Any, SearchSettings]:
        return self.game, replace(self._asked, seed=self.seed)

    @in_turn
    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        self._judge.restart(seed_of(self.seed, 1))
