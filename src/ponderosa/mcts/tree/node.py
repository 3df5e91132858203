"""What a tree is made of: one record a node, children side by side. Start at NODE.

A node that is expanded gets one slot for every action. `count` slots, from `first` on, are its
children in the tree; the slots behind them wait, marked UNTRIED, until `expand` opens them. The first slot of a block
is opened when the block is laid out, so the slot behind a node's last child is UNTRIED only if it is the node's own.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.bounds import PROVEN_VALUES, for_opponent, is_settled

NODE = np.dtype(
    [
        ("visits", "i4"),  # iterations that went through this node
        ("first", "i4"),  # index of the first child; 0: no children; UNTRIED: an action not yet in the tree
        ("value", "f8"),  # sum over the visits, each in [0, 1], for the player who moved into the node
        ("action", "i4"),  # what the mover did
        ("count", "i2"),  # children in the tree
        ("mover", "i1"),  # the player who moved into the node; at the first root, the player to move
        ("proven", "i1"),  # what is proven, for the mover: core/bounds.py
    ],
    align=True,
)
Nodes = npt.NDArray[Any]
"""An array of such records; functions of nodes are compiled for its dtype."""
Node = np.void
"""One of them."""
Fields = tuple[tuple[str, str], ...]
"""Names and types of what a policy keeps in every node beside the rest; "f8 each" is one number for every player."""
EACH = " each"
PRIOR_FIELDS: Fields = (("prior", "f8"),)
"""How promising an action is before it was tried, as a share of all: filled in by mcts/loops/priors.py."""

ROOT = 0
UNTRIED = -1
LEFT_OUT = -1
"""The action of a slot that stands for all actions that the game's candidates left out; it is never opened."""

SURE = "sure"
"""The field that holds what each player has for certain, in a tree of scores: mcts/loops/bounded.py."""

MAX_CHILDREN = 2**15 - 1


@functools.cache
def layout(fields: Fields, players: int = 2) -> np.dtype[Any]:
    """The record of a node with more fields; without any, NODE."""
    if not fields:
        return NODE
    assert NODE.fields is not None
    known = [(name, NODE.fields[name][0]) for name in NODE.names or ()]
    more = [(name, kind.removesuffix(EACH), (players,) if kind.endswith(EACH) else ()) for name, kind in fields]
    return np.dtype([*known, *more], align=True)


def has_untried(nodes: Any, node: Any) -> Any:
    """Whether an expanded node has actions that are not yet in the tree."""
    first = nodes[node]["first"]
    return first > 0 and nodes[first + nodes[node]["count"]]["first"] == UNTRIED


def certain_value(node: Any, player: int) -> float | None:
    """A player's result at a node from 0 to 1, where it is settled."""
    proven = int(node["proven"])
    if not is_settled(proven):
        return None
    if SURE in node.dtype.names:
        return float(node[SURE][player])
    return PROVEN_VALUES[proven if node["mover"] == player else int(for_opponent(proven))]
