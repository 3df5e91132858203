"""Which child each select policy descends into, on trees made by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from ponderosa import Search
from ponderosa.core.bounds import DRAW, LOSS, NOT_LOSS, WIN
from ponderosa.core.rng import new_rng
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.mcts.policies.select.ucb import epsilon_greedy, greedy, late_ucb1, ucb1, ucb1_tuned
from tests.helpers import hand_made, loaded


def picks(policy, nodes, times: int = 1, seed: int = 0) -> Counter:
    """How often each row of hand_made was selected."""
    rng, params = new_rng(seed), np.array(policy.params)
    return Counter(int(policy.function(nodes, 0, params, rng)) - 1 for _ in range(times))


def favourite(policy, nodes) -> int:
    (child,) = picks(policy, nodes, times=20)
    return child


@pytest.mark.parametrize("c", [0.0, 0.3, 1.0, math.sqrt(2), 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_ucb1_is_the_formula(c, seed):
    draw = np.random.default_rng(seed)
    rows = [(int(count), float(mean)) for count, mean in zip(draw.integers(1, 3000, 8), draw.random(8), strict=True)]
    total = sum(count for count, _ in rows)
    scores = [mean + c * math.sqrt(math.log(total) / count) for count, mean in rows]
    assert favourite(ucb1(c), hand_made(*rows)) == int(np.argmax(scores))


@pytest.mark.parametrize("seed", range(5))
def test_ucb1_tuned_is_the_formula(seed):
    draw = np.random.default_rng(seed)
    rows = [(int(count), float(mean)) for count, mean in zip(draw.integers(1, 3000, 8), draw.random(8), strict=True)]
    log = math.log(sum(count for count, _ in rows))
    scores = [
        mean + math.sqrt(log / count * min(0.25, mean * (1 - mean) + math.sqrt(2 * log / count)))
        for count, mean in rows
    ]
    assert favourite(ucb1_tuned(), hand_made(*rows)) == int(np.argmax(scores))


def test_greedy_takes_the_best_mean():
    assert favourite(greedy(), hand_made((1, 0.6), (1_000, 0.7), (5, 0.2))) == 1


@pytest.mark.parametrize("name", ["ucb1", "ucb1_tuned", "greedy", "epsilon_greedy", "decoupled_ucb"])
def test_an_unvisited_child_comes_first(name):
    assert favourite(NAMED["select"][name](), hand_made((5, 1.0), (0, 0.0), (5, 0.9))) == 1


def test_late_ucb1_draws_any_child_until_all_were_visited():
    counts = picks(late_ucb1(), hand_made((50, 1.0), (0, 0.0), (5, 0.1), (0, 0.0)), times=4_000)
    assert all(abs(counts[child] - 1_000) < 120 for child in range(4))
    visited = hand_made((50, 0.9), (3, 0.2), (5, 0.1), (9, 0.6))
    assert all(favourite(late_ucb1(c), visited) == favourite(ucb1(c), visited) for c in (0.1, 1.0, 5.0))


@pytest.mark.parametrize("name", ["ucb1", "ucb1_tuned", "greedy"])
def test_ties_are_broken_at_random_and_evenly(name):
    counts = picks(NAMED["select"][name](), hand_made((5, 0.5), (5, 0.5), (5, 0.1), (5, 0.5)), times=3_000)
    assert set(counts) == {0, 1, 3}
    assert all(abs(count - 1_000) < 120 for count in counts.values())


def test_epsilon_greedy_takes_any_child_with_probability_epsilon():
    counts = picks(epsilon_greedy(0.4), hand_made((5, 0.9), (5, 0.5), (5, 0.1), (5, 0.2)), times=4_000)
    assert abs(counts[0] - 4_000 * 0.7) < 150
    assert all(abs(counts[child] - 400) < 80 for child in (1, 2, 3))
    assert set(picks(epsilon_greedy(0.0), hand_made((5, 0.9), (5, 0.5)), times=100)) == {0}


@pytest.mark.parametrize("name", ["ucb1", "ucb1_tuned", "greedy"])
def test_a_proven_loss_comes_last(name):
    assert favourite(NAMED["select"][name](), hand_made((2, 1.0, LOSS), (500, 0.01), (2, 0.9, LOSS))) == 1


@pytest.mark.parametrize("name", ["ucb1", "ucb1_tuned", "greedy"])
def test_a_draw_is_not_looked_at_again_when_a_draw_is_certain(name):
    tree = hand_made((2, 0.5, DRAW), (500, 0.01), proven=NOT_LOSS)
    assert favourite(NAMED["select"][name](), tree) == 1


def test_what_is_certain_for_the_mover_counts_for_the_player_to_move():
    tree = hand_made((10, 0.1, WIN), (10, 0.6))
    assert favourite(greedy(), tree) == 0


@pytest.mark.slow
def test_noise_of_puct_is_a_share_of_the_root_s_priors_drawn_from_dirichlet():
    game, share, alpha = loaded("connect4"), 0.25, 0.5

    def priors(**settings):
        search = Search(game, select="puct", **settings)
        search.run(iterations=2)
        root = search.tree.nodes[0]
        children = search.tree.nodes[root["first"] : root["first"] + root["count"]]
        assert children["prior"].sum() == pytest.approx(1.0)
        return children["prior"][np.argsort(children["action"])]

    drawn = np.array([priors(noise=share, alpha=alpha, seed=seed) for seed in range(300)])
    noise = (drawn - (1 - share) * priors()) / share
    variance = (1 / 7) * (6 / 7) / (7 * alpha + 1)  # of one of seven shares
    assert noise.mean(axis=0) == pytest.approx(np.full(7, 1 / 7), abs=5 * np.sqrt(variance / 300))
    assert noise.var() == pytest.approx(variance, rel=0.25)
