"""What a forest does with each of its trees, one function a task. Start at tender.

A task gets the number of a tree and of a worker, who is a thread of the processor or of a graphics card. What belongs
to a tree is a row of `Trees`, what a worker needs while it is busy a row of `Room`. The search itself is a loop of
mcts/loops, as every other search runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ponderosa.core.bounds import UNPROVEN, for_opponent, is_settled, lower_bound
from ponderosa.core.turns import CHANCE
from ponderosa.mcts.engines.kernels import PhaseParams
from ponderosa.mcts.loops.batches import withdraw as take_back
from ponderosa.mcts.loops.loop import DONE, FULL
from ponderosa.mcts.loops.workspace import Batch, Grow, Workspace
from ponderosa.mcts.policies.base import Strategy
from ponderosa.mcts.policies.choose.choices import SEARCH_ON
from ponderosa.mcts.tree.node import ROOT
from ponderosa.mcts.tree.pruning import recycle, slide

STOP, NEXT, LIMIT, SLICE, GROWS = ORDERS = range(5)
"""Places in a task's orders: whether to stop, which tree is next, how many nodes a tree may have, how many iterations
it gets before whoever gave the orders is asked again, and whether the table of nodes grows when a tree needs more."""
GOES_ON, ENDED, BROKEN, MISJUDGED, CRAMPED = range(5)
"""What is noted of a tree: there may be more to do, nothing is left to do, the root's value is no number, the evaluator
gave an answer that it must not, or there is no room for more nodes."""
CHUNK = 512
"""After this many iterations, a worker looks whether it shall stop."""
GAPS = (301, 132, 57, 23, 10, 4, 1)
"""How far apart what is compared is, in one pass after the other."""
NOTHING = -1
"""No action: the game is over."""

Task = Callable[..., None]
"""`(tree, worker, trees, room, found, addresses, orders)`"""


class Trees(NamedTuple):
    """What belongs to each tree, a row each."""

    nodes: Any
    counters: Any
    settings: Any
    roots: Any
    """The state at the root."""
    over: Any
    """1: the game is over at the root, and nothing is searched."""
    player: Any
    """Who is to move at the root."""
    results: Any
    """Where the game is over at the root: what each player got, from 0 to 1."""
    rng: Any
    note: Any
    """What a task has to say of the tree."""
    wanted: Any
    done: Any
    """Iterations that this run shall have, none where the tree is left alone, and those that it has had."""
    chosen: Any
    """The action to play next, or NOTHING."""
    select_params: Any
    expand_params: Any
    playout_params: Any
    backup_params: Any
    choose_params: Any
    """The numbers of the policies; some of them learn, so that each tree has its own."""
    best: Any
    best_moves: Any
    """Of one player: the best result, and what led to it."""
    leaves: Any
    paths: Any
    priors: Any
    values: Any
    """With an evaluator: the leaf that waits, the way to it, and what the evaluator said of it."""
    planes: Any
    """Where an evaluator sees planes: what is seen of the leaf that waits, or of the root."""
    blank: Any
    """One empty node."""


class Room(NamedTuple):
    """Room for the iterations of each worker, a row each; mcts/loops/workspace.py says what for."""

    state: Any
    spare: Any
    path: Any
    moves: Any
    actions: Any
    values: Any
    probabilities: Any
    parents: Any
    window: Any


class Found(NamedTuple):
    """What was found at the root of each tree, a row each and a column for each child, or for none of them."""

    actions: Any
    visits: Any
    values: Any
    """The mean result for the player to move, from 0 to 1; nan: never tried."""
    proven: Any
    """As core/bounds.py writes it, for the player to move."""
    improved: Any
    """What share of the play an action deserves, as the select policy says; else what share of the visits it has."""
    value: Any
    """The mean of the action to play, by tree."""
    certain: Any
    """What is proven of the root, for the player to move, by tree."""


def params_of(trees: Trees, tree: int) -> PhaseParams:
    """The numbers of a tree's policies."""
    return PhaseParams(
        trees.select_params[tree], trees.expand_params[tree], trees.playout_params[tree], trees.backup_params[tree]
    )


