"""The slow agents after a published comparison: states are Python lists. Start at Slow."""

from __future__ import annotations

from typing import Any

from ponderosa.agents.connect.named import needs_connect
from ponderosa.agents.mcts import MctsAgent
from ponderosa.connect.list_states import ListState
from ponderosa.core.game import Game
from ponderosa.core.state import RecordState, State
from ponderosa.games.connect import Connect
from ponderosa.mcts.engines.phases import Playout
from ponderosa.mcts.policies.base import PlayoutPolicy, Policy
from ponderosa.mcts.policies.playout.playouts import random


class Slow(MctsAgent):
    """The search of fast over plain Python lists; every move looks over the whole board for a win."""

    def __init__(self, game: Game, seconds: float | None = None, seed: int = 0, **settings: Any) -> None:
        self.rules = needs_connect(self, game)
        super().__init__(ListState(self.rules), seconds=seconds, seed=seed, **settings)

    def seen(self, state: State) -> ListState:
        return ListState.after(self.rules, state.history())


class Medium(Slow):
    """Lists in the tree like slow, playouts on compiled arrays like fast."""

    def __init__(self, game: Game, seconds: float | None = None, seed: int = 0, **settings: Any) -> None:
        playout = on_arrays(needs_connect(self, game))
        super().__init__(game, seconds=seconds, seed=seed, playout=playout, **settings)


def on_arrays(rules: Connect) -> Policy:
    """A random playout that puts the stones of a list state on the arrays of the compiled game and goes on there."""
    playout = Playout(rules, random())

    def play(game: Any, state: Any, spare: Any, actions: Any, params: Any, rng: Any, values: Any) -> int:
        arrays = RecordState.initial(rules)
        for action in state.state.moves:
            rules.rules.apply_action(arrays.data, action)
        return playout(arrays.data, rng, values)

    return PlayoutPolicy(play, (), "on_arrays")
