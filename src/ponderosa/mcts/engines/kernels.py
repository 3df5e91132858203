"""The loop and the phases as machine code. Start at compiled_phase and compiled_grow.

The loop is compiled once for each layout of nodes, whatever the game and the policies: it gets them as addresses.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from ponderosa.core.rules import signatures
from ponderosa.mcts.loops import (
    batches,
    bounded,
    general,
    information_sets,
    leaf_playouts,
    loop,
    priors,
    shared_tree,
    static_values,
)
from ponderosa.mcts.tree.node import NODE

Layout = np.dtype[Any]

LOOP_PHASES = ("select", "expand", "playout", "backup", "learn", "study")
LOOPS = {
    "usual": loop.grow,
    "more": general.grow,
    "priors": priors.grow,
    "static": static_values.grow,
    "shared": shared_tree.grow,
    "bounded": bounded.grow,
    "batches": batches.grow,
}
"""The loops that differ in some steps."""
OPTIONS: dict[str, Any] = {"inline": True, "error_model": "numpy", "_nrt": False}


def nodes_type(layout: Layout) -> Any:
    """Numba's type of an array of nodes."""
    import numba

    return numba.from_dtype(layout)[::1]


def scope_of(layout: Layout) -> str:
    """Helpers of different layouts are compiled apart: Numba takes a longer record for a kind of a shorter."""
    return "" if layout == NODE else str(layout)


@functools.cache
def phase_signatures(layout: Layout) -> dict[str, Any]:
    """The compiled signature of every phase; the playout's is that of one bound to its game."""
    from numba import types

    from ponderosa.compile.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, STATES, VALUES

    nodes = nodes_type(layout)
    return {
        "select": INT(nodes, INT, PARAMS, RNG),
        "expand": INT(nodes, INT, PARAMS),
        "playout": INT(STATE, STATES, ACTIONS, PARAMS, RNG, VALUES),
        "backup": types.void(nodes, PATH, INT, VALUES, INT, PARAMS),
        "learn": types.void(nodes, PATH, PATH, INT, VALUES, ACTIONS, PARAMS),
        "study": types.void(PARAMS, VALUES, ACTIONS),
        "choose": INT(nodes, INT, PARAMS),
        "most_visited": INT(nodes, INT, PARAMS),
    }


def compiled_phase(name: str, function: Any, layout: Layout) -> Any:
    """A phase's function as machine code."""
    from ponderosa.compile import native

    scope = "" if name == "playout" else scope_of(layout)
    signature = phase_signatures(layout)[name]
    return native.compiled(function, signature, inline=name != "playout", scope=scope, error_model="numpy")


def compiled_operation(name: str, function: Any) -> Any:
    """A function in the place of an operation of a game, as machine code."""
    from ponderosa.compile import native

    return native.compiled(function, signatures()[name])


def addresses(rules: Any, names: tuple[str, ...], phases: dict[str, Any], layout: Layout) -> Any:
    """Where the operations of a game and the phases of a search begin, in the order that the loops want."""
    from ponderosa.compile import native

    known, phase_types = signatures(), phase_signatures(layout)
    found = [native.address(getattr(rules, name), known[name]) for name in names]
    found += [native.address(phases[name], phase_types[name]) for name in LOOP_PHASES]
    return np.array(found, dtype=np.int64)