def tender(grow: Grow, game_at: Callable[..., Any], phases_at: Callable[..., Any], first: int, last: int) -> Task:
    """The task to search a tree. Moves are noted behind its state, from one byte to another."""

    def tend(tree: int, worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
        """Run the loop until the tree has its iterations, or a leaf waits for the evaluator, or nothing is left."""
        if trees.over[tree] == 1 or trees.note[tree] != GOES_ON:
            return
        counters = trees.counters[tree]
        nodes = trees.nodes[tree][: max(orders[LIMIT], counters["used"]) + 1]  # one slot more: has_untried looks there
        params = params_of(trees, tree)
        game, phases = game_at(addresses, params), phases_at(addresses, params)
        state, path, row = room.state[worker], room.path[worker], tree + 1
        work = Workspace(
            trees.settings[tree],
            counters,
            trees.roots[tree],
            state,
            room.spare[worker],
            path,
            room.moves[worker],
            room.actions[worker],
            room.values[worker],
            trees.rng[tree],
            room.probabilities[worker],
            room.parents[worker],
            path,
            room.window[worker],
            trees.best[tree],
            trees.best_moves[tree],
            state[first:last].view(np.int32),
            None,  # type: ignore[arg-type]  # there is no table
            None,  # type: ignore[arg-type]
            Batch(trees.leaves[tree:row], trees.paths[tree:row], trees.priors[tree:row], trees.values[tree:row]),
            None,  # type: ignore[arg-type]  # no thread shares a tree
        )
        end = min(trees.wanted[tree], trees.done[tree] + orders[SLICE])
        while trees.done[tree] < end and trees.note[tree] == GOES_ON and orders[STOP] == 0:
            trees.done[tree] += grow(min(end - trees.done[tree], CHUNK), nodes, game, phases, work)
            status = counters["status"]
            if status == FULL and orders[GROWS] == 1 and len(nodes) <= orders[LIMIT]:
                trees.note[tree] = CRAMPED
            elif status == FULL:
                left = recycle(nodes, counters["used"], len(nodes) - 1, trees.blank)
                if left == counters["used"]:
                    trees.note[tree] = ENDED
                counters["used"] = left
            elif status != DONE:
                trees.note[tree] = ENDED
            if counters["waiting"] > 0:
                break
        if nodes[ROOT]["value"] != nodes[ROOT]["value"]:
            trees.note[tree] = BROKEN

    return tend


def planter(game_at: Callable[..., Any]) -> Task:
    """The task to begin a new tree at the state of the root."""

    def plant(tree: int, worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
        clear(tree, trees)
        survey(tree, trees, game_at(addresses, params_of(trees, tree)))

    return plant


def clear(tree: int, trees: Trees) -> None:
    """Make the tree a root alone."""
    counters, nodes = trees.counters[tree], trees.nodes[tree]
    for place in range(counters["used"]):
        nodes[place] = trees.blank[0]
    counters["used"], counters["waiting"], counters["rows"] = 1, 0, 0


def survey(tree: int, trees: Trees, game: Any) -> None:
    """See at the root whether the game is over, and how, or who is to move."""
    root = trees.roots[tree]
    trees.over[tree] = 1 if game.is_terminal(root) else 0
    if trees.over[tree] == 1:
        game.scores(root, trees.results[tree])
    else:
        trees.player[tree] = game.current_player(root)
        if trees.nodes[tree][ROOT]["visits"] == 0:
            trees.nodes[tree][ROOT]["mover"] = trees.player[tree]


def withdraw(tree: int, worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
    """Forget the leaf that waits for the evaluator: as if its iteration had not begun."""
    row = tree + 1
    batch = Batch(trees.leaves[tree:row], trees.paths[tree:row], trees.priors[tree:row], trees.values[tree:row])
    take_back(trees.nodes[tree], trees.counters[tree], batch)


def observer(game_at: Callable[..., Any]) -> Task:
    """The task to fill in what a network sees: of the leaf that waits for it, else of the root."""

    def observe(tree: int, worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
        game = game_at(addresses, params_of(trees, tree))
        if trees.counters[tree]["waiting"] > 0:
            game.observe(trees.leaves[tree], trees.planes[tree])
        else:
            game.observe(trees.roots[tree], trees.planes[tree])

    return observe


def checker(game_at: Callable[..., Any]) -> Task:
    """The task to see whether the chosen action is legal: `note` is 1 then, and where there is none to play."""

    def check(tree: int, worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
        game, root, actions = game_at(addresses, params_of(trees, tree)), trees.roots[tree], room.actions[worker]
        trees.note[tree] = 1
        if trees.over[tree] == 1 or trees.chosen[tree] == NOTHING:
            return
        if trees.player[tree] == CHANCE:
            count = game.chance_outcomes(root, actions, room.probabilities[worker])
        else:
            count = game.legal_actions(root, actions)
        trees.note[tree] = 0
        for index in range(count):
            if actions[index] == trees.chosen[tree]:
                trees.note[tree] = 1

    return check


def advancer(game_at: Callable[..., Any]) -> Task:
    """The task to play the chosen action at the root, and to keep what lies below it."""

    def advance(tree: int, worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
        action, nodes = trees.chosen[tree], trees.nodes[tree]
        if trees.over[tree] == 1 or action == NOTHING:
            return
        game, best = game_at(addresses, params_of(trees, tree)), trees.best[tree]
        game.apply_action(trees.roots[tree], action)
        best["result"], best["least"], best["most"], best["depth"] = -np.inf, np.inf, -np.inf, 0
        kept = child_with(nodes, action)
        if kept < 0:
            clear(tree, trees)
        else:
            used = trees.counters[tree]["used"]
            left = slide(nodes, kept, used, 0)
            for place in range(left, used):
                nodes[place] = trees.blank[0]
            trees.counters[tree]["used"] = left
            if nodes[ROOT]["count"] == 0:
                nodes[ROOT]["proven"] = UNPROVEN  # a root needs moves to choose from, and they will prove it again
        survey(tree, trees, game)

    return advance


def child_with(nodes: Any, action: int) -> int:
    """The root's child for an action, or -1."""
    begin = nodes[ROOT]["first"]
    for child in range(begin, begin + nodes[ROOT]["count"]):
        if nodes[child]["action"] == action:
            return child
    return -1


class Choices(NamedTuple):
    """Two ways of choosing a child."""

    choose: Any
    """As the choose policy does."""
    most_visited: Any
    """When that one asks for more search."""


def chooser(
    game_at: Callable[..., Any], choices_at: Callable[..., Any], takes_line: bool = False, takes_wins: bool = False
) -> Task:
    """The task to choose what to play, and to note how many actions are known.

    `takes_line`: the first move of a single player's best line; `takes_wins`: whatever wins at once, first of all.
    """

    def choose(tree: int, worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
        nodes = trees.nodes[tree]
        trees.chosen[tree], trees.note[tree] = NOTHING, nodes[ROOT]["count"]
        if trees.over[tree] == 1 or nodes[ROOT]["count"] == 0 or trees.wanted[tree] == 0:
            return
        choices = choices_at(addresses, params_of(trees, tree))
        child = choices.choose(nodes, ROOT, trees.choose_params[tree])
        if child == SEARCH_ON:
            child = choices.most_visited(nodes, ROOT, trees.choose_params[tree])
        trees.chosen[tree] = nodes[child]["action"]
        if takes_line and trees.best[tree]["depth"] > 0:
            trees.chosen[tree] = trees.best_moves[tree, 1]
        if takes_wins:
            game = game_at(addresses, params_of(trees, tree))
            win = winning_action(game, trees.roots[tree], room.state[worker], room.actions[worker], room.values[worker])
            if win != NOTHING:
                trees.chosen[tree] = win

    return choose


def winning_action(game: Any, root: Any, after: Any, actions: Any, values: Any) -> int:
    """An action that wins at once for the player to move, or NOTHING."""
    player = game.current_player(root)
    for index in range(game.legal_actions(root, actions)):
        game.copy(after, root)
        game.apply_action(after, actions[index])
        if game.is_terminal(after):
            game.scores(after, values)
            if values[player] == 1.0:
                return int(actions[index])
    return NOTHING


def gatherer(share: Strategy) -> Task:
    """The task to write down what is known at the root, in the order of the actions; without columns, of the action
    to play alone."""

    def gather(tree: int, worker: int, trees: Trees, room: Room, found: Found, addresses: Any, orders: Any) -> None:
        nodes, actions = trees.nodes[tree], found.actions[tree]
        begin, count = nodes[ROOT]["first"], nodes[ROOT]["count"]
        if trees.over[tree] == 1 or trees.wanted[tree] == 0:
            count = 0
        known = nodes[ROOT]["proven"]
        found.certain[tree] = known if nodes[ROOT]["mover"] == trees.player[tree] else for_opponent(known)
        found.value[tree] = np.nan
        for child in range(begin, begin + count):
            if nodes[child]["action"] == trees.chosen[tree]:
                found.value[tree] = mean_of(nodes[child])
        known_columns = min(count, len(actions))
        if known_columns > 0:
            shares, places = found.values[tree], found.visits[tree]
            share(nodes, ROOT, trees.select_params[tree], shares)
            put_in_order(nodes, begin, count, actions, places)
            for column in range(count):
                found.improved[tree, column] = shares[places[column]]
            for column in range(count):
                node = nodes[begin + places[column]]
                found.visits[tree, column], found.values[tree, column] = node["visits"], mean_of(node)
                found.proven[tree, column] = node["proven"]
        for column in range(known_columns, len(actions)):
            actions[column], found.visits[tree, column], found.proven[tree, column] = NOTHING, 0, UNPROVEN
            found.values[tree, column], found.improved[tree, column] = np.nan, 0.0

    return gather


def put_in_order(nodes: Any, begin: int, count: int, actions: Any, places: Any) -> None:
    """Write down the actions of some nodes in increasing order, and which node each is of; behind them is anything."""
    if lay_in_order(nodes, begin, count, actions, places) < count:
        for place in range(count):
            actions[place], places[place] = nodes[begin + place]["action"], place
        sort_together(actions, places, count)


def lay_in_order(nodes: Any, begin: int, count: int, actions: Any, places: Any) -> int:
    """The same, where the rows are as long as the actions are high: no need to compare them. How many are written."""
    highest, written = -1, 0
    for place in range(count):
        highest = max(highest, nodes[begin + place]["action"])
    if highest >= len(places):
        return 0
    for action in range(highest + 1):
        places[action] = NOTHING
    for place in range(count):
        places[nodes[begin + place]["action"]] = place
    for action in range(highest + 1):
        if places[action] != NOTHING:
            actions[written], places[written] = action, places[action]
            written += 1
    return written


def sort_together(keys: Any, others: Any, count: int) -> None:
    """Sort the first numbers of two rows by those of the first one.

    By Shell (1959), with the gaps of Ciura (2001).
    """
    for gap in GAPS:
        for end in range(gap, count):
            key, other, place = keys[end], others[end], end
            while place >= gap and keys[place - gap] > key:
                keys[place], others[place] = keys[place - gap], others[place - gap]
                place -= gap
            keys[place], others[place] = key, other


def mean_of(node: Any) -> Any:
    """What is known of a node's value."""
    if is_settled(node["proven"]):
        return 0.5 * lower_bound(node["proven"])
    return node["value"] / node["visits"] if node["visits"] > 0 else np.nan


def share_of_visits(nodes: Any, parent: int, params: Any, shares: Any) -> None:
    """The strategy of select policies that have none."""
    begin, count, whole = nodes[parent]["first"], nodes[parent]["count"], 0
    for child in range(begin, begin + count):
        whole += nodes[child]["visits"]
    for place in range(count):
        shares[place] = nodes[begin + place]["visits"] / max(whole, 1)
