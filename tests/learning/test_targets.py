"""What a network shall say: sums, signs, and what is proven."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.learning.targets import policy_targets, search_values, value_targets

NAN = np.nan
UNIT = st.floats(0, 1)


@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), st.sampled_from([NAN, 0.0, 0.5, 1.0]))
def test_a_policy_is_a_distribution_over_the_moves_that_keep_what_is_proven(shares, certain):
    improved = np.array([shares]) / sum(shares)
    proven = np.array([[certain, NAN, 0.0]])
    policy = policy_targets(improved, proven, np.array([certain]))[0]
    assert abs(policy.sum() - 1) < 1e-5 and (policy >= 0).all()
    if certain in (0.5, 1.0):
        assert policy[0] == 1
    else:
        assert np.allclose(policy, improved[0], atol=1e-5)


def test_a_proven_win_that_the_search_hardly_tried_is_the_target():
    policy = policy_targets(np.array([[1.0, 0.0]]), np.array([[NAN, 1.0]]), np.array([1.0]))
    assert policy.tolist() == [[0.0, 1.0]]


def test_the_value_is_for_the_player_to_move():
    results = np.array([[1.0, 0.0], [1.0, 0.0]])
    values = value_targets(results, np.array([0, 1]), np.array([0.5, 0.5]), np.array([NAN, NAN]), share=1.0)
    assert values.tolist() == [1.0, -1.0]


@given(UNIT, UNIT, UNIT, st.sampled_from([NAN, 0.0, 0.5, 1.0]))
def test_a_value_lies_between_the_result_and_the_search_and_is_exact_where_it_is_proven(
    result, searched, share, certain
):
    values = value_targets(
        np.array([[result, 1 - result]]), np.array([0]), np.array([searched]), np.array([certain]), share
    )
    ends = [2 * value - 1 for value in ((result, searched) if np.isnan(certain) else (certain, certain))]
    assert min(ends) - 1e-5 <= values[0] <= max(ends) + 1e-5


def test_of_three_players_the_one_to_move_has_the_first_value_and_the_others_follow():
    values = value_targets(np.array([[0.0, 0.5, 1.0]]), np.array([1]), np.array([0.9]), np.array([NAN]), share=1.0)
    assert values.tolist() == [[0.0, 1.0, -1.0]]


def test_actions_that_were_never_tried_have_no_part_in_the_value_of_a_search():
    found = search_values(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([[0.25, NAN], [NAN, NAN]]), np.array([0.7, 0.7]))
    assert found.tolist() == [0.25, 0.7]
