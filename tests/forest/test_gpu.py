"""On a machine with a CUDA card: the trees there are those of the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ponderosa import Forest, load_game, observed
from ponderosa.compile import cuda
from ponderosa.core.observation import shape_of
from tests.forest.test_card import COMPOSITIONS, SEARCHED
from tests.helpers import Nim, random_game

REASON = cuda.missing()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]


def assert_same(game: Any, trees: int = 300, iterations: int = 200, **settings: Any) -> None:
    """Two runs and a move between, on both."""
    forests = [Forest(game, trees, device=device, seed=5, **settings) for device in ("cpu", "cuda")]
    for count in (iterations, iterations // 2):
        cores, card = (forest.run(iterations=count) for forest in forests)
        for name in ("best_actions", "iterations", "nodes", "child_visits", "child_proven"):
            assert np.array_equal(getattr(cores, name), getattr(card, name)), name
        assert np.array_equal(cores.child_values, card.child_values, equal_nan=True)
        for forest in forests:
            forest.advance(cores.best_actions)
        assert np.array_equal(forests[0].roots, forests[1].roots)


@pytest.mark.parametrize("spec", SEARCHED)
def test_trees_of_every_game_are_those_of_the_processor(spec: str) -> None:
    game = load_game(spec)
    if not game.chance:  # a forest begins where somebody chooses
        assert_same(game)


@pytest.mark.parametrize("settings", COMPOSITIONS, ids=str)
def test_with_other_policies_too(settings: dict[str, Any]) -> None:
    assert_same(load_game("connect4"), **settings)


def test_a_game_of_ones_own_runs_as_it_is_written() -> None:
    assert_same(Nim((2, 3, 4)))


def test_an_evaluator_is_asked_for_all_leaves_at_once() -> None:
    sizes = []

    def evaluator(states: Any) -> Any:
        sizes.append(len(states))
        return None, np.sin(states.view(np.uint8).reshape(len(states), -1).sum(axis=1))

    assert_same(load_game("connect4"), trees=100, iterations=40, evaluator=evaluator, select="puct")
    assert max(sizes) == 100


class SeesPlanes:
    """An evaluator that is handed what `observe` fills in."""

    sees = "planes"

    def __call__(self, states: Any) -> Any:
        return None, np.zeros(len(states))


@pytest.mark.parametrize("spec", SEARCHED)
def test_what_is_seen_there_is_what_the_processor_sees(spec: str) -> None:
    game = load_game(spec)
    states = random_game(game, seed=3)[:200]
    forest = Forest(game, len(states), device="cuda", evaluator=SeesPlanes())
    forest.begin(states, np.zeros((len(states), 1), np.uint64))
    forest._do("observe", forest._rows)
    forest._hands._fetch(forest._rows, ("planes",))
    records = np.array([state.data for state in states]).view(game.dtype).reshape(-1)
    seen = forest._rows.planes.reshape(len(states), *shape_of(game))
    assert np.allclose(seen, observed(game, records), rtol=1e-6)
