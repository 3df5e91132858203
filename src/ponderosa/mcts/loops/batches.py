"""Leaves that an evaluator outside of the loop judges, many at a time. Start at grow; engines/evaluator.py asks it.

A leaf that waits for its answer has been counted as a visit that brought nothing, which sends the next iterations
elsewhere (virtual loss: Chaslot, Winands & van den Herik 2008). When the answer is there, that visit is taken back, and
the leaf gets its children, their priors and its value as in any other search.
"""

from __future__ import annotations

from ponderosa.core.bounds import UNPROVEN, for_opponent, is_settled
from ponderosa.core.turns import CHANCE
from ponderosa.mcts.loops.general import expand_chance, update, walk
from ponderosa.mcts.loops.loop import BAD_PRIOR, DONE, SOLVED, lay_out, open_slots
from ponderosa.mcts.loops.priors import sort_slots
from ponderosa.mcts.loops.shared_tree import LOCKED
from ponderosa.mcts.loops.workspace import Batch, Game, Phases, Priors, Workspace
from ponderosa.mcts.tree.counters import Counters
from ponderosa.mcts.tree.node import ROOT, Nodes
from ponderosa.mcts.tree.solver import proven_values, verdict

MANY = 2**31
"""More than any number of actions."""

CLASH = -1
"""The leaf of a row whose iteration came to a leaf that waits already."""


