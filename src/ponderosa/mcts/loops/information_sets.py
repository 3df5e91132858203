"""The tree search for games in which players do not all see the same. Start at grow.

A node is what the player who must choose knows then; its children are that player's actions. What happens until the
next choice, other players' turns and chance, is not in the tree: every iteration draws a whole state that agrees with
what the searching player knows, plays in it, and finds the node of each choice by what its player sees. So every player
has a tree of its own, and all grow at once: information-set MCTS with multiple observers (Cowling, Powley & Whitehouse
2012). Where all choose at once, each player chooses at its own node, which is decoupled UCT (Tak, Lanctot & Winands
2014). With a single observer, all choices are told apart by what the searching player sees, and which of a node's
actions there are depends on the state that was drawn.
"""

from __future__ import annotations

from ponderosa.core.turns import CHANCE
from ponderosa.mcts.loops.general import set_against
from ponderosa.mcts.loops.loop import CROWDED, DONE, ENDLESS, FULL, LONGEST, lay_out, open_children
from ponderosa.mcts.loops.workspace import NOBODY, Game, Phases, Workspace
from ponderosa.mcts.tree.graph import Keys, Places
from ponderosa.mcts.tree.node import ROOT, UNTRIED, Fields, Nodes, has_untried

MIX = 0x9E3779B97F4A7
"""Tells apart players who see the same."""

FIELDS: Fields = (("available", "i4"), ("present", "i4"))
"""What an action's node holds besides: how often there was this action, and whether there is now."""


