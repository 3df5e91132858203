"""Running the loop for one game: compiled, or as plain Python. Start at Engine."""

from __future__ import annotations

import math
import random
import types as python_types
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ponderosa.core.errors import SettingError
from ponderosa.core.game import Game
from ponderosa.core.plain import ActionTable, Box, PlainGame, plain_rules
from ponderosa.core.rng import Rng, seed_of
from ponderosa.core.rules import Rules, jit_enabled, no_prior, no_value
from ponderosa.core.turns import SIMULTANEOUS
from ponderosa.search import bounded, extras, loop, machine, priors, recorder, views, wide
from ponderosa.search.batches import Batch
from ponderosa.search.batches import grow as grow_by_batches
from ponderosa.search.choose import robust
from ponderosa.search.evaluator import ROUNDS, Asker
from ponderosa.search.node import NODE, ROOT, Fields, Nodes, layout
from ponderosa.search.playout import bound_to
from ponderosa.search.policy import Policy
from ponderosa.search.tree import Tree
from ponderosa.search.wide import SPARE_STATES

PATH_LENGTH = 4096
"""A tree is at most so deep; below, playouts take over."""
LEAST_TABLE = 2**12
NO_MOVES = np.zeros(1, np.int32)
NO_BATCH = Batch(np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.int64), np.zeros((1, 1)), np.zeros((1, 1)))

Policies = dict[str, Policy]
"""One policy for each phase, by the phase's name."""


class Manner(NamedTuple):
    """How the games of a class are searched, beside the policies."""

    paranoid: bool = False
    """Whether all others play against the player who searches."""
    single: bool = False
    """Whether all is seen with the eyes of the player who searches."""
    shared: bool = False
    """Whether other threads grow the same tree."""
    bounded: bool = False
    """Whether scores are proven, by bounds: search/bounded.py."""
    evaluator: Any = None
    """What judges leaves in the place of playouts: search/evaluator.py."""
    batch: int = 1
    """How many leaves the evaluator is asked about at once."""
    helpers: int = 0
    """How many further threads play out every leaf: search/wide.py."""
    transpositions: bool = False
    """Whether positions that several orders of moves lead to are one: search/graph.py."""


class Engine(Protocol):
    """What a search needs of a game: states to start from, and iterations."""

    players: int
    solvable: bool
    """Whether results in the tree can be proven."""
    viewed: bool
    """Whether the tree is one of views: search/views.py."""
    layout: np.dtype[Any]
    """What a node of the tree holds."""
    best: Any
    """The best result of a single player, and what repeats it: search/loop.py."""
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

    def plan(self, iterations: int) -> None:
        """Tell a select policy that plans ahead how many iterations there will be."""

    def status(self, tree: Tree) -> tuple[int, int]:
        """Why `grow` returned last, and a number that explains it."""

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
        """Back each player's result, from 0 to 1, up a path, as so many iterations would."""


def nothing_learned(nodes: Any, path: Any, parents: Any, depth: Any, values: Any, moves: Any, params: Any) -> None:
    """What most select policies learn."""


def nothing_studied(params: Any, values: Any, moves: Any) -> None:
    """What most playout policies learn."""


