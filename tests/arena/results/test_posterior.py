"""Intervals and likelihoods: a better result never lowers them, and they hold what they promise."""

from __future__ import annotations

import importlib.util
import itertools
import math
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ponderosa.arena.results.display import _likely
from ponderosa.arena.results.posterior import interval, superiority
from ponderosa.arena.results.statistics import Clusters, Estimate, score_of, share_interval

NOISE = 1e-7
"""What numbers may differ by without meaning anything."""
scores = st.sampled_from([0.0, 0.5, 1.0])
matches = st.lists(st.lists(scores, min_size=1, max_size=2), min_size=1, max_size=12)
"""Games, those of a pair together."""


def estimated(groups: list[list[float]]) -> Estimate:
    clusters = Clusters()
    for group, results in enumerate(groups):
        for score in results:
            clusters.add(group, score)
    found = clusters.estimate()
    assert found is not None
    return found


def counted(wins: int, draws: int, losses: int, paired: bool = False) -> Estimate:
    results = [1.0] * wins + [0.5] * draws + [0.0] * losses
    size = 2 if paired else 1
    return estimated([results[at : at + size] for at in range(0, len(results), size)])


def figures(found: Estimate) -> tuple[float, float, float, float]:
    return found.score, score_of(found.low), score_of(found.high), found.los


def is_no_lower(one: Estimate, other: Estimate) -> bool:
    return all(mine >= theirs - NOISE for mine, theirs in zip(figures(one), figures(other), strict=True))


@given(matches, st.data())
def test_a_better_result_of_a_game_never_lowers_anything(groups: list[list[float]], data: st.DataObject) -> None:
    group = data.draw(st.sampled_from(range(len(groups))))
    place = data.draw(st.sampled_from(range(len(groups[group]))))
    assume(groups[group][place] < 1)
    better = [list(results) for results in groups]
    better[group][place] += 0.5
    assert is_no_lower(estimated(better), estimated(groups))


@given(matches, st.booleans())
def test_a_win_more_never_lowers_anything(groups: list[list[float]], in_pair: bool) -> None:
    more = [list(results) for results in groups]
    if in_pair and len(more[-1]) == 1:
        more[-1].append(1.0)
    else:
        more.append([1.0])
    assert is_no_lower(estimated(more), estimated(groups))


@given(matches)
def test_the_other_side_sees_the_mirror_image(groups: list[list[float]]) -> None:
    ours, theirs = figures(estimated(groups)), figures(estimated([[1 - score for score in each] for each in groups]))
    assert (ours[0], ours[3]) == pytest.approx((1 - theirs[0], 1 - theirs[3]), abs=NOISE)
    assert (ours[1], ours[2]) == pytest.approx((1 - theirs[2], 1 - theirs[1]), abs=NOISE)


@given(matches)
def test_the_interval_lies_between_nothing_and_all_and_holds_the_score(groups: list[list[float]]) -> None:
    score, low, high, los = figures(estimated(groups))
    assert 0 <= low <= score + NOISE and score - NOISE <= high <= 1
    assert 0 < los < 1 and low < high


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_shares_of_any_size_have_such_an_interval_too(shares: list[float]) -> None:
    low, high = share_interval([(share, 1) for share in shares])
    assert 0 <= low <= sum(shares) / len(shares) + NOISE <= high + 2 * NOISE <= 1 + 2 * NOISE


@pytest.mark.parametrize("paired", [False, True])
def test_a_clean_sweep_says_more_than_one_with_a_loss(paired: bool) -> None:
    ladder = [counted(10 - lost, 0, lost, paired) for lost in range(11)]
    assert all(is_no_lower(one, other) for one, other in itertools.pairwise(ladder))
    assert ladder[0].los > ladder[1].los > 0.99 > ladder[2].los


def test_few_games_say_what_a_flat_prior_says() -> None:
    assert counted(3, 1, 0).los == pytest.approx(0.9375)
    assert counted(1, 0, 0).los == pytest.approx(0.75)
    assert counted(10, 0, 0).los == pytest.approx(1 - 0.5**11)
    assert counted(4, 0, 0, paired=True).los < counted(4, 0, 0).los


@pytest.mark.parametrize(
    ("chance", "said"), [(0.5, "50.0 %"), (0.9986, "99.9 %"), (1.0, "over 99.9 %"), (0.0, "under 0.1 %")]
)
def test_no_superiority_is_called_certain(chance: float, said: str) -> None:
    assert _likely(chance) == said


def test_a_sure_superiority_is_a_lower_end_above_equality_only_with_games_to_spare() -> None:
    for wins in range(1, 12):
        found = counted(wins, 0, 0)
        assert (found.low > 0) <= (found.los > 0.975)


def test_only_draws_leave_something_open() -> None:
    found = counted(0, 4, 0)
    assert found.elo == 0 and found.low == pytest.approx(-found.high) and found.high > 100


@pytest.mark.parametrize("games", [1000, 100_000])
def test_many_games_give_what_the_normal_distribution_says(games: int) -> None:
    low, high = interval({(1.0, 1.0): 0.6 * games, (0.0, 1.0): 0.4 * games})
    half = 1.96 * math.sqrt(0.24 / games)
    assert (low, high) == pytest.approx((0.6 - half, 0.6 + half), abs=0.03 * half)
    assert superiority({(1.0, 1.0): 0.6 * games, (0.0, 1.0): 0.4 * games}) > 1 - 1e-9


def test_chances_far_out_are_none() -> None:
    assert superiority({(1.0, 1.0): 400.0}) == 1.0
    assert superiority({(0.0, 1.0): 400.0}) == 0.0


def test_results_without_draws_follow_the_beta_distribution() -> None:
    beta = pytest.importorskip("scipy.stats").beta
    for won, lost in [(7, 3), (1, 19), (30, 30), (150, 2)]:
        low, high = interval({(1.0, 1.0): won, (0.0, 1.0): lost})
        assert low == pytest.approx(beta.ppf(0.025, won + 0.5, lost + 1), abs=1e-7)
        assert high == pytest.approx(beta.ppf(0.975, won + 1, lost + 0.5), abs=1e-7)


def benchmark() -> ModuleType:
    path = Path(__file__).parents[3] / "benchmarks" / "interval_coverage.py"
    spec = importlib.util.spec_from_file_location("coverage_of_intervals", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOLD = benchmark()


@pytest.mark.parametrize("near", TOLD.RANGES)
@pytest.mark.parametrize("games", [4, 6, 10, 20])
def test_intervals_hold_the_truth_as_often_as_they_say(games: int, near: str) -> None:
    """Exactly, over all results that there are; few games between near equals have too few to be less than sure."""
    shares = {(kind, draws): TOLD.coverage(kind, draws, games, near) for kind in TOLD.KINDS for draws in TOLD.DRAWS}
    assert min(shares.values()) > 0.93, shares
    few = games < 20 and near in ("0.5", "0.6", "0.75")
    assert max(shares.values()) < (1 + NOISE if few else 0.98), shares


def test_no_other_interval_that_sees_both_sides_alike_would_be_right_after_four_games_of_equals() -> None:
    """A 4 to 0, or a 0 to 4, comes in one match of eight: to hold 0.5 always, or in 87.5 %, is all that is possible."""
    kinds = TOLD.chances(TOLD.SINGLE, 0.5, 0.0)
    assert 1 - 2 * kinds[-1] ** 4 == pytest.approx(0.875)
    assert counted(4, 0, 0).low < 0
