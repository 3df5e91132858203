"""Random numbers: in range, even, and the same at both speeds."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from numba import types

from ponderosa.compile.native import INT, RNG, compiled
from ponderosa.core.rng import below, bits, new_rng, shuffle, uniform

DRAWS = 20_000


def chi_square(counts, cells: int) -> float:
    """How far the counts are from even; about `cells - 1` if they are random."""
    expected = sum(counts.values()) / cells
    return sum((counts.get(cell, 0) - expected) ** 2 / expected for cell in counts) + expected * (cells - len(counts))


def far_too_uneven(cells: int) -> float:
    """More than four standard deviations above the mean of the chi-square distribution."""
    return cells - 1 + 4 * (2 * (cells - 1)) ** 0.5


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [1, 2, 3, 7, 225, 1000])
def test_below_is_in_range_and_even(n, seed):
    rng = new_rng(seed)
    counts = Counter(int(below(rng, n)) for _ in range(DRAWS))
    assert set(counts) <= set(range(n))
    assert n == 1 or chi_square(counts, n) < far_too_uneven(n)


@pytest.mark.parametrize("seed", range(3))
def test_uniform_is_in_range_and_even(seed):
    rng = new_rng(seed)
    numbers = [float(uniform(rng)) for _ in range(DRAWS)]
    assert all(0.0 <= number < 1.0 for number in numbers)
    assert chi_square(Counter(int(number * 50) for number in numbers), 50) < far_too_uneven(50)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_draws_are_even(seed):
    rng = new_rng(seed)
    counts = Counter((int(below(rng, 8)), int(below(rng, 8))) for _ in range(DRAWS))
    assert chi_square(counts, 64) < far_too_uneven(64)


@pytest.mark.parametrize("seed", range(3))
def test_every_order_of_a_shuffle_is_equally_likely(seed):
    rng, counts = new_rng(seed), Counter()
    for _ in range(DRAWS // 4):
        items = np.arange(4)
        shuffle(rng, items, 4)
        counts[tuple(items.tolist())] += 1
    assert set(counts) == set(itertools.permutations(range(4)))
    assert chi_square(counts, 24) < far_too_uneven(24)


def test_shuffle_leaves_what_is_behind_the_length():
    items = np.arange(10)
    shuffle(new_rng(0), items, 5)
    assert sorted(items[:5]) == list(range(5))
    assert items[5:].tolist() == [5, 6, 7, 8, 9]


def test_seeds_give_different_sequences_and_the_same_seed_the_same():
    first, again, other = ([int(bits(rng)) for _ in range(8)] for rng in (new_rng(1), new_rng(1), new_rng(2)))
    assert first == again
    assert not set(first) & set(other)


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**64 + 3])
def test_the_sequence_is_the_same_compiled_and_plain(seed):
    def draw(rng, whole, real, order):
        for index in range(len(whole)):
            whole[index] = below(rng, index + 1)
            real[index] = uniform(rng)
            shuffle(rng, order, len(order))

    def results(function):
        rng, whole, real, order = new_rng(seed), np.zeros(200, np.int64), np.zeros(200), np.arange(13)
        function(rng, whole, real, order)
        return rng.tolist(), whole.tolist(), real.tolist(), order.tolist()

    signature = types.void(RNG, INT[::1], types.float64[::1], INT[::1])
    assert results(compiled(draw, signature)) == results(draw)
