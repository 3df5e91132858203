"""Several trees at once, each on a thread of its own, and one answer from all of them. Start at RootParallel.

Root parallelization (Chaslot, Winands & van den Herik 2008, "Parallel Monte-Carlo tree search"): the trees share
nothing while they grow, so that nobody waits for anybody; only what they know of the root's actions is put together.
The loop is machine code that does not need the interpreter, so the threads run side by side; over Python states they
take turns, and are no faster than one.
"""

from __future__ import annotations

import copy
import math
import random
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from ponderosa.core.bounds import LOSS, PROVEN_NAMES, PROVEN_VALUES, for_opponent, is_settled, lower_bound, tightened
from ponderosa.core.budget import Budget
from ponderosa.core.rng import check_seed, seed_of
from ponderosa.errors import SettingError, TreeFileError
from ponderosa.mcts.engines.record import RecordEngine
from ponderosa.mcts.policies.choose.choices import SEARCH_ON
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.mcts.report.reporter import winning_action
from ponderosa.mcts.settings import BOUNDED, SearchSettings
from ponderosa.mcts.tree.node import ROOT, UNTRIED, Nodes
from ponderosa.mcts.tree.solver import conclusion
from ponderosa.mcts.tree.symmetry import as_good_as
from ponderosa.mcts.tree.tree import Tree
from ponderosa.mcts.tree_search import PROGRESS_SECONDS, Progress, TreeSearch
from ponderosa.mcts.turn import Turn, in_turn, looking
from ponderosa.system.starting import starting


