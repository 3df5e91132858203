"""One tree that several threads grow at once. Start at grow; mcts/parallel/tree.py runs the threads.

The loop is that of mcts/loops/loop.py. A visit is counted on the way down, its value added on the way back: until then
it looks like a loss, which sends the other threads elsewhere (virtual loss: Chaslot, Winands & van den Herik 2008).
Nobody waits for anybody: counts are changed by atomic instructions (Enzenberger & Muller 2010, "A lock-free
multithreaded Monte-Carlo tree search algorithm"), and of two threads that want to expand a leaf one does, and the other
plays out.
"""

from __future__ import annotations

from typing import Any

from ponderosa.compile.atomics import add_to_field, exchange_field
from ponderosa.core.rng import shuffle
from ponderosa.mcts.loops.loop import (
    BAD_ACTION_COUNT,
    BAD_PLAYER,
    DETAIL,
    FULL,
    ORDERED,
    PLAYERS,
    STATUS,
    evaluator,
    loop_of,
)
from ponderosa.mcts.tree.node import LEFT_OUT, ROOT, UNPROVEN, UNTRIED, is_settled
from ponderosa.mcts.tree.solver import prove

LOCKED = -2
"""The place of a node's first child while a thread lays its children out."""

add_visits = add_to_field("visits")
add_value = add_to_field("value")
add_count = add_to_field("count")
add_action = add_to_field("action")
exchange_first = exchange_field("first")


def walk(nodes: Any, game: Any, phases: Any, work: Any) -> Any:
    """Descend and play at once, counting visits on the way; returns the depth."""
    game.copy(work.state, work.root)
    node, depth = ROOT, 0
    work.path[0] = ROOT
    add_visits(nodes, ROOT, 1)
    while depth + 1 < len(work.path) and nodes[node]["first"] > 0 and not is_settled(nodes[node]["proven"]):
        child = open_child(nodes, node, phases)
        opened = child > 0
        if not opened:
            child = phases.select(nodes, node, phases.select_params, work.rng)
        node, depth = child, depth + 1
        work.path[depth] = node
        add_visits(nodes, node, 1)
        game.apply_action(work.state, nodes[node]["action"])
        if opened:
            return depth
    return depth


def open_child(nodes: Any, node: Any, phases: Any) -> Any:
    """The next slot of a node, if it has one and `expand` wants it; 0 otherwise, or when another thread was faster."""
    slot = nodes[node]["first"] + nodes[node]["count"]
    if nodes[slot]["first"] != UNTRIED or nodes[slot]["action"] == LEFT_OUT:
        return 0
    if phases.expand(nodes, node, phases.expand_params) <= 0 or not exchange_first(nodes, slot, UNTRIED, 0):
        return 0
    add_count(nodes, node, 1)
    return slot


def expand_leaf(nodes: Any, depth: Any, counters: Any, game: Any, phases: Any, work: Any) -> Any:
    """Lay out the children of a leaf and step into the first, unless another thread does; -1 when it must stop."""
    leaf = work.path[depth]
    node = nodes[leaf]
    if (node["visits"] <= 1 and leaf != ROOT) or node["first"] != 0 or depth + 1 == len(work.path):
        return depth
    if is_settled(node["proven"]) or game.is_terminal(work.state):
        return depth
    if phases.expand(nodes, leaf, phases.expand_params) <= 0 or not exchange_first(nodes, leaf, 0, LOCKED):
        return depth
    total = game.candidates(work.state, work.actions)
    begin = lay_out(nodes, leaf, counters, total, game.current_player(work.state), work)
    if begin <= 0:
        exchange_first(nodes, leaf, LOCKED, 0)
        for step in range(depth + 1):
            add_visits(nodes, work.path[step], -1)
        return -1
    add_visits(nodes, begin, 1)
    work.path[depth + 1] = begin
    exchange_first(nodes, leaf, LOCKED, begin)
    game.apply_action(work.state, nodes[begin]["action"])
    return depth + 1


def lay_out(nodes: Any, leaf: Any, counters: Any, total: Any, player: Any, work: Any) -> Any:
    """Write a block of slots, the first of them open; returns where it begins, or 0 when it does not fit.

    The root leads nowhere from anywhere: its action counts the nodes in use.
    """
    left_out = 1 if total < 0 else 0
    total = abs(total)
    if total == 0 or total > len(work.actions):
        counters[STATUS], counters[DETAIL] = BAD_ACTION_COUNT, total
        return 0
    if player < 0 or player >= counters[PLAYERS]:
        counters[STATUS], counters[DETAIL] = BAD_PLAYER, player
        return 0
    begin = add_action(nodes, ROOT, total + left_out)
    if begin + total + left_out >= len(nodes):
        add_action(nodes, ROOT, -(total + left_out))
        counters[STATUS], counters[DETAIL] = FULL, total
        return 0
    if counters[ORDERED] == 0:
        shuffle(work.rng, work.actions, total)
    for index in range(total):
        slot = nodes[begin + index]
        slot["action"] = work.actions[index]
        slot["mover"] = player
        slot["first"] = 0 if index == 0 else UNTRIED
    if left_out == 1:
        nodes[begin + total]["action"] = LEFT_OUT
        nodes[begin + total]["mover"] = player
        nodes[begin + total]["first"] = UNTRIED
    nodes[leaf]["count"] = 1
    return begin


def update(nodes: Any, depth: Any, plies: Any, counters: Any, phases: Any, work: Any) -> None:
    """Add the result along the path; the visits were counted on the way down."""
    for step in range(depth + 1):
        add_value(nodes, work.path[step], work.values[nodes[work.path[step]]["mover"]])
    if nodes[work.path[depth]]["proven"] != UNPROVEN:
        prove(nodes, work.path, depth)


grow = loop_of(walk, expand_leaf, evaluator(fresh=1), update)
