"""The tree search, once, for all games and all policies. Start at grow.

Everything here runs in two ways: compiled, with phases and rules as first-class functions, or as plain Python, when the
states are Python objects or NUMBA_DISABLE_JIT is set.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ponderosa.core.rng import shuffle
from ponderosa.search.node import ROOT, UNTRIED, for_opponent, has_untried, is_settled
from ponderosa.search.solver import prove, proven_values, verdict

USED, STATUS, DETAIL = 0, 1, 2
"""Places in the counters: nodes in use, why `grow` returned, and a number that explains it."""

DONE, FULL, SOLVED, BAD_ACTION_COUNT = 0, 1, 2, 3


class Game(NamedTuple):
    """The operations that the loop calls; core/rules.py says what they do."""

    copy: Any
    current_player: Any
    candidates: Any
    apply_action: Any
    is_terminal: Any
    scores: Any
    bounds: Any


class Phases(NamedTuple):
    """The phases, each with its numbers."""

    select: Any
    select_params: Any
    expand: Any
    expand_params: Any
    playout: Any
    playout_params: Any
    backup: Any
    backup_params: Any


class Workspace(NamedTuple):
    """What an iteration writes on."""

    root: Any
    """The state at the root; never changed."""
    state: Any
    """The state where the iteration is."""
    spare: Any
    """Three states for playouts."""
    path: Any
    """The nodes visited, root first."""
    actions: Any
    """Room for the legal actions of a state."""
    values: Any
    """Each player's result."""
    rng: Any


def grow(iterations: Any, nodes: Any, counters: Any, game: Any, phases: Any, work: Any, solve: Any) -> Any:
    """Run up to so many iterations; returns how many were run. counters[STATUS] says why it ended."""
    counters[STATUS] = DONE
    for done in range(iterations):
        if solve and is_settled(nodes[ROOT]["proven"]):
            counters[STATUS] = SOLVED
            return done
        depth = descend(nodes, counters, game, phases, work)
        if depth < 0:
            return done
        leaf = work.path[depth]
        known = nodes[leaf]["proven"]
        plies = evaluate(nodes, leaf, game, phases, work, solve)
        phases.backup(nodes, work.path, depth, work.values, plies, phases.backup_params)
        if nodes[leaf]["proven"] != known:
            prove(nodes, work.path, depth)
    return iterations


def descend(nodes: Any, counters: Any, game: Any, phases: Any, work: Any) -> Any:
    """Select from the root down to a leaf, expanding on the way; returns the leaf's depth, or -1 when it must stop."""
    game.copy(work.state, work.root)
    node, depth = ROOT, 0
    work.path[0] = ROOT
    while not is_leaf(nodes, node, game, work):
        opened = open_children(nodes, node, counters, game, phases, work)
        if opened < 0:
            return -1
        if opened > 0:
            child = nodes[node]["first"] + nodes[node]["count"] - opened
        elif nodes[node]["count"] == 0 or depth + 1 == len(work.path):
            return depth
        else:
            child = phases.select(nodes, node, phases.select_params, work.rng)
        game.apply_action(work.state, nodes[child]["action"])
        node, depth = child, depth + 1
        work.path[depth] = node
        if opened > 0:
            return depth
    return depth


def is_leaf(nodes: Any, node: Any, game: Any, work: Any) -> Any:
    """Whether there is nothing below: the result is proven, or the game is over."""
    return is_settled(nodes[node]["proven"]) or (nodes[node]["count"] == 0 and game.is_terminal(work.state))


def open_children(nodes: Any, node: Any, counters: Any, game: Any, phases: Any, work: Any) -> Any:
    """Let `expand` add children; returns how many were added, or -1 when it must stop."""
    if nodes[node]["first"] > 0 and not has_untried(nodes, node):
        return 0
    wanted = phases.expand(nodes, node, phases.expand_params)
    if wanted <= 0:
        return 0
    if nodes[node]["first"] == 0 and not lay_out(nodes, node, counters, game, work):
        return -1
    opened = 0
    while opened < wanted and has_untried(nodes, node):
        nodes[nodes[node]["first"] + nodes[node]["count"]]["first"] = 0
        nodes[node]["count"] += 1
        opened += 1
    return opened


def lay_out(nodes: Any, node: Any, counters: Any, game: Any, work: Any) -> Any:
    """Give a node one untried slot for every action, in random order; False when they do not fit."""
    total = game.candidates(work.state, work.actions)
    if total <= 0 or total > len(work.actions):
        counters[STATUS], counters[DETAIL] = BAD_ACTION_COUNT, total
        return False
    begin = counters[USED]
    if begin + total >= len(nodes):  # one slot more: has_untried looks behind the last child
        counters[STATUS], counters[DETAIL] = FULL, total
        return False
    shuffle(work.rng, work.actions, total)
    player = game.current_player(work.state)
    for index in range(total):
        slot = nodes[begin + index]
        slot["first"] = UNTRIED
        slot["action"] = work.actions[index]
        slot["mover"] = player
    counters[USED] = begin + total
    nodes[node]["first"] = begin
    return True


def evaluate(nodes: Any, leaf: Any, game: Any, phases: Any, work: Any, solve: Any) -> Any:
    """Fill in the players' results at a leaf: proven, final, or played out; returns the playout's length."""
    node = nodes[leaf]
    if is_settled(node["proven"]):
        proven_values(node["proven"], node["mover"], work.values)
        return 0
    if game.is_terminal(work.state):
        game.scores(work.state, work.values)
        if solve:
            node["proven"] = verdict(work.values, node["mover"])
        return 0
    if solve and node["visits"] == 0:
        known = game.bounds(work.state)
        node["proven"] = known if node["mover"] == game.current_player(work.state) else for_opponent(known)
        if is_settled(node["proven"]):
            proven_values(node["proven"], node["mover"], work.values)
            return 0
    return phases.playout(work.state, work.spare, work.actions, phases.playout_params, work.rng, work.values)
