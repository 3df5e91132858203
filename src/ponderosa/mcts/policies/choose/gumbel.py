"""The move that sequential halving leaves: what goes with select=gumbel. Start at gumbel."""

from __future__ import annotations

import math
from typing import Any

from ponderosa.core.bounds import UNPROVEN, is_settled
from ponderosa.mcts.policies.base import ChoosePolicy, Makers, Params
from ponderosa.mcts.policies.choose.choices import robust
from ponderosa.mcts.policies.select.gumbel import checked_scale, mixed_value, scale_of, worth_of
from ponderosa.mcts.tree.node import Nodes


def gumbel(c_visit: float = 50.0, c_scale: float = 1.0) -> ChoosePolicy:
    """What sequential halving leaves: of the most visited children the best by draw + ln prior + sigma(value)."""
    settings = checked_scale(c_visit, c_scale)
    return ChoosePolicy(_choose, (float(c_visit), float(c_scale)), "gumbel", settings, reads=("noise", "judged"))


POLICIES: Makers = {"gumbel": gumbel}

_robust = robust().function


def _choose(nodes: Nodes, parent: int, params: Params) -> Any:
    best = _robust(nodes, parent, params)
    if is_settled(nodes[parent]["proven"]) or nodes[best]["proven"] != UNPROVEN or nodes[best]["visits"] == 0:
        return best
    begin, most = nodes[parent]["first"], nodes[best]["visits"]
    scale, missing = scale_of(nodes, parent, params), mixed_value(nodes, parent)
    best_worth = -math.inf
    for child in range(begin, begin + nodes[parent]["count"]):
        worth = worth_of(nodes[child], scale, missing) + nodes[child]["noise"]
        if nodes[child]["proven"] == UNPROVEN and nodes[child]["visits"] == most and worth > best_worth:
            best, best_worth = child, worth
    return best
