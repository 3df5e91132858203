"""Running the loop for one game: compiled, or as plain Python. Start at Engine."""

from __future__ import annotations

import functools
import random
from typing import Any, NamedTuple, Protocol

import numpy as np

from ponderosa.core.errors import GameError, SettingError
from ponderosa.core.game import Game
from ponderosa.core.plain import ActionTable, Box, PlainGame, plain_rules
from ponderosa.core.rng import Rng
from ponderosa.core.rules import Rules, jit_enabled, signatures
from ponderosa.search import loop
from ponderosa.search.choose import robust
from ponderosa.search.node import NODE, Nodes
from ponderosa.search.playout import bound_to
from ponderosa.search.policy import Policy

PATH_LENGTH = 4096
"""A tree is at most so deep; below, playouts take over."""
SPARE_STATES = 3
LOOP_PHASES = ("select", "expand", "playout", "backup")

Policies = dict[str, Policy]
"""One policy for each phase, by the phase's name."""


class Engine(Protocol):
    """What a search needs of a game: states to start from, and iterations."""

    players: int
    solvable: bool
    """Whether results in the tree can be proven."""

    def set_root(self, state: Any) -> None:
        """Search from a copy of this state."""

    def root_state(self) -> Any:
        """A copy of the state at the root, for people."""

    def restart(self, seed: int) -> None:
        """Begin random numbers of its own anew, if it has any."""

    def grow(self, iterations: int, nodes: Nodes, counters: Any, solve: bool) -> int:
        """Run iterations on the tree; returns how many."""

    def choose(self, nodes: Nodes, parent: int) -> int:
        """The child that the choose policy prefers, or -1."""

    def most_visited(self, nodes: Nodes, parent: int) -> int:
        """The most visited child."""

    def play(self, state: Any, action: Any) -> None:
        """Apply an action that is known to be legal."""

    def action(self, number: int) -> Any:
        """The action that a node's number stands for."""

    def number(self, action: Any) -> int:
        """The number that stands for an action in nodes."""

    def action_name(self, state: Any, action: Any) -> str:
        """How people write the action."""


class _Phases:
    """The phases as functions, compiled where that is possible."""

    def __init__(self, policies: Policies, rules: Rules, playout_compiled: bool) -> None:
        for need in policies["playout"].needs:
            if not hasattr(rules, need):
                raise SettingError(f"{policies['playout']} needs a game with the rule {need!r}")
        functions = {name: policy.function for name, policy in policies.items()}
        functions["playout"] = bound_to(rules, policies["playout"].function)
        functions["most_visited"] = robust().function
        self.functions = {
            name: _compiled_phase(name, function)
            if jit_enabled() and (name != "playout" or playout_compiled)
            else function
            for name, function in functions.items()
        }
        self.params = {name: np.array(policy.params, dtype=np.float64) for name, policy in policies.items()}
        self.params["playout"] = np.concatenate([[float(policies["playout"].rollouts)], self.params["playout"]])

    def for_loop(self) -> loop.Phases:
        f, p = self.functions, self.params
        return loop.Phases(
            f["select"], p["select"], f["expand"], p["expand"], f["playout"], p["playout"], f["backup"], p["backup"]
        )

    def choose(self, nodes: Nodes, parent: int) -> int:
        return int(self.functions["choose"](nodes, parent, self.params["choose"]))

    def most_visited(self, nodes: Nodes, parent: int) -> int:
        return int(self.functions["most_visited"](nodes, parent, self.params["choose"]))


class Playout:
    """A playout policy of a game with a dtype on its own, without a tree: call it with a state's bytes."""

    def __init__(self, game: Game, policy: Policy) -> None:
        assert game.dtype is not None
        function = bound_to(game.rules, policy.function)
        self._play = _compiled_phase("playout", function) if jit_enabled() else function
        self._params = np.array([policy.rollouts, *policy.params], dtype=np.float64)
        self._spare = np.zeros((SPARE_STATES, game.dtype.itemsize), np.uint8)
        self._actions = np.zeros(game.max_actions, np.int32)

    def __call__(self, state: Any, rng: Rng, values: Any) -> int:
        """Play on the state to the end; each player's result, in [0, 1], is in values. How many plies it took."""
        return int(self._play(state, self._spare, self._actions, self._params, rng, values))


