"""What a network sees of a state is the same for every state that is, at both speeds, for one tree or for many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ponderosa import Forest
from ponderosa.core.observation import observed, shape_of
from tests.helpers import EVERY_GAME, in_python, loaded, random_game, specs

SEEN = [spec for spec in EVERY_GAME.values() if not loaded(spec).viewed]
"""Games in which all see everything."""


def records_of(states: list[Any]) -> Any:
    """States of a game as an array of records."""
    return np.array([state.data for state in states]).view(states[0].game.dtype).reshape(-1)


@pytest.mark.parametrize("spec", [spec for spec in specs() if spec.values[0] in SEEN])
def test_machine_code_sees_what_python_sees(spec: str) -> None:
    game = loaded(spec)
    records = records_of(random_game(game, seed=1)[:60])
    seen = observed(game, records)
    assert seen.shape == (len(records), *shape_of(game)) and seen.dtype == np.float32
    assert np.isfinite(seen).all() and seen.any(axis=tuple(range(1, seen.ndim))).all()
    assert np.array_equal(seen, observed(in_python(spec), records))


class Judge:
    """An evaluator that wants planes."""

    sees = "planes"

    def __call__(self, states: Any) -> Any:
        return None, np.zeros(len(states))


def test_a_forest_fills_in_what_is_seen_of_its_roots() -> None:
    game = loaded("tictactoe")
    states = random_game(game, seed=1)[:5]
    forest = Forest(game, trees=len(states), evaluator=Judge())
    forest.run(states, iterations=1)
    rows: Any = forest._rows
    rows.planes[:] = 7.0
    forest._orders[:1] = 0
    forest._do("observe", rows)
    assert np.array_equal(rows.planes.reshape(len(states), *shape_of(game)), observed(game, records_of(states)))
