"""A network judges a position alike, in a batch or in pieces on all cores."""

from __future__ import annotations

from types import SimpleNamespace

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


class OnCard:
    """Stands in for an array of a card, which JAX on a processor reads as any other."""

    def __init__(self, planes):
        self._planes, self.shape = planes, planes.shape

    @property
    def __cuda_array_interface__(self):
        return {"data": (self._planes.ctypes.data, False)}


def test_planes_that_stay_in_their_place_on_a_card_are_read_once_and_judged_as_they_are_now(judge, monkeypatch):
    read = []

    def as_of_jax(planes):
        """JAX's view of such an array: where it is, without a copy."""
        read.append(planes)
        return SimpleNamespace(unsafe_buffer_pointer=lambda: planes.__cuda_array_interface__["data"][0], of=planes)

    monkeypatch.setattr(jax.numpy, "asarray", as_of_jax)
    one, other = (OnCard(np.zeros((4, 3, 3, 2), np.float32)) for _ in range(2))
    seen = [judge._as_of_jax(planes).of for planes in (one, one, other, one)]
    assert seen == [one, one, other, one] and read == [one, other, one]
    monkeypatch.setattr(jax.numpy, "asarray", lambda planes: SimpleNamespace(unsafe_buffer_pointer=lambda: 1))
    copies = [judge._as_of_jax(other) for _ in range(2)]
    assert copies[0] is not copies[1]
