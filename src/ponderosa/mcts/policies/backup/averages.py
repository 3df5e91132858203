"""Backing a result up the visited path. Start at mean.

A backup function: `(nodes, path, depth, values, plies, params)`. `path[0] .. path[depth]` are the visited nodes, the
root first; `values` holds each player's result in [0, 1]; `plies` is the length of the playout. It must add one visit
to each node of the path and keep `value / visits`, for the node's mover, in [0, 1].
"""

from __future__ import annotations

from ponderosa.core.bounds import lower_bound, upper_bound
from ponderosa.core.numbers import check_number
from ponderosa.mcts.policies.base import BackupPolicy, Makers, Params, Path, Values
from ponderosa.mcts.tree.node import Nodes


def mean() -> BackupPolicy:
    """The plain average of all results."""
    return BackupPolicy(_mean, (), "mean", {}, sums=True)


def discounted(per_ply: float = 0.01, cap: float = 0.5) -> BackupPolicy:
    """A quick win is worth more than a slow one, and a slow loss hurts less than a quick one.

    Each ply from the root to the end of the game takes per_ply of the distance from a draw, at most cap in all.
    """
    check_number("per_ply", per_ply, 0, 1)
    check_number("cap", cap, 0, 1)
    settings = {"per_ply": per_ply, "cap": cap}
    return BackupPolicy(_discounted, (float(per_ply), float(cap)), "discounted", settings)


def late_weighted(rate: float = 1.0) -> BackupPolicy:
    """Later simulations weigh more, because the tree that guided them knew more. (Xie & Liu 2009.)

    The n-th result of a node has a weight near n^rate; rate 0 is the mean.
    """
    check_number("rate", rate, 0)
    return BackupPolicy(_late_weighted, (float(rate),), "late_weighted", {"rate": rate})


def best() -> BackupPolicy:
    """A node is worth what its best child is worth, as in minimax. (UCTMAX_H of Ramanujan & Selman 2011.)

    For two players, and playouts that are static values: averages of random playouts should not be maximised.
    """
    return BackupPolicy(_best, (), "best", {}, averages=False, two_sided=True)


POLICIES: Makers = {"mean": mean, "discounted": discounted, "late_weighted": late_weighted, "best": best}


def _mean(nodes: Nodes, path: Path, depth: int, values: Values, plies: int, params: Params) -> None:
    for step in range(depth + 1):
        node = nodes[path[step]]
        node["visits"] += 1
        node["value"] += values[node["mover"]]


def _discounted(nodes: Nodes, path: Path, depth: int, values: Values, plies: int, params: Params) -> None:
    kept = 1.0 - min(params[1], params[0] * (depth + plies))
    for step in range(depth + 1):
        node = nodes[path[step]]
        node["visits"] += 1
        node["value"] += 0.5 + kept * (values[node["mover"]] - 0.5)


def _late_weighted(nodes: Nodes, path: Path, depth: int, values: Values, plies: int, params: Params) -> None:
    for step in range(depth + 1):
        node = nodes[path[step]]
        before = node["value"] / node["visits"] if node["visits"] > 0 else 0.0
        node["visits"] += 1
        # the weights n^rate sum to about n^(1+rate) / (1+rate): the newest one's share of them is (1+rate) / n
        share = min(1.0, (1.0 + params[0]) / node["visits"])
        node["value"] = (before + share * (values[node["mover"]] - before)) * node["visits"]


def _best(nodes: Nodes, path: Path, depth: int, values: Values, plies: int, params: Params) -> None:
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
