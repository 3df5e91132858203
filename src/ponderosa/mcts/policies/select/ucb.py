"""Which child to descend into. Start at ucb1.

A select function: `(nodes, parent, params, rng) -> child`, the index of one of the parent's children
`nodes[parent]["first"] .. + nodes[parent]["count"] - 1`. Children's values are for the player who moves at the parent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.core.bounds import UNPROVEN, lower_bound, upper_bound
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, below, gamma, uniform
from ponderosa.mcts.policies.base import Makers, Moves, Params, Path, SelectPolicy, Values
from ponderosa.mcts.tree.node import Node, Nodes


def ucb1(c: float = math.sqrt(2), fpu: float | None = None) -> SelectPolicy:
    """mean + c * sqrt(ln N / n). More c explores more. (Auer et al. 2002; on trees: Kocsis & Szepesvari 2006.)

    `fpu`, first-play urgency, is what a child that was never visited is worth (Gelly & Wang 2006); without it, such a
    child comes first. It is an option of most select policies, and matters where all children are opened at once.
    """
    check_number("c", c, 0)
    return SelectPolicy(_ucb1, (first_play_urgency(fpu), float(c)), "ucb1", {"c": c, "fpu": fpu})


def late_ucb1(c: float = math.sqrt(2)) -> SelectPolicy:
    """UCB1 once every child was visited; until then any child is drawn, visited or not. (Kim 2023.)

    UCB1 visits every child once before any comes again; this one first looks around for longer, unevenly.
    """
    check_number("c", c, 0)
    return SelectPolicy(_late_ucb1, (math.inf, float(c)), "late_ucb1", {"c": c}, whole=True)


def ucb1_tuned(fpu: float | None = None) -> SelectPolicy:
    """UCB1 with the observed variance in the place of a constant. (Auer et al. 2002, section 4.)"""
    return SelectPolicy(_ucb1_tuned, (first_play_urgency(fpu),), "ucb1_tuned", {"fpu": fpu})


def greedy(fpu: float | None = None) -> SelectPolicy:
    """Always the best mean: no exploration once every child was visited."""
    return SelectPolicy(_greedy, (first_play_urgency(fpu),), "greedy", {"fpu": fpu})


def epsilon_greedy(epsilon: float = 0.1, fpu: float | None = None) -> SelectPolicy:
    """The best mean, but with probability epsilon any child. (Sutton & Barto, section 2.2.)"""
    check_number("epsilon", epsilon, 0, 1)
    settings = {"epsilon": epsilon, "fpu": fpu}
    return SelectPolicy(_epsilon_greedy, (first_play_urgency(fpu), float(epsilon)), "epsilon_greedy", settings)


def thompson() -> SelectPolicy:
    """A draw from what each child may be worth, Beta(1 + wins, 1 + losses); the best draw is taken.

    (Thompson 1933; in trees: Bai, Wu & Chen 2013, "Bayesian mixture modelling and inference based Thompson sampling".)
    """
    return SelectPolicy(_thompson, (), "thompson", {})


def first_play_urgency(fpu: float | None) -> float:
    """What a child that was never visited is worth, as a number."""
    if fpu is None:
        return math.inf
    check_number("fpu", fpu, 0, 10)
    return float(fpu)


def decoupled_ucb(c: float = math.sqrt(2), fpu: float | None = None) -> SelectPolicy:
    """UCB1 of every player at its own node, where all choose at once. (Tak, Lanctot & Winands 2014.)"""
    check_number("c", c, 0)
    return SelectPolicy(_ucb1, (first_play_urgency(fpu), float(c)), "decoupled_ucb", {"c": c, "fpu": fpu})


def available_ucb(c: float = math.sqrt(2), fpu: float | None = None) -> SelectPolicy:
    """UCB1 that counts, in the place of the node's visits, how often there was the action.

    (Cowling, Powley & Whitehouse 2012, for information-set trees; what `observers="single"` needs.)
    """
    check_number("c", c, 0)
    params = (float(c), first_play_urgency(fpu))
    return SelectPolicy(_available_ucb, params, "available_ucb", {"c": c, "fpu": fpu}, availability=True)


def scaled_ucb(c: float = math.sqrt(2), fpu: float | None = None) -> SelectPolicy:
    """UCB1 of one player whose results may have any range: the least and the most so far are its scale."""
    check_number("c", c, 0)
    params = (float(c), 0.0, first_play_urgency(fpu))
    return SelectPolicy(_scaled_ucb, params, "scaled_ucb", {"c": c, "fpu": fpu}, scaled=True)


def sp_ucb(c: float = 0.25, d: float = 0.03, fpu: float | None = None) -> SelectPolicy:
    """UCB1 and the spread of a child's results: mean + c * sqrt(ln N / n) + sqrt((sum x^2 - n * mean^2 + d) / n).

    For one player, who looks for one good line and not for a good average. Results are scaled to [0, 1] by the least
    and the most so far. (Schadd et al. 2008, "Single-player Monte-Carlo tree search".)
    """
    check_number("c", c, 0)
    check_number("d", d, 0)
    settings = {"c": c, "d": d, "fpu": fpu}
    params = (float(c), float(d), first_play_urgency(fpu))
    return SelectPolicy(
        _sp_ucb, params, "sp_ucb", settings, fields=(("squares", "f8"),), learn=_learn_squares, scaled=True
    )


TABLE_LENGTH = 1024
INVERSE = 1.0 / np.maximum(np.arange(TABLE_LENGTH), 1)
INVERSE_ROOT = np.sqrt(INVERSE)
ROOT_OF_LOG = np.sqrt(np.log(np.maximum(np.arange(TABLE_LENGTH), 1)))
"""1 / n, 1 / sqrt(n) and sqrt(ln n): most nodes have few visits, and a look-up is much faster than a division."""

POLICIES: Makers = {
    "ucb1": ucb1,
    "late_ucb1": late_ucb1,
    "ucb1_tuned": ucb1_tuned,
    "greedy": greedy,
    "epsilon_greedy": epsilon_greedy,
    "thompson": thompson,
    "sp_ucb": sp_ucb,
    "scaled_ucb": scaled_ucb,
    "decoupled_ucb": decoupled_ucb,
    "available_ucb": available_ucb,
}


def plain_mean(node: Node, mean: float, total: float, params: Params) -> Any:
    """A child's mean as it is."""
    return mean


