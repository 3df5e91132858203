"""Does `observe` keep its promises? Start at Sights; check_game.py calls it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ponderosa.core.checks.promises import Problem
from ponderosa.core.game import Game
from ponderosa.core.images import symmetric_images
from ponderosa.core.observation import Seen, cube_of, shape_of
from ponderosa.core.state import RecordState
from ponderosa.errors import GameError


def seen_in_python(state: RecordState) -> Seen:
    """What the author's rule fills in, as plain Python, which notices a place outside the array."""
    planes = np.zeros(shape_of(state.game), np.float32)
    state.game.own_rules()["observe"](state.record, planes)
    return planes


class Sights:
    """Remembers what was seen of states: of equal ones the same, of all something."""

    def __init__(self) -> None:
        self._seen_of: dict[Any, bytes] = {}
        self._anything = False

    def problems(self, state: RecordState, planes: Seen) -> Iterator[Problem]:
        """What is wrong with what is seen of a state, after those that were seen before."""
        self._anything = self._anything or bool(planes.any())
        if not np.isfinite(planes).all():
            place = tuple(np.argwhere(~np.isfinite(planes))[0].tolist())
            yield f"observe gives {planes[place]} at {place}: finite numbers are right", "finite"
            return
        compiled = np.full(cube_of(state.game), np.nan, np.float32)
        state.game.rules.observe(state.data, compiled)
        if not np.allclose(compiled.reshape(planes.shape), planes, rtol=1e-5, atol=1e-6):
            yield "observe fills in other numbers compiled than as plain Python; some may overflow", "observe compiled"
        if self._seen_of.setdefault(state._identity(), planes.tobytes()) != planes.tobytes():
            yield "observe shows two things of one position: what is scratch must not be seen", "observe twice"

    def never_seen(self) -> Iterator[Problem]:
        """An observe that shows nothing of any state."""
        if self._seen_of and not self._anything:
            yield "observe fills in nothing but zeros, in any state", "observe nothing"


def image_problems(game: Game, seed: int) -> Iterator[Problem]:
    """What is seen of a board must turn with it."""
    if "observe" in game.own_rules() and not game.viewed:
        try:
            symmetric_images(game, seed)
        except GameError as error:
            yield str(error), "observe image"
