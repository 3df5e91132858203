"""What a network sees of states, as numbers for the player to move. Start at observed.

A game says it by the rule `observe(s, planes)`, which fills an array of zeros of its `observation_shape`: (rows,
columns, planes) of a board, (numbers,) of anything else. Of a game without it every field is seen: fields_seen.py.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core import fields_seen
from ponderosa.core.game import Game
from ponderosa.core.rules import Rules
from ponderosa.errors import GameError, SettingError

Seen = npt.NDArray[np.float32]


def shape_of(game: Game) -> tuple[int, ...]:
    """The shape of what is seen of a state: (rows, columns, planes), or (numbers,)."""
    if not isinstance(game, Game) or game.dtype is None:
        raise GameError("only of a Game with a dtype is something seen: it has fields, or a rule 'observe'")
    if game.viewed:
        raise GameError(f"{game.title()} has hidden things or choices at once: what is seen depends on who looks")
    if game.observation_shape is not None:
        return game.observation_shape
    return (fields_seen.length(game.dtype, game.scratch, game.players),)


def cube_of(game: Game) -> tuple[int, int, int]:
    """The same as the operation `observe` fills it: a list of numbers is a board of one cell."""
    rows, columns, planes = (1, 1, *shape_of(game))[-3:]
    return rows, columns, planes


def observed(game: Game, records: npt.NDArray[Any]) -> Seen:
    """What a network sees of states, which are an array of records of the game's dtype; a row of numbers for each.

    That is what the game's rule `observe` fills in, and without it all of its fields:
    `observed(game, np.array([state.record]))[0]`.
    """
    shape = shape_of(game)
    if not isinstance(records, np.ndarray) or records.dtype != game.dtype or records.ndim != 1:
        raise SettingError(f"records are an array of the dtype of {game.title()}, with one dimension")
    planes = np.zeros((len(records), *cube_of(game)), np.float32)
    rows = np.require(records, requirements=["C", "W"])  # compiled code takes what may be written, and writes nothing
    _over_rows(game.rules)(rows.view(np.uint8).reshape(len(rows), -1), planes)
    return planes.reshape(len(records), *shape)


@functools.lru_cache(maxsize=64)
def _over_rows(rules: Rules) -> Callable[[Any, Any], None]:
    """`observe` for every row, which lets other threads run meanwhile."""
    observe = rules.observe

    def observe_rows(states: Any, planes: Any) -> None:
        for row in range(len(states)):
            observe(states[row], planes[row])

    if isinstance(observe, types.FunctionType):
        return observe_rows
    from ponderosa.compile import native

    made: Callable[[Any, Any], None] = native.compiled(observe_rows, native.VOID(native.STATES, native.PLANE_ROWS))
    return made
