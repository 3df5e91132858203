"""The tree search, once, for all games and all policies. Start at loop_of.

Everything here runs in two ways: compiled, with phases and rules as first-class functions, or as plain Python, when the
states are Python objects or NUMBA_DISABLE_JIT is set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ponderosa.core.rng import shuffle
from ponderosa.mcts.tree.node import LEFT_OUT, ROOT, UNPROVEN, UNTRIED, for_opponent, has_untried, is_settled
from ponderosa.mcts.tree.solver import prove, proven_values, verdict

USED, STATUS, DETAIL, ORDERED, AGAINST, LEARNS, ALONE, SCALED, SORTED, STUDIES, PLAYERS = range(11)
COUNTERS = 17
"""Places in the counters. Nodes in use, why `grow` returned, a number that explains it; then what the search is like:
candidates come best first; the player, plus one, whom all others play against; the select policy learns; there is one
player, whose best line is kept; the select policy wants the scale of results; children come by their prior; the playout
policy learns; how many players there are."""

DONE, FULL, SOLVED, BAD_ACTION_COUNT = 0, 1, 2, 3
BAD_PLAYER, BAD_CHANCE = 6, 7
"""Why `grow` returned, too; mcts/loops/information_sets.py and mcts/loops/batches.py have the numbers between."""

LONGEST, ENDLESS, OWN = 0, 1, 2
"""Places in the params of playouts: the most moves that a playout may have, how many iterations came to no end within
them, and where the rest begins."""


class Game(NamedTuple):
    """The operations that the loop calls; core/rules.py says what they do."""

    copy: Any
    current_player: Any
    candidates: Any
    apply_action: Any
    is_terminal: Any
    scores: Any
    bounds: Any
    chance_outcomes: Any
    chance_outcome: Any
    prior: Any
    evaluate: Any


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
    learn: Any
    study: Any


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
    moves: Any
    """The actions that lead into them."""
    actions: Any
    """Room for the legal actions of a state."""
    values: Any
    """Each player's result."""
    rng: Any
    probabilities: Any
    """Room for the probabilities of what chance may do."""
    parents: Any
    """The nodes at which those of the path were chosen."""
    best: Any
    """The best result of a single player, the least and the most of all; the depth of the best one; the random numbers
    before its playout, and those before the playout of this iteration, in halves."""
    best_moves: Any
    """The actions in the tree that led to the best result."""
    played: Any
    """The moves of the iteration, if a policy wants to know them: mcts/loops/recorder.py."""
    batch: Any
    """Leaves that wait for an evaluator: mcts/loops/batches.py."""


def loop_of(
    walk: Callable[..., Any], expand_leaf: Callable[..., Any], evaluate: Callable[..., Any], update: Callable[..., Any]
) -> Callable[..., Any]:
    """The loop with these steps. `grow` below has the usual ones, mcts/loops/general.py those that know more."""

    def grow(iterations: Any, nodes: Any, counters: Any, game: Any, phases: Any, work: Any, solve: Any) -> Any:
        """Run up to so many iterations; returns how many were run. counters[STATUS] says why it ended."""
        counters[STATUS] = DONE
        for done in range(iterations):
            if solve and is_settled(nodes[ROOT]["proven"]):
                counters[STATUS] = SOLVED
                return done
            drawn = work.rng[0]
            depth = walk(nodes, game, phases, work)
            depth = expand_leaf(nodes, depth, counters, game, phases, work)
            if depth < 0:
                work.rng[0] = drawn  # as if it had not begun: the same tree, however often the array must grow
                return done
            plies = evaluate(nodes, depth, game, phases, work, solve)
            update(nodes, depth, plies, counters, phases, work)
            if plies > phases.playout_params[LONGEST]:
                phases.playout_params[ENDLESS] += 1
                return done + 1  # such a playout takes its time: let somebody look at the clock
        return iterations

    return grow


def descend(nodes: Any, phases: Any, work: Any) -> Any:
    """Select from the root down to a leaf, or to a child that `expand` opens on the way; returns its depth."""
    node, depth = ROOT, 0
    work.path[0] = ROOT
    while depth + 1 < len(work.path) and nodes[node]["first"] > 0 and not is_settled(nodes[node]["proven"]):
        child = nodes[node]["first"] + nodes[node]["count"]
        opened = has_untried(nodes, node) and open_children(nodes, node, phases) > 0
        if not opened:
            child = phases.select(nodes, node, phases.select_params, work.rng)
        node, depth = child, depth + 1
        work.path[depth] = node
        work.moves[depth] = nodes[node]["action"]
        if opened:
            return depth
    return depth


def walk(nodes: Any, game: Any, phases: Any, work: Any) -> Any:
    """Descend, and bring the state there; returns the depth."""
    depth = descend(nodes, phases, work)
    play_path(depth, game, work)
    return depth


def play_path(depth: Any, game: Any, work: Any) -> None:
    """Bring the state from the root to the end of the path."""
    game.copy(work.state, work.root)
    for step in range(1, depth + 1):
        game.apply_action(work.state, work.moves[step])