class RecordEngine:
    """Games with a dtype."""

    def __init__(self, game: Game, policies: Policies, rng: Rng) -> None:
        for fact in ("chance", "hidden", "simultaneous"):
            if getattr(game, fact):
                raise GameError(f"{game.title()} declares {fact} = True; such games cannot be searched yet")
        assert game.dtype is not None
        self.game = game
        self.players = game.players
        self.solvable = game.players == 2
        self._phases = _Phases(policies, game.rules, playout_compiled=True)
        size = game.dtype.itemsize
        self._work = loop.Workspace(
            root=np.zeros(size, np.uint8),
            state=np.zeros(size, np.uint8),
            spare=np.zeros((SPARE_STATES, size), np.uint8),
            path=np.zeros(PATH_LENGTH, np.int64),
            moves=np.zeros(PATH_LENGTH, np.int64),
            actions=np.zeros(game.max_actions, np.int32),
            values=np.zeros(game.players),
            rng=rng,
        )
        self._rules = loop.Game(*(getattr(game.rules, name) for name in loop.Game._fields))
        self._addresses = self._find_addresses() if jit_enabled() else None
        self._grow = _compiled_grow() if jit_enabled() else None
        self.set_root(game.new_initial_state())

    def _find_addresses(self) -> Any:
        from ponderosa.core import native

        rule_signatures, phase_signatures = signatures(), _phase_signatures()
        found = [native.address(getattr(self._rules, name), rule_signatures[name]) for name in loop.Game._fields]
        for phase in LOOP_PHASES:
            found.append(native.address(self._phases.functions[phase], phase_signatures[phase]))
        return np.array(found, dtype=np.int64)

    def set_root(self, state: Any) -> None:
        self._shown = state.clone()
        searched = state.clone()
        self.game.prepare_for_search(searched.record)
        self._work.root[:] = searched.data

    def restart(self, seed: int) -> None:
        pass

    def root_state(self) -> Any:
        return self._shown.clone()

    def grow(self, iterations: int, nodes: Nodes, counters: Any, solve: bool) -> int:
        phases, work = self._phases.for_loop(), self._work
        counters[loop.ORDERED] = self.game.ordered
        if self._grow is None:
            return int(loop.grow(iterations, nodes, counters, self._rules, phases, work, solve))
        params = (phases.select_params, phases.expand_params, phases.playout_params, phases.backup_params)
        return int(self._grow(iterations, nodes, counters, self._addresses, *params, *work, solve))

    def choose(self, nodes: Nodes, parent: int) -> int:
        return self._phases.choose(nodes, parent)

    def most_visited(self, nodes: Nodes, parent: int) -> int:
        return self._phases.most_visited(nodes, parent)

    def play(self, state: Any, action: Any) -> None:
        state._apply(action)

    def action(self, number: int) -> int:
        return int(number)

    def number(self, action: Any) -> int:
        return int(action)

    def action_name(self, state: Any, action: Any) -> str:
        return str(state.action_to_string(action))


