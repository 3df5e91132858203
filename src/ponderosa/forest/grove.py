"""The arrays of a forest: rows of trees, and room for those who work on them. Start at new_trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ponderosa.compile.enabled import jit_enabled
from ponderosa.core.turns import CHANCE
from ponderosa.forest.kernel import Found, Room, Trees
from ponderosa.forest.plan import Plan
from ponderosa.mcts.engines import kernels
from ponderosa.mcts.loops.leaf_playouts import SPARE_STATES
from ponderosa.mcts.loops.loop import ENDLESS, OWN
from ponderosa.mcts.tree.counters import COUNTERS

PHASES = ("select", "expand", "playout", "backup", "choose")
LOOKED_AT = 16
"""Roots, at most, that say how many actions a game has."""
APART = 8
"""Rows of room from one worker to the next: no line of the cache holds what two of them write to."""


def nodes_for(plan: Plan, iterations: int, max_nodes: int | None) -> int:
    """How many nodes a new tree needs for some iterations: each expands one position at most."""
    needed = 2 + iterations * (plan.game.max_actions + 1)
    return needed if max_nodes is None else min(needed, max_nodes + 1)


def guessed_nodes(plan: Plan, iterations: int, roots: Any) -> int:
    """The same for games that declare more actions than there are: by what may be done at some of the roots."""
    rules, actions, most = plan.given.build_rules(compiled=False), np.zeros(plan.given.max_actions, np.int32), 1
    for root in plan.told(roots[:: -(-len(roots) // LOOKED_AT)]):
        if not rules.is_terminal(root):
            deals = rules.current_player(root) == CHANCE
            count = (
                rules.chance_outcomes(root, actions, np.zeros(len(actions)))
                if deals
                else rules.legal_actions(root, actions)
            )
            most = max(most, abs(int(count)))
    return 2 + iterations * (most + 1)


def new_trees(plan: Plan, nodes: Any, iterations: int, solve: bool, zeros: Callable[..., Any] = np.zeros) -> Trees:
    """Trees in this room for nodes, a row each; `zeros` makes an array that tasks read or write often."""
    size, count, asks = plan.game.state_bytes, len(nodes), plan.asks
    settings = np.repeat(np.array([tuple(plan.settings(solve))], kernels.SETTINGS), count)
    return Trees(
        nodes=nodes,
        counters=zeros((count,), COUNTERS),
        settings=settings if jit_enabled() else settings.view(np.recarray),
        roots=np.zeros((count, size), np.uint8),
        over=zeros((count,), np.int32),
        player=zeros((count,), np.int32),
        results=np.zeros((count, plan.game.players)),
        rng=zeros((count, 1), np.uint64),
        note=zeros((count,), np.int32),
        wanted=zeros((count,), np.int64),
        done=zeros((count,), np.int64),
        chosen=zeros((count,), np.int32),
        **{f"{phase}_params": tiled(plan.params(phase, iterations), count, zeros) for phase in PHASES},
        best=tiled(plan.first_result(), count, zeros).reshape(count),
        best_moves=np.zeros((count, plan.deepest_best), np.int64),
        leaves=np.zeros((count, plan.room_of_state if asks else 1), np.uint8),
        paths=np.zeros((count, plan.deepest + 2 if asks else 1), np.int64),
        priors=np.zeros((count, 0)),
        values=np.zeros((count, 1)),
        planes=np.zeros((count, *plan.planes), np.float32),
        blank=plan.blank,
    )


def tiled(row: Any, count: int, zeros: Callable[..., Any] = np.zeros) -> Any:
    """A row, once for each tree."""
    table = zeros((count, *row.shape), row.dtype)
    table[:] = row
    return table


def new_room(plan: Plan, workers: int) -> Room:
    """Room for this many workers."""
    longer, deepest, game = plan.room_of_state, plan.deepest, plan.game
    rows = 1 + APART * (workers - 1)
    actions, dice = game.max_actions, game.max_actions if game.chance else 1
    return Room(
        state=np.zeros((rows, longer), np.uint8),
        spare=np.zeros((rows, SPARE_STATES, longer), np.uint8),
        path=np.zeros((rows, deepest), np.int64),
        moves=np.zeros((rows, deepest), np.int64),
        actions=np.zeros((rows, actions), np.int32),
        values=np.zeros((rows, game.players)),
        probabilities=np.zeros((rows, dice)),
        parents=np.zeros((rows, deepest), np.int64),
        window=np.zeros((rows, 2)),
    )


def new_found(count: int, columns: int, empty: Callable[..., Any] = np.empty) -> Found:
    """Room for what is found at the roots; `empty` makes an array of a shape and a dtype."""
    table, column = (count, columns), (count,)
    return Found(
        actions=empty(table, np.int32),
        visits=empty(table, np.int32),
        values=empty(table, np.float64),
        proven=empty(table, np.int32),
        improved=empty(table, np.float64),
        value=empty(column, np.float64),
        certain=empty(column, np.int32),
    )


class FoundLater:
    """What was found, fetched table by table when somebody looks: it has the names of Found."""

    def __init__(self, table: Callable[[str], Any]) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        if name not in Found._fields:
            raise AttributeError(name)
        vars(self)[name] = found = self._table(name)
        return found

    def __reduce__(self) -> Any:
        return Found, tuple(getattr(self, name) for name in Found._fields)


def joined(parts: Sequence[Any]) -> Any:
    """What was found in several groves, one after the other."""
    if len(parts) == 1:
        return parts[0]

    def table(name: str) -> Any:
        tables = [getattr(part, name) for part in parts]
        if tables[0].ndim == 1:
            return np.concatenate(tables)
        nothing = {"actions": -1, "values": np.nan}.get(name, 0)
        missing = [max(each.shape[1] for each in tables) - each.shape[1] for each in tables]
        wide = [
            np.pad(each, ((0, 0), (0, more)), constant_values=nothing)
            for each, more in zip(tables, missing, strict=True)
        ]
        return np.concatenate(wide)

    return FoundLater(table)


def begin_anew(plan: Plan, trees: Trees, iterations: int) -> None:
    """Forget what policies have learned in trees that are about to be planted again."""
    if "select_params" not in plan.unchanged:
        trees.select_params[:] = plan.params("select", iterations)
    if trees.playout_params.shape[1] > OWN + 1:  # the policy has numbers of its own, and may change them
        trees.playout_params[:] = plan.params("playout", iterations)
    else:
        trees.playout_params[:, ENDLESS] = 0.0
    if plan.keeps_best:
        trees.best[:] = plan.first_result()
    trees.done[:] = 0
