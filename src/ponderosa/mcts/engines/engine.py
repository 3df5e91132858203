"""What a search needs of a game, compiled or plain. Start at Engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ponderosa.errors import PonderosaError
from ponderosa.mcts.policies.base import Policies as Policies
from ponderosa.mcts.tree.node import Nodes
from ponderosa.mcts.tree.tree import Tree


class Engine(Protocol):
    """What a search needs of a game: states to start from, and iterations."""

    players: int
    solvable: bool
    """Whether results in the tree can be proven."""
    viewed: bool
    """Whether the tree is one of views: mcts/loops/information_sets.py."""
    trees: int
    """How many trees of one search grow at once, and share its memory."""
    layout: np.dtype[Any]
    """What a node of the tree holds."""
    best: Any
    """The best result of a single player, and what repeats it: mcts/loops/loop.py."""
    best_moves: Any
    slice: int
    """How many iterations there are in a row; 0: as many as the clock says."""

    def set_root(self, state: Any) -> None:
        """Search from a copy of this state."""

    def new_tree(self) -> Tree:
        """An empty tree from the root."""

    def root_state(self) -> Any:
        """A copy of the state at the root, for people."""

    def player(self) -> int:
        """Who searches: the player to move at the root."""

    def restart(self, seed: int) -> None:
        """Begin random numbers of its own anew, if it has any."""

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        """Run iterations on the tree, of which `nodes` may be used; returns how many."""

    @property
    def endless(self) -> int:
        """How many iterations, since it was made, had playouts that came to no end: mcts/loops/endings.py."""

    @property
    def hurried(self) -> int:
        """How many playouts, since it was made, were cut off because the time was up; `endless` counts them too."""

    def hurry(self, late: Callable[[], bool]) -> None:
        """Break off playouts that run when `late()` says so, if they look at a clock at all."""

    def plan(self, iterations: int) -> None:
        """Tell a select policy that plans ahead how many iterations there will be."""

    def status(self, tree: Tree) -> tuple[int, int]:
        """Why `grow` returned last, and a number that explains it."""

    def fault(self, tree: Tree) -> PonderosaError | None:
        """What the game or the evaluator did that it must not, as far as the last iterations noticed it."""

    def trespass(self) -> PonderosaError | None:
        """What a rule did that wrote outside its arrays, as far as it can be seen around them."""

    def learned(self) -> Any:
        """What the playout policy has learned, to be read and written."""

    def choose(self, nodes: Nodes, parent: int) -> int:
        """The child that the choose policy prefers, or -1."""

    def most_visited(self, nodes: Nodes, parent: int) -> int:
        """The most visited child."""

    def play(self, state: Any, action: Any) -> None:
        """Apply an action that is known to be legal."""

    def best_line(self) -> list[Any]:
        """The actions that led to the best result of a single player."""

    def legal_actions(self, state: Any) -> list[Any]:
        """What the player who searches may do at the root."""

    def action(self, number: int) -> Any:
        """The action that a node's number stands for."""

    def number(self, action: Any) -> int:
        """The number that stands for an action in nodes."""

    def action_name(self, state: Any, action: Any) -> str:
        """How people write the action."""

    def clear_path(self) -> None:
        """Forget the way of the last iteration."""

    def path(self) -> list[int]:
        """The nodes of the last iteration, root first; the path must have been cleared before it."""

    def results(self) -> list[float]:
        """Each player's result in the last iteration, as it was backed up."""

    def back_up(self, nodes: Nodes, path: Sequence[int], results: Sequence[float], times: int) -> None:
        """Back each player's result, from 0 to 1, up a path, as this many iterations would."""

    def snapshot(self) -> dict[str, Any]:
        """A copy of all that a search goes on from, but for its tree and random numbers: it can be pickled."""

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what another engine of the same kind was in the midst of."""
