"""Our games as other packages' learners want them: actions from 0 to a known count, and arrays. Start at Numbered."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ponderosa.core.game import Game
from ponderosa.core.observation import observed, shape_of
from ponderosa.core.state import State
from ponderosa.core.turns import CHANCE
from ponderosa.errors import GameError, SettingError

GAMES = 12
"""How many random games are looked at for the largest number of an action."""
MOST_PLIES = 400


class Numbered:
    """A game's actions and what its players see, counted and shaped."""

    def __init__(self, game: Game, actions: int | None = None) -> None:
        """`actions` is one more than the largest action; None: it is seen in random games, and rounded up."""
        if game.dtype is None:
            raise GameError(f"{game.title()} has no dtype: only of a game with fields there are arrays to learn from")
        if actions is not None and (isinstance(actions, bool) or not isinstance(actions, int) or actions < 1):
            raise SettingError(f"actions must be a whole number of at least 1, not {actions!r}")
        self.game = game
        self.actions = actions or count_of_actions(game)
        self.shape = (len(_numbers(game.new_initial_state())),) if game.viewed else shape_of(game)

    def mask(self, legal: list[int]) -> np.ndarray[Any, np.dtype[np.int8]]:
        """1 for each legal action."""
        found = np.zeros(self.actions, np.int8)
        if legal:
            if max(legal) >= self.actions:
                raise GameError(
                    f"{self.game.title()} has an action {max(legal)}, more than random games showed: "
                    f"say actions={max(legal) + 1} or more"
                )
            found[legal] = 1
        return found

    def seen(self, state: State, player: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        """What a player sees: of a game with hidden information the fields that are left to the player, else as
        networks see it, with the eyes of who is to move."""
        if self.game.viewed:
            return _numbers(state if state.is_terminal() else state.observation(player))
        return np.asarray(observed(self.game, _record(state))[0], np.float32)


def count_of_actions(game: Game) -> int:
    """How many numbers actions need: as many as a state may have, if they begin at 0; else the next power of two."""
    most, rng = 0, random.Random(1)
    for _ in range(GAMES):
        state = game.new_initial_state()
        for _ in range(MOST_PLIES):
            if state.is_terminal():
                break
            legal = state.legal_actions()
            if state.to_move() != CHANCE:
                if min(legal) < 0:
                    raise GameError(f"{game.title()} has the action {min(legal)}: learners count actions from 0")
                most = max(most, *legal)
            state.apply_action(rng.choice(legal))
    return game.max_actions if most < game.max_actions else 1 << int(most).bit_length()


def _record(state: Any) -> np.ndarray[Any, Any]:
    """The state's record, as an array of one."""
    dtype = state.game.dtype
    found: np.ndarray[Any, Any] = state.data[: dtype.itemsize].view(dtype).copy()
    return found


def _numbers(state: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    """All fields but those that only make rules fast, one after the other."""
    row = _record(state)[0]
    names = [name for name in state.game.dtype.names if name not in state.game.scratch]
    return np.concatenate([np.asarray(row[name], np.float32).ravel() for name in names])
