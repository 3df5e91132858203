"""The search of a graph: positions that several orders of moves lead to are one node. Start at grow.

The loop is that of mcts/loops/loop.py. A table finds positions by their keys. As long as one edge leads to a position,
they are one record, as in a tree. When a second edge is found to lead there, the position gets a record of its own, and
the edges point to it. It holds what all iterations through it found, whichever way they came; edges count the visits of
their own way, and take the mean from the position. So an edge is chosen by what is known of its position and by how
often it was tried from here: UCT2 of Childs, Brodeur & Kocsis 2008, "Transpositions and move groups in Monte Carlo tree
search". With the visits of all ways in the place of its own, exploration would end too early (Saffidine, Cazenave &
Mehat 2012, "UCD: Upper confidence bound for rooted directed acyclic graphs").

What is proven is proven of a position. Edges hear of it when they are passed or looked at, so that it spreads to every
way that is still searched. A way that comes back to a position on it ends there, and is played out: no position is
counted twice in one iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ponderosa.core.bounds import UNPROVEN, is_settled
from ponderosa.mcts.loops.general import nothing_known
from ponderosa.mcts.loops.information_sets import MIX
from ponderosa.mcts.loops.loop import (
    CROWDED,
    descent_of,
    evaluate,
    is_inner,
    lay_out,
    loop_of,
    may_expand,
    open_or_select,
)
from ponderosa.mcts.loops.priors import set_priors
from ponderosa.mcts.loops.workspace import Game, Phases, Walk, Workspace
from ponderosa.mcts.tree.graph import place_of
from ponderosa.mcts.tree.node import ROOT, Fields, Nodes
from ponderosa.mcts.tree.solver import conclusion

LARGEST_STAMP = 2**31 - 1

FIELDS: Fields = (("node", "i4"), ("passed", "i4"))
"""What a record holds besides. Of an edge, the record of its position, if it shares that with others, else 0; of such a
position, SHARED. And the number of the iteration that came through last."""
SHARED = -1
HEARS = 4
"""At one in this many visits, the edges of a position are told what other ways found: to look there takes time."""
BACK = -1
"""What an edge leads to that leads back to the path."""


def walker(know: Callable[[Nodes, int, int, Game, Workspace], None]) -> Walk:
    """A step from the root to a leaf; `know` enters what is known of new edges beforehand."""

    def walk(nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
        """Descend, expand the leaf, and go on, for an edge may lead to a known position; -1 when there is no room."""
        if not has_room(work):
            return -1
        game.copy(work.state, work.root)
        work.path[0] = ROOT
        if len(work.edges) > 1:
            work.edges[1] = 0
        depth, expanded = 0, False
        while True:
            depth = descend(nodes, depth, game, phases, work)
            if expanded or not may_expand(nodes, depth, game, phases, work):
                return depth
            total = give_edges(nodes, work.path[depth], game, work)
            if total == 0:
                return -1
            know(nodes, work.path[depth], total, game, work)
            expanded = True

    return walk


def has_room(work: Workspace) -> bool:
    """Whether one more position fits into the table; if so, the next iteration begins."""
    counters = work.counters
    if 2 * counters["entries"] >= len(work.keys):
        counters["status"] = CROWDED
        return False
    counters["stamp"] = counters["stamp"] % LARGEST_STAMP + 1
    return True


def give_edges(nodes: Nodes, leaf: int, game: Game, work: Workspace) -> int:
    """Give a leaf, in which the state is, an edge for every action; returns how many, or 0 when they do not fit."""
    total = game.candidates(work.state, work.actions)
    if lay_out(nodes, leaf, total, game.current_player(work.state), work):
        return abs(total)
    return 0


def as_it_is(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
    """The leaf was expanded on the way."""
    return depth


def goes_on(nodes: Nodes, node: int, depth: int, work: Workspace) -> Any:
    """As in the tree; now and then the edges of a position hear first what other ways found, which may settle it."""
    if not is_inner(nodes, node, depth, work):
        return False
    if nodes[node]["visits"] % HEARS == 0 and hear(nodes, node):
        conclude(nodes, depth, work)
        return not is_settled(nodes[node]["proven"])
    return True


def enter(nodes: Nodes, edge: int, depth: int, game: Game, work: Workspace) -> int:
    """Play the move of an edge; returns the position that it leads to, or BACK when that is on the way already."""
    game.apply_action(work.state, nodes[edge]["action"])
    node, stamp = position_of(nodes, edge, game, work), work.counters["stamp"]
    work.edges[depth] = edge
    if nodes[node]["passed"] == stamp:
        end_circle(nodes, node, depth - 1, work)
        return BACK
    nodes[node]["passed"] = stamp
    if depth + 1 < len(work.edges):
        work.edges[depth + 1] = 0
    return node


descend = descent_of(open_or_select, enter, goes_on)


def end_circle(nodes: Nodes, node: int, depth: int, work: Workspace) -> None:
    """The way came back to a position on it: the last edge is counted once more, the position is not.

    The position may have got a record of its own just now, when the second edge was found to lead there.
    """
    for step in range(depth + 1):
        if nodes[work.path[step]]["node"] == node:
            work.path[step] = node


def position_of(nodes: Nodes, edge: int, game: Game, work: Workspace) -> int:
    """The position that an edge leads to, in which the state is: what is known, or else the edge itself."""
    own: int = nodes[edge]["node"] + 0
    if own > 0:
        return own
    if nodes[edge]["visits"] > 0:
        return edge
    counters, keys, places = work.counters, work.keys, work.places
    key = game.key(work.state) ^ (int(nodes[edge]["mover"]) * MIX)
    place = place_of(key, len(keys))
    while places[place] != 0:
        if keys[place] == key and agrees(nodes, places[place], game, work):
            return shared(nodes, edge, place, work)
        place = (place + 1) & (len(keys) - 1)
    keys[place], places[place] = key, edge
    counters["entries"] += 1
    return edge


def shared(nodes: Nodes, edge: int, place: int, work: Workspace) -> int:
    """Lead an edge to a known position, which gets a record of its own if it has none; returns where that is."""
    counters = work.counters
    known: int = work.places[place] + 0
    if known == edge:
        return edge
    if nodes[known]["node"] != SHARED:
        own = counters["used"]
        if own + 1 >= len(nodes):
            return edge  # no room: they stay apart
        counters["used"] += 1
        nodes[own] = nodes[known]
        nodes[own]["node"] = SHARED
        nodes[known]["node"] = own
        work.places[place] = own
        known = own
    nodes[edge]["node"] = known
    return known


def agrees(nodes: Nodes, node: int, game: Game, work: Workspace) -> Any:
    """Whether it is the turn of the same player in a known position and in the state, as a key must tell."""
    begin = nodes[node]["first"]
    return begin <= 0 or nodes[begin]["mover"] == game.current_player(work.state)


def hear(nodes: Nodes, node: int) -> bool:
    """Tell the edges of a position what other ways found where they lead; says whether something was proven there."""
    news = False
    for edge in range(nodes[node]["first"], nodes[node]["first"] + nodes[node]["count"]):
        if nodes[edge]["node"] > 0:
            news = reflect(nodes, edge) or news
    return news


def reflect(nodes: Nodes, edge: int) -> bool:
    """Let an edge show what is known of its position; says whether it shows another proof than before."""
    shown, node = nodes[edge], nodes[nodes[edge]["node"]]
    if node["visits"] > 0:
        shown["value"] = shown["visits"] * (node["value"] / node["visits"])
    shown["first"] = node["first"]
    shown["count"] = node["count"]
    if shown["proven"] == node["proven"]:
        return False
    shown["proven"] = node["proven"]
    return True


def conclude(nodes: Nodes, depth: int, work: Workspace) -> None:
    """Draw the conclusion from the edges of the position so deep on the path, and carry it up the path."""
    while depth >= 0:
        node = work.path[depth]
        known = conclusion(nodes, node)
        if known == nodes[node]["proven"]:
            return
        nodes[node]["proven"] = known
        if depth > 0:
            nodes[work.edges[depth]]["proven"] = known
        depth -= 1


def update(nodes: Nodes, depth: int, plies: int, phases: Phases, work: Workspace) -> None:
    """Back the result up the positions of the path; edges to shared ones show it, and what is proven is carried up."""
    leaf = nodes[work.path[depth]]
    fresh = leaf["visits"] == 0
    phases.backup(nodes, work.path, depth, work.values, plies, phases.backup_params)
    for step in range(min(depth + 1, len(work.edges) - 1), 0, -1):
        edge = work.edges[step]
        news = fresh and step == depth and leaf["proven"] != UNPROVEN
        if edge > 0 and nodes[edge]["node"] > 0:
            nodes[edge]["visits"] += 1
            news = reflect(nodes, edge) or news
        if news:
            conclude(nodes, step - 1, work)


grow = loop_of(walker(nothing_known), as_it_is, evaluate, update)
grow_by_priors = loop_of(walker(set_priors), as_it_is, evaluate, update)
