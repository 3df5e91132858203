"""The loop and the phases as machine code. Start at compiled_phase and CompiledLoop.

A loop is compiled once for each layout of nodes, whatever the game and the policies: it gets them as addresses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ponderosa.compile.fingerprint import reached_names
from ponderosa.core.rng import Rng
from ponderosa.core.rules import signatures
from ponderosa.mcts.loops import (
    batches,
    bounded,
    general,
    graph,
    information_sets,
    leaf_playouts,
    loop,
    priors,
    shared_tree,
    static_values,
)
from ponderosa.mcts.loops.workspace import (
    Actions,
    Batch,
    Game,
    Grow,
    Path,
    Phases,
    Play,
    Settings,
    Values,
    Workspace,
)
from ponderosa.mcts.tree.counters import COUNTERS, Counters
from ponderosa.mcts.tree.node import NODE, ROOT, Nodes

Layout = np.dtype[Any]
Named = TypeVar("Named", bound=NamedTuple)

LOOPS: dict[str, Grow] = {
    "usual": loop.grow,
    "more": general.grow,
    "priors": priors.grow,
    "static": static_values.grow,
    "shared": shared_tree.grow,
    "bounded": bounded.grow,
    "batches": batches.grow,
    "views": information_sets.grow,
    "graph": graph.grow,
    "graph by priors": graph.grow_by_priors,
}
"""The loops that differ in some steps."""
SETTINGS = np.dtype([(name, type(value)) for name, value in Settings._field_defaults.items()], align=True)
"""Settings as compiled loops get them."""
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


def addressed(named: Named, known: Mapping[str, Any]) -> Named:
    """A named tuple with addresses in the place of compiled functions, by their signatures; 0 where there is none."""
    from ponderosa.compile import native

    def where(name: str, value: Any) -> Any:
        if name not in known:
            return value
        return 0 if value is None else native.address(value, known[name])

    return named._make(where(name, value) for name, value in zip(named._fields, named, strict=True))


@functools.cache
def names_in(grow: Grow) -> frozenset[str]:
    """The names that the code of a loop mentions: what is not among them, it does not use."""
    found, waiting = set[str](), [grow]
    seen = {id(grow)}
    while waiting:
        function: Any = waiting.pop()
        names = reached_names(function.__code__)
        found |= names
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        for value in (*cells, *(function.__globals__.get(name) for name in names)):
            if hasattr(value, "__code__") and id(value) not in seen:
                seen.add(id(value))
                waiting.append(value)
    return frozenset(found)


@functools.lru_cache(maxsize=64)
def recorded(settings: Settings) -> Any:
    """Settings as a record: as numbers of their own, each would take a register from the loop, and slow it down."""
    return np.array([tuple(settings)], SETTINGS)[0]


@functools.cache
def _field_types() -> dict[str, Any]:
    """Numba's type of what the fields of a workspace hold."""
    from numba import from_dtype, types

    from ponderosa.compile.native import ACTIONS, PATH, RNG, STATE, STATES, VALUES

    rows, table = types.float64[:, ::1], types.int64[:, ::1]
    batch = {"states": STATES, "paths": table, "priors": rows, "values": rows}
    return {
        "settings": from_dtype(SETTINGS),
        "counters": from_dtype(COUNTERS),
        "best": from_dtype(general.BEST),
        "batch": named_type(Batch, batch),
        "rng": RNG,
        "spare": STATES,
        "keys": types.int64[::1],
        "places": types.int32[::1],
        **dict.fromkeys(("root", "state"), STATE),
        **dict.fromkeys(("actions", "played"), ACTIONS),
        **dict.fromkeys(("values", "probabilities", "window"), VALUES),
        **dict.fromkeys(("path", "moves", "parents", "edges", "best_moves"), PATH),
    }


def named_type(named: type[NamedTuple], kinds: Mapping[str, Any]) -> Any:
    """Numba's type of a named tuple, whose fields are of these types; what has none is None."""
    from numba import types

    return types.BaseTuple.from_types([kinds.get(name, types.none) for name in named._fields], named)


def _phase_types(layout: Layout) -> dict[str, Any]:
    from ponderosa.compile.native import INT, PARAMS

    return {name: PARAMS if name.endswith("_params") else INT for name in Phases._fields}


