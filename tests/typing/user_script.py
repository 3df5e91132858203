"""What a user writes, under `mypy --strict`: a game, a search, agents, a match, a walk. test_types.py checks it.

Pyright has nothing to say against it either, in its strict mode: `pyright tests/typing/user_script.py`.
"""

from collections.abc import Iterator
from typing import Any, reveal_type

import numpy as np

import ponderosa
from ponderosa import (
    ActionReport,
    Agent,
    Budget,
    Game,
    Policy,
    PonderosaError,
    Report,
    Search,
    State,
    load_agent,
    load_game,
    match,
    rule,
)


class Nim(Game):
    dtype = np.dtype([("stones", "i4"), ("player", "i1")])

    def __init__(self, stones: int = 21) -> None:
        self.stones = stones

    def setup(self, s: Any) -> None:
        s.stones = self.stones

    @rule
    def current_player(s: Any) -> Any:
        return s.player

    @rule
    def legal_actions(s: Any) -> Iterator[int]:
        yield from range(1, min(3, s.stones) + 1)

    @rule
    def apply_action(s: Any, a: Any) -> None:
        s.stones -= a
        s.player = 1 - s.player

    @rule
    def is_terminal(s: Any) -> Any:
        return s.stones == 0

    @rule
    def returns(s: Any) -> tuple[float, float]:
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)


class First(Agent):
    """An agent of one's own."""

    def step(self, state: State) -> int:
        return int(state.legal_actions()[0])

    def reset(self, seed: int) -> None:
        """It keeps nothing."""


class Bare:
    """Another one, that is no Agent."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def step(self, state: State) -> int:
        return int(state.legal_actions()[-1])


def half_way(report: Report) -> bool:
    return report.iterations < 500


game = Nim(stones=9)
reveal_type(game)
reveal_type(load_game("connect4"))
state = game.new_initial_state()
reveal_type(state)
reveal_type(state.legal_actions())
reveal_type(state.returns())
reveal_type(state.child(1))
reveal_type(state.current_player())

search = Search(game, seed=1, c=1.4)
reveal_type(search)
report = search.run(state, iterations=1000, progress=half_way)
reveal_type(report)
reveal_type(report.value)
reveal_type(report.proven)
reveal_type(report.actions)
reveal_type(report.actions[0].visits)
reveal_type(report.best_name)
reveal_type(report.best_action)
reveal_type(ponderosa.search(state, iterations=10))
best: ActionReport = report.actions[0]

reveal_type(report.tree.root)
for node in report.tree:
    reveal_type(node)
    if node.parent is not None and node.visits > 10:
        print(node.name, node.depth, node.value, [child.visits for child in node.children])
reveal_type(report.tree.root.best_line)

agent = load_agent("mcts:iterations=20", game)
reveal_type(agent)
reveal_type(agent.last_report)
state.apply_action(agent.step(state))
mine: Agent = First(game)
mine.reset(2)
state.apply_action(mine.step(state))

result = match(game, First, Bare, 2)
reveal_type(result)
reveal_type(result.elo)

budget = Budget(iterations=100)
reveal_type(budget.seconds)
try:
    Search(game, select=Policy("select", max))
except PonderosaError as error:
    reveal_type(error)
