"""Bandits: what is known about the five rules, found again."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ponderosa.lab.experiments.bandits import (
    ARMS,
    EPSILON,
    RULES,
    bound,
    ratio_interval,
    regret_curve,
    regrets,
    ucb1,
    ucb1_tuned,
)

EASY = ARMS["one good arm"]
PULLS = 8192


@pytest.fixture(scope="module")
def curves():
    return {rule: regret_curve(rule, EASY, runs=100, pulls=PULLS, seed=1) for rule in RULES}


@pytest.mark.parametrize("rule", ["UCB1", "UCB1-tuned", "Thompson"])
def test_regret_grows_with_the_logarithm(curves, rule):
    assert curves[rule]["growth high"] < 1.5


@pytest.mark.parametrize("rule", ["greedy", f"epsilon-greedy ({EPSILON:g})"])
def test_regret_grows_in_proportion_to_the_pulls(curves, rule):
    assert curves[rule]["growth low"] > 1.8 and curves[rule]["growth high"] < 2.2


def test_ucb1_stays_below_its_proven_bound_and_above_the_lower_one(curves):
    curve = curves["UCB1"]
    assert all(mean <= bound(EASY, at) for at, mean in zip(curve["pulls"], curve["mean"], strict=True))
    divergence = 0.6 * math.log(0.6 / 0.9) + 0.4 * math.log(0.4 / 0.1)  # Lai and Robbins 1985: no rule does better
    assert curve["mean"][-1] > 9 * 0.3 / divergence * math.log(PULLS)


def test_epsilon_greedy_pays_for_its_exploration(curves):
    exploring = EPSILON * np.mean([0.9 - chance for chance in EASY])
    half, end = curves[f"epsilon-greedy ({EPSILON:g})"]["pulls"].index(PULLS // 2), -1
    mean = curves[f"epsilon-greedy ({EPSILON:g})"]["mean"]
    assert (mean[end] - mean[half]) / (PULLS // 2) == pytest.approx(exploring, rel=0.1)


def test_the_order_of_the_rules_is_the_published_one(curves):
    end = {rule: curves[rule]["mean"][-1] for rule in RULES}
    assert end["Thompson"] < end["UCB1-tuned"] < end["UCB1"]


def test_every_arm_is_tried_first_and_regret_is_what_the_best_arm_would_have_paid_more():
    regret = regrets("UCB1", [0.2, 0.9, 0.5], runs=3, at=[1, 2, 3], seed=0)
    assert np.allclose(regret, [0.7, 0.7, 1.1])


def test_formulas_by_hand():
    pulls, paid = np.array([[4.0, 9.0]]), np.array([[2.0, 9.0]])
    assert ucb1(pulls, paid, 13, None)[0] == pytest.approx(
        [0.5 + math.sqrt(2 * math.log(13) / 4), 1 + math.sqrt(2 * math.log(13) / 9)]
    )
    share = math.log(13) / 9
    assert ucb1_tuned(pulls, paid, 13, None)[0][1] == pytest.approx(
        1 + math.sqrt(share * min(0.25, 0 + math.sqrt(2 * share)))
    )


def test_the_interval_of_a_ratio_has_the_truth_in_it_as_often_as_it_says():
    random, hits = np.random.default_rng(3), 0
    for _ in range(400):
        below = random.normal(10, 2, 100)
        low, high = ratio_interval(1.5 * below + random.normal(0, 3, 100), below)
        hits += low < 1.5 < high
    assert 365 <= hits <= 394  # 95 % of 400, four deviations about


def test_the_same_seed_gives_the_same_curve():
    one, other = (regret_curve("Thompson", EASY, runs=5, pulls=64, seed=seed) for seed in (1, 1))
    assert one == other != regret_curve("Thompson", EASY, runs=5, pulls=64, seed=2)
