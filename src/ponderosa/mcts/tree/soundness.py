"""Whether nodes that were read form a tree, and its moves can be made. Start at check_nodes.

Rules that are machine code trust the actions that they are given: one that is not legal writes where it must not. So
all moves of a tree are played once before it is used; that takes less time than unpacking it did.
"""

from __future__ import annotations

import functools
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.compile.annotations import Actions, Values
from ponderosa.core.bounds import DRAW, LOSS, NOT_LOSS, NOT_WIN, UNPROVEN, WIN
from ponderosa.core.game import Game
from ponderosa.core.rules import jit_enabled, signatures
from ponderosa.core.turns import CHANCE
from ponderosa.errors import PonderosaError, TreeFileError
from ponderosa.mcts.tree.node import LEFT_OUT, ROOT, UNTRIED, Nodes

Path = npt.NDArray[np.int64]
PIECE = 2**20
"""How many nodes are looked at together: what is made of them takes room."""


class Operations(NamedTuple):
    """What the walk through a tree calls of a game; core/rules.py says what they do."""

    copy: Any
    current_player: Any
    legal_actions: Any
    apply_action: Any
    is_terminal: Any
    chance_outcomes: Any


class Room(NamedTuple):
    """What the walk writes on; a line of the tree is one after the other in each."""

    states: Any
    path: Path
    """The nodes of the line."""
    following: Path
    """How many children of each were walked through."""
    actions: Actions
    probabilities: Values


def check_nodes(path: File, nodes: Any, state: Any) -> None:
    """The nodes form a tree that grows from the state, in which every move is legal."""
    game: Game = state.game
    pieces = range(0, len(nodes), PIECE)
    if not all(_sound(nodes, begin, game.players) for begin in pieces) or not _separate(nodes):
        raise TreeFileError(f"{path} is damaged: its nodes do not form a tree")
    depth = _depth(nodes)
    searched = state.clone()
    game.prepare_for_search(searched.record)
    if depth > game.longest or _first_fault(nodes, game, searched.data, depth) >= 0:
        raise TreeFileError(f"{path} is damaged: its nodes hold moves that {game.spec} does not allow")


def replayed(path: File, game: Game, moves: Any) -> Any:
    """The state after the moves that a file tells."""
    if not isinstance(moves, list) or not all(type(action) is int for action in moves):
        raise TreeFileError(f"{path} is damaged: its list of moves cannot be read")
    state = game.new_initial_state()
    try:
        for action in moves:
            state.apply_action(action)
    except (PonderosaError, OverflowError) as error:
        raise TreeFileError(f"{path} is damaged: its moves cannot be made: {error}") from None
    return state


def _sound(nodes: Any, begin: int, players: int) -> bool:
    """Whether the links of a piece of the nodes stay inside the tree, and the numbers inside their ranges."""
    total, nodes = len(nodes), nodes[begin : begin + PIECE]
    first, count = nodes["first"].astype(np.int64), nodes["count"].astype(np.int64)
    sound = (
        (first >= UNTRIED)
        & (count >= 0)
        & (first + count <= total)
        & ((first > 0) == (count > 0))
        & (first < total)
        & (nodes["visits"] >= 0)
        & (nodes["mover"] >= 0)
        & (nodes["mover"] < players)
        & np.isin(nodes["proven"], (UNPROVEN, NOT_LOSS, WIN, NOT_WIN, DRAW, LOSS))
        & (nodes["value"] >= 0)
        & (nodes["value"] <= nodes["visits"] * (1 + 1e-9))
    )
    # links only lead forward, so that no walk goes round
    forward = (first <= 0) | (first > np.arange(begin, begin + len(nodes)))
    numbers = [nodes[name] for name in nodes.dtype.names if nodes.dtype[name].base.kind == "f"]
    return bool((sound & forward).all()) and all(np.isfinite(found).all() for found in numbers)


def _separate(nodes: Any) -> bool:
    """Whether no node has two parents, and none that is in the tree waits beside it."""
    parents = np.flatnonzero(nodes["first"] > 0)
    parents = parents[np.argsort(nodes["first"][parents], kind="stable")]
    begins = nodes["first"][parents].astype(np.int64)
    opened = begins + nodes["count"][parents]
    untried = nodes["first"] == UNTRIED
    behind = np.append(np.flatnonzero(~untried), len(nodes))  # the first node from a place on that does not wait
    ends = behind[np.searchsorted(behind, opened)]
    waiting = np.append(0, np.cumsum(untried, dtype=np.int32))
    return not (untried[ROOT] or (ends[:-1] > begins[1:]).any() or (waiting[opened] != waiting[begins]).any())


