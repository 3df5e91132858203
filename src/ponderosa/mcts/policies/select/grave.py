"""RAVE for nodes of few visits: what moves were worth is asked of an ancestor that knows. Start at grave."""

from __future__ import annotations

from typing import Any

from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng
from ponderosa.mcts.policies.base import Makers, Params, SelectPolicy
from ponderosa.mcts.policies.select.rave import FIELDS, MARKS, TABLE, by_own_moves, learning, mixed, score
from ponderosa.mcts.policies.select.ucb import best_by, first_play_urgency
from ponderosa.mcts.tree.node import ROOT, Node, Nodes

OWN = 4
MEANS = OWN + MARKS
"""Where in the params the AMAF means of the present node's moves begin, by action; UNKNOWN where there is none."""
REFERENCES = MEANS + TABLE
"""Where the nodes begin that each player asks on the way down."""
MOST_PLAYERS = 128
UNKNOWN = -1.0


def grave(ref: int = 50, c: float = 0.2, k: float = 500.0, fpu: float | None = None) -> SelectPolicy:
    """As `rave`, with the AMAF means of the nearest node on the path that has at least `ref` visits, for its player.

    That node is the present one, or the last before it where the same player was to move; the first of these, if none
    has this many. Moves that it does not know have the present node's own AMAF mean. ref = 0 is `rave`. (Cazenave 2015,
    "Generalized rapid action value estimation".)
    """
    check_number("ref", ref, 0, whole=True)
    check_number("c", c, 0)
    check_number("k", k, 0)
    params = (first_play_urgency(fpu), float(c), float(k), float(ref))
    settings = {"ref": ref, "c": c, "k": k, "fpu": fpu}
    return SelectPolicy(_grave, params, "grave", settings, fields=FIELDS, learn=_learn, moves=True,
        memory=MARKS + TABLE + MOST_PLAYERS, whole=True,
    )  # fmt: skip


POLICIES: Makers = {"grave": grave}


def _grave(nodes: Nodes, parent: int, params: Params, rng: Rng) -> Any:
    reference = _reference(nodes, parent, params)
    if reference == parent:
        return by_own_moves(nodes, parent, params, rng)
    begin = nodes[parent]["first"]
    for child in range(begin, begin + nodes[parent]["count"]):
        params[MEANS + nodes[child]["action"] % TABLE] = UNKNOWN
    _note_means(nodes, parent, params)
    _note_means(nodes, reference, params)
    return _by_noted_means(nodes, parent, params, rng)


def _reference(nodes: Nodes, parent: int, params: Params) -> Any:
    """The node to ask here. The way down begins at the root, where all is forgotten."""
    references = params[REFERENCES:]
    if parent == ROOT:
        for player in range(MOST_PLAYERS):
            references[player] = UNKNOWN
    player = nodes[nodes[parent]["first"]]["mover"]
    if references[player] == UNKNOWN or nodes[parent]["visits"] >= params[3]:
        references[player] = parent
    return int(references[player])


def _note_means(nodes: Nodes, node: int, params: Params) -> None:
    begin = nodes[node]["first"]
    for child in range(begin, begin + nodes[node]["count"]):
        if nodes[child]["amaf_visits"] > 0:
            mean = nodes[child]["amaf_value"] / nodes[child]["amaf_visits"]
            params[MEANS + nodes[child]["action"] % TABLE] = mean


def _with_noted(node: Node, mean: float, total: float, params: Params) -> Any:
    amaf = params[MEANS + node["action"] % TABLE]
    if params[2] == 0.0 or amaf == UNKNOWN:
        return mean
    return mixed(mean, amaf, total, params)


def _noted_alone(node: Node, spread: float, params: Params) -> Any:
    amaf = params[MEANS + node["action"] % TABLE]
    if params[2] == 0.0 or amaf == UNKNOWN:
        return params[0]
    return score(amaf, spread, params)


_by_noted_means = best_by(score, _with_noted, _noted_alone)
_learn = learning(OWN)