class CompiledLoop:
    """A loop of mcts/loops as machine code, for one game with its policies. It is called as the loop is."""

    def __init__(self, grow: Grow, layout: Layout, game: Game, phases: Phases) -> None:
        self._uses, self._grow = names_in(grow), _compiled_loop(grow, layout)
        self._game = self._used(addressed(game, signatures()))
        self._phases = self._used(addressed(phases, phase_signatures(layout)))

    def __call__(self, iterations: int, nodes: Nodes, work: Workspace) -> int:
        """Run up to a number of iterations; returns how many were run."""
        work = self._used(work._replace(settings=recorded(work.settings)))
        return int(self._grow(iterations, nodes, self._game, self._phases, work))

    def _used(self, named: Named) -> Named:
        """A named tuple with None in the place of what the loop does not use: less to compile, and to hand over."""
        fields = zip(named._fields, named, strict=True)
        return named._make(value if name in self._uses else None for name, value in fields)


@functools.cache
def _compiled_loop(grow: Grow, layout: Layout) -> Any:
    from ponderosa.compile import native
    from ponderosa.compile.native import INT

    uses, operations, phase_kinds = names_in(grow), signatures(), phase_signatures(layout)
    game_at = native.functions_at({name: operations[name] for name in Game._fields if name in uses})
    phases_at = native.functions_at({name: phase_kinds[name] for name in Phases._fields if name in phase_kinds})

    def grow_at(iterations: int, nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
        return grow(iterations, nodes, game_at(game), phases_at(phases), work)

    def used(kinds: Mapping[str, Any]) -> dict[str, Any]:
        return {name: kind for name, kind in kinds.items() if name in uses}

    signature = INT(
        INT,
        nodes_type(layout),
        named_type(Game, used(dict.fromkeys(Game._fields, INT))),
        named_type(Phases, used(_phase_types(layout))),
        named_type(Workspace, used(_field_types())),
    )
    return native.compiled(grow_at, signature, scope=scope_of(layout), **OPTIONS)


def compiled_serving(play: Play, copy: Callable[..., Any]) -> Any:
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


class TreeRoom(NamedTuple):
    """The part of a workspace that holds no states: what the steps below need of it."""

    settings: Settings
    counters: Counters
    path: Path
    moves: Path
    actions: Actions
    values: Values
    rng: Rng


class _TreeSteps(NamedTuple):
    """The steps of the loop that touch the tree alone, as machine code: what a Python game needs not be slow at."""

    descend: Any
    lay_out: Any
    update: Any


@functools.cache
def _compiled_steps(layout: Layout) -> _TreeSteps:
    from numba import types

    from ponderosa.compile import native
    from ponderosa.compile.native import INT

    phases_at = native.functions_at(phase_signatures(layout))
    descend, lay_out, update = loop.descend, loop.lay_out, loop.update

    def descend_at(nodes: Nodes, phases: Phases, room: Any) -> int:
        return descend(nodes, 0, None, phases_at(phases), room)  # type: ignore[arg-type]  # it plays no move

    def update_at(nodes: Nodes, depth: int, plies: int, phases: Phases, room: Any) -> None:
        update(nodes, depth, plies, phases_at(phases), room)

    nodes, room = nodes_type(layout), named_type(TreeRoom, _field_types())
    phases = named_type(Phases, _phase_types(layout))
    options = {**OPTIONS, "scope": scope_of(layout)}
    return _TreeSteps(
        native.compiled(descend_at, INT(nodes, phases, room), **options),
        native.compiled(lay_out, types.boolean(nodes, INT, INT, INT, room), **options),
        native.compiled(update_at, types.void(nodes, INT, INT, phases, room), **options),
    )


def plain_grow(phases: Phases, layout: Layout) -> Grow:
    """The loop of mcts/loops/loop.py in Python, for Python states, with steps that are machine code."""
    from ponderosa.compile import native

    steps = _compiled_steps(layout)
    linked = addressed(phases._replace(playout=None), phase_signatures(layout))  # type: ignore[arg-type]

    def walk(nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
        work.path[0] = ROOT
        depth: int = steps.descend(nodes, linked, _room(work))
        loop.play_path(depth, game, work)
        return depth

    def lay_out(nodes: Nodes, node: int, total: int, player: int, work: Workspace) -> bool:
        return bool(steps.lay_out(nodes, node, total, player, _room(work)))

    def update(nodes: Nodes, depth: int, plies: int, phases: Phases, work: Workspace) -> None:
        steps.update(nodes, depth, plies, linked, _room(work))

    expand_leaf = native.relinked(loop.expand_leaf, lay_out=lay_out)
    return loop.loop_of(walk, expand_leaf, loop.evaluate, update)


def _room(work: Workspace) -> TreeRoom:
    return TreeRoom(recorded(work.settings), work.counters, work.path, work.moves, work.actions, work.values, work.rng)
