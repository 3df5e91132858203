"""Seeds for many at once are those for each alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.core.many_seeds import rngs_of, seeds_of
from ponderosa.core.rng import SEED_BITS, new_rng, seed_of

indices = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5)


@given(st.integers(0, 2**SEED_BITS - 1) | st.integers(0, 10), indices)
def test_the_seeds_of_one_seed_are_those_of_seed_of(seed: int, found: list[int]) -> None:
    assert seeds_of(seed, np.array(found)).tolist() == [seed_of(seed, index) for index in found]


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 2**32), min_size=1, max_size=5))
def test_each_seed_has_seeds_of_its_own_and_a_generator(seeds: list[int]) -> None:
    numbers, places = np.array(seeds, np.uint64), np.arange(len(seeds))
    assert seeds_of(numbers, places).tolist() == [seed_of(seed, index) for index, seed in enumerate(seeds)]
    assert np.array_equal(rngs_of(numbers), [new_rng(seed) for seed in seeds])