class _Phases:
    """The phases as functions, compiled where that is possible."""

    def __init__(self, policies: Policies, rules: Rules, compiled: Any, playout_compiled: bool, manner: Manner) -> None:
        """`compiled` is the layout of nodes to compile for."""
        for policy in policies.values():
            for need in policy.needs:
                if not hasattr(rules, need):
                    raise SettingError(f"{policy} needs a game with the rule {need!r}")
        functions = {name: policy.function for name, policy in policies.items()}
        functions["playout"] = self.single_playout = bound_to(rules, policies["playout"].function)
        if manner.helpers:
            functions["playout"] = wide.side_by_side(self.single_playout, rules.copy)
        functions["learn"] = policies["select"].learn or nothing_learned
        functions["study"] = policies["playout"].learn or nothing_studied
        functions["most_visited"] = robust().function
        if manner.bounded:
            functions |= {name: bounded.deciding(functions[name]) for name in ("choose", "most_visited")}
        self.functions = {
            name: machine.compiled_phase(name, function, compiled)
            if jit_enabled() and (name != "playout" or playout_compiled)
            else function
            for name, function in functions.items()
        }
        self.params = {name: np.array(policy.params, dtype=np.float64) for name, policy in policies.items()}
        playout = policies["playout"]
        self.params["playout"] = np.concatenate(
            [[float(playout.rollouts)], self.params["playout"], np.zeros(playout.memory)]
        )
        self.params["select"] = np.concatenate([self.params["select"], np.zeros(policies["select"].memory)])
        self.memories = {name: policies[name].memory for name in ("select", "playout")}
        if policies["select"].scaled:
            self.params["select"] = np.concatenate([self.params["select"], [0.0, 0.0]])

    def for_loop(self) -> loop.Phases:
        f, p = self.functions, self.params
        return loop.Phases(
            f["select"], p["select"], f["expand"], p["expand"], f["playout"], p["playout"],
            f["backup"], p["backup"], f["learn"], f["study"],
        )  # fmt: skip

    def forget(self) -> None:
        """Empty what policies have learned outside of the tree."""
        for name, size in self.memories.items():
            if size:
                self.params[name][-size:] = 0.0

    def choose(self, nodes: Nodes, parent: int) -> int:
        return int(self.functions["choose"](nodes, parent, self.params["choose"]))

    def most_visited(self, nodes: Nodes, parent: int) -> int:
        return int(self.functions["most_visited"](nodes, parent, self.params["choose"]))


class Playout:
    """A playout policy of a game with a dtype on its own, without a tree: call it with a state's bytes."""

    def __init__(self, game: Game, policy: Policy) -> None:
        assert game.dtype is not None
        function = bound_to(game.rules, policy.function)
        self._play = machine.compiled_phase("playout", function, NODE) if jit_enabled() else function
        self._params = np.array([policy.rollouts, *policy.params], dtype=np.float64)
        self._spare = np.zeros((SPARE_STATES, game.dtype.itemsize), np.uint8)
        self._actions = np.zeros(game.max_actions, np.int32)

    def __call__(self, state: Any, rng: Rng, values: Any) -> int:
        """Play on the state to the end; each player's result, in [0, 1], is in values. How many plies it took."""
        return int(self._play(state, self._spare, self._actions, self._params, rng, values))


def operation_of(rules: Any, name: str) -> Any:
    """An operation of a game, or one that does nothing in the place of a rule that it does not have."""
    if hasattr(rules, name):
        return getattr(rules, name)
    function: Any = {"prior": no_prior, "evaluate": no_value}[name]
    if not jit_enabled() or isinstance(rules.copy, python_types.FunctionType):
        return function
    return machine.compiled_operation(name, function)


