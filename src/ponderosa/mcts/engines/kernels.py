"""The loop and the phases as machine code. Start at compiled_phase and CompiledLoop.

A loop is compiled once for each layout of nodes, whatever the game and the policies: it gets them as addresses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.compile.fingerprint import reached_names
from ponderosa.compile.functions import relinked
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
    PART,
    Actions,
    Batch,
    Game,
    Grow,
    Params,
    Path,
    Phases,
    Play,
    Settings,
    Share,
    Values,
    Workspace,
)
from ponderosa.mcts.policies.base import SelectPolicy
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.mcts.tree.counters import COUNTERS, Counters
from ponderosa.mcts.tree.node import NODE, ROOT, Fields, Nodes
from ponderosa.mcts.tree.node import layout as node_layout

Layout = np.dtype[Any]

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
SETTINGS_FIELD = Workspace._fields.index("settings")
OPTIONS: dict[str, Any] = {"inline": True, "error_model": "numpy", "_nrt": False}


def scope_of(layout: Layout) -> str:
    """Helpers of different layouts are compiled apart: Numba takes a longer record for a kind of a shorter."""
    return "" if layout == NODE else str(layout)


@functools.cache
def phase_signatures(layout: Layout) -> dict[str, Any]:
    """The compiled signature of every phase; the playout's is that of one bound to its game."""
    from ponderosa.compile.native import ACTIONS, INT, PARAMS, PATH, RNG, STATE, STATES, VALUES, VOID, records

    nodes = records(layout)
    return {
        "select": INT(nodes, INT, PARAMS, RNG),
        "expand": INT(nodes, INT, PARAMS),
        "playout": INT(STATE, STATES, ACTIONS, PARAMS, RNG, VALUES),
        "backup": VOID(nodes, PATH, INT, VALUES, INT, PARAMS),
        "learn": VOID(nodes, PATH, PATH, INT, VALUES, ACTIONS, PARAMS),
        "study": VOID(PARAMS, VALUES, ACTIONS),
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


class PhaseParams(NamedTuple):
    """The numbers of the phases."""

    select_params: Params
    expand_params: Params
    playout_params: Params
    backup_params: Params

    @classmethod
    def of(cls, phases: Phases) -> PhaseParams:
        return cls._make(getattr(phases, name) for name in cls._fields)


def addresses_of(functions: Mapping[str, Any], kinds: Mapping[str, Any]) -> npt.NDArray[np.int64]:
    """The addresses of compiled functions, in the order of their signatures; 0 where there is no function."""
    from ponderosa.compile import native

    def where(name: str) -> int:
        function = functions.get(name)
        return 0 if function is None else native.address(function, kinds[name])

    return np.array([where(name) for name in kinds], np.int64)


def functions_of(layout: Layout, used: Collection[str]) -> dict[str, Any]:
    """The signatures of the operations and phases that are used."""
    known = signatures() | phase_signatures(layout)
    return {name: known[name] for name in (*Game._fields, *Phases._fields) if name in known and name in used}


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
def field_types(layout: Layout = NODE) -> dict[str, Any]:
    """The types of what the fields of a workspace hold, as the compiler names them, for nodes of a layout."""
    from ponderosa.compile.native import (
        ACTIONS,
        FLOAT_ROWS,
        INT_ROWS,
        INTS,
        PATH,
        PLACES,
        RNG,
        STATE,
        STATES,
        VALUES,
        named_type,
        record,
        records,
    )

    batch = {"states": STATES, "paths": INT_ROWS, "priors": FLOAT_ROWS, "values": FLOAT_ROWS}
    return {
        "settings": record(SETTINGS),
        "counters": record(COUNTERS),
        "best": record(general.BEST),
        "batch": named_type(Batch, batch),
        "share": named_type(Share, {"part": record(PART), "top": records(layout)}),
        "rng": RNG,
        "spare": STATES,
        "keys": INTS,
        "places": PLACES,
        **dict.fromkeys(("root", "state"), STATE),
        **dict.fromkeys(("actions", "played"), ACTIONS),
        **dict.fromkeys(("values", "probabilities", "window"), VALUES),
        **dict.fromkeys(("path", "moves", "parents", "edges", "best_moves"), PATH),
    }


class CompiledLoop:
    """A loop of mcts/loops as machine code, for one game with its policies."""

    def __init__(self, grow: Grow, layout: Layout, game: Game, phases: Phases) -> None:
        uses, self._grow = names_in(grow), _compiled_loop(grow, layout)
        self._needed = [name in uses for name in Workspace._fields]
        self._addresses = addresses_of(game._asdict() | phases._asdict(), functions_of(layout, uses))
        self._params = PhaseParams.of(phases)

    def __call__(self, iterations: int, nodes: Nodes, work: Workspace) -> int:
        """Run up to a number of iterations; returns how many were run."""
        return int(self._grow(iterations, nodes, self._addresses, self._params, self._used(work)))

    def _used(self, work: Workspace) -> Workspace:
        """A workspace with None in the place of what the loop does not use: less to compile, and to hand over."""
        used = [value if needed else None for value, needed in zip(work, self._needed, strict=True)]
        used[SETTINGS_FIELD] = recorded(work.settings)
        return Workspace._make(used)


_seen_to: set[tuple[str, Layout]] = set()
"""The loops that are there, or that another process was asked for."""


def compile_ahead(kind: str, fields: Fields, players: int, select: SelectPolicy) -> None:
    """Let another process compile a loop, and a select policy of ours, while this one compiles the game's rules."""
    layout = node_layout(fields, players)
    if (kind, layout) in _seen_to:
        return
    from ponderosa.compile import ahead, native

    _seen_to.add((kind, layout))
    function, signature = _loop_code(LOOPS[kind], layout)
    if native.is_ready(function, signature, scope=scope_of(layout), **OPTIONS):
        return
    named = NAMED["select"].get(select.name)
    ours = named is not None and named().function is select.function
    ahead.compile_ahead(f"{__name__}:compile_here", kind, fields, players, select.name if ours else None)


def compile_here(kind: str, fields: Sequence[Sequence[str]], players: int, select: str | None) -> None:
    """What another process does for `compile_ahead`."""
    layout = node_layout(tuple((name, held) for name, held in fields), players)
    _compiled_loop(LOOPS[kind], layout)
    if select is not None:
        compiled_phase("select", NAMED["select"][select]().function, layout)


@functools.cache
def _compiled_loop(grow: Grow, layout: Layout) -> Any:
    from ponderosa.compile import native

    function, signature = _loop_code(grow, layout)
    return native.compiled(function, signature, scope=scope_of(layout), **OPTIONS)


@functools.cache
def _loop_code(grow: Grow, layout: Layout) -> tuple[Callable[..., int], Any]:
    """What is compiled of a loop: a function that finds rules and phases at their addresses, and its signature."""
    from ponderosa.compile import native
    from ponderosa.compile.native import INT, PARAMS, PATH, named_type

    uses = names_in(grow)
    functions = functions_of(layout, uses)
    game_at, phases_at = (native.functions_in(named, functions) for named in (Game, Phases))

    def grow_at(iterations: int, nodes: Nodes, addresses: Any, params: PhaseParams, work: Workspace) -> int:
        return grow(iterations, nodes, game_at(addresses, params), phases_at(addresses, params), work)

    numbers = named_type(PhaseParams, dict.fromkeys(PhaseParams._fields, PARAMS))
    room = named_type(Workspace, {name: kind for name, kind in field_types(layout).items() if name in uses})
    return grow_at, INT(INT, native.records(layout), PATH, numbers, room)


def compiled_serving(play: Play, copy: Callable[..., Any]) -> Any:
    """What the helpers of mcts/loops/leaf_playouts.py run."""
    from ponderosa.compile import native
    from ponderosa.compile.native import ACTIONS, PARAMS, STATES, VALUES, VOID

    signature = VOID(STATES, ACTIONS, PARAMS, VALUES)
    return native.compiled(leaf_playouts.serving(play, copy), signature, error_model="numpy")


@functools.cache
def compiled_rehash() -> Any:
    """The table of mcts/loops/information_sets.py, moved into a larger one."""
    from ponderosa.compile import native
    from ponderosa.compile.native import INTS, PLACES, VOID

    return native.compiled(information_sets.rehash, VOID(INTS, PLACES, INTS, PLACES), **OPTIONS)


class TreeRoom(NamedTuple):
    """What the steps below work with: the tree, the phases, and the part of a workspace that holds no states."""

    nodes: Nodes
    addresses: npt.NDArray[np.int64]
    """Where the machine code of the phases is."""
    select_params: Params
    expand_params: Params
    backup_params: Params
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


TREE_PHASES = ("select", "expand", "backup")


@functools.cache
def _compiled_steps(layout: Layout) -> _TreeSteps:
    """The steps; each gets the places of a desk with a TreeRoom on it."""
    from ponderosa.compile import native
    from ponderosa.compile.desk import views_of
    from ponderosa.compile.native import BOOL, INT, INTS, PARAMS, PATH, VOID

    params = dict.fromkeys(("select_params", "expand_params", "backup_params"), PARAMS)
    room_at = views_of(TreeRoom, {**field_types(), **params, "nodes": native.records(layout), "addresses": PATH})
    phases_at = native.functions_in(Phases, functions_of(layout, TREE_PHASES))
    descend, lay_out, update = loop.descend, loop.lay_out, loop.update

    def descend_at(places: Any) -> int:
        room = room_at(places)
        room.path[0] = ROOT
        return descend(room.nodes, 0, None, phases_at(room.addresses, room), room)  # type: ignore[arg-type]  # it plays no move

    def lay_out_at(places: Any, node: int, total: int, player: int) -> bool:
        room = room_at(places)
        return lay_out(room.nodes, node, total, player, room)

    def update_at(places: Any, depth: int, plies: int) -> None:
        room = room_at(places)
        update(room.nodes, depth, plies, phases_at(room.addresses, room), room)

    options = {**OPTIONS, "scope": scope_of(layout)}
    return _TreeSteps(
        native.compiled(descend_at, INT(INTS), **options),
        native.compiled(lay_out_at, BOOL(INTS, INT, INT, INT), **options),
        native.compiled(update_at, VOID(INTS, INT, INT), **options),
    )


def plain_grow(phases: Phases, layout: Layout) -> Grow:
    """The loop of mcts/loops/loop.py in Python, for Python states, with steps that are machine code."""
    from ponderosa.compile.desk import Desk

    steps, desk = _compiled_steps(layout), Desk(TreeRoom)
    addresses, places = addresses_of(phases._asdict(), functions_of(layout, TREE_PHASES)), desk.places

    def walk(nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
        depth: int = steps.descend(places)
        loop.play_path(depth, game, work)
        return depth

    def lay_out(nodes: Nodes, node: int, total: int, player: int, work: Workspace) -> bool:
        return bool(steps.lay_out(places, node, total, player))

    def update(nodes: Nodes, depth: int, plies: int, phases: Phases, work: Workspace) -> None:
        steps.update(places, depth, plies)

    expand_leaf = relinked(loop.expand_leaf, lay_out=lay_out)
    run = loop.loop_of(walk, expand_leaf, loop.evaluate, update)

    def grow(iterations: int, nodes: Nodes, game: Game, phases: Phases, work: Workspace) -> int:
        desk.lay(_tree_room(nodes, addresses, phases, work))
        return run(iterations, nodes, game, phases, work)

    return grow


def _tree_room(nodes: Nodes, addresses: npt.NDArray[np.int64], phases: Phases, work: Workspace) -> TreeRoom:
    known = {**phases._asdict(), **work._asdict(), "settings": recorded(work.settings)}
    return TreeRoom(nodes, addresses, *(known[name] for name in TreeRoom._fields[2:]))
