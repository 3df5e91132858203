"""Proven results in the tree. Start at prove.

What is certain at the end of a game is carried up as far as it stays certain, as bounds on the result: MCTS-Solver
(Winands, Bjornsson & Saito 2008) with the bounds of score-bounded MCTS (Cazenave & Saffidine 2010), without which a
draw would need every line below it. For two players, no chance, and results that are a win, a draw or a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.bounds import DRAW, LOSS, UNPROVEN, WIN, bounds, for_opponent, lower_bound, upper_bound
from ponderosa.mcts.tree.node import ROOT, Nodes, has_untried

Values = npt.NDArray[np.float64]


def verdict(values: Values, player: int) -> int:
    """What a final result proves for a player; nothing, if it is none of the three."""
    if values[0] + values[1] != 1.0:
        return UNPROVEN
    if values[player] == 1.0:
        return WIN
    if values[player] == 0.0:
        return LOSS
    return DRAW if values[player] == 0.5 else UNPROVEN


def proven_values(proven: int, player: int, values: Values) -> None:
    """Fill in both players' results from what is certain for one."""
    values[player] = 0.5 * lower_bound(proven)
    values[1 - player] = 1.0 - values[player]


def prove(nodes: Nodes, path: Sequence[int] | npt.NDArray[np.int64], depth: int) -> None:
    """Carry what is proven of the path's last node up the path."""
    for step in range(depth - 1, ROOT - 1, -1):
        node = nodes[path[step]]
        known = conclusion(nodes, path[step])
        if known == node["proven"]:
            return
        node["proven"] = known


def conclusion(nodes: Nodes, node: int) -> Any:
    """What the children prove, for the node's mover: whoever moves here takes the best of them."""
    begin = nodes[node]["first"]
    player = nodes[begin]["mover"]
    known = nodes[node]["proven"] if nodes[node]["mover"] == player else for_opponent(nodes[node]["proven"])
    lower = lower_bound(known)
    upper = 2 if has_untried(nodes, node) else 0
    for child in range(begin, begin + nodes[node]["count"]):
        lower = max(lower, lower_bound(nodes[child]["proven"]))
        upper = max(upper, upper_bound(nodes[child]["proven"]))
    upper = min(max(upper, lower), upper_bound(known))
    known = bounds(lower, upper)
    return known if nodes[node]["mover"] == player else for_opponent(known)
