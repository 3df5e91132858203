"""The move to play, once the search is over. Start at robust.

A choose function: `(nodes, parent, params) -> child`, or -1 to ask for a little more search.
A proven win is always taken and a proven loss never, unless there is nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ponderosa.core.bounds import LOSS, WIN, is_settled, lower_bound, upper_bound
from ponderosa.core.numbers import check_number
from ponderosa.mcts.policies.base import ChoosePolicy, Makers, Params
from ponderosa.mcts.policies.select.ucb import certain_for
from ponderosa.mcts.tree.node import Nodes

SEARCH_ON = -1


def robust() -> ChoosePolicy:
    """The most visited child."""
    return ChoosePolicy(_robust, (), "robust", {})


def max_value() -> ChoosePolicy:
    """The child with the best mean."""
    return ChoosePolicy(_max, (), "max", {})


def decisive() -> ChoosePolicy:
    """An action that wins at once, searched or not; else the child with the best mean. (Kim 2023.)"""
    return ChoosePolicy(_max, (), "decisive", {}, takes_wins=True)


def max_robust() -> ChoosePolicy:
    """The child with both the most visits and the best mean; the search goes on a little while they differ.

    (Chaslot et al. 2008, "Progressive strategies for Monte-Carlo tree search".)
    """
    return ChoosePolicy(_max_robust, (), "max_robust", {}, may_search_on=True)


def secure(a: float = 1.0) -> ChoosePolicy:
    """The best lower bound, mean - a / sqrt(visits). More a trusts only many visits. (Chaslot et al. 2008)"""
    check_number("a", a, 0)
    return ChoosePolicy(_secure, (float(a),), "secure", {"a": a})


def mixed() -> ChoosePolicy:
    """Drawn by the average strategy of a select policy that learns one: where a fixed choice would be found out."""
    return ChoosePolicy(_robust, (), "mixed", {}, draws=True)


def best_line() -> ChoosePolicy:
    """One player without dice: the first action of the best line so far, which can be repeated to its end."""
    return ChoosePolicy(_robust, (), "best_line", {}, best_line=True)


POLICIES: Makers = {
    "robust": robust,
    "max": max_value,
    "decisive": decisive,
    "max_robust": max_robust,
    "secure": secure,
    "mixed": mixed,
    "best_line": best_line,
}


def best_by(score: Callable[..., Any]) -> Callable[..., Any]:
    """A choose function from a score `(mean, visits, params)` of a visited child."""

    def choose(nodes: Nodes, parent: int, params: Params) -> Any:
        begin = nodes[parent]["first"]
        best = begin
        certain = certain_for(nodes, parent, nodes[begin]["mover"])
        settled = is_settled(nodes[parent]["proven"])
        best_rank, best_score = -1, -math.inf
        for child in range(begin, begin + nodes[parent]["count"]):
            node = nodes[child]
            known = node["proven"]
            mean = node["value"] / node["visits"] if node["visits"] > 0 else 0.0
            mean = min(max(mean, 0.5 * lower_bound(known)), 0.5 * upper_bound(known))
            # 4: a proven win; 3: open or drawn; 2: perhaps less than is certain; 1: never looked at; 0: a proven loss
            if known == WIN or known == LOSS:
                rank = 4 if known == WIN else 0
            else:
                rank = 3 if node["visits"] > 0 or is_settled(known) else 1
            if rank == 3 and lower_bound(known) < certain and (settled or mean < 0.5 * certain):
                rank = 2
            worth = score(mean, node["visits"], params)
            if rank > best_rank or (rank == best_rank and worth > best_score):
                best, best_rank, best_score = child, rank, worth
        return best

    return choose


def _visits_score(mean: float, visits: int, params: Params) -> Any:
    return visits + mean * 0.5  # the mean decides between equal visits


def _mean_score(mean: float, visits: int, params: Params) -> Any:
    return mean + 0.0


def _secure_score(mean: float, visits: int, params: Params) -> Any:
    return mean - params[0] / math.sqrt(max(visits, 1))


_robust = best_by(_visits_score)
_max = best_by(_mean_score)
_secure = best_by(_secure_score)


def _max_robust(nodes: Nodes, parent: int, params: Params) -> Any:
    favourite = _robust(nodes, parent, params)
    return favourite if favourite == _max(nodes, parent, params) else SEARCH_ON
