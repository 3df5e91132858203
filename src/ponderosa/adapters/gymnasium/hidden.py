"""What players of known environments cannot see, drawn anew before each trial. Start at REDRAWS."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.adapters.gymnasium.copying import Redraw

DECK = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


def dealers_card(env: Any, rng: np.random.Generator) -> None:
    """Blackjack: the dealer's second card lies face down until the player sticks; the deck has no end."""
    env.dealer[1:] = [int(rng.choice(DECK))]


REDRAWS: dict[str, Redraw] = {"gymnasium.envs.toy_text.blackjack.BlackjackEnv": dealers_card}


def redraw_for(env: Any) -> Redraw | None:
    """How to draw what is hidden in an environment, if it is known to hide something."""
    kind = type(env.unwrapped)
    return REDRAWS.get(f"{kind.__module__}.{kind.__qualname__}")
