"""Search: what people call. Start at Search.run."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from ponderosa.core.budget import Budget
from ponderosa.core.errors import GameError, IllegalActionError, PonderosaError, SettingError, listed, unknown
from ponderosa.core.game import Game
from ponderosa.core.plain import PlainGame, check_methods
from ponderosa.core.rng import new_rng
from ponderosa.core.state import State
from ponderosa.search import backup as backups
from ponderosa.search import choose as choices
from ponderosa.search import expand as expansions
from ponderosa.search import loop
from ponderosa.search import playout as playouts
from ponderosa.search import select as selections
from ponderosa.search.choose import SEARCH_ON
from ponderosa.search.engine import Engine, PlainEngine, Policies, RecordEngine
from ponderosa.search.node import PROVEN_NAMES, PROVEN_VALUES, ROOT, bounds, for_opponent, is_settled, tightened
from ponderosa.search.policy import Makers, as_policy
from ponderosa.search.report import ActionReport, Report
from ponderosa.search.tree import Tree

SLICE_SECONDS = 0.004
"""How long the loop runs before the clock, Ctrl-C and the progress callback get their turn."""
PROGRESS_SECONDS = 0.1
PV_LENGTH = 12
_CERTAIN = (0.0, 0.5, 1.0)
LONG_LINES = 30
"""So many of the most visited actions get a whole line in the report."""
SEARCH_ON_SHARE = 0.25
"""How much more a choose policy may ask for: a quarter more iterations, or the last quarter of the time."""

NAMED: dict[str, Makers] = {
    "select": selections.POLICIES,
    "expand": expansions.POLICIES,
    "playout": playouts.POLICIES,
    "backup": backups.POLICIES,
    "choose": choices.POLICIES,
}
"""Every policy with a name, by phase."""

Progress = Callable[[Report], Any]
"""Called about ten times a second with the report so far; False ends the search."""

Watch = Callable[[int, float], bool]
"""Called after every slice with the iterations so far and the time on the clock; False ends the search."""


class Search:
    """A tree search of one game, and the tree that it has grown so far."""

    def __new__(cls, game: Any = None, *, threads: int = 1, parallel: str = "merge", **settings: Any) -> Self:
        """A search with more than one thread is one of the classes in parallel.py."""
        from ponderosa.search.parallel import class_for

        found: Self = super().__new__(class_for(cls, threads, parallel))
        return found

    def __init__(
        self,
        game: Any,
        *,
        select: Any = "ucb1",
        expand: Any = "expand",
        playout: Any = "random",
        backup: Any = "mean",
        choose: Any = "robust",
        solve: bool = True,
        seed: int = 0,
        utility: tuple[float, float] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        threads: int = 1,
        parallel: str = "merge",
    ) -> None:
        """`game` is a Game, or any Python state with the method names of OpenSpiel.

        A phase is a policy, its name, or a function of your own (docs/add-a-phase.md). `utility` gives the least and
        the most that `returns` gives a player, for Python states that do not say it. `threads` grow a tree each, and
        `parallel` says how they find one answer: "merge" adds up what they know, "vote" lets them vote.
        """
        given = {"select": select, "expand": expand, "playout": playout, "backup": backup, "choose": choose}
        self.policies: Policies = {phase: as_policy(phase, value, NAMED[phase]) for phase, value in given.items()}
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise SettingError(f"seed must be a whole number of at least 0, not {seed!r}")
        if not isinstance(solve, bool):
            raise SettingError(f"solve must be True or False, not {solve!r}")
        if not callable(clock):
            raise SettingError(f"clock must be a function that says the seconds, like time.perf_counter, not {clock!r}")
        self.threads = 1
        self.seed = seed
        self.rng = new_rng(seed)
        self.game, self.engine = self._engine_for(game, utility)
        self.solve = solve and self.engine.solvable
        self._clock = clock
        self._tree: Tree | None = None
        self._taught = False

    def _engine_for(self, game: Any, utility: tuple[float, float] | None) -> tuple[Any, Engine]:
        if isinstance(game, type):
            raise GameError(f"{game.__name__} is a class: search a game or a state of it, as in {game.__name__}()")
        if isinstance(game, Game) and game.dtype is not None:
            return game, RecordEngine(game, self.policies, self.rng)
        if isinstance(game, PlainGame):
            plain = game
        else:
            state = game.new_initial_state() if hasattr(game, "new_initial_state") else game
            if isinstance(state, State) and state.game.dtype is not None:
                return state.game, RecordEngine(state.game, self.policies, self.rng)
            plain = PlainGame(state, utility)
        return plain, PlainEngine(plain, self.policies, self.rng, self.seed)

    @property
    def tree(self) -> Tree:
        """The tree; an empty one before the first run."""
        if self._tree is None:
            self._tree = Tree(self.engine.root_state().current_player())
        return self._tree

    @property
    def root_state(self) -> Any:
        """A copy of the state that the tree grows from."""
        return self.engine.root_state()

    def run(
        self,
        state: Any = None,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        max_nodes: int | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Search a state until the budget ends, and say what was found.

        A state that the tree already grows from is searched further; any other starts a new tree. Ctrl-C ends the
        search with what it has. Without a state, the root is searched: the initial state at first.
        """
        budget = Budget(iterations, seconds, max_nodes)
        if progress is not None and not callable(progress):
            raise SettingError(f"progress must be a function of a report, not {progress!r}")
        if state is not None:
            self._set_root(state)
        if self.engine.root_state().is_terminal():
            raise GameError("the game is over: there is nothing to search")
        start = self._clock()
        done, stopped = self._think(budget, start, progress)
        return self._report(done, self._clock() - start, stopped)

    def _set_root(self, state: Any) -> None:
        if isinstance(self.game, Game):
            of = state.game.spec if isinstance(state, State) else f"another kind: {state!r}"
            if of != self.game.spec:
                raise GameError(f"this is a search of {self.game.spec}, and the state is of {of}")
        else:
            check_methods(state)
        if self._tree is not None and _same(self.engine.root_state(), state):
            return
        self.engine.set_root(state)
        self._tree = None

    def _think(self, budget: Budget, start: float, progress: Progress | None) -> tuple[int, str]:
        """Search, and tell `progress` about it; how many iterations, and what ended them."""
        return self._grow(budget, start, None if progress is None else self._teller(progress, start))

    def _teller(self, progress: Progress, start: float) -> Watch:
        reported = start

        def watch(done: int, now: float) -> bool:
            nonlocal reported
            if now - reported < PROGRESS_SECONDS:
                return True
            reported = now
            return progress(self._report(done, now - start, "progress")) is not False

        return watch

    def _grow(self, budget: Budget, start: float, watch: Watch | None) -> tuple[int, str]:
        """Run slices of the loop until something ends the search; how many iterations, and what ended it."""
        tree, done, size = self.tree, 0, 1
        now = start
        try:
            while True:
                stopped = self._ended(budget, done, now - start)
                if stopped:
                    return done, stopped
                most = size if budget.iterations is None else min(size, self._next_look(budget, done) - done)
                begun = now
                ran = self.engine.grow(most, tree.limit(budget.max_nodes), tree.counters, self.solve)
                done += ran
                now = self._clock()
                if tree.status == loop.BAD_ACTION_COUNT:
                    raise self._bad_count(int(tree.counters[loop.DETAIL]))
                if tree.status == loop.FULL:
                    return done, "nodes"
                size = next_size(size, ran, now - begun, budget, now - start)
                if watch is not None:
                    if not watch(done, now):
                        return done, "progress"
                    now = self._clock()
        except KeyboardInterrupt:
            return done, "interrupted"
        except PonderosaError:
            raise
        except Exception as error:
            raise GameError(f"a rule or phase raised {type(error).__name__}: {error}") from error

    def _most_iterations(self, budget: Budget) -> int:
        assert budget.iterations is not None
        extra = SEARCH_ON_SHARE if self.policies["choose"].may_search_on else 0.0
        return int(budget.iterations * (1.0 + extra))

    def _next_look(self, budget: Budget, done: int) -> int:
        """The iteration after which the search may end next: a fixed one, so that the clock decides nothing."""
        assert budget.iterations is not None
        begin, step = int(budget.iterations), _look_step(budget)
        return min(self._most_iterations(budget), begin + step * max(0, (done - begin) // step + 1))

    def _ended(self, budget: Budget, done: int, seconds: float) -> str | None:
        nodes = self.tree.nodes
        if self.solve and is_settled(nodes[ROOT]["proven"]) and nodes[ROOT]["count"] > 0:
            return "solved"
        if budget.seconds is not None and seconds >= budget.seconds:
            return "seconds"
        if budget.iterations is not None and done >= self._most_iterations(budget):
            return "iterations"
        if done and self.policies["choose"].may_search_on:
            settled = 1.0 - SEARCH_ON_SHARE
            enough_time = budget.seconds is not None and seconds >= settled * budget.seconds
            over = done - (budget.iterations or done + 1)
            enough_iterations = over >= 0 and over % _look_step(budget) == 0
            if (enough_time or enough_iterations) and self.engine.choose(nodes, ROOT) != SEARCH_ON:
                return "seconds" if enough_time else "iterations"
        return None

    def _bad_count(self, count: int) -> GameError:
        if count <= 0:
            return GameError("a state that is not over has no legal action; check_game(game) finds it")
        return GameError(f"a state has {count} legal actions: declare `max_actions = {count}` or more in the game")

    def advance(self, action: Any) -> None:
        """Play an action at the root: the search goes on from there, and keeps what it knows of it."""
        state = self.engine.root_state()
        legal = state.legal_actions()
        if action not in legal:
            names = listed(self.engine.action_name(state, other) for other in legal)
            raise IllegalActionError(
                f"{action!r} is not a legal action here; legal: {names or 'none, the game is over'}"
            )
        child = self.tree.child_with(self.engine.number(action))
        state.apply_action(action)
        self._tree = None if child is None or state.is_terminal() else self.tree.subtree(child)
        if self._tree is not None and self._taught:
            self._tree.prove_anew()
        self.engine.set_root(state)

    def learn(self, known: Mapping[Any, tuple[float, float]]) -> None:
        """Enter what is certain of actions at the root: the least and the most that each brings, 0 a loss and 1 a win.

        It counts as proven, like what the search proves itself. The root must have been searched already.
        """
        if not self.solve:
            raise SettingError("a search without proofs (solve=False, or not two players) cannot learn any")
        for action, (least, most) in known.items():
            if not (least in _CERTAIN and most in _CERTAIN and least <= most):
                raise SettingError(f"what is certain of {action!r} is two of {_CERTAIN}, not {(least, most)}")
        nodes = self.tree.nodes
        for action, (least, most) in known.items():
            child = self.tree.opened(self.engine.number(action))
            if child is not None:
                nodes[child]["proven"] = tightened(nodes[child]["proven"], bounds(int(2 * least), int(2 * most)))
        self.tree.prove_anew()
        self._taught = True

    def reset(self, seed: int | None = None) -> None:
        """Forget the tree, keep the root's state, and start the random numbers anew; a seed replaces the old one."""
        self.seed = self.seed if seed is None else seed
        self._tree = None
        self.rng[:] = new_rng(self.seed)
        self.engine.restart(self.seed)

    def report(self) -> Report:
        """What the tree says now, without searching."""
        if self.engine.root_state().is_terminal():
            raise GameError("the game is over: there is nothing to report")
        return self._report(0, 0.0, "iterations")

    def save(self, path: str | Path) -> None:
        """Store the tree, with game, parameters and version, in an .npz file."""
        from ponderosa.search.storage import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, game: Any = None, **phases: Any) -> Search:
        """A search as it was saved. A game that is not in the registry, and phases of your own, must be given."""
        from ponderosa.search.storage import load

        return load(Path(path), game, phases)

    def _report(self, iterations: int, seconds: float, stopped: str) -> Report:
        tree, state = self.tree, self.engine.root_state()
        nodes, root = tree.nodes, tree.nodes[ROOT]
        in_tree = {self.engine.action(nodes[child]["action"]): child for child in _children(nodes, ROOT)}
        visits = {
            action: int(nodes[in_tree[action]]["visits"]) if action in in_tree else 0
            for action in state.legal_actions()
        }
        order = sorted(visits, key=lambda action: -visits[action])
        entries = [
            self._action_report(action, in_tree.get(action), state, PV_LENGTH if place < LONG_LINES else 1)
            for place, action in enumerate(order)
        ]
        best = self._best_child()
        best_action = entries[0].action if best is None else self.engine.action(nodes[best]["action"])
        chosen = next(entry for entry in entries if entry.action == best_action)
        player = int(state.current_player())
        proven = int(root["proven"])
        return Report(
            game=self.game.spec if isinstance(self.game, Game) else self.game.title(),
            player=player,
            best_action=best_action,
            best_name=chosen.name,
            value=0.5 if chosen.value is None else chosen.value,
            proven=PROVEN_NAMES.get(proven if root["mover"] == player else for_opponent(proven)),
            iterations=iterations,
            nodes=tree.used,
            seconds=seconds,
            stopped=stopped,
            seed=self.seed,
            actions=tuple(entries),
        )

    def _best_child(self) -> int | None:
        nodes = self.tree.nodes
        if nodes[ROOT]["count"] == 0:
            return None
        best = self.engine.choose(nodes, ROOT)
        return best if best != SEARCH_ON else self.engine.most_visited(nodes, ROOT)

    def _action_report(self, action: Any, child: int | None, state: Any, length: int) -> ActionReport:
        name = self.engine.action_name(state, action)
        if child is None:
            return ActionReport(action, name, 0, None, None, (name,))
        node = self.tree.nodes[child]
        visits, proven = int(node["visits"]), int(node["proven"])
        value = float(node["value"]) / visits if visits else None
        value = PROVEN_VALUES.get(proven, value)
        return ActionReport(action, name, visits, value, PROVEN_NAMES.get(proven), self._line(child, state, length))

    def _line(self, child: int, state: Any, length: int) -> tuple[str, ...]:
        """The most visited line from a child of the root down, as people write it."""
        nodes, state = self.tree.nodes, state.clone()
        names: list[str] = []
        while True:
            action = self.engine.action(nodes[child]["action"])
            names.append(self.engine.action_name(state, action))
            if nodes[child]["count"] == 0 or len(names) == length:
                return tuple(names)
            self.engine.play(state, action)
            child = self.engine.most_visited(nodes, child)


def search(state: Any, **options: Any) -> Report:
    """Search any state: `search(state, seconds=1)`. Options are those of Search and of Search.run."""
    known = [*inspect.signature(Search.run).parameters][2:], [*inspect.signature(Search.__init__).parameters][2:]
    for key in options:
        if key not in known[0] + known[1]:
            raise unknown("option of search", key, known[0] + known[1])
    budget = {key: options.pop(key) for key in known[0] if key in options}
    return Search(state, **options).run(state, **budget)


def _children(nodes: Any, node: int) -> range:
    return range(int(nodes[node]["first"]), int(nodes[node]["first"]) + int(nodes[node]["count"]))


def _same(one: Any, other: Any) -> bool:
    """Whether two states are the same position; Python states that cannot tell are not."""
    return bool(type(one) is type(other) and one == other)


def _look_step(budget: Budget) -> int:
    """After how many more iterations a choose policy that asked for more is asked again."""
    return max(1, int(budget.iterations or 0) // 64)


def next_size(size: int, ran: int, seconds: float, budget: Budget, elapsed: float) -> int:
    """How many iterations the next slice gets: a few milliseconds' worth, and no more than the time that is left."""
    if ran == 0:
        return size
    target = SLICE_SECONDS
    if budget.seconds is not None:
        target = min(target, max(budget.seconds - elapsed, 0.0))
    fitting = int(ran * target / max(seconds, 1e-7))
    return max(1, min(fitting, 4 * size))
