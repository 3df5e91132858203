"""States to begin at, as arrays of bytes. Start at records_of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.compile.record_view import PlainRecord
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.errors import GameError, SettingError
from ponderosa.forest.plan import Plan

States = State | Sequence[State] | npt.NDArray[Any]
"""One state for all trees, a state for each, or an array of records."""
Records = npt.NDArray[np.uint8]
"""States as bytes, a row each."""


def records_of(plan: Plan, trees: int, given: States) -> Records:
    """The states that were given, a row for each tree, ready to be searched and laid out as the plan wants them."""
    if isinstance(given, State):
        one: Records = plan.laid_out(prepared(plan.given, given)[np.newaxis])
        return np.broadcast_to(one, (trees, one.shape[1]))
    return np.asarray(plan.laid_out(all_prepared(plan.given, trees, given)))


def all_prepared(game: Game, trees: int, given: Any) -> Records:
    """A state for each tree, as bytes, made ready to be searched."""
    if len(given) != trees:
        raise SettingError(f"there are {trees} trees and {len(given)} states: give one for each, or one for all")
    if not isinstance(given, np.ndarray):
        return np.array([prepared(game, state) for state in given])
    if given.dtype != game.dtype or given.ndim != 1:
        raise SettingError(f"an array of states has the dtype of {game.title()}, and one dimension")
    rows: Records = np.ascontiguousarray(given).view(np.uint8).reshape(trees, -1).copy()
    if type(game).prepare_for_search is not Game.prepare_for_search:
        for row in rows:
            game.prepare_for_search(PlainRecord(row, np.dtype(game.dtype)))
    return rows


def prepared(game: Game, state: Any) -> Records:
    """The bytes of a state of the game, made ready to be searched."""
    copy = of_game(game, state).clone()
    game.prepare_for_search(copy.record)
    return np.array(copy.data, np.uint8)


def of_game(game: Game, state: Any) -> Any:
    """The state, if it is one of the game."""
    if isinstance(state, State) and (state.game is game or state.game.spec == game.spec):
        return state
    raise GameError(f"this is a forest of {game.spec}, and the state is of another game: {state!r}")
