"""Search: what people call. Start at Search.run.

A Search holds its settings and what they ask for: a tree on one thread (mcts/tree_search.py), or several threads on one
tree or many (mcts/parallel).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

from ponderosa.core.budget import Budget
from ponderosa.core.rng import Rng
from ponderosa.errors import SettingError, unknown
from ponderosa.mcts.engines.engine import Engine
from ponderosa.mcts.parallel.kinds import tree_search
from ponderosa.mcts.policies.base import Policies
from ponderosa.mcts.policies.composition import policy_settings
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.report.trace import Tell
from ponderosa.mcts.settings import NAMES, SearchSettings, takes_settings
from ponderosa.mcts.tree.tree import Tree
from ponderosa.mcts.tree_search import Progress as Progress
from ponderosa.mcts.tree_search import TreeSearch


class Search:
    """A tree search of one game, and the tree that it has grown so far.

    `Search(game)` takes every class of games; `Search(game, c=1.4, threads=2)` sets what SearchSettings and the
    policies have to offer. Several Python threads may share it: one of them has its turn, the others wait.
    """

    @takes_settings()
    def __init__(self, game: Any, settings: SearchSettings | None = None, **more: Any) -> None:
        """`game` is a Game, or any Python state with the method names of OpenSpiel.

        `more` are fields of SearchSettings, and settings of the policies that are named or left out: c=1.4, rollouts=4.
        """
        if settings is not None and not isinstance(settings, SearchSettings):
            raise SettingError(f"settings are SearchSettings(...), not {settings!r}")
        self._grown: TreeSearch = tree_search(game, SearchSettings.of(settings, more))

    def __repr__(self) -> str:
        return f"<search of {self.game.title()}, seed {self.seed}>"

    @property
    def settings(self) -> SearchSettings:
        """What it was made with; the phases as the policies that they are."""
        return self._grown.settings

    @property
    def game(self) -> Any:
        """The game that is searched; of Python states, what is known of theirs."""
        return self._grown.game

    @property
    def policies(self) -> Policies:
        """The policy of each phase."""
        return self._grown.policies

    @property
    def seed(self) -> int:
        """Where its random numbers begin."""
        return self._grown.seed

    @property
    def threads(self) -> int:
        """How many threads search."""
        return self._grown.threads

    @property
    def solve(self) -> bool:
        """Whether results are proven."""
        return self._grown.solve

    @property
    def root_state(self) -> Any:
        """A copy of the state that the tree grows from."""
        return self._grown.root_state

    @property
    def tree(self) -> Tree:
        """The array of nodes; an empty tree before the first run, and the first of several trees. `report.tree` is for
        people."""
        return self._grown.tree

    @property
    def trees(self) -> Sequence[TreeSearch]:
        """What each thread grows."""
        return self._grown.trees

    @property
    def engine(self) -> Engine:
        """What runs the iterations; the first of several."""
        return self._grown.engine

    @property
    def rng(self) -> Rng:
        """The random numbers; the first of several."""
        return self._grown.rng

    def run(
        self,
        state: Any = None,
        budget: Budget | None = None,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        max_nodes: int | None = None,
        progress: Progress | None = None,
        player: int | None = None,
        trace: Tell | None = None,
    ) -> Report:
        """Search a state until the budget ends, and say what was found.

        The budget is a Budget, or its parts by name: `run(seconds=1)`. A state that the tree already grows from is
        searched further; any other starts a new tree. Ctrl-C ends the search with what it has. Without a state, the
        root is searched: the initial state at first. Where players see different things or choose at once, `player`
        says who searches; else it is whose view the state is, or who is to move. `trace` is called after every
        iteration with what it did (mcts/report/trace.py), which is slow.
        """
        return self._grown.run(state, budget_of(budget, iterations, seconds, max_nodes), progress, player, trace)

    def report(self) -> Report:
        """What the tree says now, without searching."""
        return self._grown.report()

    def advance(self, action: Any) -> None:
        """Play an action at the root, or the one that a text names: the search goes on, and keeps what it has found."""
        self._grown.advance(action)

    def ponder(self, keep_on: Callable[[], bool], max_nodes: int | None = None) -> None:
        """Search on from the root for as long as `keep_on()` says so; it is asked every few milliseconds."""
        self._grown.ponder(keep_on, max_nodes)

    def learn(self, known: Mapping[Any, tuple[float, float]]) -> None:
        """Enter what is certain of the root's actions, or their names: the least and the most that each brings.

        0 is a loss and 1 a win. It counts as proven, like what the search proves itself. The root must have been
        searched already.
        """
        self._grown.learn(known)

    def settle(self, path: Sequence[int], proven: int) -> None:
        """Enter what is certain of a node, for its mover and as core/bounds.py writes it, and what follows from it.

        `path` leads there: places in the tree's array of nodes, the root's first.
        """
        self._grown.settle(path, proven)

    def adopt(self, state: Any, tree: Tree) -> None:
        """Go on with a tree that was kept elsewhere; it grows from this state."""
        self._grown.adopt(state, tree)

    def touch(self) -> None:
        """One iteration from the root, even where chance decides there: a position that was never searched opens."""
        self._grown.touch()

    def reset(self, seed: int | None = None) -> None:
        """Forget the tree, keep the root's state, and start the random numbers anew; a seed replaces the old one."""
        self._grown.reset(seed)

    def save(self, path: str | Path) -> None:
        """Store the tree, with game, parameters and version, in an .npz file."""
        self._grown.save(path)

    @classmethod
    def load(
        cls,
        path: str | Path,
        game: Any = None,
        *,
        trust: bool = False,
        solve: bool | str | None = None,
        seed: int | None = None,
        **phases: Any,
    ) -> Search:
        """A search as it was saved. A game that is not in the registry, and phases of your own, must be given.

        Nothing in the file runs code, and what it says is checked; with `trust`, only its position is taken as it is.
        `solve` and `seed` take the place of those in the file; with a seed, random numbers begin anew.
        """
        from ponderosa.mcts.tree.storage import load

        return load(Path(path), game, phases, trust, solve, seed)

    def scaled(self, value: float) -> float:
        """A mean as a number from 0 to 1: scores without bounds by the least and the most so far."""
        return self._grown.scaled(value)

    def __copy__(self) -> Self:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin._grown = copy.deepcopy(self._grown, memo)
        return twin


def budget_of(
    budget: Budget | None, iterations: int | None = None, seconds: float | None = None, max_nodes: int | None = None
) -> Budget:
    """A budget that is given whole, or by its parts."""
    if budget is None:
        return Budget(iterations, seconds, max_nodes)
    if not isinstance(budget, Budget):
        raise SettingError(f"a budget is Budget(seconds=1), or its parts by name (seconds=1), not {budget!r}")
    if iterations is not None or seconds is not None or max_nodes is not None:
        raise SettingError("the budget is given twice: as a Budget, and by its parts")
    return budget


def search(state: Any, **options: Any) -> Report:
    """Search any state: `search(state, seconds=1)`. Options are those of Search, of its policies, and of Search.run."""
    of_run = [*(part.name for part in fields(Budget)), "budget", "progress", "player", "trace"]
    for key in options:
        if key not in (*of_run, *NAMES, *policy_settings()):
            raise unknown("option of search", key, [*of_run, *NAMES, *policy_settings()])
    running = {key: options.pop(key) for key in of_run if key in options}
    return Search(state, **options).run(state, **running)
