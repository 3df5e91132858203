"""Static values, carried up the tree by minimax beside the averages of playouts. Start at implicit_minimax."""

from __future__ import annotations

import math
from typing import Any

from ponderosa.core.numbers import check_number
from ponderosa.mcts.policies.base import Makers, Moves, Params, Path, SelectPolicy, Values
from ponderosa.mcts.policies.select.ucb import best_by, first_play_urgency
from ponderosa.mcts.tree.node import Node, Nodes

FIELDS = (("static", "f8"),)
"""Filled in by mcts/loops/static_values.py."""


def implicit_minimax(alpha: float = 0.4, c: float = math.sqrt(2), fpu: float | None = None) -> SelectPolicy:
    """(1 - alpha) * mean + alpha * static + c * sqrt(ln N / n), where static is the minimax of the game's `evaluate`.

    alpha = 0 is UCB1. For two players. (Lanctot, Winands, Pepels & Sturtevant 2014, "Monte Carlo tree search with
    heuristic evaluations using implicit minimax backups".)
    """
    check_number("alpha", alpha, 0, 1)
    check_number("c", c, 0)
    settings = {"alpha": alpha, "c": c, "fpu": fpu}
    params = (first_play_urgency(fpu), float(c), float(alpha))
    return SelectPolicy(_select, params, "implicit_minimax", settings,
        fields=FIELDS, learn=_carry_up, needs=("evaluate",), static=True,
    )  # fmt: skip


POLICIES: Makers = {"implicit_minimax": implicit_minimax}


def _score(mean: float, spread: float, params: Params) -> Any:
    return mean + params[1] * spread


def _with_static(node: Node, mean: float, total: float, params: Params) -> Any:
    return (1.0 - params[2]) * mean + params[2] * node["static"]


_select = best_by(_score, _with_static)


def _carry_up(
    nodes: Nodes, path: Path, parents: Path, depth: int, values: Values, moves: Moves, params: Params
) -> None:
    for step in range(depth - 1, -1, -1):
        node = nodes[path[step]]
        most = -math.inf
        for child in range(node["first"], node["first"] + node["count"]):
            if nodes[child]["visits"] > 0:
                most = max(most, nodes[child]["static"])
        node["static"] = most if node["mover"] == nodes[node["first"]]["mover"] else 1.0 - most
