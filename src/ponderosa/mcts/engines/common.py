"""What is the same for compiled and plain games: room to work, flags, tables. Start at Searching."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ponderosa.core.checks.promises import NO_RESULT
from ponderosa.core.rng import Rng
from ponderosa.core.rules import jit_enabled
from ponderosa.errors import GameError, PonderosaError
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.engines.engine import Policies
from ponderosa.mcts.engines.evaluator import ROUNDS, Asker, no_prior
from ponderosa.mcts.engines.margins import Margins
from ponderosa.mcts.engines.phases import Phases
from ponderosa.mcts.loops import bounded, general, information_sets, loop
from ponderosa.mcts.loops.shared_top import NO_SHARE, new_share
from ponderosa.mcts.loops.workspace import NOBODY, Actions, Batch, Game, Settings, State, States, Workspace
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.counters import new_counters
from ponderosa.mcts.tree.memory import TABLE_BYTES, Room
from ponderosa.mcts.tree.node import PRIOR_FIELDS, ROOT, Fields, Nodes, layout
from ponderosa.mcts.tree.tree import Tree

PATH_LENGTH = 4096
"""A tree is at most so deep, and no deeper than the longest game; below, playouts take over."""
LEAST_TABLE = 2**12
NO_MOVES = np.zeros(1, np.int32)
NO_BATCH = Batch(np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.int64), np.zeros((1, 1)), np.zeros((1, 1)))


class Searching:
    """What is the same for compiled and plain games: the counters' flags, the views' table, the best line."""

    players: int
    trees = 1
    """How many trees of one search grow at once."""
    own_fields: Fields = ()
    """What nodes hold besides, whatever the policies."""
    _phases: Phases
    _work: Workspace
    _rules: Game

    def _prepare(self, game: Any, policies: Policies, settings: SearchSettings) -> None:
        self.players, self.viewed, self._dice = game.players, game.viewed, game.chance
        self._deepest = min(PATH_LENGTH, game.longest + 1)
        self.solvable = game.players == 2 and not (game.viewed or game.chance)
        self._search_settings, self._policies, self._margins = settings, policies, Margins()
        self._alone = game.players == 1 and not game.viewed
        select, playout = policies.select, policies.playout
        more = self._alone or game.chance or settings.paranoid or select.learn or playout.learn
        asks = settings.evaluator is not None
        self.slice = ROUNDS * settings.batch if asks else 0
        self._asker: Asker | None = None
        kinds = {
            "views": game.viewed,
            "batches": asks,
            "shared": settings.shared,
            "bounded": settings.bounded,
            "priors": select.priors,
            "static": select.static,
            "more": more,
        }
        self._kind = next((kind for kind, wanted in kinds.items() if wanted), "usual")
        self._recorded = select.moves or playout.moves
        more_fields = (PRIOR_FIELDS if asks and not select.priors else ()) + (
            bounded.FIELDS if settings.bounded else ()
        )
        own = information_sets.FIELDS if game.viewed else self.own_fields
        self._fields: Fields = (*own, *select.fields, *policies.backup.fields, *more_fields)
        self.layout = layout(self._fields, game.players)
        self.best: np.void = np.zeros(1, general.BEST)[0]
        self.best_moves = np.zeros(self._deepest if self._alone else 1, np.int64)
        self._counters = new_counters()
        self._empty_table()
        self._forget_results()

    def _empty_table(self) -> None:
        size = LEAST_TABLE if self.viewed else 1
        self._keys, self._places = np.zeros(size, np.int64), np.zeros(size, np.int32)

    def _forget_results(self) -> None:
        worst = {"result": -math.inf, "least": math.inf, "most": -math.inf}
        for name in general.BEST.names or ():
            self.best[name] = worst.get(name, 0)

    def _workspace(
        self, root: State, state: State, spare: States, max_actions: int, rng: Rng, played: Actions
    ) -> Workspace:
        path, settings = np.zeros(self._deepest, np.int64), self._search_settings
        return Workspace(
            settings=Settings(),
            counters=self._counters,
            root=root,
            state=state,
            spare=spare,
            path=path,
            moves=np.zeros(self._deepest, np.int64),
            actions=self._margins.around(max_actions, np.int32),
            values=np.zeros(self.players),
            rng=rng,
            probabilities=self._margins.around(max_actions if self._dice else 1, np.float64),
            parents=np.zeros(self._deepest, np.int64),
            edges=path,
            window=np.zeros(2),
            best=self.best,
            best_moves=self.best_moves,
            played=played,
            keys=self._keys,
            places=self._places,
            batch=NO_BATCH,
            share=new_share(settings.threads, self.layout) if settings.shared else NO_SHARE,
        )

    def _ask(
        self, states: States, scale: tuple[float, float], leaves: Callable[[int], Any], actions: Any = None
    ) -> None:
        """Let the evaluator judge leaves: `states` are the room for them, `leaves` shows the first of them to it."""
        rows = np.zeros((2 * len(states), self._deepest + 2), np.int64)
        batch = Batch(states, rows, np.zeros((1, 0)), np.zeros((1, self.players)))
        assert self._search_settings.evaluator is not None
        self._asker = Asker(self._search_settings.evaluator, self.players, scale, batch, leaves, actions)

    def plan(self, iterations: int) -> None:
        self._phases.params["select"][-1] = iterations

    def _settings(self, ordered: bool, solve: bool) -> Settings:
        """What the loop must know of the search."""
        select = self._policies.select
        return Settings(
            solve=solve,
            ordered=ordered,
            by_prior=self._policies.expand.sorts,
            learns=select.learn is not None,
            studies=self._policies.playout.learn is not None,
            alone=self._alone and self._asker is None,
            scaled=select.scaled,
            single=self._search_settings.single,
            players=self.players,
            against=self.player() if self._search_settings.paranoid else NOBODY,
            viewer=self.player() if self.viewed else NOBODY,
        )

    def _on(self, tree: Tree, ordered: bool, solve: bool) -> Workspace:
        """The workspace for iterations on a tree; a tree of views is new when its table has no entry yet."""
        if self.viewed and tree.counters["entries"] == 0:
            self._empty_table()
        return self._work._replace(settings=self._settings(ordered, solve), counters=tree.counters)

    def status(self, tree: Tree) -> tuple[int, int]:
        """Why `grow` returned last, and a number that explains it."""
        counters = self._counters if self._search_settings.shared else tree.counters
        return int(counters["status"]), int(counters["detail"])

    def fault(self, tree: Tree) -> PonderosaError | None:
        """What the game or the evaluator did that it must not, as far as the last iterations noticed it."""
        status, detail = self.status(tree)
        if status == loop.BAD_PRIOR:
            return no_prior(detail)
        if status == loop.BAD_ACTION_COUNT and detail > 0:
            return self._blamed(f"a state has {detail} legal actions: declare `max_actions = {detail}` or more in it")
        if status == loop.BAD_ACTION_COUNT:
            return self._blamed("a state that is not over has no legal action")
        if status == loop.BAD_PLAYER:
            return self._blamed(f"current_player is {detail} in a game of {self.players} players")
        if status == loop.BAD_CHANCE:
            return self._blamed("the probabilities of chance_outcomes do not sum to 1, or one of them is none")
        if math.isnan(tree.nodes[ROOT]["value"]):
            return self._blamed(NO_RESULT)
        return None

    def trespass(self) -> PonderosaError | None:
        """What a rule did that wrote outside its arrays, as far as it can be seen around them."""
        return self._blamed("a rule writes outside its arrays") if self._margins.written() else None

    def _blamed(self, words: str) -> GameError:
        """The error that says what is wrong with the game."""
        return GameError(words)

    def _until_it_fits(
        self, iterations: int, tree: Tree, work: Workspace, grow: Callable[[Workspace, int], int]
    ) -> int:
        """Run a loop of views, and give it a larger table whenever it asks for one."""
        done = 0
        while True:
            done += grow(work._replace(keys=self._keys, places=self._places), iterations - done)
            if tree.status != loop.CROWDED:
                return done
            keys = np.zeros(4 * len(self._keys), np.int64)
            places = np.zeros(len(keys), np.int32)
            rehash = kernels.compiled_rehash() if jit_enabled() else information_sets.rehash
            rehash(self._keys, self._places, keys, places)
            self._keys, self._places = keys, places

    def snapshot(self) -> dict[str, Any]:
        arrays: dict[str, Any] = {
            "best": self.best,
            "best_moves": self.best_moves,
            "keys": self._keys,
            "places": self._places,
        }
        params = {name: numbers.copy() for name, numbers in self._phases.params.items()}
        return {name: array.copy() for name, array in arrays.items()} | {"root": self.root_state(), "params": params}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        self.set_root(snapshot["root"])
        for name in general.BEST.names or ():
            self.best[name] = snapshot["best"][name]
        self.best_moves[:] = snapshot["best_moves"]
        self._keys, self._places = snapshot["keys"], snapshot["places"]
        for name, numbers in snapshot["params"].items():
            self._phases.params[name][:] = numbers

    def hurry(self, late: Callable[[], bool]) -> None:
        if self._phases.watch is not None:
            self._phases.watch.late = late

    @property
    def endless(self) -> int:
        return int(self._phases.params["playout"][loop.ENDLESS])

    @property
    def hurried(self) -> int:
        return 0 if self._phases.watch is None else self._phases.watch.hurried

    def player(self) -> int:
        raise NotImplementedError

    def root_state(self) -> Any:
        raise NotImplementedError

    def set_root(self, state: Any) -> None:
        raise NotImplementedError

    def new_tree(self) -> Tree:
        return Tree(self.player(), self.layout, self.tree_room())

    def tree_room(self) -> Room:
        """What a tree shares its memory with; trees of views and graphs have a table beside them."""
        return Room(self.trees, TABLE_BYTES if self.viewed or self._search_settings.transpositions else 0)

    def clear_path(self) -> None:
        self._work.path[:] = ROOT

    def path(self) -> list[int]:
        below = self._work.path[1:]
        return [ROOT, *below[: int(np.argmin(below != ROOT)) if (below == ROOT).any() else len(below)].tolist()]

    def learned(self) -> Any:
        params = self._phases.params["playout"]
        return params[len(params) - self._phases.memories["playout"] :]

    def results(self) -> list[float]:
        return [float(value) for value in self._work.values]

    def back_up(self, nodes: Nodes, path: Sequence[int], results: Sequence[float], times: int) -> None:
        backup, params = self._phases.functions["backup"], self._phases.params["backup"]
        places, values = np.array(path, np.int64), np.array(results, np.float64)
        for _ in range(times):
            backup(nodes, places, len(path) - 1, values, 0, params)

    def choose(self, nodes: Nodes, parent: int) -> int:
        return self._phases.choose(nodes, parent)

    def most_visited(self, nodes: Nodes, parent: int) -> int:
        return self._phases.most_visited(nodes, parent)
