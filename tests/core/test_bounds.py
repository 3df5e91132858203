"""What is certain of a position, as one number."""

from __future__ import annotations

import itertools

import pytest

from ponderosa.core.bounds import (
    DRAW,
    LOSS,
    NOT_LOSS,
    NOT_WIN,
    PROVEN_NAMES,
    PROVEN_VALUES,
    UNPROVEN,
    WIN,
    bounds,
    bounds_of_results,
    for_opponent,
    is_settled,
    lower_bound,
    tightened,
    upper_bound,
)

PAIRS = {UNPROVEN: (0, 2), NOT_LOSS: (1, 2), WIN: (2, 2), NOT_WIN: (0, 1), DRAW: (1, 1), LOSS: (0, 0)}


@pytest.mark.parametrize("proven", PAIRS)
def test_bounds_are_read_as_they_were_written(proven):
    lower, upper = PAIRS[proven]
    assert bounds(lower, upper) == proven
    assert (lower_bound(proven), upper_bound(proven)) == (lower, upper)
    assert (lower_bound(for_opponent(proven)), upper_bound(for_opponent(proven))) == (2 - upper, 2 - lower)
    assert is_settled(proven) == (lower == upper) == (proven in PROVEN_NAMES) == (proven in PROVEN_VALUES)


@pytest.mark.parametrize("proven", PAIRS)
def test_results_from_0_to_1_become_the_bounds_that_they_allow(proven):
    lower, upper = PAIRS[proven]
    assert bounds_of_results(lower / 2, upper / 2) == proven


def test_results_between_a_draw_and_an_end_are_bounds_that_claim_no_more():
    assert bounds_of_results(0.25, 0.75) == UNPROVEN
    assert bounds_of_results(0.75, 1.0) == NOT_LOSS
    assert bounds_of_results(0.0, 0.25) == NOT_WIN


def test_two_proofs_together_are_as_tight_as_each():
    for one, other in itertools.product(PAIRS, repeat=2):
        lower = max(PAIRS[one][0], PAIRS[other][0])
        upper = min(PAIRS[one][1], PAIRS[other][1])
        if lower <= upper:
            assert tightened(one, other) == bounds(lower, upper)
