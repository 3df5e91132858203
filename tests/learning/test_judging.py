"""A network judges a position alike, in a batch or in pieces on all cores."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import load_game
from ponderosa.learning.judging import PIECE, Judge
from ponderosa.networks.file import shape_for
from ponderosa.networks.residual import Dense

jax = pytest.importorskip("jax", reason='learning needs the extra "learn"')


@pytest.fixture(scope="module")
def judge():
    game, network = load_game("tictactoe"), Dense(8, 1)
    return Judge(network, network.init(jax.random.PRNGKey(1), shape_for(game, 9)), game)


@pytest.mark.parametrize("count", [1, PIECE, 2 * PIECE + 5])
def test_pieces_are_judged_as_the_whole_is(judge, count):
    planes = np.random.default_rng(count).integers(0, 2, (count, 3, 3, 2)).astype(np.float32)
    expected = [np.asarray(part) for part in judge.at_once(planes)]
    for found, whole in zip(judge(planes), expected, strict=True):
        np.testing.assert_allclose(found, whole, atol=1e-6)


def test_other_parameters_judge_otherwise_at_once(judge):
    planes, old = np.ones((PIECE + 1, 3, 3, 2), np.float32), judge.params
    before = judge(planes)
    judge.params = jax.tree.map(lambda part: part + 0.1, old)
    changed = judge(planes)
    judge.params = old
    assert not np.allclose(before[0], changed[0])
    assert np.array_equal(judge(planes)[0], before[0])
