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
from typing import Any, NamedTuple

from ponderosa.mcts.loops.general import nothing_known
from ponderosa.mcts.loops.information_sets import CROWDED, KNOWN, MIX
from ponderosa.mcts.loops.loop import COUNTERS, STATUS, USED, evaluate, lay_out, loop_of, may_expand, open_children
from ponderosa.mcts.loops.priors import set_priors
from ponderosa.mcts.tree.node import ROOT, UNPROVEN, Fields, has_untried, is_settled
from ponderosa.mcts.tree.solver import conclusion

STAMP = COUNTERS - 4
"""A further place in the counters: the number of the iteration, which marks the positions on its way."""
LARGEST_STAMP = 2**31 - 1

FIELDS: Fields = (("node", "i4"), ("passed", "i4"))
"""What a record holds besides. Of an edge, the record of its position, if it shares that with others, else 0; of such a
position, SHARED. And the number of the iteration that came through last."""
SHARED = -1
HEARS = 4
"""At one in so many visits, the edges of a position are told what other ways found: to look there takes time."""

PRIME, FACTOR = 2**31 - 1, 1_640_531_527


class Game(NamedTuple):
    """The operations that this loop calls; core/rules.py says what they do. `key` tells positions apart."""

    copy: Any
    current_player: Any
    candidates: Any
    apply_action: Any
    is_terminal: Any
    scores: Any
    bounds: Any
    prior: Any
    key: Any


class Workspace(NamedTuple):
    """What an iteration writes on."""

    root: Any
    state: Any
    spare: Any
    path: Any
    """The positions visited, root first."""
    edges: Any
    """The edges that lead into them, from 1 on; then 0, or an edge that leads back to the path."""
    actions: Any
    values: Any
    rng: Any
    keys: Any
    places: Any
    """The table of positions: their keys, and where they are; 0 is an empty place."""
    counters: Any


def walker(know: Callable[..., Any]) -> Callable[..., Any]:
    """A step from the root to a leaf; `know` enters what is known of new edges beforehand."""

    def walk(nodes: Any, game: Any, phases: Any, work: Any) -> Any:
        """Descend, expand the leaf, and go on, for an edge may lead to a known position; -1 when there is no room."""
        if not has_room(work):
            return -1
        game.copy(work.state, work.root)
        work.path[0] = ROOT
        depth, expanded = 0, False
        while True:
            depth = descend(nodes, depth, game, phases, work)
            if expanded or not may_expand(nodes, depth, game, phases, work):
                return depth
            total = give_edges(nodes, work.path[depth], game, work)
            if total == 0:
                return -1
            know(nodes, work.path[depth], total, work.counters, game, work)
            expanded = True

    return walk


def has_room(work: Any) -> Any:
    """Whether one more position fits into the table; if so, the next iteration begins."""
    counters = work.counters
    if 2 * counters[KNOWN] >= len(work.keys):
        counters[STATUS] = CROWDED
        return False
    counters[STAMP] = counters[STAMP] % LARGEST_STAMP + 1
    return True


def give_edges(nodes: Any, leaf: Any, game: Any, work: Any) -> Any:
    """Give a leaf, in which the state is, an edge for every action; returns how many, or 0 when they do not fit."""
    total = game.candidates(work.state, work.actions)
    if lay_out(nodes, leaf, work.counters, total, game.current_player(work.state), work):
        return abs(total)
    return 0


def as_it_is(nodes: Any, depth: Any, counters: Any, game: Any, phases: Any, work: Any) -> Any:
    """The leaf was expanded on the way."""
    return depth


def descend(nodes: Any, depth: Any, game: Any, phases: Any, work: Any) -> Any:
    """Go on from a position of the path to a leaf; returns its depth."""
    node, stamp = work.path[depth], work.counters[STAMP]
    while depth + 1 < len(work.path) and nodes[node]["first"] > 0 and not is_settled(nodes[node]["proven"]):
        if nodes[node]["visits"] % HEARS == 0 and hear(nodes, node):
            conclude(nodes, depth, work)
            if is_settled(nodes[node]["proven"]):
                break
        edge = nodes[node]["first"] + nodes[node]["count"]
        if not (has_untried(nodes, node) and open_children(nodes, node, phases) > 0):
            edge = phases.select(nodes, node, phases.select_params, work.rng)
        game.apply_action(work.state, nodes[edge]["action"])
        node = position_of(nodes, edge, game, work)
        work.edges[depth + 1] = edge
        if nodes[node]["passed"] == stamp:
            end_circle(nodes, node, depth, work)
            return depth
        depth += 1
        work.path[depth] = node
        nodes[node]["passed"] = stamp
    if depth + 1 < len(work.edges):
        work.edges[depth + 1] = 0
    return depth


def end_circle(nodes: Any, node: Any, depth: Any, work: Any) -> None:
    """The way came back to a position on it: the last edge is counted once more, the position is not.

    The position may have got a record of its own just now, when the second edge was found to lead there.
    """
    for step in range(depth + 1):
        if nodes[work.path[step]]["node"] == node:
            work.path[step] = node


def position_of(nodes: Any, edge: Any, game: Any, work: Any) -> Any:
    """The position that an edge leads to, in which the state is: what is known, or else the edge itself."""
    if nodes[edge]["node"] > 0:
        return nodes[edge]["node"] + 0
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
    counters[KNOWN] += 1
    return edge


def shared(nodes: Any, edge: Any, place: Any, work: Any) -> Any:
    """Lead an edge to a known position, which gets a record of its own if it has none; returns where that is."""
    known, counters = work.places[place] + 0, work.counters
    if known == edge:
        return edge
    if nodes[known]["node"] != SHARED:
        own = counters[USED]
        if own + 1 >= len(nodes):
            return edge  # no room: they stay apart
        counters[USED] += 1
        nodes[own] = nodes[known]
        nodes[own]["node"] = SHARED
        nodes[known]["node"] = own
        work.places[place] = own
        known = own
    nodes[edge]["node"] = known
    return known


def place_of(key: Any, size: Any) -> Any:
    """Where to look first in a table for a key; keys may be numbers with a meaning, and must be scattered."""
    mixed = (key % PRIME) * FACTOR
    return ((mixed >> 24) ^ mixed) & (size - 1)


def agrees(nodes: Any, node: Any, game: Any, work: Any) -> Any:
    """Whether it is the turn of the same player in a known position and in the state, as a key must tell."""
    begin = nodes[node]["first"]
    return begin <= 0 or nodes[begin]["mover"] == game.current_player(work.state)


def hear(nodes: Any, node: Any) -> Any:
    """Tell the edges of a position what other ways found where they lead; says whether something was proven there."""
    news = False
    for edge in range(nodes[node]["first"], nodes[node]["first"] + nodes[node]["count"]):
        if nodes[edge]["node"] > 0:
            news = reflect(nodes, edge) or news
    return news


def reflect(nodes: Any, edge: Any) -> Any:
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


def conclude(nodes: Any, depth: Any, work: Any) -> None:
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


def update(nodes: Any, depth: Any, plies: Any, counters: Any, phases: Any, work: Any) -> None:
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
