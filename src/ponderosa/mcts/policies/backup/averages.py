"""Backing a result up the visited path. Start at mean.

A backup function: `(nodes, path, depth, values, plies, params)`. `path[0] .. path[depth]` are the visited nodes, the
root first; `values` holds each player's result in [0, 1]; `plies` is the length of the playout. It must add one visit
to each node of the path and keep `value / visits`, for the node's mover, in [0, 1].
"""

from __future__ import annotations

from typing import Any

from ponderosa.core.bounds import lower_bound, upper_bound
from ponderosa.mcts.policies.base import Makers, Policy, check_number


def mean() -> Policy:
    """The plain average of all results."""
    return Policy("backup", _mean, (), "mean", {})


def discounted(per_ply: float = 0.01, cap: float = 0.5) -> Policy:
    """A quick win is worth more than a slow one, and a slow loss hurts less than a quick one.

    Each ply from the root to the end of the game takes per_ply of the distance from a draw, at most cap in all.
    """
    check_number("per_ply", per_ply, 0, 1)
    check_number("cap", cap, 0, 1)
    settings = {"per_ply": per_ply, "cap": cap}
    return Policy("backup", _discounted, (float(per_ply), float(cap)), "discounted", settings)


def late_weighted(rate: float = 1.0) -> Policy:
    """Later simulations weigh more, because the tree that guided them knew more. (Xie & Liu 2009.)

    The n-th result of a node has a weight near n^rate; rate 0 is the mean.
    """
    check_number("rate", rate, 0)
    return Policy("backup", _late_weighted, (float(rate),), "late_weighted", {"rate": rate})


def best() -> Policy:
    """A node is worth what its best child is worth, as in minimax. (UCTMAX_H of Ramanujan & Selman 2011.)

    For two players, and playouts that are static values: averages of random playouts should not be maximised.
    """
    return Policy("backup", _best, (), "best", {})


POLICIES: Makers = {"mean": mean, "discounted": discounted, "late_weighted": late_weighted, "best": best}


def _mean(nodes: Any, path: Any, depth: Any, values: Any, plies: Any, params: Any) -> None:
    for step in range(depth + 1):
        node = nodes[path[step]]
        node["visits"] += 1
        node["value"] += values[node["mover"]]


def _discounted(nodes: Any, path: Any, depth: Any, values: Any, plies: Any, params: Any) -> None:
    kept = 1.0 - min(params[1], params[0] * (depth + plies))
    for step in range(depth + 1):
        node = nodes[path[step]]
        node["visits"] += 1
        node["value"] += 0.5 + kept * (values[node["mover"]] - 0.5)


def _late_weighted(nodes: Any, path: Any, depth: Any, values: Any, plies: Any, params: Any) -> None:
    for step in range(depth + 1):
        node = nodes[path[step]]
        before = node["value"] / node["visits"] if node["visits"] > 0 else 0.0
        node["visits"] += 1
        # the weights n^rate sum to about n^(1+rate) / (1+rate): the newest one's share of them is (1+rate) / n
        share = min(1.0, (1.0 + params[0]) / node["visits"])
        node["value"] = (before + share * (values[node["mover"]] - before)) * node["visits"]


def _best(nodes: Any, path: Any, depth: Any, values: Any, plies: Any, params: Any) -> None:
    leaf = nodes[path[depth]]
    leaf["visits"] += 1
    leaf["value"] += values[leaf["mover"]]
    for step in range(depth - 1, -1, -1):
        node = nodes[path[step]]
        node["visits"] += 1
        most = 0.0
        for child in range(node["first"], node["first"] + node["count"]):
            visits, known = nodes[child]["visits"], nodes[child]["proven"]
            if visits > 0:
                mean = min(nodes[child]["value"] / visits, 0.5 * upper_bound(known))
                most = max(most, mean, 0.5 * lower_bound(known))
        mover = nodes[node["first"]]["mover"]
        node["value"] = node["visits"] * (most if node["mover"] == mover else 1.0 - most)
