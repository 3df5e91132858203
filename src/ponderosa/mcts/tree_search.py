"""One tree, grown on one thread, and what it says: behind Search, and a part of searches on several threads.

Start at TreeSearch.run.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ponderosa.core.bounds import bounds, is_settled
from ponderosa.core.budget import MOST_SECONDS, Budget
from ponderosa.core.checks.rehearsal import raised
from ponderosa.core.game import Game
from ponderosa.core.notation import named_action
from ponderosa.core.plain import PlainGame, check_methods
from ponderosa.core.rng import check_seed, new_rng
from ponderosa.core.state import State
from ponderosa.core.turns import CHANCE
from ponderosa.errors import GameError, PonderosaError, SettingError
from ponderosa.mcts.copies import Copied
from ponderosa.mcts.engines.engine import Engine
from ponderosa.mcts.engines.evaluator import fitted
from ponderosa.mcts.engines.graph import engine_for
from ponderosa.mcts.loops import loop
from ponderosa.mcts.loops.endings import no_end
from ponderosa.mcts.policies.base import Policies
from ponderosa.mcts.policies.choose.choices import SEARCH_ON
from ponderosa.mcts.policies.composition import composed
from ponderosa.mcts.policies.fitting import check_class, check_graph, check_proofs
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.report.reporter import report_of
from ponderosa.mcts.report.search_tree import SearchTree
from ponderosa.mcts.report.trace import Tell, traced
from ponderosa.mcts.settings import BOUNDED, NAMES, SearchSettings
from ponderosa.mcts.tree.node import ROOT
from ponderosa.mcts.tree.symmetry import Symmetric, check_symmetry, game_with_symmetries
from ponderosa.mcts.tree.tree import Tree
from ponderosa.mcts.turn import Turn, in_turn, looking

SLICE_SECONDS = 0.004
"""How long the loop runs before the clock, Ctrl-C and the progress callback get their turn."""
PROGRESS_SECONDS = 0.1
_CERTAIN = (0.0, 0.5, 1.0)
SEARCH_ON_SHARE = 0.25
"""How much more a choose policy may ask for: a quarter more iterations, or the last quarter of the time."""

Progress = Callable[[Report], Any]
"""Called about ten times a second with the report so far; False ends the search."""

Watch = Callable[[int, float], bool]
"""Called after every slice with the iterations so far and the time on the clock; False ends the search."""


class TreeSearch(Copied):
    """A tree search of one game, and the tree that it has grown so far.

    Several Python threads may share it: one of them has its turn, the others wait (mcts/turn.py).
    """

    grows_beside = False
    """Whether its trees grow while callbacks run."""

    def __init__(self, game: Any, settings: SearchSettings) -> None:
        """`game` is a Game, or any Python state with the method names of OpenSpiel."""
        self._turn = Turn()
        game, plain = _game_of(game, settings.utility)
        self.game: Any = game if plain is None else plain
        self.policies, self.settings = policies_of(self.game, settings)
        self._clock = settings.clock
        if not callable(self._clock):
            raise SettingError(
                f"clock must be a function that says the seconds, like time.perf_counter, not {self._clock!r}"
            )
        self.threads = 1
        self.seed = settings.seed
        self.rng = new_rng(self.seed)
        self._check_threads(compiled=plain is None)
        check_graph(self.game, self.policies, settings)
        check_symmetry(settings.symmetry, self.game, self.policies.select, settings)
        self.engine: Engine = self._made_engine(game, plain, settings)
        self._symmetric = Symmetric(self.engine, game_with_symmetries(self.game)) if settings.symmetry else None
        self._best_found: tuple[float, tuple[Any, ...]] | None = None
        self.solve = bool(settings.solve) and self.engine.solvable
        """Whether wins, draws and losses are proven."""
        self._tree: Tree | None = None
        self._taught = False

    def _made_engine(self, game: Any, plain: PlainGame | None, settings: SearchSettings) -> Engine:
        """What runs the iterations; `plain` is the game, if its states are Python objects."""
        return engine_for(game, plain, self.policies, self.rng, self.seed, settings)

    @property
    def trees(self) -> Sequence[TreeSearch]:
        """The searches that grow a tree each; of one thread, this one."""
        return (self,)

    def _made_with(self) -> tuple[Any, SearchSettings]:
        return self.game, replace(self.settings, seed=self.seed)

    def _grown(self) -> dict[str, Any]:
        changed = {"best_found": self._best_found, "taught": self._taught, "rng": self.rng.copy()}
        return changed | {"engine": self.engine.snapshot(), "tree": self._tree}

    def _go_on(self, grown: dict[str, Any]) -> None:
        self._best_found, self._taught, self._tree = grown["best_found"], grown["taught"], grown["tree"]
        self.rng[:] = grown["rng"]
        self.engine.resume(grown["engine"])

    def _check_threads(self, compiled: bool) -> None:
        """Whether the policies and the game suit several threads; one suits all."""

    @property
    def tree(self) -> Tree:
        """The tree; an empty one before the first run."""
        if self._tree is None:
            self._tree = self.engine.new_tree()
        return self._tree

    @property
    def root_state(self) -> Any:
        """A copy of the state that the tree grows from."""
        return self.engine.root_state()

    @in_turn
    def run(
        self,
        state: Any,
        budget: Budget,
        progress: Progress | None = None,
        player: int | None = None,
        trace: Tell | None = None,
    ) -> Report:
        """Search a state until the budget ends, and say what was found.

        A state that the tree already grows from is searched further; any other starts a new tree. Ctrl-C ends the
        search with what it has. Without a state, the root is searched: the initial state at first. Where players see
        different things or choose at once, `player` says who searches; else it is whose view the state is, or who is
        to move. `trace` is called after every iteration with what it did (mcts/report/trace.py), which is slow.
        """
        if progress is not None and not callable(progress):
            raise SettingError(f"progress must be a function of a report, not {progress!r}")
        if player is not None:
            state = self._seen_by(self.engine.root_state() if state is None else state, player)
        if state is not None:
            self._set_root(state)
        self._check_root("search")
        if self.policies.select.planned:
            self._plan(budget)
        start = self._clock()
        endless, hurried = self._endless(), self._hurried()
        with traced(self, budget.iterations, trace):
            done, stopped = self._think(budget, start, progress)
        endless, hurried = self._endless() - endless, self._hurried() - hurried
        if endless >= done and endless - hurried > 1:
            raise no_end(self.game, done)
        report = self._report(done, self._clock() - start, stopped)
        return self._with_tree(replace(report, endless=endless) if endless else report)

    def _endless(self) -> int:
        """How many iterations, of all runs, had playouts that came to no end."""
        return self.engine.endless

    def _hurried(self) -> int:
        """How many of them, because the time was up."""
        return self.engine.hurried

    def _plan(self, budget: Budget) -> None:
        """Tell a select policy that plans ahead how many iterations there will be; what it knew of others is gone."""
        if budget.iterations is None:
            raise SettingError(f"{self.policies.select} plans its iterations: say how many, with iterations=")
        self.engine.plan(int(budget.iterations))
        self._tree = None

    def _check_root(self, doing: str) -> None:
        state = self.engine.root_state()
        if state.is_terminal():
            raise GameError(f"the game is over: there is nothing to {doing}")
        if int(state.current_player()) == CHANCE:
            raise GameError("dice decide here, and nobody else: play an outcome of chance_outcomes() first")

    def _seen_by(self, state: Any, player: int) -> Any:
        if not self.game.viewed:
            raise SettingError("player says who searches where players see different things or choose at once")
        if not hasattr(state, "observation"):
            raise SettingError("these states are searched for the player who is to move")
        return state.observation(player)

    def _set_root(self, state: Any) -> None:
        if isinstance(self.game, Game):
            of = state.game.spec if isinstance(state, State) else f"another kind: {state!r}"
            if of != self.game.spec:
                raise GameError(f"this is a search of {self.game.spec}, and the state is of {of}")
        else:
            check_methods(state)
        if self._tree is not None and _same(self.engine.root_state(), state):
            return
        if not _same(self.engine.root_state(), state):
            self._best_found = None
        self.engine.set_root(state)
        self._tree = None

    def _think(self, budget: Budget, start: float, progress: Progress | None) -> tuple[int, str]:
        """Search, and tell `progress` about it; how many iterations, and what ended them."""
        watch = None if progress is None else self._teller(progress, start)
        with self._turn.thinking():
            return (self._grow_anew if self.settings.restarts else self._grow)(budget, start, watch)

    def _grow_anew(self, budget: Budget, start: float, watch: Watch | None) -> tuple[int, str]:
        """Share the budget among several trees, one after the other; the best line of all is kept."""
        done, stopped, runs = 0, "iterations", self.settings.restarts + 1
        for run in range(runs):
            share = budget.share(run, runs)
            if share is None:
                continue
            begun = start if run == 0 else self._clock()
            if run:
                self._tree = None
            more, stopped = self._grow(share, begun, watch)
            done += more
            self._keep_best()
            if stopped not in ("iterations", "seconds"):
                break
        return done, stopped

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
        """Run the loop until something ends the search; how many iterations, and what ended it."""
        ended = self._run_slices(budget, start, watch)
        trespass = self.engine.trespass()
        if trespass is not None:
            raise trespass
        return ended

    def _run_slices(self, budget: Budget, start: float, watch: Watch | None) -> tuple[int, str]:
        """Run slices of the loop until something ends the search; how many iterations, and what ended it."""
        tree, done, size = self.tree, 0, self.engine.slice or 1
        now, end = start, math.inf if budget.seconds is None else start + budget.seconds
        self.engine.hurry(lambda: self._clock() >= end)
        try:
            while True:
                stopped = self._ended(budget, done, now - start)
                if stopped:
                    return done, stopped
                most = size if budget.iterations is None else min(size, self._next_look(budget, done) - done)
                begun = now
                ran = self._iterate(most, tree, tree.limit(budget.max_nodes))
                done += ran
                now = self._clock()
                fault = self.engine.fault(tree)
                if fault is not None:
                    raise fault
                if self.engine.status(tree)[0] == loop.FULL and not self._recycled(budget):
                    return done, "nodes"
                size = self.engine.slice or next_size(size, ran, now - begun, budget, now - start)
                if watch is not None:
                    if not watch(done, now):
                        return done, "progress"
                    now = self._clock()
        except KeyboardInterrupt:
            return done, "interrupted"
        except PonderosaError:
            raise
        except Exception as error:
            raise GameError(f"a rule or phase raised {raised(error)}") from error

    def _iterate(self, most: int, tree: Tree, nodes: Any) -> int:
        if self._symmetric is None:
            return self.engine.grow(most, tree, nodes, self.solve)
        return self._symmetric.grow(self.engine, most, tree, nodes, self.solve)

    def _recycled(self, budget: Budget) -> bool:
        """Make room in a full tree, if something else than the room ends the search; False: there is none to make."""
        if (budget.iterations is None and budget.seconds is None) or self.engine.viewed or self.settings.shared:
            return False
        room = len(self.tree.nodes)
        return self.tree.recycle(room if budget.max_nodes is None else min(int(budget.max_nodes), room))

    def _most_iterations(self, budget: Budget) -> int:
        assert budget.iterations is not None
        extra = SEARCH_ON_SHARE if self.policies.choose.may_search_on else 0.0
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
        if done and self.policies.choose.may_search_on:
            settled = 1.0 - SEARCH_ON_SHARE
            enough_time = budget.seconds is not None and seconds >= settled * budget.seconds
            over = done - (budget.iterations or done + 1)
            enough_iterations = over >= 0 and over % _look_step(budget) == 0
            if (enough_time or enough_iterations) and self.engine.choose(nodes, ROOT) != SEARCH_ON:
                return "seconds" if enough_time else "iterations"
        return None

    @in_turn
    def advance(self, action: Any) -> None:
        """Play an action at the root, or the one that a text names: the search goes on, and keeps what it knows."""
        state = self.engine.root_state()
        action = self._meant(state, action)
        if self.engine.viewed:
            raise SettingError("where players see different things or choose at once, a search begins anew every turn")
        state.apply_action(action)
        self._tree = None if state.is_terminal() else self._below(action)
        if self._tree is not None and self._taught:
            self._tree.prove_anew()
        found = None if self.game.chance else self._keep_best()
        self._best_found = (found[0], found[1][1:]) if found is not None and found[1][:1] == (action,) else None
        self.engine.set_root(state)

    def _meant(self, state: Any, action: Any) -> Any:
        """The legal action that was given, itself or by its name."""
        if isinstance(state, State):
            return state.legal_action(action)
        return named_action(action, state.legal_actions(), functools.partial(self.engine.action_name, state))

    def _below(self, action: Any) -> Tree | None:
        """The part of the tree below an action at the root, if there is one."""
        tree, self._tree = self.tree, None  # nobody gets to see it half moved
        child = tree.child_with(self.engine.number(action))
        if child is not None:
            return tree.moved_to(child)
        return None if self._symmetric is None else self._symmetric.below(tree, action)

    @in_turn
    def adopt(self, state: Any, tree: Tree) -> None:
        """Go on with a tree that was kept elsewhere; it grows from this state."""
        self.engine.set_root(state)
        self._tree, self._best_found = tree, None

    @in_turn
    def touch(self) -> None:
        """One iteration from the root, even where chance decides there: a position that was never searched opens."""
        if self._think(Budget(iterations=1), self._clock(), None)[1] == "interrupted":
            raise KeyboardInterrupt

    @in_turn
    def ponder(self, keep_on: Callable[[], bool], max_nodes: int | None = None) -> None:
        """Search on from the root for as long as `keep_on()` says so; it is asked every few milliseconds."""
        self._check_root("search")
        if self.policies.select.planned:
            raise SettingError(f"{self.policies.select} plans its iterations, and cannot search on without an end")
        with self._turn.thinking(without_end=True):
            self._grow(Budget(None, MOST_SECONDS, max_nodes), self._clock(), lambda done, now: keep_on())

    @in_turn
    def learn(self, known: Mapping[Any, tuple[float, float]]) -> None:
        """Enter what is certain of the root's actions, or their names: the least and the most that each brings.

        0 is a loss and 1 a win. It counts as proven, like what the search proves itself. The root must have been
        searched already.
        """
        if self.settings.bounded:
            raise SettingError(f"solve={BOUNDED!r} is not told wins, draws and losses from elsewhere; solve=True is")
        if not self.solve:
            raise SettingError("a search without proofs (solve=False, or not two players) cannot learn any")
        for action, (least, most) in known.items():
            if not (least in _CERTAIN and most in _CERTAIN and least <= most):
                raise SettingError(f"what is certain of {action!r} is two of {_CERTAIN}, not {(least, most)}")
        state = self.engine.root_state()
        for action, (least, most) in known.items():
            child = self.tree.opened(self.engine.number(self._meant(state, action)))
            if child is not None:
                self.tree.settle([ROOT, child], bounds(int(2 * least), int(2 * most)))
        self.tree.prove_anew()
        self._taught = True

    @in_turn
    def settle(self, path: Sequence[int], proven: int) -> None:
        """Enter what is certain of a node, for its mover and as core/bounds.py writes it, and what follows from it.

        `path` leads there: places in the tree's array of nodes, the root's first.
        """
        if self.settings.bounded:
            raise SettingError(f"solve={BOUNDED!r} is not told wins, draws and losses from elsewhere; solve=True is")
        self.tree.settle(path, proven)
        self._taught = True

    @in_turn
    def reset(self, seed: int | None = None) -> None:
        """Forget the tree, keep the root's state, and start the random numbers anew; a seed replaces the old one."""
        if seed is not None:
            check_seed(seed)
            self.seed = seed
        self._tree = self._best_found = None
        self.rng[:] = new_rng(self.seed)
        self.engine.restart(self.seed)

    @looking
    def report(self) -> Report:
        """What the tree says now, without searching."""
        self._check_root("report")
        return self._with_tree(self._report(0, 0.0, "iterations"))

    def _with_tree(self, report: Report) -> Report:
        """The report from which the tree can be drawn; one of several trees cannot."""
        if self.threads == 1 or self.settings.helpers:
            object.__setattr__(report, "kept", SearchTree(self))  # nobody else has seen it yet, and a copy takes longer
        return report

    @looking
    def save(self, path: str | Path) -> None:
        """Store the tree, with game, parameters and version, in an .npz file."""
        from ponderosa.mcts.tree.storage import save

        save(self, Path(path))

    def _report(self, iterations: int, seconds: float, stopped: str) -> Report:
        return report_of(self, iterations, seconds, stopped)

    def _keep_best(self) -> tuple[float, tuple[Any, ...]] | None:
        """One player: the best result at this root so far, and the actions that led to it."""
        found = float(self.engine.best["result"])
        if self.engine.players != 1 or math.isinf(found):
            return self._best_found
        if self._best_found is None or found > self._best_found[0]:
            self._best_found = (found, tuple(self.engine.best_line()))
        return self._best_found

    def scaled(self, value: float) -> float:
        """A mean as a number from 0 to 1: scores without bounds by the least and the most so far."""
        least, most = float(self.engine.best["least"]), float(self.engine.best["most"])
        if not self.policies.select.scaled or not least < most < math.inf:
            return min(max(value, 0.0), 1.0)
        return min(max((value - least) / (most - least), 0.0), 1.0)


def policies_of(game: Any, settings: SearchSettings) -> tuple[Policies, SearchSettings]:
    """The policies that a search of a game is made of, and its settings with the policies that were asked for.

    What does not fit the game, or does not go together, is refused.
    """
    policies = composed(game, settings, NAMES)
    with_policies = replace(settings, utility=None).with_policies(policies)
    if settings.evaluator is not None:
        policies = fitted(policies, settings.evaluator, settings.batch, game)
    check_class(game, policies, settings)
    check_seed(settings.seed)
    check_proofs(game, policies, settings.solve)
    return policies, with_policies


def _game_of(game: Any, utility: tuple[float, float] | None) -> tuple[Any, PlainGame | None]:
    """What was given to search, as a game with a dtype, or else as a game of Python states."""
    if isinstance(game, type):
        raise GameError(f"{game.__name__} is a class: search a game or a state of it, as in {game.__name__}()")
    if isinstance(game, Game) and game.dtype is not None:
        return game, None
    if isinstance(game, PlainGame):
        return game, game
    state = game.new_initial_state() if hasattr(game, "new_initial_state") else game
    if isinstance(state, State) and state.game.dtype is not None:
        return state.game, None
    return game, PlainGame(state, utility)


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