class _Searching:
    """What is the same for compiled and plain games: the counters' flags, the views' table, the best line."""

    players: int
    own_fields: Fields = ()
    """What nodes hold besides, whatever the policies."""
    _phases: _Phases
    _work: loop.Workspace
    _rules: Any

    def _prepare(self, game: Any, policies: Policies, manner: Manner) -> None:
        self.players, self.viewed, self._dice = game.players, game.viewed, game.chance
        self.solvable = game.players == 2 and not (game.viewed or game.chance)
        self._manner, self._policies = manner, policies
        self._alone = game.players == 1 and not game.viewed
        select, playout = policies["select"], policies["playout"]
        more = self._alone or game.chance or manner.paranoid or select.learn or playout.learn
        asks = manner.evaluator is not None
        self.slice = ROUNDS * manner.batch if asks else 0
        self._asker: Asker | None = None
        kinds = {
            "batches": asks,
            "shared": manner.shared,
            "bounded": manner.bounded,
            "priors": select.priors,
            "static": select.static,
            "more": more,
        }
        self._kind = next((kind for kind, wanted in kinds.items() if wanted), "usual")
        self._recorded = select.moves or playout.moves
        more_fields = (priors.FIELDS if asks and not select.priors else ()) + (bounded.FIELDS if manner.bounded else ())
        own = views.FIELDS if game.viewed else self.own_fields
        self.layout = layout((*own, *select.fields, *policies["backup"].fields, *more_fields), game.players)
        self.best, self.best_moves = np.zeros(8), np.zeros(PATH_LENGTH if self._alone else 1, np.int64)
        self._counters = np.zeros(loop.COUNTERS, np.int64)
        self._empty_table()
        self._forget_results()

    def _empty_table(self) -> None:
        size = LEAST_TABLE if self.viewed else 1
        self._keys, self._places = np.zeros(size, np.int64), np.zeros(size, np.int32)

    def _forget_results(self) -> None:
        self.best[:] = (-math.inf, math.inf, -math.inf, 0.0, 0.0, 0.0, 0.0, 0.0)

    def _workspace(self, root: Any, state: Any, spare: Any, max_actions: int, rng: Rng, played: Any) -> loop.Workspace:
        return loop.Workspace(
            root=root,
            state=state,
            spare=spare,
            path=np.zeros(PATH_LENGTH, np.int64),
            moves=np.zeros(PATH_LENGTH, np.int64),
            actions=np.zeros(max_actions, np.int32),
            values=np.zeros(self.players),
            rng=rng,
            probabilities=np.zeros(max_actions if self._dice else 1),
            parents=np.zeros(PATH_LENGTH, np.int64),
            best=self.best,
            best_moves=self.best_moves,
            played=played,
            batch=NO_BATCH,
        )

    def _ask(self, states: Any, scale: tuple[float, float], leaves: Any, actions: Any = None) -> None:
        """Let the evaluator judge leaves: `states` are the room for them, `leaves` shows the first of them to it."""
        rows = np.zeros((2 * len(states), PATH_LENGTH + 2), np.int64)
        batch = Batch(states, rows, np.zeros((1, 0)), np.zeros((1, self.players)))
        self._asker = Asker(self._manner.evaluator, self.players, scale, batch, leaves, actions)

    def plan(self, iterations: int) -> None:
        self._phases.params["select"][-1] = iterations

    def _set_flags(self, tree: Tree, ordered: bool) -> None:
        """Tell the loop what the search is like; a tree is new when it knows no node yet."""
        counters, select = tree.counters, self._policies["select"]
        counters[loop.ORDERED] = ordered
        counters[loop.AGAINST] = self.player() + 1 if self._manner.paranoid else 0
        counters[loop.LEARNS] = select.learn is not None
        counters[loop.ALONE], counters[loop.SCALED] = self._alone and self._asker is None, select.scaled
        counters[loop.SORTED] = self._policies["expand"].name == "widening"
        counters[loop.STUDIES] = self._policies["playout"].learn is not None
        if self.viewed:
            counters[views.VIEWER], counters[views.SINGLE] = self.player(), self._manner.single
            if counters[views.KNOWN] == 0:
                self._empty_table()

    def status(self, tree: Tree) -> tuple[int, int]:
        """Why `grow` returned last, and a number that explains it."""
        counters = self._counters if self._manner.shared else tree.counters
        return int(counters[loop.STATUS]), int(counters[loop.DETAIL])

    def _until_it_fits(self, iterations: int, tree: Tree, grow: Any) -> int:
        """Run a loop of views, and give it a larger table whenever it asks for one."""
        done = 0
        while True:
            done += int(grow(iterations - done, self._keys, self._places))
            if tree.status != views.CROWDED:
                return done
            keys = np.zeros(4 * len(self._keys), np.int64)
            places = np.zeros(len(keys), np.int32)
            rehash = machine.compiled_rehash() if jit_enabled() else views.rehash
            rehash(self._keys, self._places, keys, places)
            self._keys, self._places = keys, places

    def player(self) -> int:
        raise NotImplementedError

    def new_tree(self) -> Tree:
        return Tree(self.player(), self.layout)

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


