"""The loop that enters the game's static value of every new node, in the field `static`. Start at evaluate."""

from __future__ import annotations

from ponderosa.mcts.loops.general import evaluate as usual_evaluate
from ponderosa.mcts.loops.general import expander, nothing_known, update, walk
from ponderosa.mcts.loops.loop import loop_of
from ponderosa.mcts.loops.workspace import Game, Phases, Workspace
from ponderosa.mcts.tree.node import Nodes


def evaluate(nodes: Nodes, depth: int, game: Game, phases: Phases, work: Workspace) -> int:
    """As in the usual loop; a new node gets the static value of its position, for whoever moved into it."""
    node = nodes[work.path[depth]]
    if node["visits"] == 0:
        if game.is_terminal(work.state):
            game.scores(work.state, work.values)
        else:
            game.evaluate(work.state, work.values)
        node["static"] = work.values[node["mover"]]
    return usual_evaluate(nodes, depth, game, phases, work)


grow = loop_of(walk, expander(nothing_known), evaluate, update)
