"""What a search says of its tree. Start at report_of; report.py is what people get."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from ponderosa.core.bounds import PROVEN_NAMES, for_opponent
from ponderosa.core.game import Game
from ponderosa.mcts.policies.choose.choices import SEARCH_ON
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.mcts.tree.node import ROOT, SURE, certain_value

if TYPE_CHECKING:
    from ponderosa.mcts.tree_search import TreeSearch

PV_LENGTH = 12
LONG_LINES = 30
"""How many of the most visited actions get a whole line in the report."""


def report_of(search: TreeSearch, iterations: int, seconds: float, stopped: str) -> Report:
    """The report after this many iterations and seconds, and what ended them."""
    engine, tree, state = search.engine, search.tree, search.engine.root_state()
    root, strategy = tree.nodes[ROOT], _strategy(search)
    entries = [
        _entry(search, action, child, state, strategy, PV_LENGTH if place < LONG_LINES else 1)
        for place, (action, child) in enumerate(_by_visits(search, state))
    ]
    if search._symmetric is not None:
        entries = search._symmetric.covered(tree, entries)
    line = search._keep_best()
    best_action = _best_action(search, entries, strategy, line)
    chosen = next(entry for entry in entries if entry.action == best_action)
    player, proven = engine.player(), int(root["proven"])
    return Report(
        game=search.game.spec if isinstance(search.game, Game) else search.game.title(),
        player=player,
        best_action=best_action,
        best_name=chosen.name,
        value=0.5 if chosen.value is None else chosen.value,
        proven=PROVEN_NAMES.get(proven if root["mover"] == player else for_opponent(proven)),
        iterations=iterations,
        nodes=tree.used,
        positions=tree.positions,
        seconds=seconds,
        stopped=stopped,
        seed=search.seed,
        actions=tuple(entries),
        bounds=_bounds(search, ROOT),
        **({} if line is None else _told(search, line, state)),
    )


def _by_visits(search: TreeSearch, state: Any) -> list[tuple[Any, int | None]]:
    """Every action at the root with its child, if it has one; the most visited first, of equal ones the better one."""
    nodes, engine = search.tree.nodes, search.engine
    begin = int(nodes[ROOT]["first"])
    children = range(begin, begin + int(nodes[ROOT]["count"]))
    in_tree = {engine.action(nodes[child]["action"]): child for child in children}
    found = [(action, in_tree.get(action)) for action in engine.legal_actions(state)]
    totals = {child: (-int(nodes[child]["visits"]), -float(nodes[child]["value"])) for child in children}
    return sorted(found, key=lambda pair: (0, 0.0) if pair[1] is None else totals[pair[1]])


def _entry(
    search: TreeSearch, action: Any, child: int | None, state: Any, strategy: dict[int, float], length: int
) -> ActionReport:
    name = search.engine.action_name(state, action)
    if child is None:
        return ActionReport(action, name, 0, None, None, (name,))
    node = search.tree.nodes[child]
    visits = int(node["visits"])
    mean = certain_value(node, int(node["mover"]))
    mean = float(node["value"]) / visits if mean is None and visits else mean
    return ActionReport(
        action,
        name,
        visits,
        None if mean is None else search.scaled(mean),
        PROVEN_NAMES.get(int(node["proven"])),
        (name,) if search.engine.viewed else _line(search, child, state, length),
        expected=None if mean is None else in_measure(search.game, mean),
        strategy=strategy.get(child),
        bounds=_bounds(search, child),
        prior=float(node["prior"]) if search.policies.select.priors else None,
    )


def _best_action(
    search: TreeSearch,
    entries: list[ActionReport],
    strategy: dict[int, float],
    line: tuple[float, tuple[Any, ...]] | None,
) -> Any:
    """What to play, by the choose policy."""
    choose = search.policies.choose
    win = winning_action(search) if choose.takes_wins else None
    if win is not None:
        return win
    if line is not None and line[1] and choose.best_line:
        return line[1][0]
    best = _best_child(search, strategy)
    return entries[0].action if best is None else search.engine.action(search.tree.nodes[best]["action"])


def winning_action(search: TreeSearch) -> Any:
    """An action at the root that wins at once, if there is one."""
    state, player = search.engine.root_state(), search.engine.player()
    for action in search.engine.legal_actions(state):
        after = state.clone()
        search.engine.play(after, action)
        if after.is_terminal() and after.returns()[player] == in_measure(search.game, 1.0):
            return action
    return None


def _best_child(search: TreeSearch, strategy: dict[int, float]) -> int | None:
    nodes, engine = search.tree.nodes, search.engine
    if nodes[ROOT]["count"] == 0:
        return None
    if search.policies.choose.draws:  # the same one every time that the tree is looked at
        draw = random.Random(f"{search.seed} {int(nodes[ROOT]['visits'])}")
        return draw.choices(list(strategy), list(strategy.values()))[0]
    best = engine.choose(nodes, ROOT)
    return best if best != SEARCH_ON else engine.most_visited(nodes, ROOT)


def _strategy(search: TreeSearch) -> dict[int, float]:
    """How often to play what at the root, by child, if the select policy says it."""
    select, nodes = search.policies.select, search.tree.nodes
    if select.strategy is None or nodes[ROOT]["count"] == 0:
        return {}
    shares, begin = np.zeros(nodes[ROOT]["count"]), int(nodes[ROOT]["first"])
    select.strategy(nodes, ROOT, np.array(select.params), shares)
    return dict(enumerate(shares.tolist(), begin))


def _line(search: TreeSearch, child: int, state: Any, length: int) -> tuple[str, ...]:
    """The most visited line from a child of the root down, as people write it."""
    nodes, engine, state = search.tree.nodes, search.engine, state.clone()
    names: list[str] = []
    while True:
        action = engine.action(nodes[child]["action"])
        names.append(engine.action_name(state, action))
        if nodes[child]["count"] == 0 or len(names) == length:
            return tuple(names)
        engine.play(state, action)
        child = engine.most_visited(nodes, child)


def _bounds(search: TreeSearch, node: int) -> tuple[float, float] | None:
    """What is certain of a node for the player who searches, in the game's measure, if scores are proven."""
    if not search.settings.bounded:
        return None
    player, sure = search.engine.player(), search.tree.nodes[node][SURE]
    return in_measure(search.game, float(sure[player])), in_measure(search.game, 1.0 - float(sure[1 - player]))


def _told(search: TreeSearch, line: tuple[float, tuple[Any, ...]], state: Any) -> dict[str, Any]:
    """The best line as people write it, and its score: as the game counts it, where the line goes to the end."""
    names = []
    for action in line[1]:
        names.append(search.engine.action_name(state, action))
        search.engine.play(state, action)
    score = float(state.returns()[0]) if state.is_terminal() else in_measure(search.game, line[0])
    return {"best_line": tuple(names), "best_score": score}


def in_measure(game: Any, value: float) -> float:
    """A result from 0 to 1 in the game's own measure, that of `returns`."""
    low, high = (game.min_utility, game.max_utility) if isinstance(game, Game) else (game.low, game.high)
    return value if math.isinf(low) or math.isinf(high) else float(low + value * (high - low))
