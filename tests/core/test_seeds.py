"""Many generators at once are those that are made one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from ponderosa.core.rng import new_rng, seed_of
from ponderosa.core.seeds import new_rngs, rngs_of, seeds_of


@given(st.integers(0, 2**128 - 1))
@example(0)
@example(2**32 - 1)
@example(2**32)
@example(2**127)
def test_many_generators_are_those_that_are_made_one_by_one(seed: int) -> None:
    assert np.array_equal(new_rngs(seed, 20), [new_rng(seed_of(seed, index)) for index in range(20)])


indices = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5)


@given(st.integers(0, 2**128 - 1) | st.integers(0, 10), indices)
def test_the_seeds_of_one_seed_are_those_of_seed_of(seed: int, found: list[int]) -> None:
    assert seeds_of(seed, np.array(found)).tolist() == [seed_of(seed, index) for index in found]


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 2**32), min_size=1, max_size=5))
def test_each_seed_has_seeds_of_its_own_and_a_generator(seeds: list[int]) -> None:
    numbers, places = np.array(seeds, np.uint64), np.arange(len(seeds))
    assert seeds_of(numbers, places).tolist() == [seed_of(seed, index) for index, seed in enumerate(seeds)]
    assert np.array_equal(rngs_of(numbers), [new_rng(seed) for seed in seeds])