class PlainEngine:
    """Any Python object with the methods of a state; the tree is handled by compiled phases all the same."""

    def __init__(self, game: PlainGame, policies: Policies, rng: Rng, seed: int) -> None:
        self.game = game
        self.players = game.players
        self.solvable = game.players == 2
        self._table = ActionTable()
        self._chance = random.Random(seed)
        rules = plain_rules(game, self._table, self._chance)
        self._phases = _Phases(policies, rules, playout_compiled=False)
        self._rules = loop.Game(*(getattr(rules, name) for name in loop.Game._fields))
        self._grow = _grow_with_compiled_steps(self._phases) if jit_enabled() else loop.grow
        self._work = loop.Workspace(
            root=Box(game.new_initial_state()),
            state=Box(),
            spare=[Box() for _ in range(SPARE_STATES)],
            path=np.zeros(PATH_LENGTH, np.int64),
            moves=np.zeros(PATH_LENGTH, np.int64),
            actions=np.zeros(game.max_actions, np.int32),
            values=np.zeros(game.players),
            rng=rng,
        )

    def set_root(self, state: Any) -> None:
        self._work.root.state = state.clone()

    def restart(self, seed: int) -> None:
        self._chance.seed(seed)
        self._table.clear()

    def root_state(self) -> Any:
        return self._work.root.state.clone()

    def grow(self, iterations: int, nodes: Nodes, counters: Any, solve: bool) -> int:
        return int(self._grow(iterations, nodes, counters, self._rules, self._phases.for_loop(), self._work, solve))

    def choose(self, nodes: Nodes, parent: int) -> int:
        return self._phases.choose(nodes, parent)

    def most_visited(self, nodes: Nodes, parent: int) -> int:
        return self._phases.most_visited(nodes, parent)

    def play(self, state: Any, action: Any) -> None:
        state.apply_action(action)

    def action(self, number: int) -> Any:
        return self._table.actions[number]

    def number(self, action: Any) -> int:
        return self._table.number(action)

    def action_name(self, state: Any, action: Any) -> str:
        return self.game.action_name(state, action)


@functools.cache
def _phase_signatures() -> dict[str, Any]:
    """The compiled signature of every phase; the playout's is that of one bound to its game."""
    from numba import types

    from ponderosa.core.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, STATES, VALUES

    nodes = _nodes_type()
    return {
        "select": INT(nodes, INT, PARAMS, RNG),
        "expand": INT(nodes, INT, PARAMS),
        "playout": INT(STATE, STATES, ACTIONS, PARAMS, RNG, VALUES),
        "backup": types.void(nodes, PATH, INT, VALUES, INT, PARAMS),
        "choose": INT(nodes, INT, PARAMS),
        "most_visited": INT(nodes, INT, PARAMS),
    }


def _nodes_type() -> Any:
    import numba

    return numba.from_dtype(NODE)[::1]


def _compiled_phase(name: str, function: Any) -> Any:
    from ponderosa.core import native

    return native.compiled(function, _phase_signatures()[name], inline=name != "playout", error_model="numpy")


@functools.cache
def _compiled_grow() -> Any:
    """The loop as machine code: once for all games and policies, which it gets as addresses."""
    from numba import types

    from ponderosa.core import native
    from ponderosa.core.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, STATES, VALUES

    rules, phases = signatures(), _phase_signatures()
    copy_at, player_at, candidates_at = (native.function_at(rules[n]) for n in ("copy", "current_player", "candidates"))
    apply_at, terminal_at, scores_at = (native.function_at(rules[n]) for n in ("apply_action", "is_terminal", "scores"))
    bounds_at = native.function_at(rules["bounds"])
    select_at, expand_at, playout_at, backup_at = (native.function_at(phases[n]) for n in LOOP_PHASES)
    Game, Phases, Workspace, grow = loop.Game, loop.Phases, loop.Workspace, loop.grow

    def grow_at(
        iterations: Any, nodes: Any, counters: Any, at: Any,
        select_params: Any, expand_params: Any, playout_params: Any, backup_params: Any,
        root: Any, state: Any, spare: Any, path: Any, moves: Any, actions: Any, values: Any, rng: Any, solve: Any,
    ) -> Any:  # fmt: skip
        game = Game(
            copy_at(at[0]), player_at(at[1]), candidates_at(at[2]), apply_at(at[3]),
            terminal_at(at[4]), scores_at(at[5]), bounds_at(at[6]),
        )  # fmt: skip
        phases = Phases(
            select_at(at[7]), select_params, expand_at(at[8]), expand_params,
            playout_at(at[9]), playout_params, backup_at(at[10]), backup_params,
        )  # fmt: skip
        work = Workspace(root, state, spare, path, moves, actions, values, rng)
        return grow(iterations, nodes, counters, game, phases, work, solve)

    integers = types.int64[::1]
    signature = INT(
        INT, _nodes_type(), integers, integers, PARAMS, PARAMS, PARAMS, PARAMS,
        STATE, STATE, STATES, PATH, PATH, ACTIONS, VALUES, RNG, types.boolean,
    )  # fmt: skip
    return native.compiled(grow_at, signature, inline=True, error_model="numpy", _nrt=False)