def expand_leaf(nodes: Any, depth: Any, counters: Any, game: Any, phases: Any, work: Any) -> Any:
    """Let `expand` add children to a leaf, and step into one; returns the depth, or -1 when it must stop."""
    if not may_expand(nodes, depth, game, phases, work):
        return depth
    leaf = work.path[depth]
    total = game.candidates(work.state, work.actions)
    if not lay_out(nodes, leaf, counters, total, game.current_player(work.state), work):
        return -1
    return open_and_step(nodes, depth, game, phases, work)


def may_expand(nodes: Any, depth: Any, game: Any, phases: Any, work: Any) -> Any:
    """Whether the leaf may get children now."""
    leaf = work.path[depth]
    node = nodes[leaf]
    if (node["visits"] == 0 and leaf != ROOT) or node["first"] > 0 or depth + 1 == len(work.path):
        return False
    if is_settled(node["proven"]) or game.is_terminal(work.state):
        return False
    return phases.expand(nodes, leaf, phases.expand_params) > 0


def open_and_step(nodes: Any, depth: Any, game: Any, phases: Any, work: Any) -> Any:
    """Open the first children of a leaf, and step into the first of them; returns the depth."""
    leaf = work.path[depth]
    child = nodes[leaf]["first"] + nodes[leaf]["count"]
    open_children(nodes, leaf, phases)
    game.apply_action(work.state, nodes[child]["action"])
    work.path[depth + 1] = child
    return depth + 1


def lay_out(nodes: Any, node: Any, counters: Any, total: Any, player: Any, work: Any) -> Any:
    """Give a node one untried slot for every action; False when they do not fit.

    A negative total says that actions were left out: they get one slot that is never opened, so that nothing is
    concluded from the others alone.
    """
    left_out = 1 if total < 0 else 0
    total = abs(total)
    if total == 0 or total > len(work.actions):
        counters[STATUS], counters[DETAIL] = BAD_ACTION_COUNT, total
        return False
    if player < 0 or player >= counters[PLAYERS]:
        counters[STATUS], counters[DETAIL] = BAD_PLAYER, player
        return False
    begin = counters[USED]
    if begin + total + left_out >= len(nodes):  # one slot more: has_untried looks behind the last child
        counters[STATUS], counters[DETAIL] = FULL, total
        return False
    if counters[ORDERED] == 0:
        shuffle(work.rng, work.actions, total)
    for index in range(total):
        slot = nodes[begin + index]
        slot["first"] = UNTRIED
        slot["action"] = work.actions[index]
        slot["mover"] = player
    if left_out == 1:
        nodes[begin + total]["first"] = UNTRIED
        nodes[begin + total]["action"] = LEFT_OUT
        nodes[begin + total]["mover"] = player
    counters[USED] = begin + total + left_out
    nodes[node]["first"] = begin
    return True


def open_children(nodes: Any, node: Any, phases: Any) -> Any:
    """Open as many untried slots of a node as `expand` wants; returns how many."""
    return open_slots(nodes, node, phases.expand(nodes, node, phases.expand_params))


def open_slots(nodes: Any, node: Any, wanted: Any) -> Any:
    """Open up to so many untried slots of a node; returns how many."""
    opened = 0
    while opened < wanted and has_untried(nodes, node):
        slot = nodes[nodes[node]["first"] + nodes[node]["count"]]
        if slot["action"] == LEFT_OUT:
            return opened
        slot["first"] = 0
        nodes[node]["count"] += 1
        opened += 1
    return opened


def evaluator(fresh: int) -> Callable[..., Any]:
    """A step that evaluates leaves; a new one has so many visits by then."""

    def evaluate(nodes: Any, depth: Any, game: Any, phases: Any, work: Any, solve: Any) -> Any:
        """Fill in the players' results at the leaf: proven, final, or played out; returns the playout's length."""
        node = nodes[work.path[depth]]
        if is_settled(node["proven"]):
            proven_values(node["proven"], node["mover"], work.values)
            return 0
        if game.is_terminal(work.state):
            game.scores(work.state, work.values)
            if solve:
                node["proven"] = verdict(work.values, node["mover"])
            return 0
        if solve and node["visits"] == fresh:
            known = game.bounds(work.state)
            if known != UNPROVEN:
                node["proven"] = known if node["mover"] == game.current_player(work.state) else for_opponent(known)
                if is_settled(known):
                    proven_values(node["proven"], node["mover"], work.values)
                    return 0
        player = game.current_player(work.state) if solve else 0
        plies = phases.playout(work.state, work.spare, work.actions, phases.playout_params, work.rng, work.values)
        if (
            solve
            and plies == 1
            and node["visits"] == fresh
            and work.values[player] == 1.0
            and game.is_terminal(work.state)
        ):
            node["proven"] = verdict(work.values, node["mover"])  # one action of the player to move won the game
        return plies

    return evaluate


def update(nodes: Any, depth: Any, plies: Any, counters: Any, phases: Any, work: Any) -> None:
    """Back the result up the path, and with it what a new leaf proves."""
    leaf = nodes[work.path[depth]]
    fresh = leaf["visits"] == 0
    phases.backup(nodes, work.path, depth, work.values, plies, phases.backup_params)
    if fresh and leaf["proven"] != UNPROVEN:
        prove(nodes, work.path, depth)


evaluate = evaluator(fresh=0)
grow = loop_of(walk, expand_leaf, evaluate, update)
