"""The model of strength: it has the truth within its intervals, and finds tops that single trials hide."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("scipy")

from ponderosa.lab.tuning.strength_model import ELO, Strength


def hill(points: np.ndarray, top: float = 0.6, steep: float = 600.0) -> np.ndarray:
    return 60.0 - steep * (points[:, 0] - top) ** 2


def played(random: np.random.Generator, count: int, games: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    points = random.random((count, 1))
    chances = 1 / (1 + 10 ** (-hill(points) / 400))
    return points, np.full(count, games), random.binomial(games, chances)


def test_many_games_show_the_hill_as_it_is():
    model = Strength.fit(*played(np.random.default_rng(1), 60, 400))
    grid = np.linspace(0.05, 0.95, 19)[:, None]
    assert np.abs(model.mean(grid) - hill(grid)).max() < 25
    assert abs(grid[np.argmax(model.mean(grid)), 0] - 0.6) < 0.06


def test_the_truth_is_within_the_intervals_as_often_as_they_say():
    random, hits, of = np.random.default_rng(2), 0, 0
    grid = np.array([[0.1], [0.35], [0.6], [0.85]])
    for _ in range(25):
        model = Strength.fit(*played(random, 40, 6))
        hits += int((np.abs(model.mean(grid) - hill(grid)) <= 1.96 * model.deviation(grid)).sum())
        of += len(grid)
    assert hits / of > 0.88  # 95 % of 100 judgements, three deviations below


def test_a_lucky_trial_is_not_the_best():
    points = np.linspace(0, 1, 41)[:, None]
    scores = 20 / (1 + 10 ** (-hill(points) / 400))
    scores[2] = 20.0  # twenty of twenty, far from the top
    model = Strength.fit(points, np.full(41, 20), scores)
    assert abs(points[np.argmax(model.mean(points)), 0] - 0.6) < 0.1


def test_what_was_never_played_is_less_certain():
    points = np.linspace(0, 0.4, 20)[:, None]
    model = Strength.fit(points, np.full(20, 10), np.full(20, 5))
    inside, outside = model.deviation([[0.2], [0.95]])
    assert outside > 2 * inside > 0


def test_games_that_are_all_won_or_lost_leave_it_finite():
    for score in (0.0, 10.0):
        model = Strength.fit([[0.1], [0.5], [0.9]], [10, 10, 10], [score] * 3)
        assert np.isfinite(model.mean([[0.5]])).all() and np.isfinite(model.deviation([[0.5]])).all()


def test_one_setting_gives_the_elo_of_its_score():
    model = Strength.fit([[0.5]], [4000], [3000.0])
    assert model.mean([[0.5]])[0] == pytest.approx(ELO * math.log(3), abs=10)
