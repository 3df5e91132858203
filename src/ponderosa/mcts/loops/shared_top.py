"""The top of a shared tree, copied by each thread for a while. Start at walk_top, then exchange.

All threads come through the root and its children in every iteration: if each changed them there, they would wait for
those few lines of memory most of the time. So a thread has copies of the nodes that most iterations come through. It
selects by them, counts in them, and exchanges what it counted with what the others did, every now and then: never so
seldom that more than one visit in UNKNOWN is unknown to somebody. Below the top, nodes are the tree's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.atomics import add_to_field
from ponderosa.core.bounds import is_settled
from ponderosa.mcts.loops.workspace import PART, Game, Phases, Share, Workspace
from ponderosa.mcts.tree.node import LEFT_OUT, NODE, ROOT, UNTRIED, Nodes

COPIES = 2048
"""So many nodes may be copied. What was counted since the last exchange is in the second half of the room for them,
where `first` is the node's place in the tree."""
SHARE = 256
"""A node is copied when more than one visit in this many comes to its parent. The more is copied, the less do threads
meet below, and the longer an exchange takes: 16 threads were slower with less of this and LONGEST."""
UNKNOWN = 64
"""At most one visit in this many is in copies alone, so that `select` sees nearly what it would see in the tree."""
SHORTEST, LONGEST = 16, 1024
"""So many iterations lie between two exchanges at least, or the top is not worth copying, and at most, so that what one
thread finds reaches the others soon in large trees too."""

add_visits = add_to_field("visits")
add_value = add_to_field("value")


def patience(nodes: Nodes, work: Workspace) -> int:
    """How many iterations a thread may keep to itself."""
    unknown: int = nodes[ROOT]["visits"] // (UNKNOWN * work.share.part["threads"])
    return min(unknown, LONGEST)


def copy_top(nodes: Nodes, work: Workspace) -> None:
    """Copy the root, and the children of all nodes that many iterations come through."""
    top, least = work.share.top, nodes[ROOT]["visits"] // SHARE
    copy_node(nodes, ROOT, 0, work)
    copied, looked_at = 1, 0
    while looked_at < copied:
        place: int = top[COPIES + looked_at]["first"]
        size = slots_to_copy(nodes, place)
        if size > 0 and copied + size < COPIES and nodes[place]["visits"] > least:
            top[looked_at]["first"] = copied
            for slot in range(size):
                copy_node(nodes, nodes[place]["first"] + slot, copied + slot, work)
            copied += size
        looked_at += 1
    top[copied]["first"] = 0  # behind the last one, nothing waits to be opened
    work.share.part["copied"] = copied


def copy_node(nodes: Nodes, place: int, copy: int, work: Workspace) -> None:
    """Copy a node, as one without children."""
    top = work.share.top
    top[copy] = nodes[place]
    top[copy]["first"] = UNTRIED if nodes[place]["action"] == LEFT_OUT and place != ROOT else 0
    top[COPIES + copy]["first"] = place
    top[COPIES + copy]["visits"] = 0
    top[COPIES + copy]["value"] = 0.0


def slots_to_copy(nodes: Nodes, node: int) -> int:
    """How many slots a node's children take, if all are open; 0 when it has none, or some wait."""
    begin: int = nodes[node]["first"]
    if begin <= 0 or is_settled(nodes[node]["proven"]):
        return 0
    size: int = nodes[node]["count"]
    if nodes[begin + size]["first"] != UNTRIED:
        return size
    return size + 1 if nodes[begin + size]["action"] == LEFT_OUT else 0


def walk_top(game: Game, phases: Phases, work: Workspace) -> int:
    """Go down to where the copies end, and play on the way; returns the depth there."""
    top, depth, copy = work.share.top, 0, 0
    work.parents[0] = 0
    while top[copy]["first"] > 0 and not is_settled(top[copy]["proven"]):
        copy = phases.select(top, copy, phases.select_params, work.rng)
        depth += 1
        work.path[depth] = top[COPIES + copy]["first"]
        work.parents[depth] = copy
        game.apply_action(work.state, top[copy]["action"])
    work.share.part["inside"] = depth
    return depth


def count_in_top(work: Workspace) -> None:
    """Add the result to the copies on the way; of the last one, the node in the tree is changed with those below."""
    top, inside = work.share.top, work.share.part["inside"]
    for step in range(inside + 1):
        copy = work.parents[step]
        worth = work.values[top[copy]["mover"]]
        top[copy]["visits"] += 1
        top[copy]["value"] += worth
        if step < inside:
            top[COPIES + copy]["visits"] += 1
            top[COPIES + copy]["value"] += worth


def proofs_in_top(nodes: Nodes, work: Workspace) -> None:
    """Take over what an iteration has proven on its way."""
    for step in range(work.share.part["inside"] + 1):
        work.share.top[work.parents[step]]["proven"] = nodes[work.path[step]]["proven"]


def exchange(nodes: Nodes, work: Workspace) -> None:
    """Tell the others what was counted, and learn what they did."""
    top = work.share.top
    for copy in range(work.share.part["copied"]):
        place, own = top[COPIES + copy]["first"] + 0, COPIES + copy
        if top[own]["visits"] > 0:
            add_visits(nodes, place, top[own]["visits"])
            add_value(nodes, place, top[own]["value"])
            top[own]["visits"] = 0
            top[own]["value"] = 0.0
        top[copy]["visits"] = nodes[place]["visits"]
        top[copy]["value"] = nodes[place]["value"]
        top[copy]["proven"] = nodes[place]["proven"]


def leave_top(work: Workspace) -> None:
    """Go on without copies."""
    work.share.top[0]["first"] = 0
    work.share.part["copied"] = 0


def new_share(threads: int, layout: np.dtype[Any]) -> Share:
    """A part in a tree that so many threads grow, and room for copies; around each, 64 bytes that nobody writes to, so
    that it shares no line of memory with another thread's."""
    part = np.zeros(7, PART)[3]
    part["threads"] = threads
    return Share(part, np.zeros(2 * COPIES + 8, layout)[4:-4])


NO_SHARE = Share(np.zeros(1, PART)[0], np.zeros(1, NODE))
"""Of a search whose tree is its own."""