class _TreeSteps(NamedTuple):
    """The steps of the loop that touch the tree alone, as machine code: what a Python game needs not be slow at."""

    descend: Any
    lay_out: Any
    update: Any


@functools.cache
def _compiled_steps() -> _TreeSteps:
    from numba import types

    from ponderosa.core import native
    from ponderosa.core.native import ACTIONS, INT, PARAMS, PATH, RNG, VALUES

    phases = _phase_signatures()
    select_at, expand_at, _, backup_at = (native.function_at(phases[n]) for n in LOOP_PHASES)
    Phases, Workspace = loop.Phases, loop.Workspace
    descend, lay_out, update = loop.descend, loop.lay_out, loop.update

    def descend_at(nodes: Any, at: Any, select_params: Any, expand_params: Any, path: Any, moves: Any, rng: Any) -> Any:
        phases = Phases(select_at(at[0]), select_params, expand_at(at[1]), expand_params, 0, 0, 0, 0)
        return descend(nodes, phases, Workspace(0, 0, 0, path, moves, 0, 0, rng))

    def lay_out_at(nodes: Any, node: Any, counters: Any, total: Any, player: Any, actions: Any, rng: Any) -> Any:
        return lay_out(nodes, node, counters, total, player, Workspace(0, 0, 0, 0, 0, actions, 0, rng))

    def update_at(nodes: Any, depth: Any, plies: Any, at: Any, backup_params: Any, path: Any, values: Any) -> None:
        phases = Phases(0, 0, 0, 0, 0, 0, backup_at(at[2]), backup_params)
        update(nodes, depth, plies, phases, Workspace(0, 0, 0, path, 0, 0, values, 0))

    nodes, integers = _nodes_type(), types.int64[::1]
    options: dict[str, Any] = {"inline": True, "error_model": "numpy", "_nrt": False}
    return _TreeSteps(
        native.compiled(descend_at, INT(nodes, integers, PARAMS, PARAMS, PATH, PATH, RNG), **options),
        native.compiled(lay_out_at, types.boolean(nodes, INT, integers, INT, INT, ACTIONS, RNG), **options),
        native.compiled(update_at, types.void(nodes, INT, INT, integers, PARAMS, PATH, VALUES), **options),
    )


def _grow_with_compiled_steps(phases: _Phases) -> Any:
    """The Python loop, linked to steps that are machine code."""
    from ponderosa.core import native

    steps, found = _compiled_steps(), _phase_signatures()
    tree_phases = ("select", "expand", "backup")
    at = np.array([native.address(phases.functions[name], found[name]) for name in tree_phases], dtype=np.int64)

    def descend(nodes: Any, phases: Any, work: Any) -> Any:
        return steps.descend(nodes, at, phases.select_params, phases.expand_params, work.path, work.moves, work.rng)

    def lay_out(nodes: Any, node: Any, counters: Any, total: Any, player: Any, work: Any) -> Any:
        return steps.lay_out(nodes, node, counters, total, player, work.actions, work.rng)

    def update(nodes: Any, depth: Any, plies: Any, phases: Any, work: Any) -> None:
        steps.update(nodes, depth, plies, at, phases.backup_params, work.path, work.values)

    return native.relinked(loop.grow, descend=descend, lay_out=lay_out, update=update)
