"""What whoever runs a game does at turns that are nobody's alone: dice, choices at once. Start at roll."""

from __future__ import annotations

import random
from typing import Any

from ponderosa.core.turns import CHANCE
from ponderosa.errors import GameError

MOST_ROLLS = 1000
"""If chance decides this many times in a row, it would for ever."""


def roll(state: Any, luck: random.Random) -> Any:
    """One outcome of a state in which chance decides, drawn with the game's own probabilities."""
    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
    return luck.choices(outcomes, chances)[0]


def roll_on(state: Any, luck: random.Random) -> None:
    """Let chance decide for as long as nobody else is to move; the state changes."""
    for _ in range(MOST_ROLLS):
        if state.to_move() != CHANCE:
            return
        state.apply_action(roll(state, luck))
    if state.to_move() == CHANCE:
        raise dice_for_ever(state.game)


def dice_for_ever(game: Any) -> GameError:
    """What to say when nobody else ever gets a turn."""
    return GameError(
        f"chance decides more than {MOST_ROLLS} times in a row in {game.title()}: "
        "apply_action must lead to a player's turn, or to the end"
    )


def midst_of_choices(state: Any) -> bool:
    """Whether, of those who choose at once, some have chosen and some have not."""
    return bool(state.is_simultaneous_node() and state.chosen())
