"""How many children to add to a node. Start at expand.

An expand function: `(nodes, node, params) -> how many new children to add now, at most`; 0 goes on with those there
are, or plays out from the node itself when it has none.
"""

from __future__ import annotations

from typing import Any

from ponderosa.core.errors import SettingError
from ponderosa.search.node import MAX_CHILDREN, ROOT
from ponderosa.search.policy import Makers, Policy, check_number


def expand(n: int | str = 1, min_visits: int = 1) -> Policy:
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
    return Policy("expand", _expand, (float(count), float(min_visits)), "expand", {"n": n, "min_visits": min_visits})


def all_children() -> Policy:
    """Every child at once."""
    return expand("all")


POLICIES: Makers = {"expand": expand, "all": all_children}


def _expand(nodes: Any, node: Any, params: Any) -> Any:
    if nodes[node]["visits"] < params[1] and node != ROOT:  # the root must have moves to choose from
        return 0
    return int(params[0])