class RecordEngine(_Searching):
    """Games with a dtype."""

    def __init__(self, game: Game, policies: Policies, rng: Rng, manner: Manner) -> None:
        assert game.dtype is not None
        self.game = game
        self._prepare(game, policies, manner)
        rules = recorder.recording(game) if self._recorded else game.rules
        self._phases = _Phases(policies, rules, self.layout, playout_compiled=True, manner=manner)
        size = game.state_bytes
        state, played, longer = recorder.room(game) if self._recorded else (np.zeros(size, np.uint8), NO_MOVES, size)
        spare = np.zeros((SPARE_STATES, longer), np.uint8)
        self.crew = None
        if manner.helpers:
            spare = wide.new_desk(longer, game.players, manner.helpers)
            state = np.zeros(spare.shape[1], np.uint8)
            serve = machine.compiled_serving(self._phases.single_playout, game.rules.copy) if jit_enabled() else None
            self.crew = wide.Crew(spare, serve, self._phases.params["playout"], game.max_actions, game.players)
        self._work = self._workspace(np.zeros(size, np.uint8), state, spare, game.max_actions, rng, played)
        if manner.evaluator is not None:
            room = np.zeros((manner.batch, size), np.uint8)
            scale = (game.min_utility, game.max_utility)
            self._ask(room, scale, lambda count: shown(room[:count], game))
        self._rules = self._operations()
        self._addresses, self._grow = None, None
        if jit_enabled():
            functions = self._phases.functions
            self._addresses = machine.addresses(self._rules, self._rules._fields, functions, self.layout)
            self._grow = self._compiled()
        self.set_root(game.new_initial_state())

    def _operations(self) -> Any:
        """What the loop calls of the game."""
        operations = views.Game if self.viewed else loop.Game
        return operations(*(operation_of(self.game.rules, name) for name in operations._fields))

    def _compiled(self) -> Any:
        """The loop as machine code."""
        return machine.compiled_views(self.layout) if self.viewed else machine.compiled_grow(self.layout, self._kind)

    def set_root(self, state: Any) -> None:
        self._shown = state.clone()
        if self.viewed and state.viewer is None and not state.is_terminal() and not state.is_chance_node():
            self._shown = state.observation(state.to_move())
        searched = self._shown.clone()
        self.game.prepare_for_search(searched.record)
        self._work.root[:] = searched.data
        self._forget_results()

    def player(self) -> int:
        return int(self._shown.to_move())

    def restart(self, seed: int) -> None:
        self._forget_results()
        self._phases.forget()
        if self.crew is not None:
            self.crew.seed([seed_of(seed, index) for index in range(1, self._manner.helpers + 1)])

    def root_state(self) -> Any:
        return self._shown.clone()

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        phases, work = self._phases.for_loop(), self._work
        self._set_flags(tree, self.game.ordered)
        counters = tree.counters if not self._manner.shared else self._own_counters(tree)
        params = (phases.select_params, phases.expand_params, phases.playout_params, phases.backup_params)
        if self.viewed:

            def grow_views(most: int, keys: Any, places: Any) -> int:
                if self._grow is None:
                    return int(views.grow(most, nodes, keys, places, tree.counters, self._rules, phases, work))
                return int(self._grow(most, nodes, keys, places, tree.counters, self._addresses, *params, *work[:-1]))

            return self._until_it_fits(iterations, tree, grow_views)

        def grow(most: int, batch: Batch) -> int:
            if self._grow is None:
                room = work._replace(batch=batch)
                return int(machine.LOOPS[self._kind](most, nodes, counters, self._rules, phases, room, solve))
            return int(self._grow(most, nodes, counters, self._addresses, *params, *work[:-1], *batch, solve))

        return (
            grow(iterations, work.batch) if self._asker is None else self._asker.grow(iterations, nodes, counters, grow)
        )

    def _own_counters(self, tree: Tree) -> Any:
        """What this thread counts for itself, while the nodes in use are counted at the root of the shared tree."""
        self._counters = tree.counters.copy()
        return self._counters

    def play(self, state: Any, action: Any) -> None:
        state._apply(action)

    def best_line(self) -> list[int]:
        """The path in the tree, then the playout once more, as plain Python that notes its moves."""
        depth = int(self.best[3])
        line = [int(action) for action in self.best_moves[1 : depth + 1]]
        rules, state = self.game.build_rules(compiled=False), self._work.root.copy()
        for action in line:
            rules.apply_action(state, action)
        apply_action = rules.apply_action

        def noted(target: Any, action: Any) -> None:
            if target is state:  # what is tried elsewhere is not played
                line.append(int(action))
            apply_action(target, action)

        rules.apply_action = noted
        playout = bound_to(rules, self._policies["playout"].function)
        rng = np.array([(int(self.best[4]) << 32) | int(self.best[5])], np.uint64)
        spare = [self._work.root.copy() for _ in range(SPARE_STATES)]
        params, room = self._phases.params["playout"], np.zeros(self.game.max_actions, np.int32)
        if not rules.is_terminal(state):
            playout(state, spare, room, params, rng, np.zeros(self.players))
        return line

    def legal_actions(self, state: Any) -> list[Any]:
        return list(state.legal_actions())

    def action(self, number: int) -> int:
        return int(number)

    def number(self, action: Any) -> int:
        return int(action)

    def action_name(self, state: Any, action: Any) -> str:
        return str(state.action_to_string(action))