def _depth(nodes: Any) -> int:
    """How many moves the longest line has."""
    level, depth = np.array([ROOT]), 0
    while True:
        level = level[nodes["count"][level] > 0]
        if len(level) == 0:
            return depth
        begins, counts = nodes["first"][level].astype(np.int64), nodes["count"][level].astype(np.int64)
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        level, depth = np.repeat(begins, counts) + offsets, depth + 1


def _first_fault(nodes: Any, game: Game, root: Any, depth: int) -> int:
    """The first node with a move that is not legal there; -1, if there is none."""
    if depth == 0:
        return -1
    states = np.zeros((depth + 1, len(root)), np.uint8)
    states[0] = root
    path, following = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    actions, probabilities = np.zeros(game.max_actions, np.int32), np.zeros(game.max_actions)
    room = Room(states, path, following, actions, probabilities)
    rules = Operations(*(getattr(game.rules, name) for name in Operations._fields))
    if not jit_enabled():
        return int(first_fault(nodes, rules, room))
    from ponderosa.compile import native

    return int(_compiled(nodes.dtype)(nodes, native.addressed(rules, _signatures()), room))


def first_fault(nodes: Nodes, game: Operations, room: Room) -> Any:
    """Walk through the tree, one line after the other; the states of a line lie one behind the other."""
    states, path, following, actions = room.states, room.path, room.following, room.actions
    depth = 0
    while depth >= 0:
        node, state = path[depth], states[depth]
        begin, count = nodes[node]["first"], nodes[node]["count"]
        if following[depth] == 0:
            if game.is_terminal(state):
                return node
            if game.current_player(state) == CHANCE:
                total = game.chance_outcomes(state, actions, room.probabilities)
            else:
                total = game.legal_actions(state, actions)
            if total > len(actions) or not all_legal(nodes, begin, count, actions, total):
                return node
        while following[depth] < count and nodes[begin + following[depth]]["first"] <= 0:
            following[depth] += 1
        if following[depth] == count:
            depth -= 1
            continue
        child = begin + following[depth]
        following[depth] += 1
        depth += 1
        game.copy(states[depth], state)
        game.apply_action(states[depth], nodes[child]["action"])
        path[depth], following[depth] = child, 0
    return -1


def all_legal(nodes: Nodes, begin: int, count: int, actions: Actions, total: int) -> bool:
    """Whether the children of a node, and those that wait behind them, are some of the legal actions."""
    actions[:total].sort()
    slot = begin
    while slot < begin + count or (slot < len(nodes) and nodes[slot]["first"] == UNTRIED):
        action = nodes[slot]["action"]
        low, high = 0, total
        while low < high:
            middle = (low + high) // 2
            if actions[middle] < action:
                low = middle + 1
            else:
                high = middle
        found = low < total and actions[low] == action
        if not found and (slot < begin + count or action != LEFT_OUT):
            return False
        slot += 1
    return slot - begin <= total + 1


@functools.cache
def _compiled(layout: np.dtype[Any]) -> Any:
    """The walk as machine code: once for a layout of nodes, whatever the game."""
    from ponderosa.compile import native
    from ponderosa.compile.native import ACTIONS, INT, PATH, STATES, VALUES, named_type, records
    from ponderosa.mcts.engines.kernels import scope_of

    walk, game_at = first_fault, native.functions_at(_signatures())

    def fault_at(nodes: Nodes, game: Operations, room: Room) -> Any:
        return walk(nodes, game_at(game), room)

    addresses = named_type(Operations, dict.fromkeys(Operations._fields, INT))
    room = {"states": STATES, "path": PATH, "following": PATH, "actions": ACTIONS, "probabilities": VALUES}
    signature = INT(records(layout), addresses, named_type(Room, room))
    return native.compiled(fault_at, signature, scope=scope_of(layout), error_model="numpy")


def _signatures() -> dict[str, Any]:
    """The compiled signatures of the operations."""
    return {name: signatures()[name] for name in Operations._fields}
