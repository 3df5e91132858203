"""Backing up from the best child, for any number of players, wholly or in part. Start at mixmax.

Every node keeps the results of all players: whoever moves there prefers a child by its own, and all get what is there.
"""

from __future__ import annotations

from typing import Any

from ponderosa.core.bounds import UNPROVEN, lower_bound, upper_bound
from ponderosa.core.numbers import check_number
from ponderosa.mcts.policies.base import BackupPolicy, Makers, Params, Path, Values
from ponderosa.mcts.tree.node import Node, Nodes

FIELDS = (("sums", "f8 each"), ("backed", "f8 each"))
"""The results of all visits added up, and what is backed up of them."""


def mixmax(weight: float = 0.25) -> BackupPolicy:
    """(1 - weight) * mean of all results + weight * what the best child backs up; a node without children has its mean.

    weight 0 is the mean, 1 is `max`. More of it finds a single good reply sooner, and believes lucky playouts sooner.
    (Coulom 2006, "Efficient selectivity and backup operators in Monte-Carlo tree search": Mix; Jacobsen, Greve &
    Togelius 2014, "Monte Mario: platforming with MCTS": MixMax; Khandelwal et al. 2016.)
    """
    check_number("weight", weight, 0, 1)
    return BackupPolicy(_mixmax, (float(weight),), "mixmax", {"weight": weight}, fields=FIELDS, averages=False)


def maximum() -> BackupPolicy:
    """What the best child backs up, for the player to move: max^n of the means at the leaves. (Coulom 2006: Max.)

    For two players, `best` does the same without keeping more in the nodes.
    """
    return BackupPolicy(_mixmax, (1.0,), "max", {}, fields=FIELDS, averages=False)


POLICIES: Makers = {"mixmax": mixmax, "max": maximum}


def _mixmax(nodes: Nodes, path: Path, depth: int, values: Values, plies: int, params: Params) -> None:
    weight = params[0]
    for step in range(depth, -1, -1):
        node = nodes[path[step]]
        node["visits"] += 1
        child = best_child(nodes, path[step])
        for player in range(len(values)):
            node["sums"][player] += values[player]
            node["backed"][player] = node["sums"][player] / node["visits"]
            if child > 0:
                most = backed_for(nodes[child], player)
                node["backed"][player] = (1.0 - weight) * node["backed"][player] + weight * most
        node["value"] = node["sums"][node["mover"]]
        if child > 0:
            most = node["visits"] * backed_for(nodes[child], node["mover"])
            node["value"] = (1.0 - weight) * node["value"] + weight * most


def best_child(nodes: Nodes, node: int) -> Any:
    """The visited child that backs up the most for the player to move; 0, if there is none."""
    best, begin = 0, nodes[node]["first"]
    if begin <= 0:
        return best
    most, player = 0.0, nodes[begin]["mover"]
    for child in range(begin, begin + nodes[node]["count"]):
        if nodes[child]["visits"] > 0:
            worth = backed_for(nodes[child], player)
            if best == 0 or worth > most:
                best, most = child, worth
    return best


def backed_for(node: Node, player: Any) -> Any:
    """What a node backs up for a player, inside of what is proven."""
    known, worth = node["proven"], node["backed"][player]
    if known == UNPROVEN:
        return worth
    lower, upper = 0.5 * lower_bound(known), 0.5 * upper_bound(known)
    if node["mover"] == player:
        return min(max(worth, lower), upper)
    return min(max(worth, 1.0 - upper), 1.0 - lower)
