"""Proofs in games of two players with scores: bounds on every node's result. Start at carry_up.

Score-bounded search (Cazenave & Saffidine 2010, "Score bounded Monte-Carlo tree search"): a node knows the least that
each player gets there for certain, `sure`, of scores from 0 to 1 that sum to 1; the most is what the other one leaves.
A child is closed to the search when nothing that it may turn out to be matters: its bounds meet, or lie beyond what a
player has for certain already, here or anywhere on the path (the window of alpha-beta, deep cuts included).

`proven` tells the rest of the search what is settled, as who has the better half. While a child is selected, closed
ones are marked as lost: that is how any select policy comes to leave them alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ponderosa.core.bounds import DRAW, LOSS, UNPROVEN, WIN, is_settled, lower_bound, upper_bound
from ponderosa.mcts.loops.general import expand_leaf, note_moves
from ponderosa.mcts.loops.general import update as usual_update
from ponderosa.mcts.loops.loop import descent_of, loop_of, open_children, play_move, walk_of
from ponderosa.mcts.loops.workspace import Game, Params, Path, Phases, Values, Workspace
from ponderosa.mcts.tree.node import ROOT, Nodes, has_untried

FIELDS = (("sure", "f8 each"),)
ROUNDING = 1e-9


def standing(node: np.void) -> int:
    """What `proven` says of a node: for the mover, who has the better half; nothing while the bounds are apart."""
    if node["sure"][0] + node["sure"][1] < 1.0 - ROUNDING:
        return UNPROVEN
    ahead = node["sure"][node["mover"]] - 0.5
    if abs(ahead) < ROUNDING:
        return DRAW
    return WIN if ahead > 0.0 else LOSS


def carry_up(nodes: Nodes, path: Path, depth: int) -> None:
    """Carry what is certain of the path's last node up the path, as far as something follows."""
    nodes[path[depth]]["proven"] = standing(nodes[path[depth]])
    for step in range(depth - 1, ROOT - 1, -1):
        node = nodes[path[step]]
        begin = node["first"]
        player = nodes[begin]["mover"]
        most, left = 0.0, 0.0 if has_untried(nodes, path[step]) else 1.0
        for child in range(begin, begin + node["count"]):
            most = max(most, nodes[child]["sure"][player])
            left = min(left, nodes[child]["sure"][1 - player])
        if most <= node["sure"][player] and left <= node["sure"][1 - player]:
            return
        node["sure"][player] = max(most, node["sure"][player])
        node["sure"][1 - player] = max(left, node["sure"][1 - player])
        node["proven"] = standing(node)


def hide_closed(nodes: Nodes, parent: int, first: float, second: float) -> None:
    """Mark the children that do not matter, when the players have these results for certain."""
    begin = nodes[parent]["first"]
    for child in range(begin, begin + nodes[parent]["count"]):
        sure = nodes[child]["sure"]
        if max(first, sure[0]) + max(second, sure[1]) >= 1.0 - ROUNDING:
            nodes[child]["proven"] = LOSS


def show_all(nodes: Nodes, parent: int) -> None:
    """Take the marks away."""
    begin = nodes[parent]["first"]
    for child in range(begin, begin + nodes[parent]["count"]):
        nodes[child]["proven"] = standing(nodes[child])


def choose_child(nodes: Nodes, node: int, game: Game, phases: Phases, work: Workspace) -> int:
    """As in the usual loop, leaving closed children alone; the window narrows from the root down."""
    window, sure = work.window, nodes[node]["sure"]
    for player in range(2):
        window[player] = sure[player] if node == ROOT else max(window[player], sure[player])
    if has_untried(nodes, node):
        child: int = nodes[node]["first"] + nodes[node]["count"]
        if open_children(nodes, node, phases) > 0:
            return child
    hide_closed(nodes, node, window[0], window[1])
    chosen = phases.select(nodes, node, phases.select_params, work.rng)
    show_all(nodes, node)
    return chosen


def evaluate(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
    """As in the usual loop, with bounds in the place of wins, draws and losses."""
    note_moves(nodes, depth, work)
    leaf, solve = nodes[work.path[depth]], work.settings.solve
    if is_settled(leaf["proven"]):
        return settled(leaf, work.values)
    if game.is_terminal(work.state):
        game.scores(work.state, work.values)
        if solve and abs(work.values[0] + work.values[1] - 1.0) < ROUNDING:
            leaf["sure"][0], leaf["sure"][1] = work.values[0], work.values[1]
        return 0
    player, fresh = game.current_player(work.state), leaf["visits"] == 0
    if solve and fresh:
        known = game.bounds(work.state)
        leaf["sure"][player] = 0.5 * lower_bound(known)
        leaf["sure"][1 - player] = 1.0 - 0.5 * upper_bound(known)
        if is_settled(known):
            return settled(leaf, work.values)
    plies = phases.playout(work.state, work.spare, work.actions, phases.playout_params, work.rng, work.values)
    if solve and fresh and plies == 1 and work.values[player] == 1.0 and game.is_terminal(work.state):
        leaf["sure"][player] = 1.0  # one action of the player to move brought all there is
    return plies


def settled(node: np.void, values: Values) -> int:
    """Fill in both players' results where they are certain; no move was played for them."""
    values[0], values[1] = node["sure"][0], node["sure"][1]
    return 0


def update(nodes: Nodes, depth: int, plies: int, phases: Phases, work: Workspace) -> None:
    """Back the result up the path, and with it what a new leaf makes certain."""
    leaf = nodes[work.path[depth]]
    fresh = leaf["visits"] == 0
    usual_update(nodes, depth, plies, phases, work)
    if fresh and leaf["sure"][0] + leaf["sure"][1] > 0.0:
        carry_up(nodes, work.path, depth)


def deciding(choose: Callable[[Nodes, int, Params], int]) -> Callable[[Nodes, int, Params], int]:
    """A choose function that takes what is certain, if it is all there is, or more than the other's preferred mean."""

    def decide(nodes: Nodes, parent: int, params: Params) -> int:
        begin, before = nodes[parent]["first"], nodes[parent]["proven"] + 0
        player = nodes[begin]["mover"]
        safest: int = begin
        for child in range(begin, begin + nodes[parent]["count"]):
            node, best = nodes[child], nodes[safest]
            more = node["sure"][player] - best["sure"][player]
            if more > ROUNDING or (more > -ROUNDING and node["visits"] > best["visits"]):
                safest = child
            node["proven"] = UNPROVEN  # a half that is certain is no reason to leave more than that
        nodes[parent]["proven"] = UNPROVEN
        chosen = choose(nodes, parent, params)
        nodes[parent]["proven"] = before
        show_all(nodes, parent)
        least = nodes[safest]["sure"][player]
        if is_settled(before):
            return safest if least >= nodes[parent]["sure"][player] - ROUNDING else chosen
        if chosen >= 0 and nodes[chosen]["value"] < least * nodes[chosen]["visits"]:
            return safest
        return chosen

    return decide


grow = loop_of(walk_of(descent_of(choose_child, play_move)), expand_leaf, evaluate, update)
