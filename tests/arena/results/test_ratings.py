"""Ratings against cases that can be computed by hand, and against simulation."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

import pytest

from ponderosa.arena.results.ratings import Rating, bradley_terry, ratings
from ponderosa.arena.results.store import Outcome


def outcome(number: int, seats: tuple[int, ...], returns: tuple[float, ...]) -> Outcome:
    scores = tuple(float(value > 0) if value else 0.5 for value in returns)
    return Outcome(number, number, seats, scores, returns, "finished", None, str(number), ())


def series(first: int, second: int, wins: int, draws: int, losses: int) -> list[Outcome]:
    results = [(1.0, -1.0)] * wins + [(0.0, 0.0)] * draws + [(-1.0, 1.0)] * losses
    return [outcome(1000 * first + 100 * second + at, (first, second), value) for at, value in enumerate(results)]


def test_two_agents_get_the_elo_of_their_score() -> None:
    found = bradley_terry(series(0, 1, 60, 20, 20), 2).entries
    assert found[0].value - found[1].value == pytest.approx(400 * math.log10(0.7 / 0.3), abs=1e-4)
    assert found[0].value == pytest.approx(-found[1].value)


def test_three_agents_of_strengths_1_2_and_4_get_just_these() -> None:
    """With strengths 1, 2 and 4, the first beats the second in 1 of 3 games, the third in 1 of 5, and so on."""
    games = series(0, 1, 10, 0, 20) + series(1, 2, 10, 0, 20) + series(0, 2, 6, 0, 24)
    values = [rating.value for rating in bradley_terry(games, 3).entries]
    doubling = 400 * math.log10(2)
    assert values == pytest.approx([-doubling, 0.0, doubling], abs=1e-3)


def test_the_interval_of_two_agents_is_that_of_the_binomial() -> None:
    """For independent games without draws the error of the log odds is 1 / sqrt(n p (1 - p))."""
    found = bradley_terry(series(0, 1, 120, 0, 80), 2).entries
    error = 1.96 * 400 / math.log(10) / math.sqrt(200 * 0.6 * 0.4)
    assert found[0].high - found[0].low == pytest.approx(error, rel=0.06)  # drawn; of half the difference: both move


@pytest.mark.slow
def test_rating_intervals_cover_the_truth_in_95_of_100_cases() -> None:
    chance, trials = random.Random(3), 80
    truth = [-80.0, -20.0, 100.0]
    covered = 0
    for _ in range(trials):
        games = []
        for first, second in ((0, 1), (1, 2), (0, 2)):
            expected = 1 / (1 + 10 ** ((truth[second] - truth[first]) / 400))
            wins = sum(chance.random() < expected for _ in range(80))
            games += series(first, second, wins, 0, 80 - wins)
        covered += sum(
            entry.low <= mean <= entry.high for entry, mean in zip(bradley_terry(games, 3).entries, truth, strict=True)
        )
    assert 0.92 <= covered / (3 * trials) <= 0.98


def ladder(results: list[tuple[int, int, int]]) -> list[Rating]:
    """The rating of the first of three agents, whose games against the others stay as they are."""
    rest = series(0, 2, 3, 2, 3) + series(1, 2, 4, 1, 3)
    return [bradley_terry(series(0, 1, *counts) + rest, 3).entries[0] for counts in results]


def test_a_better_result_never_lowers_a_rating_or_an_end_of_its_interval() -> None:
    steps = [(8, 0, 0), (7, 1, 0), (7, 0, 1), (6, 1, 1), (4, 0, 4), (0, 8, 0), (1, 0, 7), (0, 1, 7), (0, 0, 8)]
    better = [(a, b) for a, b in itertools.pairwise(steps) if (a, b) != ((4, 0, 4), (0, 8, 0))]
    for one, other in better:
        first, second = ladder([one, other])
        assert (first.value, first.low, first.high) >= (second.value, second.low, second.high)
        assert first.low >= second.low and first.high >= second.high


def test_only_draws_leave_something_open() -> None:
    found = bradley_terry(series(0, 1, 0, 10, 0), 2).entries
    assert found[0].value == pytest.approx(0) and found[0].low < -20 and found[0].high > 20


def test_many_games_have_the_intervals_of_few_scaled_down() -> None:
    few, many = (bradley_terry(series(0, 1, 6 * n, 0, 4 * n), 2).entries[0] for n in (10, 250))
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(5, rel=0.15)


def test_an_agent_that_won_everything_has_a_finite_rating_and_a_note() -> None:
    found = ratings(series(0, 1, 10, 0, 0), 2)
    assert found is not None and "one drawn game is added" in found.note
    assert math.isfinite(found.entries[0].value) and found.entries[0].agent == 0


def test_agents_that_never_met_are_not_compared() -> None:
    assert ratings(series(0, 1, 5, 0, 5) + series(2, 3, 5, 0, 5), 4) is None
    assert ratings([], 2) is None


def test_three_players_at_a_table_are_rated_by_their_places() -> None:
    games = [outcome(at, (0, 1, 2), (2.0, 1.0, 0.0)) for at in range(20)]
    found = ratings(games, 3)
    assert found is not None and "openskill" in found.model
    assert [rating.agent for rating in found.entries] == [0, 1, 2]
    assert all(rating.low < rating.value < rating.high for rating in found.entries)


def test_few_games_of_a_running_tournament_are_no_ratings_yet() -> None:
    pair = [replace(game, group=0) for game in series(0, 1, 1, 0, 1)]
    assert ratings(pair, 2) is None
    assert ratings(series(0, 1, 1, 0, 0) + series(1, 2, 0, 0, 1), 3) is None
