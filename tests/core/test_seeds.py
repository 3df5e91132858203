"""Many generators at once are those that are made one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from ponderosa.core.rng import new_rng, seed_of
from ponderosa.core.seeds import new_rngs


@given(st.integers(0, 2**128 - 1))
@example(0)
@example(2**32 - 1)
@example(2**32)
@example(2**127)
def test_many_generators_are_those_that_are_made_one_by_one(seed: int) -> None:
    assert np.array_equal(new_rngs(seed, 20), [new_rng(seed_of(seed, index)) for index in range(20)])
