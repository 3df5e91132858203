"""Hidden games without information sets: guess the hidden part, search as if it were open. Start at Determinized.

The yardstick for mcts/loops/information_sets.py: it does not cheat, but inside every guess all players know everything,
so it neither hides its own secrets nor asks for others' (Cowling, Powley & Whitehouse 2012 compare with it).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.core.budget import Budget
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import new_rng
from ponderosa.core.state import RecordState
from ponderosa.errors import GameError
from ponderosa.mcts.search import Search


class Determinized(Agent):
    """Several guesses at the hidden part, each searched as an open game with its share of the time; visits add up."""

    def __init__(
        self,
        game: Game,
        seconds: float | None = None,
        iterations: int | None = None,
        worlds: int = 20,
        seed: int = 0,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if not isinstance(game, Game) or not game.hidden or game.dtype is None or game.simultaneous:
            raise GameError("determinized is for games with hidden things, a dtype, and one player at a time")
        check_number("worlds", worlds, 1, 10_000, whole=True)
        self.paced = seconds is None and iterations is None
        self.budget: Budget = Budget(iterations, 1.0 if self.paced else seconds)
        self.worlds, self.game = worlds, game
        self.search: Search = Search(game.open_twin(), seed=seed, clock=clock)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """As new, with another seed."""
        self._rng = new_rng(seed)
        self.search.reset(seed)

    def step(self, state: RecordState) -> Any:
        """The action that most iterations tried, over all guesses."""
        visits: Counter[Any] = Counter({action: 0 for action in state.legal_actions()})
        for part in range(self.worlds):
            share = self.budget.share(part, self.worlds)
            if share is None:
                break
            guess = state.resample_from_infostate(state.to_move(), self._rng)
            data = guess.data[: self.search.game.state_bytes].copy()
            report = self.search.run(
                RecordState(self.search.game, data, []), iterations=share.iterations, seconds=share.seconds
            )
            for entry in report.actions:
                visits[entry.action] += entry.visits if entry.action in visits else 0
        return visits.most_common(1)[0][0]