class RootParallel(TreeSearch):
    """A search on several threads: every one grows a tree of its own, from its own random numbers."""

    member: type[TreeSearch] = TreeSearch
    """What each thread runs."""
    grows_beside = True

    def __init__(self, game: Any, settings: SearchSettings) -> None:
        if settings.bounded:
            raise SettingError(f"solve={BOUNDED!r} is for one tree: take threads=1")
        if settings.evaluator is not None:
            raise SettingError("an evaluator judges the leaves of one thread: take threads=1, and a larger batch")
        threads, seed = settings.threads, settings.seed
        settings = self._of_member(settings)
        first = self.member(game, settings)
        if first.policies.select.planned:
            raise SettingError(f"{first.policies.select} plans the iterations of one tree: take threads=1")
        settings = replace(settings, utility=None)  # the first one has read it
        seeds = [seed_of(seed, index) for index in range(1, threads)]
        others = [self.member(first.game, replace(settings, seed=own)) for own in seeds]
        self._lead([first, *others], seed)
        if self.member is TreeSearch and not isinstance(first.engine, RecordEngine):
            warnings.warn(
                f"{threads} threads over Python states take turns in the interpreter, and are no faster than one; "
                "those of a game with a dtype run side by side",
                stacklevel=4,  # whoever made the Search
            )

    def _of_member(self, settings: SearchSettings) -> SearchSettings:
        """The settings of what each thread runs."""
        return replace(settings, threads=1)

    def _lead(self, members: list[TreeSearch], seed: int) -> None:
        """Put the trees together; the first one speaks for all."""
        self._turn, self._members, self.threads, self.seed, first = Turn(), members, len(members), seed, members[0]
        for member in members:
            member.engine.trees = 1 if member.settings.shared else len(members)
        self.game, self.engine, self.rng, self._clock = first.game, first.engine, first.rng, first._clock
        self.settings, self.policies, self.solve = first.settings, first.policies, first.solve

    @property
    def trees(self) -> Sequence[TreeSearch]:
        return self._members

    @looking
    def __getstate__(self) -> dict[str, Any]:
        known: dict[int, Any] = {}
        return {"trees": [tree._state(known) for tree in self.trees], "seed": self.seed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        trees = [self.member.__new__(self.member) for _ in state["trees"]]
        for tree, known in zip(trees, state["trees"], strict=True):
            tree.__setstate__(known)
        self._lead(trees, state["seed"])

    @looking
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin._lead(copy.deepcopy(self._members, memo), self.seed)
        return twin

    @property
    def tree(self) -> Tree:
        """The first tree."""
        return self.trees[0].tree

    @in_turn
    def advance(self, action: Any) -> None:
        for tree in self.trees:
            tree.advance(action)

    def adopt(self, state: Any, tree: Tree) -> None:
        raise SettingError("a search on several threads takes over no tree from elsewhere: take threads=1")

    @in_turn
    def learn(self, known: Mapping[Any, tuple[float, float]]) -> None:
        for tree in self.trees:
            tree.learn(known)

    @in_turn
    def settle(self, path: Sequence[int], proven: int) -> None:
        self.trees[0].settle(path, proven)

    @in_turn
    def ponder(self, keep_on: Callable[[], bool], max_nodes: int | None = None) -> None:
        share = None if max_nodes is None else max(max_nodes // self.threads, 1)
        over = threading.Event()
        with self._turn.thinking(without_end=True), ThreadPoolExecutor(self.threads, "ponderosa-ponder") as pool:
            try:
                with starting(self.threads):
                    crew = [
                        pool.submit(tree.ponder, lambda: not over.is_set() and keep_on(), share) for tree in self.trees
                    ]
                for thinking in crew:
                    thinking.result()
            finally:
                over.set()

    @in_turn
    def reset(self, seed: int | None = None) -> None:
        if seed is not None:
            check_seed(seed)
            self.seed = seed
        for index, tree in enumerate(self.trees):
            tree.reset(seed_of(self.seed, index) if index else self.seed)

    def save(self, path: str | Path) -> None:
        raise TreeFileError(
            f"a search on {self.threads} threads has as many trees, and a file holds one: take threads=1"
        )

    def _set_root(self, state: Any) -> None:
        for tree in self.trees:
            tree._set_root(state)

    def _think(self, budget: Budget, start: float, progress: Progress | None) -> tuple[int, str]:
        stop = threading.Event()
        crew = [
            _Worker(tree, share, start, stop)
            for tree, share in zip(self.trees, shares(budget, self.threads, self.settings.shared), strict=False)
        ]
        reason, pool = None, ThreadPoolExecutor(len(crew), "ponderosa-search")
        with self._turn.thinking(), pool:  # leaving it waits for the threads to end
            try:
                with starting(len(crew)):
                    running = [pool.submit(worker.run) for worker in crew]
                reason = self._watch(running, crew, budget, progress)
            except KeyboardInterrupt:
                reason = "interrupted"
            finally:
                stop.set()
        reasons = [worker.stopped for worker in crew]
        return sum(worker.done for worker in crew), reason or ("solved" if "solved" in reasons else reasons[0])

    def _watch(
        self, running: Sequence[Future[None]], crew: list[_Worker], budget: Budget, progress: Progress | None
    ) -> str | None:
        """Wait for the threads; the reason, if it is not their own, to end them."""
        waiting = set(running)
        while waiting:
            finished, waiting = wait(waiting, PROGRESS_SECONDS, FIRST_COMPLETED)
            for future in finished:
                future.result()  # raises what was raised there
            if budget.iterations is None and any(worker.stopped == "solved" for worker in crew):
                return "solved"  # a number of iterations gives the same answer always, so there all go on to their end
            if progress is not None and waiting and not finished:
                views = [worker.view for worker in crew if worker.view is not None]
                if len(views) == len(crew) and progress(self._joined(views)) is False:
                    return "progress"
                for worker in crew:
                    worker.asked = True
        return None

    def _endless(self) -> int:
        return sum(tree.engine.endless for tree in self.trees)

    def _hurried(self) -> int:
        return sum(tree.engine.hurried for tree in self.trees)

    def _report(self, iterations: int, seconds: float, stopped: str) -> Report:
        views = [look(tree, 0, seconds, stopped) for tree in self.trees]
        return replace(self._joined(views), iterations=iterations)

    def _joined(self, views: Sequence[View]) -> Report:
        """One report from what is seen of all trees."""
        nodes, actions = merged(views, self.solve)
        votes = Counter(view.report.best_action for view in views if view.actions)
        children = {action: nodes[place] for place, action in enumerate(actions, 1)}
        known = [{entry.action: entry for entry in view.report.actions} for view in views]
        entries = [
            _entry([entries[action] for entries in known], children.get(action), votes[action]) for action in known[0]
        ]
        searched = {entry.name: entry for entry in entries if entry.visits > 0}
        entries = [
            entry if entry.equal_to is None else as_good_as(entry, searched[entry.equal_to]) for entry in entries
        ]
        entries.sort(key=lambda entry: -entry.visits)
        luckiest = max((view.report for view in views), key=_best_score)
        best = self._best_action(nodes, actions, votes, entries, luckiest)
        chosen = next(entry for entry in entries if entry.action == best)
        first, root = views[0].report, nodes[ROOT]
        proven = int(root["proven"])
        return replace(
            first,
            best_action=best,
            best_name=chosen.name,
            value=0.5 if chosen.value is None else chosen.value,
            proven=PROVEN_NAMES.get(proven if root["mover"] == first.player else for_opponent(proven)),
            iterations=sum(view.report.iterations for view in views),
            nodes=sum(view.report.nodes for view in views),
            positions=first.positions and sum(view.report.positions or 0 for view in views),
            seconds=max(view.report.seconds for view in views),
            actions=tuple(entries),
            threads=self.threads,
            best_line=luckiest.best_line,
            best_score=luckiest.best_score,
        )

    def _best_action(
        self, nodes: Nodes, actions: list[Any], votes: Counter[Any], entries: list[ActionReport], luckiest: Report
    ) -> Any:
        """What to play, by the choose policy."""
        choose = self.policies.choose
        win = winning_action(self) if choose.takes_wins else None
        if win is not None:
            return win
        if not actions:
            return entries[0].action
        if choose.best_line and luckiest.best_line:
            return luckiest.best_action
        if choose.draws:
            draw = random.Random(f"{self.seed} {int(nodes[ROOT]['visits'])}")
            return draw.choices(entries, [entry.strategy or 0.0 for entry in entries])[0].action
        return actions[self._best(nodes, actions, votes) - 1]

    def _best(self, nodes: Nodes, actions: list[Any], votes: Counter[Any]) -> int:
        """The child to play: what the choose policy prefers in all trees together."""
        best = self.engine.choose(nodes, ROOT)
        return best if best != SEARCH_ON else self.engine.most_visited(nodes, ROOT)


class Voting(RootParallel):
    """Every tree has a vote; equal votes are decided by the value. What is proven by one tree is law to all."""

    def _best(self, nodes: Nodes, actions: list[Any], votes: Counter[Any]) -> int:
        children = range(1, len(actions) + 1)
        certain = max(lower_bound(nodes[child]["proven"]) for child in children)
        if certain == 2 or is_settled(nodes[ROOT]["proven"]):
            allowed = [child for child in children if lower_bound(nodes[child]["proven"]) == certain]
        else:
            allowed = [child for child in children if nodes[child]["proven"] != LOSS]

        def support(child: int) -> tuple[float, ...]:
            node = nodes[child]
            return votes[actions[child - 1]], node["value"] / max(node["visits"], 1), node["visits"]

        return max(allowed or children, key=support)


def shares(budget: Budget, threads: int, one_tree: bool = False) -> list[Budget]:
    """Every tree's part of a budget: all of the time, and equal parts of the rest. Fewer, if there is not enough."""
    nodes = None if budget.max_nodes is None else int(budget.max_nodes)
    nodes = nodes if one_tree or nodes is None else max(nodes // threads, 1)
    if budget.iterations is None:
        return [Budget(None, budget.seconds, nodes)] * threads
    whole, more = divmod(int(budget.iterations), threads)
    parts = [whole + (index < more) for index in range(threads)]
    return [Budget(part, budget.seconds, nodes) for part in parts if part > 0]


@dataclass(frozen=True)
class View:
    """What can be seen of a tree at its root, taken out of it."""

    report: Report
    """What its own search says."""
    nodes: Nodes
    """The root, and its children."""
    actions: list[Any]
    """The children's actions."""
    slots: int
    """How many actions the root has, with those that are not yet in the tree; 0 when it has not looked."""


def look(tree: TreeSearch, iterations: int, seconds: float, stopped: str) -> View:
    """A view of a tree that does not grow meanwhile."""
    report = TreeSearch._report(tree, iterations, seconds, stopped)
    nodes = tree.tree.nodes
    begin, count = int(nodes[ROOT]["first"]), int(nodes[ROOT]["count"])
    slots = count
    while begin > 0 and nodes[begin + slots]["first"] == UNTRIED:
        slots += 1
    seen = np.concatenate([nodes[ROOT : ROOT + 1], nodes[begin : begin + count]])
    return View(report, seen, [tree.engine.action(number) for number in seen[1:]["action"]], slots)


class _Worker:
    """One thread's work: a tree, its budget, and the answers to those who ask how it stands."""

    def __init__(self, tree: TreeSearch, budget: Budget, start: float, stop: threading.Event) -> None:
        self._tree, self._budget, self._start, self._stop = tree, budget, start, stop
        self.done, self.stopped = 0, ""
        self.asked = False
        """Set by whoever wants to see the tree; it is shown in `view` after the next slice."""
        self.view: View | None = None

    def run(self) -> None:
        self.done, self.stopped = self._tree._grow(self._budget, self._start, self._watch)

    def _watch(self, done: int, now: float) -> bool:
        if self.asked:
            self.asked = False
            self.view = look(self._tree, done, now - self._start, "progress")
        return not self._stop.is_set()


def merged(views: Sequence[View], solve: bool) -> tuple[Nodes, list[Any]]:
    """A root and its children with the visits and values of all trees, and the tightest of their bounds."""
    actions = list(dict.fromkeys(action for view in views for action in view.actions))
    place = {action: index for index, action in enumerate(actions, 1)}
    nodes = np.zeros(len(actions) + 2, views[0].nodes.dtype)
    nodes[ROOT]["mover"] = views[0].nodes[ROOT]["mover"]
    for view in views:
        for node, index in zip(view.nodes, [ROOT, *map(place.__getitem__, view.actions)], strict=True):
            _add(nodes[index], node)
    nodes[ROOT]["first"], nodes[ROOT]["count"] = bool(actions), len(actions)
    if len(actions) < max(view.slots for view in views):
        nodes[-1]["first"] = UNTRIED
    if solve and actions:
        nodes[ROOT]["proven"] = conclusion(nodes, ROOT)
    return nodes, actions


def _add(total: Any, node: Any) -> None:
    total["visits"] += node["visits"]
    total["value"] += node["value"]
    total["mover"] = node["mover"]
    total["proven"] = tightened(total["proven"], node["proven"])


def _entry(known: list[ActionReport], node: Any, votes: int) -> ActionReport:
    """What all trees know of an action; the line is that of the tree that knows it best."""
    best = max(known, key=lambda entry: entry.visits)
    if node is None:
        return replace(best, votes=0)
    visits, proven = int(node["visits"]), int(node["proven"])
    mean = float(node["value"]) / visits if visits else None
    return replace(
        best,
        visits=visits,
        value=PROVEN_VALUES.get(proven, mean if 0.0 <= (mean or 0.0) <= 1.0 else _mean(known, "value")),
        proven=PROVEN_NAMES.get(proven),
        votes=votes,
        expected=_mean(known, "expected"),
        strategy=None if best.strategy is None else sum(entry.strategy or 0.0 for entry in known) / len(known),
    )


def _mean(known: list[ActionReport], field: str) -> float | None:
    """The mean of what all trees say, by their visits; None, if none of them says it."""
    said = [(getattr(entry, field), entry.visits) for entry in known if getattr(entry, field) is not None]
    total = sum(visits for _, visits in said)
    return sum(value * visits for value, visits in said) / total if total else None


def _best_score(report: Report) -> float:
    return -math.inf if report.best_score is None else report.best_score
