"""Leaves that an evaluator outside of the loop judges, many at a time. Start at grow; engines/evaluator.py asks it.

A leaf that waits for its answer has been counted as a visit that brought nothing, which sends the next iterations
elsewhere (virtual loss: Chaslot, Winands & van den Herik 2008). When the answer is there, that visit is taken back, and
the leaf gets its children, their priors and its value as in any other search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ponderosa.core.turns import CHANCE
from ponderosa.mcts.loops.general import expand_chance, update, walk
from ponderosa.mcts.loops.loop import DETAIL, DONE, SOLVED, SORTED, STATUS, lay_out, open_slots
from ponderosa.mcts.loops.priors import sort_slots
from ponderosa.mcts.loops.shared_tree import LOCKED
from ponderosa.mcts.tree.node import ROOT, UNPROVEN, for_opponent, is_settled
from ponderosa.mcts.tree.solver import proven_values, verdict

WAITING, ROWS = 11, 12
"""Further places in the counters: how many leaves wait, and how many rows of the batch are in use."""

BAD_PRIOR = 5
"""Why `grow` returned: the evaluator says nothing of an action."""

MANY = 2**31
"""More than any number of actions."""

CLASH = -1
"""The leaf of a row whose iteration came to a leaf that waits already."""


class Batch(NamedTuple):
    """What waits, a row each, and what the evaluator said of it. The first rows of `states` are the leaves'."""

    states: Any
    """The leaves' states."""
    paths: Any
    """Of each row the path, behind its length and the place of its state, or CLASH."""
    priors: Any
    """What each action is worth trying, by leaf and action; without columns, all are alike."""
    values: Any
    """Each player's result, by leaf; or in one column that of the player to move."""


def grow(iterations: Any, nodes: Any, counters: Any, game: Any, phases: Any, work: Any, solve: Any) -> Any:
    """Use the answers that have come in, then collect leaves for the next; returns how many iterations ended."""
    counters[STATUS] = DONE
    done = deliver(nodes, counters, game, phases, work)
    if counters[STATUS] == DONE:
        done += collect(iterations - done, nodes, counters, game, phases, work, solve)
    return done


def collect(most: Any, nodes: Any, counters: Any, game: Any, phases: Any, work: Any, solve: Any) -> Any:
    """Fill the batch with leaves; iterations that need no evaluator end at once, and are counted."""
    done, batch = 0, work.batch
    while done + counters[WAITING] < most and counters[WAITING] < len(batch.states):
        if solve and is_settled(nodes[ROOT]["proven"]):
            counters[STATUS] = SOLVED
            return done
        if counters[ROWS] == len(batch.paths):
            return done
        depth = walk(nodes, game, phases, work)
        depth = pass_chance(nodes, depth, counters, game, work)
        if depth < 0:
            return done
        if is_known(nodes, depth, game, work, solve):
            update(nodes, depth, 0, counters, phases, work)
            done += 1
        else:
            wait(nodes, depth, counters, game, work)
    return done


def pass_chance(nodes: Any, depth: Any, counters: Any, game: Any, work: Any) -> Any:
    """Let chance decide until somebody is to move, or the game is over; returns the depth, or -1 when it must stop."""
    while depth + 1 < len(work.path) and not game.is_terminal(work.state):
        if game.current_player(work.state) != CHANCE:
            return depth
        depth = expand_chance(nodes, depth, counters, game, work)
        if depth < 0:
            return -1
    return depth


def is_known(nodes: Any, depth: Any, game: Any, work: Any, solve: Any) -> Any:
    """Whether the leaf's result is certain; it is filled in then."""
    node = nodes[work.path[depth]]
    if solve and node["proven"] == UNPROVEN and node["first"] == 0 and not game.is_terminal(work.state):
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


def wait(nodes: Any, depth: Any, counters: Any, game: Any, work: Any) -> None:
    """Put the iteration into the batch, and count it as a visit for the time being."""
    leaf, batch, row = work.path[depth], work.batch, counters[ROWS]
    for step in range(depth + 1):
        batch.paths[row, step + 2] = work.path[step]
        nodes[work.path[step]]["visits"] += 1
    batch.paths[row, 0], batch.paths[row, 1] = depth, CLASH
    counters[ROWS] += 1
    if nodes[leaf]["first"] != LOCKED:
        nodes[leaf]["first"] = LOCKED
        batch.paths[row, 1] = counters[WAITING]
        game.copy(batch.states[counters[WAITING]], work.state)
        counters[WAITING] += 1


def withdraw(nodes: Any, counters: Any, batch: Any) -> None:
    """Take back the visits of all that wait: as if they had not begun."""
    for row in range(counters[ROWS]):
        depth = batch.paths[row, 0]
        for step in range(depth + 1):
            nodes[batch.paths[row, step + 2]]["visits"] -= 1
        if batch.paths[row, 1] != CLASH:
            nodes[batch.paths[row, depth + 2]]["first"] = 0


def deliver(nodes: Any, counters: Any, game: Any, phases: Any, work: Any) -> Any:
    """Expand the leaves that waited, and back their values up; returns how many.

    The root is judged too, when it has no children yet: as a visit to it, and not as an iteration.
    """
    rows, done = counters[ROWS] + 0, 0
    withdraw(nodes, counters, work.batch)
    counters[ROWS], counters[WAITING] = 0, 0
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
        if not deep and not lay_out_judged(nodes, work.path[depth], place, player, counters, game, work):
            return done
        take_values(place, player, work)
        update(nodes, depth, 0, counters, phases, work)
        if not deep:
            leaf = work.path[depth]
            open_slots(nodes, leaf, phases.expand(nodes, leaf, phases.expand_params) - 1)
        done += 1 if depth > 0 else 0
    return done


def lay_out_judged(nodes: Any, leaf: Any, place: Any, player: Any, counters: Any, game: Any, work: Any) -> Any:
    """Give a leaf slots for its children, with the evaluator's priors; False when it must stop."""
    priors = work.batch.priors
    total = game.candidates(work.state, work.actions)
    for index in range(min(abs(total), len(work.actions))):
        if priors.shape[1] > 0 and not 0 <= work.actions[index] < priors.shape[1]:
            counters[STATUS], counters[DETAIL] = BAD_PRIOR, work.actions[index]
            return False
    if not lay_out(nodes, leaf, counters, total, player, work):
        return False
    share_out(nodes, nodes[leaf]["first"], abs(total), place, priors)
    if counters[SORTED]:
        sort_slots(nodes, nodes[leaf]["first"], abs(total))
    open_slots(nodes, leaf, 1)  # the first one at once, as tree/node.py promises
    return True


def share_out(nodes: Any, begin: Any, total: Any, place: Any, priors: Any) -> None:
    """Enter the evaluator's priors of new children as shares of one; all alike, if it has none for any of them."""
    whole = 0.0
    for child in range(begin, begin + total):
        prior = priors[place, nodes[child]["action"]] if priors.shape[1] > 0 else 1.0
        nodes[child]["prior"] = prior
        whole += prior
    for child in range(begin, begin + total):
        nodes[child]["prior"] = nodes[child]["prior"] / whole if whole > 0.0 else 1.0 / total


def take_values(place: Any, player: Any, work: Any) -> None:
    """Each player's result as the evaluator sees it; one number is that of the player to move, against the other."""
    values = work.batch.values
    for other in range(len(work.values)):
        if values.shape[1] > 1:
            work.values[other] = values[place, other]
        else:
            work.values[other] = values[place, 0] if other == player else 1.0 - values[place, 0]
