"""What some games and policies add to the loop: dice, one player, all against one, policies that learn. Start at grow.

The loop is that of mcts/loops/loop.py, with other steps: whoever needs none of this does not pay for it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ponderosa.core.checks.promises import TOLERANCE
from ponderosa.core.turns import CHANCE
from ponderosa.mcts.loops.loop import (
    BAD_CHANCE,
    LONGEST,
    OWN,
    descent_of,
    lay_out,
    loop_of,
    may_expand,
    open_and_step,
    open_or_select,
    play_move,
    walk_of,
)
from ponderosa.mcts.loops.loop import evaluate as usual_evaluate
from ponderosa.mcts.loops.loop import update as usual_update
from ponderosa.mcts.loops.workspace import NOBODY, Game, Phases, Step, Values, Workspace
from ponderosa.mcts.tree.node import Nodes

BEST = np.dtype(
    [
        ("result", "f8"),  # the best of all
        ("least", "f8"),  # the worst of all
        ("most", "f8"),  # the best of all once more, for the scale of results
        ("depth", "i8"),  # how deep in the tree the best one was found
        ("playout", "u8"),  # the random numbers before its playout, which repeat it
        ("drawn", "u8"),  # the random numbers before the playout of this iteration
    ],
    align=True,
)
"""What is kept of a single player's results."""


def choose_child(nodes: Nodes, node: int, game: Game, phases: Phases, work: Workspace) -> int:
    """As in the usual loop; and where chance decides, the state says what may happen."""
    if game.current_player(work.state) == CHANCE:
        return child_with(nodes, node, game.chance_outcome(work.state, work.rng))
    return open_or_select(nodes, node, game, phases, work)


walk = walk_of(descent_of(choose_child, play_move))


def child_with(nodes: Nodes, node: int, action: int) -> int:
    """The child for an action; the first one, if there is none."""
    begin: int = nodes[node]["first"]
    for child in range(begin, begin + nodes[node]["count"]):
        if nodes[child]["action"] == action:
            return child
    return begin


def expander(know: Callable[[Nodes, int, int, Game, Workspace], None], step_in: Step = open_and_step) -> Step:
    """A step that expands leaves; `know` enters what is known of new children beforehand, `step_in` visits one."""

    def expand_leaf(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
        """As in the usual loop; and a chance node gets a child for every outcome."""
        if not may_expand(nodes, depth, game, phases, work):
            return depth
        leaf = work.path[depth]
        player = game.current_player(work.state)
        if player == CHANCE:
            return expand_chance(nodes, depth, game, work)
        total = game.candidates(work.state, work.actions)
        if not lay_out(nodes, leaf, total, player, work):
            return -1
        know(nodes, leaf, abs(total), game, work)
        return step_in(nodes, depth, game, phases, work)

    return expand_leaf


def nothing_known(nodes: Nodes, leaf: int, total: int, game: Game, work: Workspace) -> None:
    """What is known of new children as a rule."""


def expand_chance(nodes: Nodes, depth: int, game: Game, work: Workspace) -> int:
    """Give a chance node a child for every outcome, and step into the one that happens.

    Nobody moves into an outcome: its value is for the player who took the chance, as that of the chance node is.
    """
    leaf = work.path[depth]
    total = game.chance_outcomes(work.state, work.actions, work.probabilities)
    if not is_distribution(work.probabilities, total):
        work.counters["status"] = BAD_CHANCE
        return -1
    if not lay_out(nodes, leaf, total, nodes[leaf]["mover"], work):
        return -1
    begin = nodes[leaf]["first"]
    for child in range(begin, begin + total):
        nodes[child]["first"] = 0
    nodes[leaf]["count"] = total
    child = child_with(nodes, leaf, game.chance_outcome(work.state, work.rng))
    game.apply_action(work.state, nodes[child]["action"])
    work.path[depth + 1] = child
    return depth + 1


def is_distribution(probabilities: Values, count: int) -> bool:
    """Whether the first numbers, as many as counted, are probabilities that sum to 1."""
    total, least = 0.0, 0.0
    for index in range(min(count, len(probabilities))):
        total += probabilities[index]
        least = min(least, probabilities[index])
    return least >= 0.0 and abs(total - 1.0) <= TOLERANCE


def evaluate(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
    """As in the usual loop; the random numbers before a playout are kept, which repeat it, and the moves so far."""
    note_moves(nodes, depth, work)
    return usual_evaluate(nodes, depth, game, phases, work)


def note_moves(nodes: Nodes, depth: int, work: Workspace) -> None:
    """Keep the random numbers, and the moves that led to the leaf if a policy wants to know them."""
    work.best["drawn"] = work.rng[0]
    if len(work.played) > 1:
        players = len(work.values)
        for step in range(1, min(depth, len(work.played) - 1) + 1):
            node = nodes[work.path[step]]
            work.played[step] = node["action"] * players + node["mover"]
        work.played[0] = min(depth, len(work.played) - 1)


def update(nodes: Nodes, depth: int, plies: int, phases: Phases, work: Workspace) -> None:
    """As in the usual loop, before and after which more is done."""
    settings = work.settings
    if settings.against != NOBODY:
        set_against(settings.against, work.values)
    if settings.alone and plies <= phases.playout_params[LONGEST]:
        note_result(nodes, depth, phases, work)
    elif settings.alone and work.best["least"] < 0.0:  # scores without bounds: 0 might be the best of all
        work.values[0] = 2.0 * work.best["least"]
    usual_update(nodes, depth, plies, phases, work)
    if settings.learns:
        for step in range(1, depth + 1):
            work.parents[step] = work.path[step - 1]
        phases.learn(nodes, work.path, work.parents, depth, work.values, work.played, phases.select_params)
    if settings.studies:
        phases.study(phases.playout_params[OWN:], work.values, work.played)


def set_against(player: int, values: Values) -> None:
    """All others want what is bad for one player."""
    for other in range(len(values)):
        if other != player:
            values[other] = 1.0 - values[player]


def note_result(nodes: Nodes, depth: int, phases: Phases, work: Workspace) -> None:
    """Keep the best result of a single player, with what repeats it, and the scale of all results."""
    value, best = work.values[0], work.best
    best["least"], best["most"] = min(best["least"], value), max(best["most"], value)
    if work.settings.scaled:
        phases.select_params[-2], phases.select_params[-1] = best["least"], best["most"]
    if value > best["result"]:
        best["result"], best["depth"], best["playout"] = value, depth, best["drawn"]
        for step in range(1, depth + 1):
            work.best_moves[step] = nodes[work.path[step]]["action"]


expand_leaf = expander(nothing_known)
grow = loop_of(walk, expand_leaf, evaluate, update)
