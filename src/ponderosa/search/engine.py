"""Running the loop for one game: compiled, or as plain Python. Start at Engine."""

from __future__ import annotations

import functools
from typing import Any, Protocol

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
        for phase in ("select", "expand", "playout", "backup"):
            found.append(native.address(self._phases.functions[phase], phase_signatures[phase]))
        return np.array(found, dtype=np.int64)

    def set_root(self, state: Any) -> None:
        self._shown = state.clone()
        searched = state.clone()
        self.game.prepare_for_search(searched.record)
        self._work.root[:] = searched.data

    def root_state(self) -> Any:
        return self._shown.clone()

    def grow(self, iterations: int, nodes: Nodes, counters: Any, solve: bool) -> int:
        phases, work = self._phases.for_loop(), self._work
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
        rules = plain_rules(game, self._table, seed)
        self._phases = _Phases(policies, rules, playout_compiled=False)
        self._rules = loop.Game(*(getattr(rules, name) for name in loop.Game._fields))
        self._work = loop.Workspace(
            root=Box(game.new_initial_state()),
            state=Box(),
            spare=[Box() for _ in range(SPARE_STATES)],
            path=np.zeros(PATH_LENGTH, np.int64),
            actions=np.zeros(game.max_actions, np.int32),
            values=np.zeros(game.players),
            rng=rng,
        )

    def set_root(self, state: Any) -> None:
        self._work.root.state = state.clone()

    def root_state(self) -> Any:
        return self._work.root.state.clone()

    def grow(self, iterations: int, nodes: Nodes, counters: Any, solve: bool) -> int:
        return int(loop.grow(iterations, nodes, counters, self._rules, self._phases.for_loop(), self._work, solve))

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
    import numba
    from numba import types

    from ponderosa.core.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, VALUES

    nodes, states = numba.from_dtype(NODE)[::1], types.uint8[:, ::1]
    return {
        "select": INT(nodes, INT, PARAMS, RNG),
        "expand": INT(nodes, INT, PARAMS),
        "playout": INT(STATE, states, ACTIONS, PARAMS, RNG, VALUES),
        "backup": types.void(nodes, PATH, INT, VALUES, INT, PARAMS),
        "choose": INT(nodes, INT, PARAMS),
        "most_visited": INT(nodes, INT, PARAMS),
    }


def _compiled_phase(name: str, function: Any) -> Any:
    from ponderosa.core import native

    return native.compiled(function, _phase_signatures()[name], error_model="numpy")


@functools.cache
def _compiled_grow() -> Any:
    """The loop as machine code: once for all games and policies, which it gets as addresses."""
    import numba
    from numba import types

    from ponderosa.core import native
    from ponderosa.core.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, VALUES

    rules, phases = signatures(), _phase_signatures()
    copy_at, player_at, candidates_at = (native.function_at(rules[n]) for n in ("copy", "current_player", "candidates"))
    apply_at, terminal_at, scores_at = (native.function_at(rules[n]) for n in ("apply_action", "is_terminal", "scores"))
    bounds_at = native.function_at(rules["bounds"])
    select_at, expand_at = native.function_at(phases["select"]), native.function_at(phases["expand"])
    playout_at, backup_at = native.function_at(phases["playout"]), native.function_at(phases["backup"])
    Game, Phases, Workspace, grow = loop.Game, loop.Phases, loop.Workspace, loop.grow

    def grow_at(
        iterations: Any, nodes: Any, counters: Any, at: Any,
        select_params: Any, expand_params: Any, playout_params: Any, backup_params: Any,
        root: Any, state: Any, spare: Any, path: Any, actions: Any, values: Any, rng: Any, solve: Any,
    ) -> Any:  # fmt: skip
        game = Game(
            copy_at(at[0]),
            player_at(at[1]),
            candidates_at(at[2]),
            apply_at(at[3]),
            terminal_at(at[4]),
            scores_at(at[5]),
            bounds_at(at[6]),
        )
        phases = Phases(
            select_at(at[7]), select_params, expand_at(at[8]), expand_params,
            playout_at(at[9]), playout_params, backup_at(at[10]), backup_params,
        )  # fmt: skip
        work = Workspace(
            root, state, spare, path,
            actions, values, rng,
        )  # fmt: skip
        return grow(iterations, nodes, counters, game, phases, work, solve)

    nodes, states = numba.from_dtype(NODE)[::1], types.uint8[:, ::1]
    signature = INT(
        INT, nodes, types.int64[::1], types.int64[::1], PARAMS, PARAMS, PARAMS, PARAMS,
        STATE, STATE, states, PATH, ACTIONS, VALUES, RNG, types.boolean,
    )  # fmt: skip
    return native.compiled(grow_at, signature, error_model="numpy", _nrt=False)
