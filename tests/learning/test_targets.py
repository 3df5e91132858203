"""What a network shall say: sums, signs, and what is proven."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.core.bounds import DRAW, LOSS, NOT_LOSS, UNPROVEN, WIN
from ponderosa.learning.targets import said_of, value_targets

NAN = np.nan
UNIT = st.floats(0, 1)


PROVEN = {1.0: WIN, 0.5: DRAW, 0.0: LOSS}


def found(improved, values=None, proven=None, certain=NAN, value=0.5, actions=None):
    """What a search found at one root, as said_of wants it; of proofs and values, nan is nothing."""
    count = len(improved)
    return SimpleNamespace(
        actions=np.array([range(count) if actions is None else actions], np.int32),
        improved=np.array([improved], np.float64),
        values=np.array([[NAN] * count if values is None else values], np.float64),
        proven=np.array([[PROVEN.get(known, UNPROVEN) for known in proven or [NAN] * count]], np.int32),
        value=np.array([value], np.float64),
        certain=np.array([PROVEN.get(certain, UNPROVEN)], np.int32),
    )


def policy_of(*given, columns=3, **more):
    return said_of(found(*given, **more), columns, np.array([0.5])).policies[0]


@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), st.sampled_from([NAN, 0.0, 0.5, 1.0]))
def test_a_policy_is_a_distribution_over_the_moves_that_keep_what_is_proven(shares, certain):
    improved = np.array(shares) / sum(shares)
    policy = policy_of(improved, proven=[certain, NAN, 0.0], certain=certain)
    assert abs(policy.astype(float).sum() - 1) < 3e-3 and (policy >= 0).all()
    if certain in (0.5, 1.0):
        assert policy[0] == 1
    else:
        assert np.allclose(policy, improved, atol=1e-3)


def test_a_proven_win_that_the_search_hardly_tried_is_the_target():
    assert policy_of([1.0, 0.0], proven=[NAN, 1.0], certain=1.0, columns=2).tolist() == [0.0, 1.0]


def test_shares_are_by_action_and_nothing_is_said_of_those_that_are_not_legal():
    policy = policy_of([0.25, 0.75, 0.0], actions=[1, 4, -1], columns=6)
    assert policy.tolist() == [0.0, 0.25, 0.0, 0.0, 0.75, 0.0]


def test_actions_are_drawn_by_their_shares():
    count = 20_000
    one = found([0.1, 0.0, 0.7, 0.2], actions=[0, 3, 4, 8])
    many = SimpleNamespace(**{name: np.repeat(table, count, axis=0) for name, table in vars(one).items()})
    drawn = said_of(many, 9, np.random.default_rng(1).random(count)).drawn
    shares = np.bincount(drawn, minlength=9) / count
    assert np.allclose(shares[[0, 4, 8]], [0.1, 0.7, 0.2], atol=0.02) and shares[[0, 4, 8]].sum() == 1.0


def reference(found, actions):
    """The same in NumPy, as the formulas say it: policies, searched, certain."""
    known = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}
    told = np.vectorize(lambda proven: known.get(int(proven), NAN), otypes=[float])
    certain, keeps = told(found.certain), told(found.proven) == told(found.certain)[:, None]
    keeps &= (found.actions >= 0) & (certain > 0)[:, None]
    shares = np.where(keeps.any(axis=1, keepdims=True), np.where(keeps, np.maximum(found.improved, 1e-3), 0.0),
        found.improved)  # fmt: skip
    policies = np.zeros((len(certain), actions))
    for row, column in zip(*np.nonzero(found.actions >= 0), strict=True):
        policies[row, found.actions[row, column]] = shares[row, column]
    tried = np.isfinite(found.values)
    weights = np.where(tried, found.improved, 0.0)
    whole = weights.sum(axis=1)
    means = (weights * np.where(tried, found.values, 0.0)).sum(axis=1) / np.where(whole > 0, whole, 1.0)
    return policies / policies.sum(axis=1, keepdims=True), np.where(whole > 0, means, found.value), certain


def test_what_is_said_of_many_positions_on_all_cores_is_what_the_formulas_say():
    """Of thousands, so that there are several pieces, the last of them a short one."""
    luck, count, columns = np.random.default_rng(3), 2500, 5
    legal = luck.integers(1, columns + 1, count)
    actions = np.where(np.arange(columns) < legal[:, None], np.arange(columns) * 2 + 1, -1).astype(np.int32)
    improved = np.where(actions >= 0, luck.random((count, columns)), 0.0)
    values = np.where((actions >= 0) & (luck.random((count, columns)) < 0.7), luck.random((count, columns)), NAN)
    searched = SimpleNamespace(
        actions=actions,
        improved=improved / improved.sum(axis=1, keepdims=True),
        values=values,
        proven=luck.choice([UNPROVEN, NOT_LOSS, WIN, DRAW, LOSS], (count, columns)).astype(np.int32),
        value=luck.random(count),
        certain=luck.choice([UNPROVEN, WIN, DRAW, LOSS], count).astype(np.int32),
    )
    said = said_of(searched, 10, luck.random(count))
    policies, means, certain = reference(searched, 10)
    assert np.allclose(said.policies, policies, atol=1e-3)
    assert np.allclose(said.searched, means) and np.array_equal(said.certain, certain, equal_nan=True)


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
    for values, mean in (([0.25, NAN], 0.25), ([NAN, NAN], 0.7)):
        said = said_of(found([0.5, 0.5], values=values, value=0.7), 2, np.array([0.5]))
        assert said.searched.tolist() == [np.float32(mean)]