@functools.cache
def compiled_grow(layout: Layout, kind: str) -> Any:
    """One of LOOPS."""
    from numba import types

    from ponderosa.compile import native
    from ponderosa.compile.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, STATES, VALUES

    rules, phases = signatures(), phase_signatures(layout)
    copy_at, player_at, candidates_at = (native.function_at(rules[n]) for n in ("copy", "current_player", "candidates"))
    apply_at, terminal_at, scores_at = (native.function_at(rules[n]) for n in ("apply_action", "is_terminal", "scores"))
    bounds_at, outcomes_at, outcome_at = (
        native.function_at(rules[n]) for n in ("bounds", "chance_outcomes", "chance_outcome")
    )
    prior_at, value_at = (native.function_at(rules[n]) for n in ("prior", "evaluate"))
    select_at, expand_at, playout_at, backup_at, learn_at, study_at = (
        native.function_at(phases[n]) for n in LOOP_PHASES
    )
    Game, Phases, Workspace, Batch, grow = loop.Game, loop.Phases, loop.Workspace, batches.Batch, LOOPS[kind]

    def grow_at(
        iterations: Any, nodes: Any, counters: Any, at: Any,
        select_params: Any, expand_params: Any, playout_params: Any, backup_params: Any,
        root: Any, state: Any, spare: Any, path: Any, moves: Any, actions: Any, values: Any, rng: Any,
        probabilities: Any, parents: Any, best: Any, best_moves: Any, played: Any,
        leaves: Any, paths: Any, leaf_priors: Any, leaf_values: Any, solve: Any,
    ) -> Any:  # fmt: skip
        game = Game(
            copy_at(at[0]), player_at(at[1]), candidates_at(at[2]), apply_at(at[3]), terminal_at(at[4]),
            scores_at(at[5]), bounds_at(at[6]), outcomes_at(at[7]), outcome_at(at[8]),
            prior_at(at[9]), value_at(at[10]),
        )  # fmt: skip
        phases = Phases(
            select_at(at[11]), select_params, expand_at(at[12]), expand_params, playout_at(at[13]), playout_params,
            backup_at(at[14]), backup_params, learn_at(at[15]), study_at(at[16]),
        )  # fmt: skip
        work = Workspace(
            root,
            state,
            spare,
            path,
            moves,
            actions,
            values,
            rng,
            probabilities,
            parents,
            best,
            best_moves,
            played,
            Batch(leaves, paths, leaf_priors, leaf_values),
        )
        return grow(iterations, nodes, counters, game, phases, work, solve)

    integers, rows = types.int64[::1], types.float64[:, ::1]
    signature = INT(
        INT, nodes_type(layout), integers, integers, PARAMS, PARAMS, PARAMS, PARAMS,
        STATE, STATE, STATES, PATH, PATH, ACTIONS, VALUES, RNG, VALUES, PATH, VALUES, PATH, ACTIONS,
        STATES, types.int64[:, ::1], rows, rows, types.boolean,
    )  # fmt: skip
    return native.compiled(grow_at, signature, scope=scope_of(layout), **OPTIONS)


@functools.cache
def compiled_views(layout: Layout) -> Any:
    """The loop of mcts/loops/information_sets.py."""
    from numba import types

    from ponderosa.compile import native
    from ponderosa.compile.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, STATES, VALUES

    rules, phases = signatures(), phase_signatures(layout)
    copy_at, player_at, legal_at = (native.function_at(rules[n]) for n in ("copy", "current_player", "legal_actions"))
    apply_at, terminal_at, scores_at = (native.function_at(rules[n]) for n in ("apply_action", "is_terminal", "scores"))
    outcome_at, determinize_at, look_at = (
        native.function_at(rules[n]) for n in ("chance_outcome", "determinize", "look")
    )
    select_at, expand_at, playout_at, backup_at, learn_at, study_at = (
        native.function_at(phases[n]) for n in LOOP_PHASES
    )
    Game, Phases, Workspace, grow = information_sets.Game, loop.Phases, loop.Workspace, information_sets.grow

    def grow_at(
        iterations: Any, nodes: Any, keys: Any, places: Any, counters: Any, at: Any,
        select_params: Any, expand_params: Any, playout_params: Any, backup_params: Any,
        root: Any, state: Any, spare: Any, path: Any, moves: Any, actions: Any, values: Any, rng: Any,
        probabilities: Any, parents: Any, best: Any, best_moves: Any, played: Any,
    ) -> Any:  # fmt: skip
        game = Game(
            copy_at(at[0]), player_at(at[1]), legal_at(at[2]), apply_at(at[3]), terminal_at(at[4]),
            scores_at(at[5]), outcome_at(at[6]), determinize_at(at[7]), look_at(at[8]),
        )  # fmt: skip
        phases = Phases(
            select_at(at[9]), select_params, expand_at(at[10]), expand_params,
            playout_at(at[11]), playout_params, backup_at(at[12]), backup_params, learn_at(at[13]), study_at(at[14]),
        )  # fmt: skip
        work = Workspace(
            root, state, spare, path, moves, actions, values, rng, probabilities, parents, best, best_moves, played, 0
        )
        return grow(iterations, nodes, keys, places, counters, game, phases, work)

    integers = types.int64[::1]
    signature = INT(
        INT, nodes_type(layout), integers, types.int32[::1], integers, integers, PARAMS, PARAMS, PARAMS, PARAMS,
        STATE, STATE, STATES, PATH, PATH, ACTIONS, VALUES, RNG, VALUES, PATH, VALUES, PATH, ACTIONS,
    )  # fmt: skip
    return native.compiled(grow_at, signature, scope=scope_of(layout), **OPTIONS)


