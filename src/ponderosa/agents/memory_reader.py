"""What a memory knows, for people. Start at read_known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.agents.memory import MEMORY, start_of
from ponderosa.core.bounds import PROVEN_NAMES, PROVEN_VALUES
from ponderosa.core.game import Game
from ponderosa.errors import TreeFileError
from ponderosa.mcts.tree.archive import read_arrays
from ponderosa.mcts.tree.node import ROOT, UNTRIED
from ponderosa.mcts.tree.soundness import check_nodes
from ponderosa.mcts.tree.storage import rules_fingerprint

Line = tuple[str, ...]


@dataclass(frozen=True)
class KnownMove:
    """A first move, or what the dice show first."""

    name: str
    visits: int
    value: float | None
    """Its mean, from 0 to 1, for the player who makes it; what is proven stands above it."""
    proven: str | None
    games: int
    """How many finished games began with it."""
    score: float | None
    """The mean result of these games, for the same player."""


@dataclass(frozen=True)
class Known:
    """A memory in figures."""

    file: str
    game: str
    format: str
    version: str
    """The version of Ponderosa that wrote it."""
    select: str
    """The policy that its nodes are made for."""
    games: int
    """How many finished games it has learned from."""
    positions: int
    """How many positions are in the tree."""
    nodes: int
    """How many nodes they take, with the moves that were not tried yet."""
    size: int
    """Bytes of the file."""
    moves: tuple[KnownMove, ...]
    """The first moves, the most visited first."""
    main_line: Line
    """The most visited line."""
    deepest_line: Line
    """The longest line; the most visited of those."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def read_known(path: str | Path, load_game: Callable[[str], Game]) -> Known:
    """Read a memory; `load_game` finds the game that it names."""
    path = Path(path).expanduser()
    arrays, about = read_arrays(path, MEMORY)
    nodes, game = arrays["nodes"], load_game(about["game"])
    if rules_fingerprint(game) != about["rules"] or start_of(game) != about["start"]:
        raise TreeFileError(f"{path} was learned with other rules of {about['game']!r} than {game.spec!r} has now")
    check_nodes(path, nodes, game.new_initial_state())
    lines = (_named(game, line) for line in (main_line(nodes), deepest_line(nodes)))
    return Known(
        str(path), about["game"], str(about["format"]), str(about.get("ponderosa", "")), str(about["select"]),
        int(nodes[ROOT]["games"]), int((nodes["first"] != UNTRIED).sum()), len(nodes), path.stat().st_size,
        _first_moves(nodes, game), *lines,
    )  # fmt: skip


def main_line(nodes: Any) -> list[int]:
    """The actions of the most visited line."""
    line, node = [], ROOT
    while nodes[node]["count"] > 0:
        begin = int(nodes[node]["first"])
        node = begin + int(nodes["visits"][begin : begin + int(nodes[node]["count"])].argmax())
        line.append(int(nodes[node]["action"]))
    return line


def deepest_line(nodes: Any) -> list[int]:
    """The actions of the longest line; of several, the one that ends with the most visits."""
    parents = np.full(len(nodes), -1, np.int64)
    level = np.array([ROOT])
    while True:
        level_parents = level[nodes["count"][level] > 0]
        if len(level_parents) == 0:
            break
        begins, counts = nodes["first"][level_parents], nodes["count"][level_parents]
        below = np.concatenate([np.arange(begin, begin + count) for begin, count in zip(begins, counts, strict=True)])
        parents[below] = np.repeat(level_parents, counts)
        level = below
    node = int(level[nodes["visits"][level].argmax()])
    line: list[int] = []
    while node != ROOT:
        line.insert(0, int(nodes[node]["action"]))
        node = int(parents[node])
    return line


def _first_moves(nodes: Any, game: Game) -> tuple[KnownMove, ...]:
    state, root = game.new_initial_state(), nodes[ROOT]
    children = nodes[int(root["first"]) : int(root["first"]) + int(root["count"])]
    moves = [
        KnownMove(
            name=state.action_to_string(int(node["action"])),
            visits=int(node["visits"]),
            value=PROVEN_VALUES.get(int(node["proven"]), _mean(node["value"], node["visits"])),
            proven=PROVEN_NAMES.get(int(node["proven"])),
            games=int(node["games"]),
            score=_mean(node["won"], node["games"]),
        )
        for node in children
    ]
    return tuple(sorted(moves, key=lambda move: -move.visits))


def _mean(total: Any, count: Any) -> float | None:
    return float(total) / int(count) if count else None


def _named(game: Game, line: list[int]) -> Line:
    """A line as people write it; what the file says is played only if it is legal."""
    state, names = game.new_initial_state(), []
    for action in line:
        if action not in state.legal_actions():
            break
        names.append(state.action_to_string(action))
        state.apply_action(action)
    return tuple(names)
