"""Select policies that learn mixed strategies, for players who choose at once or know different things.

Start at regret_matching. A node's children are one player's actions; each holds a sum that its probability follows
from, and the sum of its probabilities so far, which is the average strategy. What an action would have brought is
estimated by what it usually brings and, when it was chosen, the surprise, weighted by one over its probability (Schmid
et al. 2019, "Variance reduction in Monte Carlo counterfactual regret minimization").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, uniform
from ponderosa.mcts.policies.base import Makers, Moves, Params, Path, SelectPolicy, Values
from ponderosa.mcts.tree.node import Node, Nodes

FIELDS = (("regret", "f8"), ("strategy", "f8"))


def regret_matching(gamma: float = 0.05) -> SelectPolicy:
    """Each action by its regret so far, if that is positive; with probability gamma any action.

    (Hart & Mas-Colell 2000; in trees: Lanctot, Lisy & Winands 2013, "Monte Carlo tree search in simultaneous move
    games with applications to Goofspiel".)
    """
    check_number("gamma", gamma, 0.001, 1)
    settings = {"gamma": gamma}
    return SelectPolicy(
        _regret,
        (float(gamma),),
        "regret_matching",
        settings,
        fields=FIELDS,
        learn=_learn_regret,
        mixed=True,
        strategy=average_strategy,
    )


def exp3(gamma: float = 0.05) -> SelectPolicy:
    """Each action by the exponential of what it has brought so far; with probability gamma any action.

    (Auer, Cesa-Bianchi, Freund & Schapire 2002, "The nonstochastic multiarmed bandit problem".)
    """
    check_number("gamma", gamma, 0.001, 1)
    settings = {"gamma": gamma}
    return SelectPolicy(
        _exp3,
        (float(gamma),),
        "exp3",
        settings,
        fields=FIELDS,
        learn=_learn_exp3,
        mixed=True,
        strategy=average_strategy,
    )


POLICIES: Makers = {"regret_matching": regret_matching, "exp3": exp3}


def _regret_weight(node: Node, most: Any, rate: Any) -> Any:
    return max(node["regret"], 0.0)


def _exp3_weight(node: Node, most: Any, rate: Any) -> Any:
    return math.exp((node["regret"] - most) * rate)


def mean_of(node: Node) -> Any:
    """What an action usually brings."""
    return node["value"] / node["visits"] if node["visits"] > 0 else 0.5


def _less_the_value(value: Any) -> Any:
    return value


def _less_nothing(value: Any) -> Any:
    return 0.0


def _sampling(weight: Callable[..., Any], less: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A select function and its learn function, from the weight of an action and what all sums lose by a result."""

    def totals(nodes: Nodes, parent: int, params: Params) -> Any:
        """The sum of all weights, the largest sum that an action holds, and the rate of exp3."""
        begin, count = nodes[parent]["first"], nodes[parent]["count"]
        most = nodes[begin]["regret"]
        for child in range(begin, begin + count):
            most = max(most, nodes[child]["regret"])
        rate = params[0] / count
        total = 0.0
        for child in range(begin, begin + count):
            total += weight(nodes[child], most, rate)
        return total, most, rate

    def probability(nodes: Nodes, parent: int, child: int, total: float, most: Any, rate: Any) -> Any:
        if total > 0.0:
            return weight(nodes[child], most, rate) / total
        return 1.0 / nodes[parent]["count"]

    def select(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
        total, most, rate = totals(nodes, parent, params)
        begin, count = nodes[parent]["first"], nodes[parent]["count"]
        left = uniform(rng)
        for child in range(begin, begin + count):
            chance = probability(nodes, parent, child, total, most, rate)
            left -= (1.0 - params[0]) * chance + params[0] / count
            if left < 0.0:
                return child
        return begin + count - 1

    def learn(
        nodes: Nodes, path: Path, parents: Path, depth: int, values: Values, moves: Moves, params: Params
    ) -> None:
        for step in range(1, depth + 1):
            parent, chosen = parents[step], path[step]
            begin, count = nodes[parent]["first"], nodes[parent]["count"]
            total, most, rate = totals(nodes, parent, params)
            value = values[nodes[chosen]["mover"]]
            visits = nodes[chosen]["visits"]
            usual = (nodes[chosen]["value"] - value) / (visits - 1) if visits > 1 else 0.5
            chance = (1.0 - params[0]) * probability(nodes, parent, chosen, total, most, rate) + params[0] / count
            surprise = (value - usual) / chance
            worth = 0.0  # of the strategy, as far as can be told: what each action usually brings, and the surprise
            for child in range(begin, begin + count):
                share = probability(nodes, parent, child, total, most, rate)
                brings = usual + surprise if child == chosen else mean_of(nodes[child])
                worth += share * brings
                nodes[child]["strategy"] += share
            for child in range(begin, begin + count):
                brings = usual + surprise if child == chosen else mean_of(nodes[child])
                nodes[child]["regret"] += brings - less(worth)

    return select, learn


_regret, _learn_regret = _sampling(_regret_weight, _less_the_value)
_exp3, _learn_exp3 = _sampling(_exp3_weight, _less_nothing)


def average_strategy(nodes: Nodes, parent: int, params: Params, shares: Values) -> None:
    """How often each child was to be played, on average over all iterations."""
    begin, count, whole = nodes[parent]["first"], nodes[parent]["count"], 0.0
    for child in range(begin, begin + count):
        whole += nodes[child]["strategy"]
    for place in range(count):
        shares[place] = nodes[begin + place]["strategy"] / whole if whole > 0.0 else 1.0 / count
