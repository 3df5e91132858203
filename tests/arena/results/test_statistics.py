"""Elo, intervals and the sequential test, against known values and against simulation."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import PonderosaError
from ponderosa.arena.results.statistics import Clusters, Estimate, Sprt, elo_of, normalised_elo

ORACLE = [379, 10170, 21828, 10640, 343]


def test_the_sequential_test_gives_the_published_figures() -> None:
    assert round(Sprt(0, 2).llr(ORACLE), 5) == 2.94598
    difference, error = normalised_elo(ORACLE)
    assert (round(difference, 2), round(error, 2)) == (3.05, 2.31)


def test_the_bounds_are_those_of_wald() -> None:
    low, high = Sprt(0, 2).bounds
    assert (round(low, 4), round(high, 4)) == (-2.9444, 2.9444)
    assert Sprt(0, 2).verdict(ORACLE) == "H1"
    assert Sprt(0, 2, 0.01, 0.01).verdict(ORACLE) == "undecided"
    assert Sprt(0, 2).verdict([0, 0, 0, 0, 0]) == "undecided"


@given(st.lists(st.integers(0, 500), min_size=5, max_size=5))
def test_swapping_the_agents_swaps_the_hypotheses(pairs: list[int]) -> None:
    assert Sprt(0, 10).llr(pairs) == pytest.approx(-Sprt(-10, 0).llr(pairs[::-1]))


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, "H1"), (60.0, "H0")])
def test_the_sequential_test_errs_as_rarely_as_promised(truth: float, wrong: str) -> None:
    chance, test = random.Random(5), Sprt(0, 60)
    verdicts = [simulated_verdict(test, truth, chance) for _ in range(200)]
    assert verdicts.count("undecided") == 0
    assert verdicts.count(wrong) <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)


def simulated_verdict(test: Sprt, truth: float, chance: random.Random) -> str:
    """Play pairs whose score is spread by 0.25 around what a normalised Elo difference means."""
    shares = (0.08, 0.17, 0.5, 0.17, 0.08)
    deviation = math.sqrt(sum(share * (place / 4 - 0.5) ** 2 for place, share in enumerate(shares)))
    shift = truth * math.sqrt(2) * math.log(10) / 800 * deviation  # tilt the shares by this much of a point
    tilted = [share + shift * (place - 2) / 2.5 for place, share in enumerate(shares)]
    pairs = [0] * 5
    for _ in range(20_000):
        pairs[chance.choices(range(5), tilted)[0]] += 1
        if sum(pairs) % 4 == 0 and test.verdict(pairs) != "undecided":
            return test.verdict(pairs)
    return "undecided"


def estimated(samples: list[list[float]]) -> Estimate:
    clusters = Clusters()
    for group, scores in enumerate(samples):
        for score in scores:
            clusters.add(group, score)
    found = clusters.estimate()
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("wins", "draws", "paired"),
    [
        (0.55, 0.1, 0.5),
        *(
            pytest.param(*shares, marks=pytest.mark.slow)
            for shares in ((0.3, 0.4, 0.0), (0.8, 0.15, 0.0), (0.45, 0.1, 0.9))
        ),
    ],
)
def test_elo_intervals_cover_the_truth_in_95_of_100_cases(wins: float, draws: float, paired: float) -> None:
    """Pairs of games whose results are the same in a share `paired` of all cases, as from lopsided openings."""
    chance = random.Random(11)
    truth = elo_of(wins + draws / 2)
    trials, covered = 1500, 0
    for _ in range(trials):
        samples = []
        for _ in range(100):
            first = draw_score(chance, wins, draws)
            samples.append([first, first if chance.random() < paired else draw_score(chance, wins, draws)])
        found = estimated(samples)
        covered += found.low <= truth <= found.high
    assert 0.935 <= covered / trials <= 0.965


def draw_score(chance: random.Random, wins: float, draws: float) -> float:
    roll = chance.random()
    return 1.0 if roll < wins else 0.5 if roll < wins + draws else 0.0


def test_an_agent_that_wins_everything_has_a_lower_end_and_no_upper_one() -> None:
    found = estimated([[1.0, 1.0]] * 20)
    assert found.elo == found.high == math.inf
    assert 100 < found.low < math.inf
    assert found.los > 0.999
    assert estimated([[0.0, 0.0]] * 20).high == pytest.approx(-found.low)


def test_the_likelihood_of_superiority_is_half_between_equals() -> None:
    assert estimated([[1.0, 0.0]] * 10).los == 0.5
    assert estimated([[1.0, 1.0], [0.0, 0.0]] * 10).los == 0.5


def test_pairs_that_balance_their_opening_make_the_interval_narrow() -> None:
    balanced, lopsided = (
        estimated([[1.0, 0.0]] * 50 + [[1.0, 0.5]]),
        estimated([[1.0, 1.0], [0.0, 0.0]] * 25 + [[1.0, 0.5]]),
    )
    assert balanced.elo == pytest.approx(lopsided.elo)
    assert balanced.high - balanced.low < (lopsided.high - lopsided.low) / 4


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40), st.randoms())
def test_the_order_of_games_does_not_matter(games: list[tuple[int, float]], chance: random.Random) -> None:
    one, other = Clusters(), Clusters()
    for group, score in games:
        one.add(group, score)
    chance.shuffle(games)
    for group, score in games:
        other.add(group, score)
    first, second = one.estimate(), other.estimate()
    assert first is not None and second is not None
    assert first.score == pytest.approx(second.score) and first.los == pytest.approx(second.los, abs=1e-6)


@pytest.mark.parametrize("text", ["", "5", "a,b", "10,0", "0,0", "0,nan", "0,5,0.7,0.1", "1,2,3"])
def test_a_test_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(PonderosaError):
        Sprt.read(text)
