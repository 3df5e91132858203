"""The loop that enters priors: how promising the game takes each new child for. Start at set_priors.

Whoever needs them asks for the field `prior` in every node, as puct does (mcts/policies/select/puct.py).
"""

from __future__ import annotations

import math

from ponderosa.mcts.loops.general import evaluate, expander, update, walk
from ponderosa.mcts.loops.loop import loop_of, open_children
from ponderosa.mcts.loops.workspace import Game, Phases, Workspace
from ponderosa.mcts.tree.node import Nodes


def set_priors(nodes: Nodes, leaf: int, total: int, game: Game, work: Workspace) -> None:
    """Enter the game's priors of new children as shares, the exponential of each over the sum of all."""
    begin = nodes[leaf]["first"]
    most = -math.inf
    for child in range(begin, begin + total):
        prior = game.prior(work.state, nodes[child]["action"], work.spare[0], work.values)
        nodes[child]["prior"] = prior
        most = max(most, prior)
    whole = 0.0
    for child in range(begin, begin + total):
        nodes[child]["prior"] = math.exp(nodes[child]["prior"] - most)
        whole += nodes[child]["prior"]
    for child in range(begin, begin + total):
        nodes[child]["prior"] /= whole
    if work.settings.by_prior:
        sort_slots(nodes, begin, total)


def sort_slots(nodes: Nodes, begin: int, total: int) -> None:
    """Put slots that wait into the order of their priors, the largest first."""
    for place in range(begin + 1, begin + total):
        prior, action = nodes[place]["prior"] + 0.0, nodes[place]["action"] + 0
        before = place - 1
        while before >= begin and nodes[before]["prior"] < prior:
            nodes[before + 1]["prior"] = nodes[before]["prior"]
            nodes[before + 1]["action"] = nodes[before]["action"]
            before -= 1
        nodes[before + 1]["prior"] = prior
        nodes[before + 1]["action"] = action


def open_and_select(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
    """Open the first children of a leaf, and step into the one that is selected; returns the depth."""
    leaf = work.path[depth]
    open_children(nodes, leaf, phases)
    child = phases.select(nodes, leaf, phases.select_params, work.rng)
    game.apply_action(work.state, nodes[child]["action"])
    work.path[depth + 1] = child
    return depth + 1


grow = loop_of(walk, expander(set_priors, open_and_select), evaluate, update)
