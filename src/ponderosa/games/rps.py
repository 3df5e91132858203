"""Rock, paper, scissors, once or again and again, with payoffs of your own. Start at RockPaperScissors."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.core.game import SIMULTANEOUS, Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError

SHAPES = ("rock", "paper", "scissors")
"""Each beats the one before it, and the first the last."""
MOST_ROUNDS = 1000


class RockPaperScissors(Game):
    """Both show a shape at once: paper beats rock, scissors beat paper, rock beats scissors; equal ones count nothing.

    `wins` is what the loser pays the winner for a win by rock, by paper, and by scissors.
    """

    name = "rps"
    label = "Rock, paper, scissors"
    simultaneous = True
    max_actions = len(SHAPES)

    def __init__(self, rounds: int = 1, wins: tuple[float, ...] = (1.0, 1.0, 1.0)) -> None:
        if not 1 <= rounds <= MOST_ROUNDS:
            raise SettingError(f"rps: rounds must be 1 to {MOST_ROUNDS}, not {rounds}")
        if not (isinstance(wins, tuple | list) and len(wins) == len(SHAPES) and all(map(is_payoff, wins))):
            raise SettingError(f"rps: wins are three numbers above 0, for rock, paper and scissors, not {wins!r}")
        self.rounds, self.wins = rounds, tuple(map(float, wins))
        self.max_game_length = 2 * rounds
        *_, self.max_utility = itertools.accumulate([max(self.wins)] * rounds)  # rounded as a score is, round by round
        self.min_utility = -self.max_utility
        self.dtype = np.dtype(
            [
                ("wins", "f8", len(SHAPES)),
                ("score", "f8"),  # what the second player has paid the first
                ("left", "i2"),  # rounds to play
            ]
        )

    def setup(self, s: Record) -> None:
        s.left = self.rounds
        s.wins[:] = self.wins

    @rule
    def current_player(s: Record) -> Any:
        return SIMULTANEOUS

    @rule
    def legal_actions(s: Record, player: Int, actions: Actions) -> Any:
        for shape in range(len(SHAPES)):
            actions[shape] = shape
        return len(SHAPES)

    @rule
    def random_action(s: Record, player: Int, rng: Rng) -> Any:
        return below(rng, len(SHAPES))

    @rule
    def apply_actions(s: Record, actions: Actions) -> None:
        ahead = (actions[0] - actions[1]) % len(SHAPES)
        if ahead == 1:
            s.score += s.wins[actions[0]]
        elif ahead == 2:
            s.score -= s.wins[actions[1]]
        s.left -= 1

    @rule
    def is_terminal(s: Record) -> Any:
        return s.left == 0

    @rule
    def returns(s: Record) -> Any:
        return s.score, -s.score

    def action_to_string(self, s: Record, a: int) -> str:
        return SHAPES[a]

    def ending(self, s: Record) -> str:
        lead = abs(float(s.score))
        return f"{lead:g} point{'s' * (lead != 1)} ahead" if lead else "as many points"

    def draw(self, s: Record) -> str:
        payoffs = ", ".join(f"{shape} {worth:g}" for shape, worth in zip(SHAPES, s.wins, strict=True))
        return f"{self.player_name(0)} leads by {s.score:g}, rounds to play: {s.left}\nfor a win by {payoffs}"


def is_payoff(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0.0 < value < math.inf