def shown(states: Any, game: Game) -> Any:
    """States as the evaluator sees them: a copy of their records."""
    return states.view(game.dtype).reshape(len(states)).copy()


class PlainEngine(_Searching):
    """Any Python object with the methods of a state; the tree is handled by compiled phases all the same."""

    def __init__(self, game: PlainGame, policies: Policies, rng: Rng, seed: int, manner: Manner) -> None:
        self.game = game
        self._prepare(game, policies, manner)
        self._table = ActionTable()
        self._chance = random.Random(seed)
        rules = plain_rules(game, self._table, self._chance)
        self._phases = _Phases(policies, rules, self.layout, playout_compiled=False, manner=manner)
        operations = views.Game if game.viewed else loop.Game
        self._rules = operations(*(operation_of(rules, name) for name in operations._fields))
        self._best_line: list[Any] = []
        self._grow: Any = views.grow if game.viewed else loop.grow
        if manner.bounded:
            self._grow = bounded.grow
        elif self._kind == "batches":
            self._grow = grow_by_batches
        elif self._kind != "usual" and not game.viewed:
            self._grow = loop.loop_of(extras.walk, extras.expand_leaf, extras.evaluate, self._update)
        elif jit_enabled() and not game.viewed:
            self._grow = machine.plain_grow(self._phases.functions, self.layout)
        spare = [Box() for _ in range(SPARE_STATES)]
        if self._recorded:
            raise SettingError("policies that learn from moves need a game with a dtype")
        self._work = self._workspace(Box(game.new_initial_state()), Box(), spare, game.max_actions, rng, NO_MOVES)
        if manner.evaluator is not None:
            room = [Box() for _ in range(manner.batch)]
            scale, actions = (game.low, game.high), self._table.actions
            self._ask(room, scale, lambda count: [box.state for box in room[:count]], actions)

    def set_root(self, state: Any) -> None:
        self._work.root.state = state.clone()
        self._forget_results()

    def player(self) -> int:
        return self.game.searcher(self._work.root.state)

    def restart(self, seed: int) -> None:
        self._chance.seed(seed)
        self._table.clear()
        self._forget_results()

    def root_state(self) -> Any:
        return self._work.root.state.clone()

    def grow(self, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        self._set_flags(tree, ordered=False)
        phases, work, counters = self._phases.for_loop(), self._work, tree.counters
        if self.viewed:
            return self._until_it_fits(
                iterations,
                tree,
                lambda most, keys, places: self._grow(most, nodes, keys, places, counters, self._rules, phases, work),
            )

        def grow(most: int, batch: Batch) -> int:
            return int(self._grow(most, nodes, counters, self._rules, phases, work._replace(batch=batch), solve))

        return (
            grow(iterations, work.batch) if self._asker is None else self._asker.grow(iterations, nodes, counters, grow)
        )

    def play(self, state: Any, action: Any) -> None:
        state.apply_action(action)

    def _update(self, nodes: Any, depth: Any, plies: Any, counters: Any, phases: Any, work: Any) -> None:
        """Python states know their way: they need no random numbers to repeat it."""
        if self._alone and work.values[0] > work.best[0]:
            self._best_line = list(work.state.moves)
        extras.update(nodes, depth, plies, counters, phases, work)

    def best_line(self) -> list[Any]:
        return list(self._best_line)

    def legal_actions(self, state: Any) -> list[Any]:
        player = (self.player(),) if self.game.simultaneous and state.current_player() == SIMULTANEOUS else ()
        return list(state.legal_actions(*player))

    def action(self, number: int) -> Any:
        return self._table.actions[number]

    def number(self, action: Any) -> int:
        return self._table.number(action)

    def action_name(self, state: Any, action: Any) -> str:
        return self.game.action_name(state, action)
