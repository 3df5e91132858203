"""How many children to add to a node. Start at expand.

An expand function: `(nodes, node, params) -> how many new children to add now, at most`; 0 goes on with those there
are, or plays out from the node itself when it has none.
"""

from __future__ import annotations

from typing import Any

from ponderosa.core.numbers import check_number
from ponderosa.errors import SettingError
from ponderosa.mcts.policies.base import ExpandPolicy, Makers, Params
from ponderosa.mcts.tree.node import MAX_CHILDREN, ROOT, Nodes


def expand(n: int | str = 1, min_visits: int = 1) -> ExpandPolicy:
    """At most n new children an iteration ("all": every one), once the node was visited min_visits times.

    More n fills the tree faster; more min_visits saves memory where a search passes only once.
    """
    if n == "all":
        count = MAX_CHILDREN
    elif isinstance(n, str):
        raise SettingError(f"expand: n is a whole number or 'all', not {n!r}")
    else:
        check_number("expand: n", n, 1, MAX_CHILDREN, whole=True)
        count = n
    check_number("min_visits", min_visits, 0, whole=True)
    return ExpandPolicy(_expand, (float(count), float(min_visits)), "expand", {"n": n, "min_visits": min_visits})


def all_children() -> ExpandPolicy:
    """Every child at once."""
    return expand("all")


def widening(k: float = 1.0, alpha: float = 0.5) -> ExpandPolicy:
    """At most k * visits^alpha children: progressive widening. (Coulom 2007; Chaslot et al. 2008: unpruning.)

    The children come in the order of the game's `candidates` if it is `ordered`, of the priors if the select policy
    has some, else in a random one. alpha = 1 and k = 1 add one child a visit, as `expand` does.
    """
    check_number("k", k, 0.01)
    check_number("alpha", alpha, 0, 1)
    return ExpandPolicy(_widening, (float(k), float(alpha)), "widening", {"k": k, "alpha": alpha}, sorts=True)


POLICIES: Makers = {"expand": expand, "all": all_children, "widening": widening}


def _expand(nodes: Nodes, node: int, params: Params) -> Any:
    if nodes[node]["visits"] < params[1] and node != ROOT:  # the root must have moves to choose from
        return 0
    return int(params[0])


def _widening(nodes: Nodes, node: int, params: Params) -> Any:
    visits = nodes[node]["visits"] + (1 if node == ROOT else 0)  # no iteration ends at the root
    return 1 if nodes[node]["count"] < params[0] * visits ** params[1] and visits > 0 else 0
