"""What a network relies on in a game, as one fingerprint: what is seen, what is legal, how games end. Start at conduct.

A saved tree is of one record and one set of functions, and its fingerprint is of their code. A network outlives both:
it must load under another version of Python, and where a rule was only made faster. So some games are played, drawn
from a fixed seed, and what a network could notice of them is hashed.
"""

from __future__ import annotations

import functools
import hashlib
import random
from typing import Any

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.observation import observed
from ponderosa.core.state import RecordState
from ponderosa.core.turns import CHANCE

GAMES, MOVES = 8, 400
"""So many games are played, and so many moves in all of them at most."""
DIGITS = 3
"""Of observed numbers; the last bits of a logarithm are the machine's."""


@functools.lru_cache(maxsize=16)
def conduct(game: Game) -> str:
    """The fingerprint of what a network can notice of a game, dice included; other rules have another one."""
    draw, digest, left = random.Random(0), hashlib.sha256(), MOVES
    for _ in range(GAMES):
        state = RecordState.initial(game)
        game.prepare_for_search(state.record)  # without what only matters to people
        while left > 0 and not state.is_terminal():
            left -= 1
            state.apply_action(_noted(game, state, digest, draw))
        results: Any = np.array(state.returns() if state.is_terminal() else [], "<f8")
        digest.update((np.round(results, DIGITS) + 0.0).tobytes())  # no zero is a negative one
    return digest.hexdigest()[:32]


def _noted(game: Game, state: RecordState, digest: Any, draw: random.Random) -> Any:
    """An action that was drawn, or what dice show; what a network could notice before it is noted."""
    if state.to_move() == CHANCE:
        outcomes = sorted(outcome for outcome, _ in state.chance_outcomes())
        return outcomes[int(draw.random() * len(outcomes))]
    actions = sorted(state.legal_actions())
    seen: Any = observed(game, state.data.view(np.dtype(game.dtype)))
    digest.update(f"{state.to_move()} {actions}".encode() + (np.round(seen, DIGITS) + 0.0).astype("<f4").tobytes())
    return actions[int(draw.random() * len(actions))]