def grow(iterations: int, nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
    """Run up to a number of iterations; returns how many were run."""
    settings = work.settings
    work.counters["status"] = DONE
    for done in range(iterations):
        drawn = work.rng[0]
        game.copy(work.state, work.root)
        game.determinize(work.state, settings.viewer, work.rng)
        depth = walk(nodes, game, phases, work)
        if depth < 0:
            work.rng[0] = drawn
            return done
        plies = 0
        if game.is_terminal(work.state):
            game.scores(work.state, work.values)
        else:
            plies = phases.playout(work.state, work.spare, work.actions, phases.playout_params, work.rng, work.values)
        if settings.against != NOBODY:
            set_against(settings.against, work.values)
        for step in range(1, depth + 1):
            if work.parents[step] != ROOT:
                nodes[work.parents[step]]["visits"] += 1
        phases.backup(nodes, work.path, depth, work.values, plies, phases.backup_params)
        if settings.learns:
            phases.learn(nodes, work.path, work.parents, depth, work.values, work.played, phases.select_params)
        if plies > phases.playout_params[LONGEST]:
            phases.playout_params[ENDLESS] += 1
            return done + 1
    return iterations


def walk(nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
    """Let everybody choose at their nodes until one of them is new; returns how many choices, or -1 when it must stop.

    The path holds the actions' nodes, from 1 on, and the root. This is another way down than that of loop.py: the state
    decides which node comes next, and whether it is a new one, and not the tree.
    """
    depth, rooted, rolls = 0, False, 0
    work.path[0] = ROOT
    while depth + 1 < len(work.path) and not game.is_terminal(work.state):
        player = game.current_player(work.state)
        if player == CHANCE:
            if rolls >= phases.playout_params[LONGEST]:
                return depth
            game.apply_action(work.state, game.chance_outcome(work.state, work.rng))
            rolls += 1
            continue
        node = ROOT
        if rooted or player != work.settings.viewer:
            node = node_of(player, nodes, game, work)
        else:
            rooted = True
        fresh = node >= 0 and nodes[node]["first"] <= 0
        if fresh and rooted and phases.expand(nodes, node, phases.expand_params) <= 0:
            nodes[node]["visits"] += 1
            return depth
        if node < 0 or not know_actions(nodes, node, game, player, work):
            return -1
        child = untried_child(nodes, node, phases, work)
        opened = child >= 0
        if not opened:
            child = phases.select(nodes, node, phases.select_params, work.rng)
        depth += 1
        work.path[depth] = child
        work.parents[depth] = node
        game.apply_action(work.state, nodes[child]["action"])
        if opened and rooted:  # those who are asked before the searching player must not keep it from choosing
            return depth
    return depth


def node_of(player: int, nodes: Nodes, game: Game, work: Workspace) -> int:
    """The node for what is seen now, a new one if need be; -1 when there is no room."""
    counters, keys, places = work.counters, work.keys, work.places
    eyes = work.settings.viewer if work.settings.single else player
    key = game.look(work.state, eyes, work.spare[0]) ^ (player * MIX)
    place = key & (len(keys) - 1)
    while places[place] != 0:
        if keys[place] == key:
            found: int = places[place] + 0
            return found
        place = (place + 1) & (len(keys) - 1)
    if 2 * counters["entries"] >= len(keys):
        counters["status"] = CROWDED
        return -1
    node: int = counters["used"]
    if node + 1 >= len(nodes):
        counters["status"], counters["detail"] = FULL, 1
        return -1
    nodes[node]["mover"] = player
    counters["used"] += 1
    counters["entries"] += 1
    keys[place] = key
    places[place] = node
    return node


def know_actions(nodes: Nodes, node: int, game: Game, player: int, work: Workspace) -> bool:
    """See to it that a node has a slot for every legal action; False when they do not fit."""
    if nodes[node]["first"] <= 0:
        total = game.legal_actions(work.state, work.actions)
        if not lay_out(nodes, node, total, player, work):
            return False
        nodes[node]["action"] = total  # an action leads into no such node: here it says how many slots there are
        if work.settings.single:
            mark_available(nodes, node, total, work)
    elif work.settings.single:
        total = game.legal_actions(work.state, work.actions)
        missing = mark_available(nodes, node, total, work)
        if missing > 0:
            return add_slots(nodes, node, missing, work)
    return True


def mark_available(nodes: Nodes, node: int, total: int, work: Workspace) -> int:
    """Note which actions there are this time; those without a slot come first in the list, and are counted."""
    begin, size = nodes[node]["first"], nodes[node]["action"]
    for slot in range(begin, begin + size):
        nodes[slot]["present"] = 0
    missing = 0
    for index in range(total):
        action = work.actions[index]
        slot = begin
        while slot < begin + size and nodes[slot]["action"] != action:
            slot += 1
        if slot < begin + size:
            nodes[slot]["present"] = 1
            nodes[slot]["available"] += 1
        else:
            work.actions[index] = work.actions[missing]
            work.actions[missing] = action
            missing += 1
    return missing


def add_slots(nodes: Nodes, node: int, missing: int, work: Workspace) -> bool:
    """Move a node's slots to where there is room for more; False when there is none."""
    counters = work.counters
    begin, size, used = nodes[node]["first"] + 0, nodes[node]["action"] + 0, counters["used"] + 0
    if used + size + missing >= len(nodes):
        counters["status"], counters["detail"] = FULL, size + missing
        return False
    for index in range(size):
        nodes[used + index] = nodes[begin + index]
        nodes[begin + index]["first"] = 0
    for index in range(missing):
        slot = nodes[used + size + index]
        slot["first"] = UNTRIED
        slot["action"] = work.actions[index]
        slot["mover"] = nodes[begin]["mover"]
        slot["present"] = 1
        slot["available"] = 1
    nodes[node]["first"] = used
    nodes[node]["action"] = size + missing
    counters["used"] = used + size + missing
    return True


def untried_child(nodes: Nodes, node: int, phases: Phases, work: Workspace) -> int:
    """An action that is now opened, if `expand` wants one and there is one; else -1."""
    if not has_untried(nodes, node):
        return -1
    child: int = nodes[node]["first"] + nodes[node]["count"]
    if work.settings.single:
        end = nodes[node]["first"] + nodes[node]["action"]
        slot = child
        while slot < end and nodes[slot]["present"] == 0:
            slot += 1
        if slot == end:
            return -1
        swap_slots(nodes, child, slot)
    if open_children(nodes, node, phases) > 0:
        return child
    if work.settings.single and not any_open(nodes, node):  # nothing else can be done this time
        nodes[child]["first"] = 0
        nodes[node]["count"] += 1
        return child
    return -1


def any_open(nodes: Nodes, node: int) -> bool:
    """Whether one of a node's children is an action that there is this time."""
    for child in range(nodes[node]["first"], nodes[node]["first"] + nodes[node]["count"]):
        if nodes[child]["present"] == 1:
            return True
    return False


def swap_slots(nodes: Nodes, one: int, other: int) -> None:
    """Exchange two slots that wait."""
    for_one, available, present = nodes[one]["action"] + 0, nodes[one]["available"] + 0, nodes[one]["present"] + 0
    nodes[one]["action"] = nodes[other]["action"]
    nodes[one]["available"] = nodes[other]["available"]
    nodes[one]["present"] = nodes[other]["present"]
    nodes[other]["action"] = for_one
    nodes[other]["available"] = available
    nodes[other]["present"] = present


def rehash(keys: Keys, places: Places, new_keys: Keys, new_places: Places) -> None:
    """Enter all nodes of a table into a larger one."""
    for index in range(len(keys)):
        if places[index] != 0:
            place = keys[index] & (len(new_keys) - 1)
            while new_places[place] != 0:
                place = (place + 1) & (len(new_keys) - 1)
            new_keys[place] = keys[index]
            new_places[place] = places[index]