def plain_urgency(node: Node, spread: float, params: Params) -> Any:
    """What a child that was never visited is worth as a rule."""
    return params[0]


def best_by(
    score: Callable[..., Any], value: Callable[..., Any] = plain_mean, urgency: Callable[..., Any] = plain_urgency
) -> Callable[..., Any]:
    """A select function from a score `(mean, spread, params)`, where spread is sqrt(ln N / n).

    An unvisited child is worth params[0]; one that is proven to be no better than what is certain anyway comes last;
    ties are broken at random. `value(node, mean, N, params)` may put more than the mean in the place of the mean, and
    `urgency(node, spread, params)`, with the spread of a single visit, something else in that of params[0].
    """

    def worth_of(node: Node, enough: Any, root_of_log: Any, total: float, params: Params) -> Any:
        visits, known = node["visits"], node["proven"]
        if visits == 0:
            return urgency(node, root_of_log, params)
        if visits < TABLE_LENGTH:
            mean, spread = node["value"] * INVERSE[visits], root_of_log * INVERSE_ROOT[visits]
        else:
            mean, spread = node["value"] / visits, root_of_log / math.sqrt(visits)
        if known != UNPROVEN:
            if upper_bound(known) <= enough:
                return -1.0
            mean = max(mean, 0.5 * lower_bound(known))
        return score(value(node, mean, total, params), spread, params)

    def select(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
        total = nodes[parent]["visits"]
        root_of_log = ROOT_OF_LOG[total] if total < TABLE_LENGTH else math.sqrt(math.log(total))
        begin = nodes[parent]["first"]
        end = begin + nodes[parent]["count"]
        enough = certain_for(nodes, parent, nodes[begin]["mover"])
        best, best_worth, ties = begin, -math.inf, 0
        for child in range(begin, end):
            worth = worth_of(nodes[child], enough, root_of_log, total, params)
            ties = 1 if worth > best_worth else ties + (worth == best_worth)
            best = child if worth > best_worth else best
            best_worth = max(worth, best_worth)
        if ties > 1:
            skipped = below(rng, ties)
            for child in range(begin, end):
                if worth_of(nodes[child], enough, root_of_log, total, params) == best_worth:
                    if skipped == 0:
                        return child
                    skipped -= 1
        return best

    return select


def certain_for(nodes: Nodes, parent: int, player: Any) -> Any:
    """What the player to move has for certain: 0 a loss, 1 a draw, 2 a win."""
    known = nodes[parent]["proven"]
    return lower_bound(known) if nodes[parent]["mover"] == player else 2 - upper_bound(known)


def _ucb1_score(mean: float, spread: float, params: Params) -> Any:
    return mean + params[1] * spread


def _ucb1_tuned_score(mean: float, spread: float, params: Params) -> Any:
    # mean * (1 - mean) is the variance of results that are 0 or 1, and an upper bound for results between
    return mean + spread * math.sqrt(min(0.25, mean * (1.0 - mean) + math.sqrt(2.0) * spread))


def _mean_score(mean: float, spread: float, params: Params) -> Any:
    return mean


_ucb1 = best_by(_ucb1_score)
_ucb1_tuned = best_by(_ucb1_tuned_score)
_greedy = best_by(_mean_score)


def _late_ucb1(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    begin = nodes[parent]["first"]
    count = nodes[parent]["count"]
    for child in range(begin, begin + count):
        if nodes[child]["visits"] == 0:
            return begin + below(rng, count)
    return _ucb1(nodes, parent, params, rng)


def _epsilon_greedy(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    best = _greedy(nodes, parent, params, rng)
    if nodes[best]["visits"] > 0 and uniform(rng) < params[1]:
        return nodes[parent]["first"] + below(rng, nodes[parent]["count"])
    return best


def _available_ucb(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    begin = nodes[parent]["first"]
    best, best_worth = begin, -math.inf
    for child in range(begin, begin + nodes[parent]["count"]):
        node = nodes[child]
        if node["present"] == 0:
            continue
        worth = params[1]
        if node["visits"] > 0:
            spread = math.sqrt(math.log(node["available"]) / node["visits"])
            worth = node["value"] / node["visits"] + params[0] * spread
        if worth > best_worth:
            best, best_worth = child, worth
    return best


def _spread(node: Node, params: Params, scale: Any) -> Any:
    """How far a child's results lie apart, and more while there are few."""
    visits = node["visits"]
    mean = node["value"] / visits
    variance = max(node["squares"] / visits - mean * mean, 0.0) * scale * scale
    return math.sqrt(variance + params[1] / visits)


def _no_spread(node: Node, params: Params, scale: Any) -> Any:
    return 0.0


def _scaled(bonus: Callable[..., Any]) -> Callable[..., Any]:
    """A select function that scales results by the last two params, from what it adds to UCB1."""

    def select(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
        least, most = params[-2], params[-1]
        scale = 1.0 / (most - least) if most > least else 1.0
        log = math.log(max(nodes[parent]["visits"], 1))
        begin = nodes[parent]["first"]
        best, best_worth = begin, -math.inf
        for child in range(begin, begin + nodes[parent]["count"]):
            visits = nodes[child]["visits"]
            worth = params[2]
            if visits > 0:
                mean = (nodes[child]["value"] / visits - least) * scale
                worth = mean + params[0] * math.sqrt(log / visits) + bonus(nodes[child], params, scale)
            if worth > best_worth:
                best, best_worth = child, worth
        return best

    return select


_sp_ucb = _scaled(_spread)
_scaled_ucb = _scaled(_no_spread)


def _learn_squares(
    nodes: Nodes, path: Path, parents: Path, depth: int, values: Values, moves: Moves, params: Params
) -> None:
    for step in range(depth + 1):
        nodes[path[step]]["squares"] += values[0] * values[0]


def _thompson(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    begin = nodes[parent]["first"]
    enough = certain_for(nodes, parent, nodes[begin]["mover"])
    best, best_worth = begin, -math.inf
    for child in range(begin, begin + nodes[parent]["count"]):
        node = nodes[child]
        if node["proven"] != UNPROVEN and upper_bound(node["proven"]) <= enough:
            continue
        won = min(max(node["value"], 0.0), float(node["visits"]))
        one, other = gamma(rng, 1.0 + won), gamma(rng, 1.0 + node["visits"] - won)
        worth = max(one / (one + other), 0.5 * lower_bound(node["proven"]))
        if worth > best_worth:
            best, best_worth = child, worth
    return best