def compiled_serving(play: Any, copy: Any) -> Any:
    """What the helpers of mcts/loops/leaf_playouts.py run."""
    from numba import types

    from ponderosa.compile import native
    from ponderosa.compile.native import ACTIONS, PARAMS, STATES, VALUES

    signature = types.void(STATES, ACTIONS, PARAMS, VALUES)
    return native.compiled(leaf_playouts.serving(play, copy), signature, error_model="numpy")


@functools.cache
def compiled_rehash() -> Any:
    """The table of mcts/loops/information_sets.py, moved into a larger one."""
    from numba import types

    from ponderosa.compile import native

    integers, places = types.int64[::1], types.int32[::1]
    return native.compiled(information_sets.rehash, types.void(integers, places, integers, places), **OPTIONS)


class _TreeSteps(NamedTuple):
    """The steps of the loop that touch the tree alone, as machine code: what a Python game needs not be slow at."""

    descend: Any
    lay_out: Any
    update: Any


@functools.cache
def _compiled_steps(layout: Layout) -> _TreeSteps:
    from numba import types

    from ponderosa.compile import native
    from ponderosa.compile.native import ACTIONS, INT, PARAMS, PATH, RNG, VALUES

    phases = phase_signatures(layout)
    select_at, expand_at, _, backup_at, _, _ = (native.function_at(phases[n]) for n in LOOP_PHASES)
    Phases, Workspace = loop.Phases, loop.Workspace
    descend, lay_out, update = loop.descend, loop.lay_out, loop.update

    def descend_at(nodes: Any, at: Any, select_params: Any, expand_params: Any, path: Any, moves: Any, rng: Any) -> Any:
        phases = Phases(select_at(at[0]), select_params, expand_at(at[1]), expand_params, 0, 0, 0, 0, 0, 0)
        return descend(nodes, phases, Workspace(0, 0, 0, path, moves, 0, 0, rng, 0, 0, 0, 0, 0, 0))

    def lay_out_at(nodes: Any, node: Any, counters: Any, total: Any, player: Any, actions: Any, rng: Any) -> Any:
        return lay_out(
            nodes, node, counters, total, player, Workspace(0, 0, 0, 0, 0, actions, 0, rng, 0, 0, 0, 0, 0, 0)
        )

    def update_at(nodes: Any, depth: Any, plies: Any, at: Any, backup_params: Any, path: Any, values: Any) -> None:
        phases = Phases(0, 0, 0, 0, 0, 0, backup_at(at[2]), backup_params, 0, 0)
        update(nodes, depth, plies, 0, phases, Workspace(0, 0, 0, path, 0, 0, values, 0, 0, 0, 0, 0, 0, 0))

    nodes, integers = nodes_type(layout), types.int64[::1]
    options = {**OPTIONS, "scope": scope_of(layout)}
    return _TreeSteps(
        native.compiled(descend_at, INT(nodes, integers, PARAMS, PARAMS, PATH, PATH, RNG), **options),
        native.compiled(lay_out_at, types.boolean(nodes, INT, integers, INT, INT, ACTIONS, RNG), **options),
        native.compiled(update_at, types.void(nodes, INT, INT, integers, PARAMS, PATH, VALUES), **options),
    )


def plain_grow(phases: dict[str, Any], layout: Layout) -> Any:
    """The loop of mcts/loops/loop.py in Python, for Python states, with steps that are machine code."""
    from ponderosa.compile import native

    steps, found = _compiled_steps(layout), phase_signatures(layout)
    tree_phases = ("select", "expand", "backup")
    at = np.array([native.address(phases[name], found[name]) for name in tree_phases], dtype=np.int64)

    def walk(nodes: Any, game: Any, phases: Any, work: Any) -> Any:
        params = (phases.select_params, phases.expand_params)
        depth = steps.descend(nodes, at, *params, work.path, work.moves, work.rng)
        loop.play_path(depth, game, work)
        return depth

    def lay_out(nodes: Any, node: Any, counters: Any, total: Any, player: Any, work: Any) -> Any:
        return steps.lay_out(nodes, node, counters, total, player, work.actions, work.rng)

    def update(nodes: Any, depth: Any, plies: Any, counters: Any, phases: Any, work: Any) -> None:
        steps.update(nodes, depth, plies, at, phases.backup_params, work.path, work.values)

    expand_leaf = native.relinked(loop.expand_leaf, lay_out=lay_out)
    return loop.loop_of(walk, expand_leaf, loop.evaluate, update)