def grow(iterations: int, nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
    """Use the answers that have come in, then collect leaves for the next; returns how many iterations ended."""
    work.counters["status"] = DONE
    done = deliver(nodes, game, phases, work)
    if work.counters["status"] == DONE:
        done += collect(iterations - done, nodes, game, phases, work)
    return done


def collect(most: int, nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
    """Fill the batch with leaves; iterations that need no evaluator end at once, and are counted."""
    done, batch, counters = 0, work.batch, work.counters
    while done + counters["waiting"] < most and counters["waiting"] < len(batch.states):
        if work.settings.solve and is_settled(nodes[ROOT]["proven"]):
            counters["status"] = SOLVED
            return done
        if counters["rows"] == len(batch.paths):
            return done
        depth = walk(nodes, game, phases, work)
        depth = pass_chance(nodes, depth, game, work)
        if depth < 0:
            return done
        if is_known(nodes, depth, game, work):
            update(nodes, depth, 0, phases, work)
            done += 1
        else:
            wait(nodes, depth, game, work)
    return done


def pass_chance(nodes: Nodes, depth: int, game: Game, work: Workspace) -> int:
    """Let chance decide until somebody is to move, or the game is over; returns the depth, or -1 when it must stop."""
    while depth + 1 < len(work.path) and not game.is_terminal(work.state):
        if game.current_player(work.state) != CHANCE:
            return depth
        depth = expand_chance(nodes, depth, game, work)
        if depth < 0:
            return -1
    return depth


def is_known(nodes: Nodes, depth: int, game: Game, work: Workspace) -> bool:
    """Whether the leaf's result is certain; it is filled in then."""
    node, solve = nodes[work.path[depth]], work.settings.solve
    opens = depth > 0 and node["first"] == 0  # a root needs moves to choose from, whatever is known of it
    if solve and opens and node["proven"] == UNPROVEN and not game.is_terminal(work.state):
        known = game.bounds(work.state)
        if known != UNPROVEN:
            node["proven"] = known if node["mover"] == game.current_player(work.state) else for_opponent(known)
    if is_settled(node["proven"]):
        proven_values(node["proven"], node["mover"], work.values)
        return True
    if game.is_terminal(work.state):
        game.scores(work.state, work.values)
        if solve:
            node["proven"] = verdict(work.values, node["mover"])
        return True
    return False


def wait(nodes: Nodes, depth: int, game: Game, work: Workspace) -> None:
    """Put the iteration into the batch, and count it as a visit for the time being."""
    leaf, batch, counters = work.path[depth], work.batch, work.counters
    row = counters["rows"]
    for step in range(depth + 1):
        batch.paths[row, step + 2] = work.path[step]
        nodes[work.path[step]]["visits"] += 1
    batch.paths[row, 0], batch.paths[row, 1] = depth, CLASH
    counters["rows"] += 1
    if nodes[leaf]["first"] != LOCKED:
        nodes[leaf]["first"] = LOCKED
        batch.paths[row, 1] = counters["waiting"]
        game.copy(batch.states[counters["waiting"]], work.state)
        counters["waiting"] += 1


def withdraw(nodes: Nodes, counters: Counters, batch: Batch) -> None:
    """Take back the visits of all that wait: as if they had not begun."""
    for row in range(counters["rows"]):
        depth = batch.paths[row, 0]
        for step in range(depth + 1):
            nodes[batch.paths[row, step + 2]]["visits"] -= 1
        if batch.paths[row, 1] != CLASH:
            nodes[batch.paths[row, depth + 2]]["first"] = 0
    counters["rows"], counters["waiting"] = 0, 0


def deliver(nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
    """Expand the leaves that waited, and back their values up; returns how many.

    The root is judged too, when it has no children yet: as a visit to it, and not as an iteration.
    """
    rows, done = work.counters["rows"] + 0, 0
    withdraw(nodes, work.counters, work.batch)
    for row in range(rows):
        place = work.batch.paths[row, 1]
        if place == CLASH:
            continue
        depth = work.batch.paths[row, 0]
        for step in range(depth + 1):
            work.path[step] = work.batch.paths[row, step + 2]
        game.copy(work.state, work.batch.states[place])
        player = game.current_player(work.state)
        deep = depth + 1 == len(work.path)
        if not deep and not lay_out_judged(nodes, work.path[depth], place, player, game, work):
            return done
        take_values(place, player, work)
        update(nodes, depth, 0, phases, work)
        if not deep:
            leaf = work.path[depth]
            open_slots(nodes, leaf, phases.expand(nodes, leaf, phases.expand_params) - 1)
        done += 1 if depth > 0 else 0
    return done


def lay_out_judged(nodes: Nodes, leaf: int, place: int, player: int, game: Game, work: Workspace) -> bool:
    """Give a leaf slots for its children, with the evaluator's priors; False when it must stop."""
    priors = work.batch.priors
    total = game.candidates(work.state, work.actions)
    for index in range(min(abs(total), len(work.actions))):
        if priors.shape[1] > 0 and not 0 <= work.actions[index] < priors.shape[1]:
            work.counters["status"], work.counters["detail"] = BAD_PRIOR, work.actions[index]
            return False
    if not lay_out(nodes, leaf, total, player, work):
        return False
    share_out(nodes, nodes[leaf]["first"], abs(total), place, priors)
    if work.settings.by_prior:
        sort_slots(nodes, nodes[leaf]["first"], abs(total))
    open_slots(nodes, leaf, 1)  # the first one at once, as tree/node.py promises
    return True


def share_out(nodes: Nodes, begin: int, total: int, place: int, priors: Priors) -> None:
    """Enter the evaluator's priors of new children as shares of one; all alike, if it has none for any of them."""
    whole = 0.0
    for child in range(begin, begin + total):
        prior = priors[place, nodes[child]["action"]] if priors.shape[1] > 0 else 1.0
        nodes[child]["prior"] = prior
        whole += prior
    for child in range(begin, begin + total):
        nodes[child]["prior"] = nodes[child]["prior"] / whole if whole > 0.0 else 1.0 / total


def take_values(place: int, player: int, work: Workspace) -> None:
    """Each player's result as the evaluator sees it; one number is that of the player to move, against the other."""
    values = work.batch.values
    for other in range(len(work.values)):
        if values.shape[1] > 1:
            work.values[other] = values[place, other]
        else:
            work.values[other] = values[place, 0] if other == player else 1.0 - values[place, 0]
