"""Select policies that are guided by priors: how promising an action is before it was tried. Start at puct.

Priors come from the game: its rule `prior`, or the static value of what an action leads to. They become shares that sum
to one over the children of a node, in the field `prior`, when the children are laid out (mcts/loops/priors.py).
"""

from __future__ import annotations

import math
from typing import Any

from ponderosa.core.bounds import UNPROVEN, lower_bound, upper_bound
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, gamma, uniform
from ponderosa.mcts.policies.base import Makers, Params, SelectPolicy
from ponderosa.mcts.policies.select.ucb import certain_for, first_play_urgency
from ponderosa.mcts.tree.node import PRIOR_FIELDS, ROOT, Nodes


def puct(c: float = 1.5, fpu: float | None = None, noise: float = 0.0, alpha: float = 0.3) -> SelectPolicy:
    """mean + c * prior * sqrt(N) / (1 + n). (Rosin 2011; in this form: Silver et al. 2016.)

    A child that was never visited is worth `fpu`, or the mean of its parent. `noise` is the share of a random draw in
    the priors of the root, from Dirichlet(alpha): games against itself come out differently (Silver et al. 2018).
    """
    check_number("c", c, 0)
    check_number("noise", noise, 0, 1)
    check_number("alpha", alpha, 1e-3, 1000)
    urgency = -1.0 if fpu is None else first_play_urgency(fpu)
    settings = {"c": c, "fpu": fpu} | ({"noise": noise, "alpha": alpha} if noise else {})
    return SelectPolicy(
        _noisy_puct if noise else _puct,
        (float(c), urgency, float(noise), float(alpha)) if noise else (float(c), urgency),
        "puct",
        settings,
        fields=(*PRIOR_FIELDS, ("noise", "f8")) if noise else PRIOR_FIELDS,
        needs=("prior",),
        priors=True,
        whole=True,
    )


def progressive_bias(weight: float = 1.0, c: float = math.sqrt(2), fpu: float | None = None) -> SelectPolicy:
    """mean + c * sqrt(ln N / n) + weight * prior / (n + 1): the prior fades with the visits. (Chaslot et al. 2008.)"""
    check_number("weight", weight, 0)
    check_number("c", c, 0)
    settings = {"weight": weight, "c": c, "fpu": fpu}
    return SelectPolicy(_bias, (float(weight), float(c), first_play_urgency(fpu)), "progressive_bias", settings,
        fields=PRIOR_FIELDS, needs=("prior",), priors=True,
    )  # fmt: skip


POLICIES: Makers = {"puct": puct, "progressive_bias": progressive_bias}


def hopeless(nodes: Nodes, parent: int, child: int) -> Any:
    """Whether a child is proven to be no better than what is certain anyway."""
    known = nodes[child]["proven"]
    return known != UNPROVEN and upper_bound(known) <= certain_for(nodes, parent, nodes[child]["mover"])


def _puct(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    begin = nodes[parent]["first"]
    total = nodes[parent]["visits"]
    usual = nodes[parent]["value"] / max(total, 1)
    if nodes[parent]["mover"] != nodes[begin]["mover"]:
        usual = 1.0 - usual
    urgency = usual if params[1] < 0.0 else params[1]
    root = math.sqrt(max(total, 1))
    best, best_worth = begin, -math.inf
    for child in range(begin, begin + nodes[parent]["count"]):
        if hopeless(nodes, parent, child):
            continue
        node = nodes[child]
        mean = node["value"] / node["visits"] if node["visits"] > 0 else urgency
        mean = max(mean, 0.5 * lower_bound(node["proven"]))
        worth = mean + params[0] * node["prior"] * root / (1.0 + node["visits"])
        if worth > best_worth:
            best, best_worth = child, worth
    return best


def _noisy_puct(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    if parent == ROOT and nodes[ROOT]["noise"] == 0.0:
        nodes[ROOT]["noise"] = 1.0
        _mix(nodes, nodes[ROOT]["first"], nodes[ROOT]["count"], params[2], params[3], rng)
    return _puct(nodes, parent, params, rng)


def _mix(nodes: Nodes, begin: int, count: int, share: float, alpha: float, rng: Rng) -> None:
    """Put a random draw into the priors of some nodes."""
    whole = 0.0
    for child in range(begin, begin + count):
        # a gamma variable of a shape below 1 is one of a shape above, times a power of a uniform one
        nodes[child]["noise"] = gamma(rng, alpha + 1.0) * (1.0 - uniform(rng)) ** (1.0 / alpha)
        whole += nodes[child]["noise"]
    for child in range(begin, begin + count):
        drawn = nodes[child]["noise"] / whole if whole > 0.0 else 1.0 / count
        nodes[child]["prior"] = (1.0 - share) * nodes[child]["prior"] + share * drawn
        nodes[child]["noise"] = 0.0


def _bias(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    begin = nodes[parent]["first"]
    log = math.log(max(nodes[parent]["visits"], 1))
    best, best_worth = begin, -math.inf
    for child in range(begin, begin + nodes[parent]["count"]):
        if hopeless(nodes, parent, child):
            continue
        node = nodes[child]
        worth = params[2] + params[0] * node["prior"]
        if node["visits"] > 0:
            mean = max(node["value"] / node["visits"], 0.5 * lower_bound(node["proven"]))
            bias = params[0] * node["prior"] / (node["visits"] + 1.0)
            worth = mean + params[1] * math.sqrt(log / node["visits"]) + bias
        if worth > best_worth:
            best, best_worth = child, worth
    return best
