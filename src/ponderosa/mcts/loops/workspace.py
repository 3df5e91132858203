"""What the loops get, as named values: the game, the phases, the settings, room to work. Start at Workspace.

Compiled and plain loops get the same; compiled ones get addresses in the place of functions (mcts/engines/kernels.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.core.rng import Rng
from ponderosa.mcts.tree.counters import Counters
from ponderosa.mcts.tree.graph import Keys, Places
from ponderosa.mcts.tree.node import Nodes

NOBODY = -1
"""No player."""

State = Any
"""Bytes of a record, or a Python object in a box: only the operations of a game look inside."""
States = Any
"""Several of them, by index."""
Path = npt.NDArray[np.int64]
Actions = npt.NDArray[np.int32]
Values = npt.NDArray[np.float64]
Params = npt.NDArray[np.float64]
Priors = Any
"""An array by leaf and action, or what looks like one: PriorsByState in mcts/engines/evaluator.py."""


Play = Callable[[State, States, Actions, Params, Rng, Values], int]
"""A playout: plays on the state, fills in each player's result, and returns how many moves it took."""


class Game(NamedTuple):
    """The operations that loops call; core/rules.py says what they do. Those that a game lacks are None."""

    copy: Callable[[State, State], None]
    current_player: Callable[[State], int]
    legal_actions: Callable[[State, Actions], int]
    candidates: Callable[[State, Actions], int]
    apply_action: Callable[[State, int], None]
    is_terminal: Callable[[State], bool]
    scores: Callable[[State, Values], None]
    bounds: Callable[[State], int]
    chance_outcomes: Callable[[State, Actions, Values], int]
    chance_outcome: Callable[[State, Rng], int]
    prior: Callable[[State, int, State, Values], float]
    evaluate: Callable[[State, Values], None]
    determinize: Callable[[State, int, Rng], None]
    look: Callable[[State, int, State], int]
    key: Callable[[State], int]
    observe: Callable[[State, Any], None]


class Phases(NamedTuple):
    """The phases, each with its numbers. Those that no policy has are None."""

    select: Callable[[Nodes, int, Params, Rng], int]
    select_params: Params
    expand: Callable[[Nodes, int, Params], int]
    expand_params: Params
    playout: Play
    playout_params: Params
    backup: Callable[[Nodes, Path, int, Values, int, Params], None]
    backup_params: Params
    learn: Callable[[Nodes, Path, Path, int, Values, Actions, Params], None]
    study: Callable[[Params, Values, Actions], None]


class Settings(NamedTuple):
    """What the search is like; it stays so while a loop runs."""

    solve: bool = False
    """Whether results are proven."""
    ordered: bool = False
    """Whether the candidates of a game come best first."""
    by_prior: bool = False
    """Whether children are opened in the order of their priors."""
    learns: bool = False
    """Whether the select policy learns."""
    studies: bool = False
    """Whether the playout policy learns."""
    alone: bool = False
    """Whether there is one player, whose best line is kept."""
    scaled: bool = False
    """Whether the select policy wants the scale of results."""
    single: bool = False
    """Whether all is seen with the eyes of the player who searches."""
    players: int = 2
    """How many players there are."""
    against: int = NOBODY
    """The player whom all others play against, or NOBODY."""
    viewer: int = NOBODY
    """The player who searches, where not all players see the same, or NOBODY."""


class Batch(NamedTuple):
    """What waits for an evaluator, a row each, and what it said of it. The first rows of `states` are the leaves'."""

    states: States
    """The leaves' states."""
    paths: npt.NDArray[np.int64]
    """Of each row the path, behind its length and the place of its state, or CLASH: mcts/loops/batches.py."""
    priors: Priors
    """What each action is worth trying, by leaf and action; without columns, all are alike."""
    values: npt.NDArray[np.float64]
    """Each player's result, by leaf; or in one column that of the player to move."""


PART = np.dtype(
    [
        ("threads", "i8"),  # how many there are
        ("copied", "i8"),  # nodes that are copied: mcts/loops/shared_top.py
        ("inside", "i8"),  # the depth at which the iteration has left them
    ]
)
"""One thread's part in a tree that several grow."""


class Share(NamedTuple):
    """What a thread has for itself of a tree that several grow."""

    part: np.void
    """A record of PART."""
    top: Nodes
    """Its copies of the top of the tree: mcts/loops/shared_top.py."""


class Workspace(NamedTuple):
    """What an iteration works with, and writes on."""

    settings: Settings
    counters: Counters
    """What is counted of the tree: mcts/tree/counters.py."""
    root: State
    """The state at the root; never changed."""
    state: State
    """The state where the iteration is."""
    spare: States
    """Three states for playouts."""
    path: Path
    """The nodes visited, root first."""
    moves: Path
    """The actions that lead into them."""
    actions: Actions
    """Room for the legal actions of a state."""
    values: Values
    """Each player's result."""
    rng: Rng
    probabilities: Values
    """Room for the probabilities of what chance may do."""
    parents: Path
    """The nodes at which those of the path were chosen; of a shared tree, their copies."""
    edges: Path
    """Of graphs, where the path holds positions: the edges that lead into them (mcts/loops/graph.py)."""
    window: Values
    """What each player has for certain on the way: mcts/loops/bounded.py."""
    best: np.void
    """The best result of a single player, and what repeats it: BEST in mcts/loops/general.py."""
    best_moves: Path
    """The actions in the tree that led to the best result."""
    played: Actions
    """The moves of the iteration, if a policy wants to know them: mcts/loops/recorder.py."""
    keys: Keys
    places: Places
    """The table of nodes, of graphs and information sets: their keys, and where they are; 0 is an empty place."""
    batch: Batch
    """Leaves that wait for an evaluator: mcts/loops/batches.py."""
    share: Share
    """A thread's part in a tree that several grow: mcts/loops/shared_tree.py."""


Grow = Callable[[int, Nodes, Game, Phases, Workspace], int]
"""A loop: runs up to a number of iterations and returns how many; the counters' status says why it ended."""
Walk = Callable[[Nodes, Game, Phases, Workspace], int]
"""A step from the root to a leaf; returns its depth, or -1 when it must stop."""
Step = Callable[[Nodes, int, Game, Phases, Workspace], int]
"""A step that begins at a depth of the path, or at a node."""
