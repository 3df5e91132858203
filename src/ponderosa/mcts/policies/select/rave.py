"""All moves as first: an action's worth is told by every game in which it was played later, too. Start at rave.

AMAF (Brügmann 1993) keeps, beside a child's own visits and value, those of all iterations through its parent in which
its action was played by the same player at any time after.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ponderosa.core.numbers import check_number
from ponderosa.mcts.policies.base import Makers, Moves, Params, Path, SelectPolicy, Values
from ponderosa.mcts.policies.select.ucb import best_by, first_play_urgency
from ponderosa.mcts.tree.node import Node, Nodes

FIELDS = (("amaf_value", "f8"), ("amaf_visits", "i8"))
TABLE = 2**14
"""Places for marks of moves that were played; moves with equal numbers modulo this are taken for each other."""
MARKS = 1 + TABLE
"""How many numbers `learning` keeps: how often it was called, and when each move was played last."""


def rave(k: float = 500.0, c: float = 0.2, fpu: float | None = None) -> SelectPolicy:
    """(1 - b) * mean + b * AMAF mean + c * sqrt(ln N / n), with b = sqrt(k / (3 N + k)). More k trusts AMAF for longer.

    A child that was never visited is worth its AMAF mean, if it has one. k = 0 is UCB1. (Gelly & Silver 2007,
    "Combining online and offline knowledge in UCT".)
    """
    check_number("k", k, 0)
    check_number("c", c, 0)
    urgency = first_play_urgency(fpu)
    settings = {"k": k, "c": c, "fpu": fpu}
    return SelectPolicy(by_own_moves, (urgency, float(c), float(k)), "rave", settings,
        fields=FIELDS, learn=_learn, moves=True, memory=MARKS,
    )  # fmt: skip


POLICIES: Makers = {"rave": rave}


def score(mean: float, spread: float, params: Params) -> Any:
    """That of UCB1."""
    return mean + params[1] * spread


def mixed(mean: float, amaf: Any, total: float, params: Params) -> Any:
    """A mean and an AMAF mean, which is trusted less with every visit of the parent."""
    trust = math.sqrt(params[2] / (3.0 * total + params[2]))
    return (1.0 - trust) * mean + trust * amaf


def _with_amaf(node: Node, mean: float, total: float, params: Params) -> Any:
    if params[2] == 0.0 or node["amaf_visits"] == 0:
        return mean
    return mixed(mean, node["amaf_value"] / node["amaf_visits"], total, params)


def _amaf_alone(node: Node, spread: float, params: Params) -> Any:
    if params[2] == 0.0 or node["amaf_visits"] == 0:
        return params[0]
    return score(node["amaf_value"] / node["amaf_visits"], spread, params)


by_own_moves = best_by(score, _with_amaf, _amaf_alone)


def learning(own: int) -> Callable[..., Any]:
    """A `learn` function for policies with these fields, and this many numbers of their own before the marks."""

    def learn(
        nodes: Nodes, path: Path, parents: Path, depth: int, values: Values, moves: Moves, params: Params
    ) -> None:
        marks = params[own:]
        marks[0] += 1.0
        players = len(values)
        for place in range(depth + 1, moves[0] + 1):
            marks[1 + moves[place] % TABLE] = marks[0]
        for step in range(depth - 1, -1, -1):
            if step + 1 <= moves[0]:
                marks[1 + moves[step + 1] % TABLE] = marks[0]
            begin = nodes[path[step]]["first"]
            for child in range(begin, begin + nodes[path[step]]["count"]):
                node = nodes[child]
                if marks[1 + (node["action"] * players + node["mover"]) % TABLE] == marks[0]:
                    node["amaf_visits"] += 1
                    node["amaf_value"] += values[node["mover"]]

    return learn


_learn = learning(3)
