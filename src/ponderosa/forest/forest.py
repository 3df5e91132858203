"""Many trees of one game, searched together. Start at Forest.run."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.budget import Budget
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.seeds import new_rngs
from ponderosa.errors import GameError, SettingError, unknown
from ponderosa.forest import card_code
from ponderosa.forest.best_lines import BestLines
from ponderosa.forest.card import Card, check_card
from ponderosa.forest.cores import Cores, core_count
from ponderosa.forest.grove import new_room, nodes_for
from ponderosa.forest.kernel import ORDERS, Trees
from ponderosa.forest.plan import planned
from ponderosa.forest.positions import Records, States, records_of
from ponderosa.forest.report import ForestReport
from ponderosa.forest.run import Progress, Run
from ponderosa.mcts.settings import SearchSettings, takes_settings

DEVICES = ("auto", "cpu", "cuda")
MOST_TREES = 2**24

Hands = Cores | Card
"""Who does the tasks."""


class Forest:
    """N independent trees of one game, searched together in compiled code, on all cores.

    `Forest(game, trees=1000, c=1.4)` takes the settings of Search. Tree number i follows from the seed and i alone,
    whatever the number of trees and cores: it is the tree of `Search(game, seed=seed_of(seed, i))`.
    """

    @takes_settings("threads", "parallel", "clock", "utility", "batch")
    def __init__(
        self,
        game: Any,
        trees: int,
        *,
        device: str = "auto",
        cores: int | None = None,
        settings: SearchSettings | None = None,
        **more: Any,
    ) -> None:
        """`trees`: how many; `cores`: on how many cores, all by default."""
        check_number("trees", trees, 1, MOST_TREES, whole=True)
        if cores is not None:
            check_number("cores", cores, 1, 1024, whole=True)
        if settings is not None and not isinstance(settings, SearchSettings):
            raise SettingError(f"settings are SearchSettings(...), not {settings!r}")
        self.device = device_of(device)
        self.settings = SearchSettings.of(settings, more)
        self._plan = planned(game, self.settings, self.device)
        self.game: Game = self._plan.given
        self.seed = self.settings.seed
        self._solve = bool(self.settings.solve) and self._plan.solvable
        self._cores = cores or core_count()
        self._set_out(int(trees))

    def _set_out(self, trees: int) -> None:
        self.trees = trees
        self._hands: Hands = self._made_hands()
        self._room = new_room(self._plan, self._hands.workers)
        self._found = self._hands.found(1, 1)
        self._orders = np.zeros(len(ORDERS), np.int64)
        self._rng = new_rngs(self.seed, trees)
        self._lines = BestLines(self._plan, trees)
        self._rows: Trees | None = None

    def _made_hands(self) -> Hands:
        if self.device == "cuda":
            return Card(self._plan, card_code.CudaDriver())
        return Cores(self._plan, min(self._cores, self.trees))

    def beside(self, trees: int) -> Forest:
        """Another forest with the same settings, for which nothing is compiled again."""
        other = copy.copy(self)
        other._set_out(trees)
        return other

    def run(
        self,
        states: States | None = None,
        *,
        iterations: int,
        max_nodes: int | None = None,
        progress: Progress | None = None,
    ) -> ForestReport:
        """Search every tree for so many iterations, and say what was found.

        `states` begin new trees: one state for all, one for each, or an array of records of the game's dtype. Without
        them, the trees that there are grow on; at first, from the initial state. Games that are over are left alone.
        A tree that has max_nodes gives up what it has visited least. Ctrl-C ends the run with what there is.
        """
        Budget(iterations=iterations, max_nodes=max_nodes)
        if progress is not None and not callable(progress):
            raise SettingError(f"progress is a function of the iterations done and to do, not {progress!r}")
        run = Run(self, int(iterations), max_nodes, progress)
        if states is None and self._rows is not None and not self._plan.policies.select.planned:
            return run.on_these(self._rows)
        return run.from_new(self._begun_at(states))

    def advance(self, actions: Any) -> None:
        """Play an action at each root, and keep the trees below: one for all, or one for each tree, -1 for none.

        Where dice decide, an action is what they show.
        """
        rows = self._grown("advance")
        given = np.asarray(actions)
        if not np.issubdtype(given.dtype, np.integer) or given.shape not in ((), (self.trees,)):
            raise SettingError(f"actions are a whole number for each of the {self.trees} trees, not {actions!r}")
        rows.chosen[:] = given
        self._do("check", rows)
        for tree in np.flatnonzero(rows.note == 0)[:1]:
            raise GameError(f"{int(rows.chosen[tree])} is no legal action of tree {tree}; nothing was played")
        self.follow(rows.chosen)

    def begin(self, states: Records, rng: npt.NDArray[np.uint64], capacity: int) -> None:
        """Plant a tree at each state, with these random numbers and room for so many nodes, and search nothing yet."""
        self._rng[:] = rng
        kept, self._rows = self._rows, None
        self._lines.forget()
        self._rows = Run(self, 1, None, None).planted(kept, self._plan.laid_out(states), capacity)

    def run_anew(
        self, rows: Records, rng: npt.NDArray[np.uint64], iterations: int, max_nodes: int | None = None
    ) -> ForestReport:
        """Search new trees, each with its random numbers, at states as bytes that are made ready for a search."""
        self._rng[:] = rng
        return Run(self, iterations, max_nodes, None).from_new(self._plan.laid_out(rows))

    def think(
        self,
        which: npt.NDArray[np.bool_],
        iterations: int,
        max_nodes: int | None = None,
        goes_on: Callable[[], bool] = lambda: True,
        most: int | None = None,
    ) -> ForestReport:
        """Search some of the trees further. The report is about them, and has nothing about single actions.

        A RoomError says that a tree needs more than `most` nodes; without it, full trees give up what is visited least.
        """
        run = Run(self, iterations, max_nodes, lambda done, todo: goes_on(), which, most)
        rows = self._grown("search")
        if self._plan.policies.select.planned:  # it plans a whole run, so that each begins with a new tree
            self._rng[:] = rows.rng
            rows = self._rows = run.planted(rows, self.told("roots").copy(), self.nodes_for(iterations, max_nodes))
        return run.on_these(rows)

    def follow(self, actions: npt.NDArray[np.int32]) -> None:
        """Play actions that are known to be legal, as `advance` does."""
        rows = self._grown("advance")
        rows.chosen[:] = actions
        self._lines.advance(rows, lambda: self.told("roots"))
        self._do("advance", rows)

    def told(self, table: str) -> Any:
        """A table of kernel.Trees, as it is after the last task."""
        return self._hands.bring(self._grown("show"), table)

    def fell(self) -> None:
        """Give the memory of all trees back."""
        self._rows = None
        self._hands.forget()

    @property
    def nodes_that_fit(self) -> int:
        """How many nodes all trees together may have."""
        return self._hands.memory // self._plan.layout.itemsize

    def nodes_for(self, iterations: int, max_nodes: int | None = None) -> int:
        """How many nodes a new tree may need for some iterations."""
        return nodes_for(self._plan, iterations, max_nodes)

    @property
    def roots(self) -> npt.NDArray[Any]:
        """The states that the trees grow from, as an array of records."""
        dtype: np.dtype[Any] = np.dtype(self.game.dtype)
        return self.root_bytes().view(dtype).reshape(self.trees)

    def root_bytes(self) -> Records:
        """The same as bytes, a row each."""
        return np.array(self._plan.told(self.told("roots")))

    @property
    def record(self) -> np.dtype[Any]:
        """What a row of bytes holds that an evaluator sees; on a card, fields lie elsewhere than in the game's dtype.

        `forest.record.fields[name]` is what a field is, and at which byte it begins.
        """
        return np.dtype(self.game.dtype) if self.device == "cpu" else self._plan.record

    def _grown(self, doing: str) -> Trees:
        if self._rows is None:
            raise SettingError(
                f"there are no trees to {doing}: run first, with so many trees and nodes that they fit into memory "
                "together (max_nodes is how many a tree may have)"
            )
        return self._rows

    def _begun_at(self, states: States | None) -> Records:
        """The states to begin at, as bytes that are laid out as the plan wants them."""
        if states is None and self._rows is not None:
            return np.array(self.told("roots"))
        return records_of(self._plan, self.trees, self.game.new_initial_state() if states is None else states)

    def _do(self, task: str, rows: Trees) -> None:
        self._hands.run(task, rows, self._room, self._found, self._orders)


def device_of(name: str) -> str:
    """Where to search: `auto` is the processor, whose speed is known."""
    if name not in DEVICES:
        raise unknown("device", str(name), DEVICES)
    if name == "cuda":
        check_card()
        return "cuda"
    return "cpu"
