"""A game of luck and skill, and a player whose skill has its top at a known setting. Start at Planted.

Both players name a number and the higher one wins; a player of skill s draws from a normal distribution around s, so
that the stronger of two wins with the chance that the difference of their skills says.
"""

from __future__ import annotations

import math
import random
from typing import Any

from ponderosa import Game, rule

TOP = 1.4
"""The setting c at which the player is strongest."""
STEEP = 600.0
"""How much Elo a distance of 1.5 costs."""
SKILL = 400 / math.log(10) * math.sqrt(4 / math.pi)
"""Elo a unit of skill at small differences: the difference of two draws has a deviation of the root of 2."""


class Duel(Game):
    """Two numbers, the higher one wins."""

    def setup(self, s: Any) -> None:
        s.numbers = []

    @rule
    def current_player(s):
        return len(s.numbers) % 2

    @rule
    def legal_actions(s):
        return list(range(2000))

    @rule
    def apply_action(s, a):
        s.numbers = [*s.numbers, a]

    @rule
    def is_terminal(s):
        return len(s.numbers) == 2

    @rule
    def returns(s):
        first, second = s.numbers
        return (0.0, 0.0) if first == second else (1.0, -1.0) if first > second else (-1.0, 1.0)


class Planted:
    """Strongest at c = TOP; `kind` adds to its skill; it sleeps for `wait` seconds."""

    def __init__(self, game: Any, c: float = 0.8, kind: str = "plain", wait: float = 0.0, seed: int = 0) -> None:
        self.skill = -STEEP * ((c - TOP) / 1.5) ** 2 / SKILL + (0.5 if kind == "better" else 0.0)
        self.wait, self._random = wait, random.Random(seed)

    def reset(self, seed: int) -> None:
        self._random.seed(seed)

    def step(self, state: Any) -> int:
        if self.wait:
            import time

            time.sleep(self.wait)
        return min(max(round(1000 + 100 * self._random.gauss(self.skill, 1)), 0), 1999)
