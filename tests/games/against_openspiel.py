"""A game's rules against OpenSpiel's, move by move, in random games. Start at play_both."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyspiel

from ponderosa import Game
from ponderosa.core.turns import TERMINAL


def play_both(
    game: Game, theirs: str, games: int, translated: Callable[[Any, int], str] | None = None, seed: int = 0
) -> int:
    """Play random games of ours and theirs side by side: the same moves, the same player, the same results.

    A move of theirs is known by its text, or by what `translated(state, action)` makes of it. Returns how many moves
    were compared.
    """
    named = translated or (lambda state, action: state.action_to_string(action))
    rng, compared, other = random.Random(seed), 0, pyspiel.load_game(theirs)
    for _ in range(games):
        own, state = game.new_initial_state(), other.new_initial_state()
        while not own.is_terminal():
            ours = {own.action_to_string(action): action for action in own.legal_actions()}
            found = {named(state, action): action for action in state.legal_actions()}
            assert set(ours) == set(found), f"{own}\n{state}"
            assert own.to_move() == state.current_player()
            name = rng.choice(sorted(ours))
            own.apply_action(ours[name])
            state.apply_action(found[name])
            compared += 1
        assert state.current_player() == TERMINAL, f"{own}\n{state}"
        assert own.returns() == state.returns()
    return compared
