"""What some games and policies add to the loop: dice, one player, all against one, policies that learn. Start at grow.

The loop is that of mcts/loops/loop.py, with other steps: whoever needs none of this does not pay for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ponderosa.core.checks.promises import TOLERANCE
from ponderosa.core.rng import HALF, LOW_HALF
from ponderosa.core.turns import CHANCE
from ponderosa.mcts.loops.loop import (
    AGAINST,
    ALONE,
    BAD_CHANCE,
    LEARNS,
    LONGEST,
    OWN,
    SCALED,
    STATUS,
    STUDIES,
    lay_out,
    loop_of,
    may_expand,
    open_and_step,
    open_children,
)
from ponderosa.mcts.loops.loop import evaluate as usual_evaluate
from ponderosa.mcts.loops.loop import update as usual_update
from ponderosa.mcts.tree.node import ROOT, has_untried, is_settled


def walk(nodes: Any, game: Any, phases: Any, work: Any) -> Any:
    """Descend and play at once: where chance decides, the state says what may happen. The state ends at the leaf."""
    game.copy(work.state, work.root)
    node, depth = ROOT, 0
    work.path[0] = ROOT
    while depth + 1 < len(work.path) and nodes[node]["first"] > 0 and not is_settled(nodes[node]["proven"]):
        opened = False
        if game.current_player(work.state) == CHANCE:
            child = child_with(nodes, node, game.chance_outcome(work.state, work.rng))
        else:
            child = nodes[node]["first"] + nodes[node]["count"]
            opened = has_untried(nodes, node) and open_children(nodes, node, phases) > 0
            if not opened:
                child = phases.select(nodes, node, phases.select_params, work.rng)
        node, depth = child, depth + 1
        work.path[depth] = node
        game.apply_action(work.state, nodes[node]["action"])
        if opened:
            return depth
    return depth


def child_with(nodes: Any, node: Any, action: Any) -> Any:
    """The child for an action; the first one, if there is none."""
    begin = nodes[node]["first"]
    for child in range(begin, begin + nodes[node]["count"]):
        if nodes[child]["action"] == action:
            return child
    return begin


def expander(know: Callable[..., Any], step_in: Callable[..., Any] = open_and_step) -> Callable[..., Any]:
    """A step that expands leaves; `know` enters what is known of new children beforehand, `step_in` visits one."""

    def expand_leaf(nodes: Any, depth: Any, counters: Any, game: Any, phases: Any, work: Any) -> Any:
        """As in the usual loop; and a chance node gets a child for every outcome."""
        if not may_expand(nodes, depth, game, phases, work):
            return depth
        leaf = work.path[depth]
        player = game.current_player(work.state)
        if player == CHANCE:
            return expand_chance(nodes, depth, counters, game, work)
        total = game.candidates(work.state, work.actions)
        if not lay_out(nodes, leaf, counters, total, player, work):
            return -1
        know(nodes, leaf, abs(total), counters, game, work)
        return step_in(nodes, depth, game, phases, work)

    return expand_leaf


def nothing_known(nodes: Any, leaf: Any, total: Any, counters: Any, game: Any, work: Any) -> None:
    """What is known of new children as a rule."""


def expand_chance(nodes: Any, depth: Any, counters: Any, game: Any, work: Any) -> Any:
    """Give a chance node a child for every outcome, and step into the one that happens.

    Nobody moves into an outcome: its value is for the player who took the chance, as that of the chance node is.
    """
    leaf = work.path[depth]
    total = game.chance_outcomes(work.state, work.actions, work.probabilities)
    if not is_distribution(work.probabilities, total):
        counters[STATUS] = BAD_CHANCE
        return -1
    if not lay_out(nodes, leaf, counters, total, nodes[leaf]["mover"], work):
        return -1
    begin = nodes[leaf]["first"]
    for child in range(begin, begin + total):
        nodes[child]["first"] = 0
    nodes[leaf]["count"] = total
    child = child_with(nodes, leaf, game.chance_outcome(work.state, work.rng))
    game.apply_action(work.state, nodes[child]["action"])
    work.path[depth + 1] = child
    return depth + 1


def is_distribution(probabilities: Any, count: Any) -> Any:
    """Whether so many numbers are probabilities that sum to 1."""
    total, least = 0.0, 0.0
    for index in range(min(count, len(probabilities))):
        total += probabilities[index]
        least = min(least, probabilities[index])
    return least >= 0.0 and abs(total - 1.0) <= TOLERANCE


def evaluate(nodes: Any, depth: Any, game: Any, phases: Any, work: Any, solve: Any) -> Any:
    """As in the usual loop; the random numbers before a playout are kept, which repeat it, and the moves so far."""
    note_moves(nodes, depth, work)
    return usual_evaluate(nodes, depth, game, phases, work, solve)


def note_moves(nodes: Any, depth: Any, work: Any) -> None:
    """Keep the random numbers, and the moves that led to the leaf if a policy wants to know them."""
    work.best[6], work.best[7] = work.rng[0] >> HALF, work.rng[0] & LOW_HALF  # a float holds each half exactly
    if len(work.played) > 1:
        players = len(work.values)
        for step in range(1, min(depth, len(work.played) - 1) + 1):
            node = nodes[work.path[step]]
            work.played[step] = node["action"] * players + node["mover"]
        work.played[0] = min(depth, len(work.played) - 1)


def update(nodes: Any, depth: Any, plies: Any, counters: Any, phases: Any, work: Any) -> None:
    """As in the usual loop, before and after which more is done."""
    if counters[AGAINST]:
        set_against(counters[AGAINST] - 1, work.values)
    if counters[ALONE] and plies <= phases.playout_params[LONGEST]:
        note_result(nodes, depth, counters, phases, work)
    elif counters[ALONE] and work.best[1] < 0.0:  # scores without bounds: 0 might be the best of all
        work.values[0] = 2.0 * work.best[1]
    usual_update(nodes, depth, plies, counters, phases, work)
    if counters[LEARNS]:
        for step in range(1, depth + 1):
            work.parents[step] = work.path[step - 1]
        phases.learn(nodes, work.path, work.parents, depth, work.values, work.played, phases.select_params)
    if counters[STUDIES]:
        phases.study(phases.playout_params[OWN:], work.values, work.played)


def set_against(player: Any, values: Any) -> None:
    """All others want what is bad for one player."""
    for other in range(len(values)):
        if other != player:
            values[other] = 1.0 - values[player]


def note_result(nodes: Any, depth: Any, counters: Any, phases: Any, work: Any) -> None:
    """Keep the best result of a single player, with what repeats it, and the scale of all results."""
    value, best = work.values[0], work.best
    best[1], best[2] = min(best[1], value), max(best[2], value)
    if counters[SCALED]:
        phases.select_params[-2], phases.select_params[-1] = best[1], best[2]
    if value > best[0]:
        best[0], best[3] = value, depth
        best[4], best[5] = best[6], best[7]
        for step in range(1, depth + 1):
            work.best_moves[step] = nodes[work.path[step]]["action"]


expand_leaf = expander(nothing_known)
grow = loop_of(walk, expand_leaf, evaluate, update)
