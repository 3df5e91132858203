"""One position, searched by many trees of a forest, on a card or on all cores. Start at ManyTrees.

Root parallelization (Chaslot, Winands & van den Herik 2008, "Parallel Monte-Carlo tree search") with thousands of
trees: each grows from its own random numbers, and what they know of the root's actions is added up. The tree that is
shown is one of them, with the sums of all at its root: reports, choose policies and drawings see what they always see.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.core.bounds import is_settled
from ponderosa.core.budget import Budget
from ponderosa.core.plain import PlainGame
from ponderosa.errors import SettingError, TreeFileError
from ponderosa.forest.growing import GrowingForest
from ponderosa.forest.kernel import Found, Trees
from ponderosa.forest.merging import Merged, merged, put_at_root
from ponderosa.forest.plan import Plan, planned
from ponderosa.mcts.engines.engine import Engine
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.node import ROOT
from ponderosa.mcts.tree.tree import Tree
from ponderosa.mcts.tree_search import TreeSearch, Watch
from ponderosa.mcts.turn import in_turn

TREES = 4096
"""How many trees a card grows if nothing is said."""
FIRST_PIECE = 16
"""Iterations that every tree gets at first."""
PIECE_SECONDS = 0.04
"""How long the trees grow before Ctrl-C and the progress callback get their turn."""
LOOKS = 1.5
"""When every tree has so many times the iterations that it had at the last look, proofs of all are put together."""


@dataclass
class Growth:
    """How far a run is."""

    budget: Budget
    end: float
    """When the clock ends it."""
    done: int = 0
    """Iterations of all trees."""
    each: int = 0
    """Iterations of every tree."""
    size: int = FIRST_PIECE
    """How many every tree gets next, if there is nothing against it."""
    due: int = FIRST_PIECE
    """When every tree has so many, proofs are looked for."""


class ManyTrees(TreeSearch):
    """A search of one position by many trees, which share nothing while they grow."""

    def __init__(self, game: Any, settings: SearchSettings) -> None:
        super().__init__(game, settings)
        if self.policies.select.planned:
            raise SettingError(f"{self.policies.select} plans the iterations of one tree: leave trees and device out")
        own = alone(self.settings)
        self._forest = GrowingForest(self.game, trees_of(settings), device=settings.device, settings=own)
        self._forest.warm_up()
        self._merged: Merged | None = None
        """What all trees know of the root; None: nothing is planted."""
        self._looked = 0.0
        """Seconds that putting it together took."""
        self._cut_off = 0

    def _made_engine(self, game: Any, plain: PlainGame | None, settings: SearchSettings) -> Engine:
        if plain is not None:
            raise SettingError("many trees are for a Game with a dtype: for Python states, leave trees and device out")
        return planned(game, alone(settings))

    def _grown(self) -> dict[str, Any]:
        """A copy begins anew, at the same root."""
        return {"tree": None, "root": self.root_state, "seed": self.seed}

    def _go_on(self, grown: dict[str, Any]) -> None:
        self.engine.set_root(grown["root"])

    @property
    def tree(self) -> Tree:
        return self.engine.new_tree() if self._tree is None else self._tree

    def _grow(self, budget: Budget, start: float, watch: Watch | None) -> tuple[int, str]:
        """Grow all trees a piece at a time until something ends the search; how many iterations, and what ended it."""
        if self._tree is None:
            self._forest.plant(self.root_state)
            self._tree = self.engine.new_tree()
        end = math.inf if budget.seconds is None else start + budget.seconds - self._looked
        run, stopped = Growth(budget, end), None
        try:
            while stopped is None:
                stopped = self._piece(run)
                if stopped is None and watch is not None and not watch(run.done, self._clock()):
                    stopped = "progress"
        except KeyboardInterrupt:
            stopped = "interrupted"
        return run.done, stopped

    def _piece(self, run: Growth) -> str | None:
        """Give every tree some more iterations; what ends the search then, if something does."""
        forest, share = self._forest, nodes_each(run.budget, self._forest.trees)
        size, which = self._wanted(run, share)
        if size == 0:
            return "nodes" if run.budget.iterations is None else "iterations"
        begun, endless = self._clock(), forest.endless
        ran, stopped = forest.grow(size, which, share, lambda: run.end - self._clock())
        now = self._clock()
        run.done, run.each, self._cut_off = run.done + ran, run.each + size, self._cut_off + forest.endless - endless
        run.size = next_piece(size, now - begun, run.end - now)
        if stopped == "interrupted":
            return stopped
        if self._is_solved(run):
            return "solved"
        return "seconds" if now >= run.end else "nodes" if ran == 0 else None

    def _wanted(self, run: Growth, share: int | None) -> tuple[int, Any]:
        """How many iterations come next, and which trees get them, None: all; 0: there are no more.

        Where iterations are counted, the clock does not decide when proofs are looked for.
        """
        trees, budget = self._forest.trees, run.budget
        if budget.iterations is not None:
            whole, more = divmod(int(budget.iterations), trees)
            if run.each >= whole:
                return int(run.each == whole and more > 0), np.arange(trees) < more
            return min(run.size, whole - run.each, run.due - run.each), None
        if budget.seconds is None and share is not None:
            fitting = (share - self._forest.used) // (self.game.max_actions + 1)
            return max(min(run.size, fitting), 0), None
        return run.size, None

    def _is_solved(self, run: Growth) -> bool:
        """Whether the trees together have proven the root; it is looked for now and then."""
        due = run.each >= run.due
        if due:
            run.due = int(LOOKS * run.each) + 1
        if not self.solve or not (due or (run.budget.iterations is None and self._forest.ended)):
            return False
        self._look()
        root = self.tree.nodes[ROOT]
        return bool(is_settled(root["proven"]) and root["count"] > 0)

    def _look(self) -> None:
        """Put together what all trees know of the root."""
        begun, tree = self._clock(), self._tree
        if tree is None:
            return
        rows, found = self._forest.look()
        self._merged = merged(found, self.engine.legal_actions(self.root_state))
        shown = most_telling(found, self._merged)
        put_at_root(tree, self._forest.nodes_of(shown), self._merged, self.solve)
        if self.engine.players == 1:
            self._take_results(rows)
        self._nodes = int(rows.counters["used"].sum())
        self._looked = self._clock() - begun

    def _take_results(self, rows: Trees) -> None:
        """The best result of a single player, of all trees."""
        assert isinstance(self.engine, Plan)
        luckiest = int(rows.best["result"].argmax())
        self.engine.take_result(rows.best[luckiest], rows.best_moves[luckiest], rows.playout_params[luckiest])
        self.engine.best["least"], self.engine.best["most"] = rows.best["least"].min(), rows.best["most"].max()

    def _report(self, iterations: int, seconds: float, stopped: str) -> Report:
        """The report of the tree that is shown, with the sums of all."""
        self._look()
        report = super()._report(iterations, seconds, stopped)
        if self._tree is None or self._merged is None:
            return report
        visits = self._merged.visits_of
        entries = [replace(entry, visits=visits.get(entry.action, 0)) for entry in report.actions]
        entries.sort(key=lambda entry: -entry.visits)
        return replace(report, nodes=self._nodes, actions=tuple(entries))

    def _endless(self) -> int:
        return self._cut_off

    def _below(self, action: Any) -> Tree | None:
        self._look()
        below = super()._below(action)
        if below is not None:
            self._forest.follow(np.full(self._forest.trees, action, np.int32))
        return below

    @in_turn
    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        self._forest.restart(self.seed)

    def adopt(self, state: Any, tree: Tree) -> None:
        raise SettingError("a search by many trees takes over no tree from elsewhere: leave trees and device out")

    @in_turn
    def learn(self, known: Any) -> None:
        raise SettingError("many trees are told nothing from elsewhere: leave trees and device out")

    @in_turn
    def settle(self, path: Any, proven: int) -> None:
        raise SettingError("many trees are told nothing from elsewhere: leave trees and device out")

    def save(self, path: str | Path) -> None:
        raise TreeFileError(
            f"a search by {self._forest.trees} trees has as many, and a file holds one: leave trees and device out"
        )


def alone(settings: SearchSettings) -> SearchSettings:
    """The settings of each tree."""
    return replace(settings, device="auto", trees=None, parallel="merge", utility=None)


def trees_of(settings: SearchSettings) -> int:
    """How many trees there shall be."""
    return TREES if settings.trees is None else settings.trees


def nodes_each(budget: Budget, trees: int) -> int | None:
    """How many nodes each tree may have; at least a few."""
    return None if budget.max_nodes is None else max(int(budget.max_nodes) // trees, 2)


def next_piece(size: int, took: float, left: float) -> int:
    """How many iterations every tree gets next, when so many took so long."""
    fitting = int(size * max(min(PIECE_SECONDS, left), 0.0) / max(took, 1e-7))
    return max(1, min(fitting, 4 * size))


def most_telling(found: Found, known: Merged) -> int:
    """The tree with the most visits of the action that all trees together visited most."""
    if not known.actions:
        return 0
    best = known.actions[int(known.visits.argmax())]
    return int(np.where(found.actions == best, found.visits, -1).max(axis=1).argmax())
