"""Planning with a known number of iterations: draw a few actions by their priors, halve them by turns. Start at gumbel.

(Danihelka, Guez, Schrittwieser & Silver 2022, "Policy improvement by planning with Gumbel"; sequential halving: Karnin,
Koren & Somekh 2013.) At the root every action gets a draw from the Gumbel distribution; the m best by
draw + ln prior are tried equally often, then the better half of them, and so on until two are left. Below the root,
visits follow the policy that the values found so far improve.
"""

from __future__ import annotations

import math
from typing import Any

from ponderosa.core.bounds import lower_bound, upper_bound
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, uniform
from ponderosa.mcts.policies.base import Makers, Params, SelectPolicy, Values
from ponderosa.mcts.policies.select.puct import hopeless
from ponderosa.mcts.tree.node import ROOT, Node, Nodes

FIELDS = (("prior", "f8"), ("noise", "f8"), ("judged", "f8"))
"""`judged` is one more than the first value of a node, or 0 before there is one."""
LEAST_PRIOR = 1e-12
ITERATIONS = 3
"""Where among the params the loop finds how many iterations there will be."""


def gumbel(m: int = 16, c_visit: float = 50.0, c_scale: float = 1.0) -> SelectPolicy:
    """Sequential halving among m actions at the root, by draw + ln prior + sigma(value). (Danihelka et al. 2022.)

    The draw is from the Gumbel distribution, sigma(value) = (c_visit + most visits of an action) * c_scale * value. The
    m best are tried equally often, then the better half of them, until two are left. It needs `iterations`, and spends
    them all.
    """
    check_number("m", m, 1, whole=True)
    settings = {"m": m} | checked_scale(c_visit, c_scale)
    return SelectPolicy(_select, (float(c_visit), float(c_scale), float(m), 0.0), "gumbel", settings,
        fields=FIELDS, needs=("prior",), priors=True, whole=True, planned=True, strategy=improved_policy,
        goes_with="gumbel",
    )  # fmt: skip


POLICIES: Makers = {"gumbel": gumbel}


def checked_scale(c_visit: float, c_scale: float) -> dict[str, Any]:
    check_number("c_visit", c_visit, 0)
    check_number("c_scale", c_scale, 0)
    return {"c_visit": c_visit, "c_scale": c_scale}


def considered(done: Any, actions: Any, iterations: Any) -> Any:
    """How often an action has been visited that the next iteration may go into, when this many are done."""
    rounds = max(math.ceil(math.log2(actions)), 1)
    left, visits = actions, 0
    while True:
        each = max(1, iterations // (rounds * left))
        if done < each * left:
            return visits + done // left
        done -= each * left
        visits += each
        left = max(left // 2, min(2, actions))


def _select(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    node = nodes[parent]
    begin, count = node["first"], node["count"]
    if node["judged"] == 0.0:
        node["judged"] = 1.0 + (node["value"] / node["visits"] if node["visits"] > 0 else 0.5)
        if parent == ROOT:
            for child in range(begin, begin + count):
                nodes[child]["noise"] = -math.log(-math.log(max(uniform(rng), 1e-300)))
    if parent == ROOT:
        return _halve(nodes, parent, params)
    return _follow_policy(nodes, parent, params)


def _halve(nodes: Nodes, parent: int, params: Params) -> Any:
    begin, count = nodes[parent]["first"], nodes[parent]["count"]
    done = 0
    for child in range(begin, begin + count):
        done += nodes[child]["visits"]
    turn = considered(done, min(int(params[2]), count), int(params[ITERATIONS]))
    scale, missing = scale_of(nodes, parent, params), mixed_value(nodes, parent)
    best, best_worth, in_turn = begin, -math.inf, False
    for child in range(begin, begin + count):
        if hopeless(nodes, parent, child):
            continue
        fits = nodes[child]["visits"] == turn
        worth = worth_of(nodes[child], scale, missing) + nodes[child]["noise"]
        if (fits and not in_turn) or (fits == in_turn and worth > best_worth):
            best, best_worth, in_turn = child, worth, fits
    return best


def _follow_policy(nodes: Nodes, parent: int, params: Params) -> Any:
    """The action whose share of the visits lags most behind its share in the improved policy."""
    begin, count = nodes[parent]["first"], nodes[parent]["count"]
    scale, missing = scale_of(nodes, parent, params), mixed_value(nodes, parent)
    most, done = -math.inf, 0
    for child in range(begin, begin + count):
        most = max(most, worth_of(nodes[child], scale, missing))
        done += nodes[child]["visits"]
    whole = 0.0
    for child in range(begin, begin + count):
        whole += math.exp(worth_of(nodes[child], scale, missing) - most)
    best, best_lag = begin, -math.inf
    for child in range(begin, begin + count):
        if hopeless(nodes, parent, child):
            continue
        lag = math.exp(worth_of(nodes[child], scale, missing) - most) / whole - nodes[child]["visits"] / (1.0 + done)
        if lag > best_lag:
            best, best_lag = child, lag
    return best


def scale_of(nodes: Nodes, parent: int, params: Params) -> Any:
    most = 0
    for child in range(nodes[parent]["first"], nodes[parent]["first"] + nodes[parent]["count"]):
        most = max(most, nodes[child]["visits"])
    return (params[0] + most) * params[1]


def worth_of(node: Node, scale: Any, missing: Any) -> Any:
    return math.log(max(node["prior"], LEAST_PRIOR)) + scale * _value(node, missing)


def _value(node: Node, missing: Any) -> Any:
    value = node["value"] / node["visits"] if node["visits"] > 0 else missing
    return min(max(value, 0.5 * lower_bound(node["proven"])), 0.5 * upper_bound(node["proven"]))


def mixed_value(nodes: Nodes, parent: int) -> Any:
    """What an action that was never tried is worth: the node's first value and the values of its actions, mixed."""
    begin, count = nodes[parent]["first"], nodes[parent]["count"]
    first = nodes[parent]["judged"] - 1.0
    if nodes[parent]["mover"] != nodes[begin]["mover"]:
        first = 1.0 - first
    done, shares, sum_of_values = 0, 0.0, 0.0
    for child in range(begin, begin + count):
        if nodes[child]["visits"] > 0:
            done += nodes[child]["visits"]
            shares += nodes[child]["prior"]
            sum_of_values += nodes[child]["prior"] * _value(nodes[child], first)
    if shares <= 0.0:
        return first
    return (first + done * sum_of_values / shares) / (1.0 + done)


def improved_policy(nodes: Nodes, parent: int, params: Params, shares: Values) -> None:
    """The policy that the search has found, by child: what a network would be trained towards."""
    begin, count = nodes[parent]["first"], nodes[parent]["count"]
    scale, missing = scale_of(nodes, parent, params), mixed_value(nodes, parent)
    most, whole = -math.inf, 0.0
    for place in range(count):
        shares[place] = worth_of(nodes[begin + place], scale, missing)
        most = max(most, shares[place])
    for place in range(count):
        shares[place] = math.exp(shares[place] - most)
        whole += shares[place]
    for place in range(count):
        shares[place] /= whole
