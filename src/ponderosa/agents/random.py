"""The agent that plays any legal move. Start at RandomAgent."""

from __future__ import annotations

import random
from typing import Any

from ponderosa.agents.agent import Agent


class RandomAgent(Agent):
    """Any legal action, all equally likely."""

    def __init__(self, game: Any, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def reset(self, seed: int) -> None:
        """As new, with another seed."""
        self._random.seed(seed)

    def step(self, state: Any) -> Any:
        """A random legal action."""
        return self._random.choice(state.legal_actions())


class Blind(RandomAgent):
    """Any legal action: the player of published comparisons that sees nothing."""
