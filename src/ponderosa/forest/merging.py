"""What many trees know of the actions at their common root, put together. Start at merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.core.bounds import bounds
from ponderosa.forest.kernel import Found
from ponderosa.mcts.tree.memory import empty
from ponderosa.mcts.tree.node import ROOT
from ponderosa.mcts.tree.solver import conclusion
from ponderosa.mcts.tree.tree import Tree

MOST_VISITS = 2**30
"""A node counts no further: of more, each child gets its share. Reports have the sums as they are."""


class Merged(NamedTuple):
    """The root's actions that some tree has tried, in increasing order."""

    actions: list[int]
    visits: npt.NDArray[np.int64]
    """The sums of all trees."""
    values: npt.NDArray[np.float64]
    """The sum of all results, for the player to move."""
    proven: npt.NDArray[np.int64]
    """The tightest bounds: what one tree has proven holds in all."""

    @property
    def visits_of(self) -> dict[int, int]:
        """The visits by action."""
        return dict(zip(self.actions, self.visits.tolist(), strict=True))


def merged(found: Found, legal: Sequence[Any]) -> Merged:
    """Visits and results are added up, and of the bounds the tightest are taken."""
    order = np.sort(np.array(legal, np.int64))
    known = found.actions >= 0
    place, count = np.searchsorted(order, found.actions[known]), len(order)
    visits = found.visits[known]
    values = np.nan_to_num(found.values[known]) * visits
    proven = found.proven[known].astype(np.int64)
    lower, upper = np.zeros(count, np.int64), np.full(count, 2, np.int64)
    np.maximum.at(lower, place, proven & 3)
    np.minimum.at(upper, place, 2 - (proven >> 2))
    tried = np.bincount(place, minlength=count) > 0
    return Merged(
        actions=[int(action) for action in order[tried]],
        visits=np.bincount(place, visits, count)[tried].astype(np.int64),
        values=np.bincount(place, values, count)[tried].astype(np.float64),
        proven=np.array([bounds(int(low), max(int(low), int(up))) for low, up in zip(lower, upper, strict=True)])[
            tried
        ],
    )


def put_at_root(tree: Tree, nodes: Any, known: Merged, solve: bool) -> None:
    """Make the tree one of these nodes, with what all trees know of the root's actions."""
    with tree.still:
        used = min(len(nodes), len(tree.nodes) - 1)
        empty(tree.nodes, min(used, tree.used), tree.used)
        tree.nodes[:used], tree.used = nodes[:used], used
        share = max(1.0, known.visits.sum() / MOST_VISITS)
        for place, action in enumerate(known.actions):
            child = tree.opened(action)
            if child is not None:
                node = tree.nodes[child]
                node["visits"], node["value"] = int(known.visits[place] / share), known.values[place] / share
                node["proven"] = known.proven[place]
        root = tree.nodes[ROOT]
        root["visits"] = int(known.visits.sum() / share)
        if solve and root["count"] > 0:
            root["proven"] = conclusion(tree.nodes, ROOT)
