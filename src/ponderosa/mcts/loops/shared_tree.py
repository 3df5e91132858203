"""One tree that several threads grow at once. Start at grow; mcts/parallel/tree.py runs the threads.

The loop is that of mcts/loops/loop.py. The top of the tree, which all threads would change all the time, each has for
itself (shared_top.py). Below, a visit is counted on the way down, and its value added on the way back: until then it
looks like a loss, which sends the other threads elsewhere (virtual loss: Chaslot, Winands & van den Herik 2008). Nobody
waits for anybody: counts are changed by atomic instructions (Enzenberger & Muller 2010, "A lock-free multithreaded
Monte-Carlo tree search algorithm"), and of two threads that want to expand a leaf one does, and the other plays out.
"""

from __future__ import annotations

from typing import Any

from ponderosa.compile.atomics import add_to_field, exchange_field
from ponderosa.core.bounds import UNPROVEN, is_settled
from ponderosa.core.rng import shuffle
from ponderosa.mcts.loops.loop import (
    BAD_ACTION_COUNT,
    BAD_PLAYER,
    DONE,
    FULL,
    descent_of,
    evaluator,
    loop_of,
    play_move,
)
from ponderosa.mcts.loops.shared_top import (
    SHORTEST,
    copy_top,
    count_in_top,
    exchange,
    leave_top,
    patience,
    proofs_in_top,
    walk_top,
)
from ponderosa.mcts.loops.workspace import Game, Phases, Workspace
from ponderosa.mcts.tree.node import LEFT_OUT, ROOT, UNTRIED, Nodes
from ponderosa.mcts.tree.solver import prove

LOCKED = -2
"""The place of a node's first child while a thread lays its children out."""
add_visits = add_to_field("visits")
add_value = add_to_field("value")
add_action = add_to_field("action")
add_count = add_to_field("count")
exchange_first = exchange_field("first")


def choose_child(nodes: Nodes, node: int, game: Game, phases: Phases, work: Workspace) -> int:
    """As in the usual loop, where other threads may have opened the child meanwhile."""
    child = open_child(nodes, node, phases)
    return child if child > 0 else phases.select(nodes, node, phases.select_params, work.rng)


def enter(nodes: Nodes, child: int, depth: int, game: Game, work: Workspace) -> int:
    """Count the visit on the way, so that the others see it, and play the move."""
    add_visits(nodes, child, 1)
    return play_move(nodes, child, depth, game, work)


descend = descent_of(choose_child, enter)


def walk(nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
    """Bring the state from the root to a leaf, first through the copies of the top; returns its depth."""
    game.copy(work.state, work.root)
    work.path[0] = ROOT
    depth = walk_top(game, phases, work)
    add_visits(nodes, work.path[depth], 1)
    return descend(nodes, depth, game, phases, work)


def open_child(nodes: Nodes, node: int, phases: Phases) -> int:
    """The next slot of a node, if it has one and `expand` wants it; 0 otherwise, or when another thread was faster."""
    slot: int = nodes[node]["first"] + nodes[node]["count"]
    if nodes[slot]["first"] != UNTRIED or nodes[slot]["action"] == LEFT_OUT:
        return 0
    if phases.expand(nodes, node, phases.expand_params) <= 0 or not exchange_first(nodes, slot, UNTRIED, 0):
        return 0
    add_count(nodes, node, 1)
    return slot


def expand_leaf(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
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
    begin = lay_out(nodes, leaf, total, game.current_player(work.state), work)
    if begin <= 0:
        exchange_first(nodes, leaf, LOCKED, 0)
        for step in range(work.share.part["inside"], depth + 1):
            add_visits(nodes, work.path[step], -1)
        return -1
    add_visits(nodes, begin, 1)
    work.path[depth + 1] = begin
    exchange_first(nodes, leaf, LOCKED, begin)
    game.apply_action(work.state, nodes[begin]["action"])
    return depth + 1


def lay_out(nodes: Nodes, leaf: int, total: int, player: int, work: Workspace) -> int:
    """Write a block of slots, the first of them open; returns where it begins, or 0 when it does not fit.

    The root leads nowhere from anywhere: its action counts the nodes in use. A block lies behind that of its parent,
    whoever lays it out.
    """
    counters = work.counters
    left_out = 1 if total < 0 else 0
    total = abs(total)
    if total == 0 or total > len(work.actions):
        counters["status"], counters["detail"] = BAD_ACTION_COUNT, total
        return 0
    if player < 0 or player >= work.settings.players:
        counters["status"], counters["detail"] = BAD_PLAYER, player
        return 0
    begin: int = add_action(nodes, ROOT, total + left_out)
    if begin + total + left_out >= len(nodes):
        add_action(nodes, ROOT, -(total + left_out))
        counters["status"], counters["detail"] = FULL, total
        return 0
    if not work.settings.ordered:
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


def update(nodes: Nodes, depth: int, plies: int, phases: Phases, work: Workspace) -> None:
    """Add the result along the path: in the copies with its visit, below to visits counted on the way down."""
    count_in_top(work)
    for step in range(work.share.part["inside"], depth + 1):
        node = work.path[step]
        add_value(nodes, node, work.values[nodes[node]["mover"]])
    if nodes[work.path[depth]]["proven"] != UNPROVEN:
        prove(nodes, work.path, depth)
        proofs_in_top(nodes, work)


def is_solved(nodes: Nodes, work: Workspace) -> Any:
    """Whether nothing is left to find out, as far as this thread knows."""
    return is_settled(work.share.top[0]["proven"] if work.share.part["copied"] > 0 else nodes[ROOT]["proven"])


run = loop_of(walk, expand_leaf, evaluator(fresh=1), update, is_solved)


def grow(iterations: int, nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
    """Run up to a number of iterations, with copies of the top where there are enough; returns how many were run."""
    alone = patience(nodes, work)
    leave_top(work)
    if alone < SHORTEST or iterations < SHORTEST:
        return run(iterations, nodes, game, phases, work)
    copy_top(nodes, work)
    done = 0
    while done < iterations:
        wanted = min(alone, iterations - done)
        ran = run(wanted, nodes, game, phases, work)
        exchange(nodes, work)
        done += ran
        if ran < wanted or work.counters["status"] != DONE:
            break
    return done
