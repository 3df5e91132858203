"""The tree search, once, for all games and all policies. Start at loop_of, then descent_of.

Everything here runs in two ways: compiled, with phases and rules as first-class functions, or as plain Python, when the
states are Python objects or NUMBA_DISABLE_JIT is set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ponderosa.core.bounds import UNPROVEN, for_opponent, is_settled
from ponderosa.core.rng import shuffle
from ponderosa.mcts.loops.workspace import Game, Grow, Phases, Step, Walk, Workspace
from ponderosa.mcts.tree.node import LEFT_OUT, ROOT, UNTRIED, Nodes, has_untried
from ponderosa.mcts.tree.solver import prove, proven_values, verdict

DONE, FULL, SOLVED, BAD_ACTION_COUNT, CROWDED, BAD_PRIOR, BAD_PLAYER, BAD_CHANCE = range(8)
"""Why a loop returned: all iterations were run; the array of nodes is full; the root is proven; a state has no action,
or more than its game declares; the table of nodes needs more room; the evaluator says nothing of an action; there is no
such player; the probabilities of chance are none."""

LONGEST, ENDLESS, OWN = 0, 1, 2
"""Places in the params of playouts: the most moves that a playout may have, how many iterations came to no end within
them, and where the rest begins."""


def is_solved(nodes: Nodes, work: Workspace) -> Any:
    """Whether nothing is left to find out."""
    return is_settled(nodes[ROOT]["proven"])


def loop_of(
    walk: Walk,
    expand_leaf: Step,
    evaluate: Step,
    update: Callable[[Nodes, int, int, Phases, Workspace], None],
    is_solved: Callable[[Nodes, Workspace], Any] = is_solved,
) -> Grow:
    """The loop with these steps. `grow` below has the usual ones, mcts/loops/general.py those that can do more."""

    def grow(iterations: int, nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
        """Run up to a number of iterations; returns how many were run."""
        work.counters["status"] = DONE
        for done in range(iterations):
            if work.settings.solve and is_solved(nodes, work):
                work.counters["status"] = SOLVED
                return done
            drawn = work.rng[0]
            depth = walk(nodes, game, phases, work)
            depth = expand_leaf(nodes, depth, game, phases, work)
            if depth < 0:
                work.rng[0] = drawn  # as if it had not begun: the same tree, however often the array must grow
                return done
            plies = evaluate(nodes, depth, game, phases, work)
            update(nodes, depth, plies, phases, work)
            if plies > phases.playout_params[LONGEST]:
                phases.playout_params[ENDLESS] += 1
                return done + 1  # such a playout takes its time: let somebody look at the clock
        return iterations

    return grow


def is_inner(nodes: Nodes, node: int, depth: int, work: Workspace) -> Any:
    """Whether a descent goes on below a node: it has children, and they matter."""
    return nodes[node]["first"] > 0 and not is_settled(nodes[node]["proven"])


def descent_of(
    choose_child: Step,
    enter: Callable[[Nodes, int, int, Game, Workspace], int],
    goes_on: Callable[[Nodes, int, int, Workspace], Any] = is_inner,
) -> Step:
    """The way down with these steps. `enter` brings the search into a child, and returns the node that it is in then;
    below 0, the way ends before it. A child that was just opened has no children: the way ends there."""

    def descend(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
        """Go on from so deep on the path to a leaf; returns its depth."""
        node: int = work.path[depth]
        while depth + 1 < len(work.path) and goes_on(nodes, node, depth, work):
            node = enter(nodes, choose_child(nodes, node, game, phases, work), depth + 1, game, work)
            if node < 0:
                return depth
            depth += 1
            work.path[depth] = node
        return depth

    return descend


def walk_of(descend: Step) -> Walk:
    """A step that descends from the root, and plays on the way."""

    def walk(nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
        """Bring the state from the root to a leaf; returns its depth."""
        game.copy(work.state, work.root)
        work.path[0] = ROOT
        return descend(nodes, 0, game, phases, work)

    return walk


def open_or_select(nodes: Nodes, node: int, game: Game, phases: Phases, work: Workspace) -> int:
    """The next child that `expand` opens, or else the one that `select` prefers."""
    if has_untried(nodes, node):
        child: int = nodes[node]["first"] + nodes[node]["count"]
        if open_children(nodes, node, phases) > 0:
            return child
    return phases.select(nodes, node, phases.select_params, work.rng)


def note_move(nodes: Nodes, child: int, depth: int, game: Game, work: Workspace) -> int:
    """Keep the move into a child, to be played when the leaf is found."""
    work.moves[depth] = nodes[child]["action"]
    return child


def play_move(nodes: Nodes, child: int, depth: int, game: Game, work: Workspace) -> int:
    """Play the move into a child at once."""
    game.apply_action(work.state, nodes[child]["action"])
    return child


descend = descent_of(open_or_select, note_move)


def walk(nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
    """Descend, and bring the state there; returns the depth."""
    work.path[0] = ROOT
    depth = descend(nodes, 0, game, phases, work)
    play_path(depth, game, work)
    return depth


def play_path(depth: int, game: Game, work: Workspace) -> None:
    """Bring the state from the root to the end of the path."""
    game.copy(work.state, work.root)
    for step in range(1, depth + 1):
        game.apply_action(work.state, work.moves[step])


def expand_leaf(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
    """Let `expand` add children to a leaf, and step into one; returns the depth, or -1 when it must stop."""
    if not may_expand(nodes, depth, game, phases, work):
        return depth
    leaf = work.path[depth]
    total = game.candidates(work.state, work.actions)
    if not lay_out(nodes, leaf, total, game.current_player(work.state), work):
        return -1
    return open_and_step(nodes, depth, game, phases, work)


def may_expand(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> bool:
    """Whether the leaf may get children now."""
    leaf = work.path[depth]
    node = nodes[leaf]
    if (node["visits"] == 0 and leaf != ROOT) or node["first"] > 0 or depth + 1 == len(work.path):
        return False
    if is_settled(node["proven"]) or game.is_terminal(work.state):
        return False
    return phases.expand(nodes, leaf, phases.expand_params) > 0


def open_and_step(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
    """Open the first children of a leaf, and step into the first of them; returns the depth."""
    leaf = work.path[depth]
    child = nodes[leaf]["first"] + nodes[leaf]["count"]
    open_children(nodes, leaf, phases)
    game.apply_action(work.state, nodes[child]["action"])
    work.path[depth + 1] = child
    return depth + 1


def lay_out(nodes: Nodes, node: int, total: int, player: int, work: Workspace) -> bool:
    """Give a node one untried slot for every action; False when they do not fit.

    A negative total says that actions were left out: they get one slot that is never opened, so that nothing is
    concluded from the others alone.
    """
    counters = work.counters
    left_out = 1 if total < 0 else 0
    total = abs(total)
    if total == 0 or total > len(work.actions):
        counters["status"], counters["detail"] = BAD_ACTION_COUNT, total
        return False
    if player < 0 or player >= work.settings.players:
        counters["status"], counters["detail"] = BAD_PLAYER, player
        return False
    begin = counters["used"]
    if begin + total + left_out >= len(nodes):  # one slot more: has_untried looks behind the last child
        counters["status"], counters["detail"] = FULL, total
        return False
    if not work.settings.ordered:
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
    counters["used"] = begin + total + left_out
    nodes[node]["first"] = begin
    return True


def open_children(nodes: Nodes, node: int, phases: Phases) -> int:
    """Open as many untried slots of a node as `expand` wants; returns how many."""
    return open_slots(nodes, node, phases.expand(nodes, node, phases.expand_params))


def open_slots(nodes: Nodes, node: int, wanted: int) -> int:
    """Open untried slots of a node, as many as wanted or as there are; returns how many."""
    opened = 0
    while opened < wanted and has_untried(nodes, node):
        slot = nodes[nodes[node]["first"] + nodes[node]["count"]]
        if slot["action"] == LEFT_OUT:
            return opened
        slot["first"] = 0
        nodes[node]["count"] += 1
        opened += 1
    return opened


def evaluator(fresh: int) -> Step:
    """A step that evaluates leaves; `fresh` is the number of visits that a new one has by then."""

    def evaluate(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
        """Fill in the players' results at the leaf: proven, final, or played out; returns the playout's length."""
        node, solve = nodes[work.path[depth]], work.settings.solve
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


def update(nodes: Nodes, depth: int, plies: int, phases: Phases, work: Workspace) -> None:
    """Back the result up the path, and with it what a new leaf proves."""
    leaf = nodes[work.path[depth]]
    fresh = leaf["visits"] == 0
    phases.backup(nodes, work.path, depth, work.values, plies, phases.backup_params)
    if fresh and leaf["proven"] != UNPROVEN:
        prove(nodes, work.path, depth)


evaluate = evaluator(fresh=0)
grow = loop_of(walk, expand_leaf, evaluate, update)
