"""Keeping the moves of a playout, for policies that learn from them. Start at recording.

A playout moves by `game.apply_action(state, action)` alone, so that is where moves are noted: behind the state's bytes,
in a list of numbers. The first says how many there are; each is action * players + player.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.compile.enabled import Speed, speed_here
from ponderosa.core.game import Game
from ponderosa.core.rules import Rules, at_speed
from ponderosa.mcts.loops.workspace import State

LONGEST = 4096
"""How many moves are noted of games that do not say how long they may be."""


def room(game: Game, more: int = 0, zeros: Callable[..., Any] = np.zeros) -> tuple[Any, Any, int]:
    """A state with room for moves behind it, and some more; that room as numbers; and how long such a state is."""
    begin, end = _begin(game), _begin(game) + (4 * (1 + _longest(game)) + 7) // 8 * 8
    state = zeros(end + more, np.uint8)
    return state, state[begin:end].view(np.int32), len(state)


def recording(game: Game, rules: Rules | None = None, speed: Speed | None = None) -> Rules:
    """The game's operations, or these at another speed, with an apply_action that notes the move first."""
    rules = rules or game.rules
    wrapper = _noting(rules, _begin(game), _longest(game), game.players)
    name = f"{rules.__name__}_recording"
    return rules.with_another(name, apply_action=at_speed(wrapper, "apply_action", speed or speed_here()))


def _begin(game: Game) -> int:
    return (game.state_bytes + 7) // 8 * 8


def _longest(game: Game) -> int:
    return min(game.longest, LONGEST)


def _noting(rules: types.ModuleType, begin: int, most: int, players: int) -> Any:
    apply_action, current_player = rules.apply_action, rules.current_player

    def noting(state: State, action: int) -> None:
        moves = state[begin:].view(np.int32)
        if moves[0] < most:
            moves[0] += 1
            moves[moves[0]] = action * players + current_player(state)
        apply_action(state, action)

    return noting
