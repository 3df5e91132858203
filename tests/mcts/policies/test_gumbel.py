"""Sequential halving with Gumbel draws: the budget, the halving, and that it finds the better move."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import Search, load_agent, load_game, observed
from ponderosa.errors import SettingError
from ponderosa.mcts.policies.select.gumbel import considered, gumbel
from tests.helpers import loaded, visits
from tests.plain_python import plain_and_compiled  # noqa: F401

CONNECT = "connect4"


def schedule(actions, iterations):
    """Sequential halving by hand: every round tries those that are left equally often."""
    counts, left, order = [0] * actions, actions, []
    rounds = max(math.ceil(math.log2(actions)), 1)
    while len(order) < iterations:
        for _ in range(max(1, iterations // (rounds * left))):
            for action in range(left):
                order.append(counts[action])
                counts[action] += 1
        left = max(left // 2, min(2, actions))
    return order[:iterations]


@given(st.integers(1, 40), st.integers(1, 300))
def test_the_schedule_is_sequential_halving(actions, iterations):
    assert [considered(done, actions, iterations) for done in range(iterations)] == schedule(actions, iterations)


@pytest.mark.parametrize("iterations", [1, 7, 50, 333])
@pytest.mark.parametrize("judged", [True, False], ids=["evaluator", "prior"])
def test_it_spends_exactly_its_budget(iterations, judged):
    evaluator = (lambda states: (None, np.zeros(len(states)))) if judged else None
    search = Search(loaded(CONNECT), select="gumbel", evaluator=evaluator, batch=4, solve=False)
    for _ in range(2):  # also from a root that was searched before
        report = search.run(iterations=iterations)
        assert report.iterations == iterations == sum(visits(report).values())


def test_visits_halve_from_round_to_round():
    search = Search(loaded(CONNECT), select=gumbel(m=4), evaluator=lambda s: (None, np.zeros(len(s))), batch=1)
    found = sorted(visits(search.run(iterations=64)).values(), reverse=True)
    assert found == [24, 24, 8, 8, 0, 0, 0]


def test_draws_follow_the_priors():
    """With one action to try, the choice is a draw from the priors: the Gumbel trick."""
    priors = np.array([0.05, 0.05, 0.1, 0.4, 0.2, 0.1, 0.1])

    def evaluator(states):
        return np.tile(priors, (len(states), 1)), np.zeros(len(states))

    search, chosen, runs = Search(loaded(CONNECT), select=gumbel(m=1), evaluator=evaluator, batch=1), np.zeros(7), 2_000
    for seed in range(runs):
        search.reset(seed)
        chosen[search.run(iterations=1).best_action] += 1
    spread = np.sqrt(runs * priors * (1 - priors))
    assert (np.abs(chosen - runs * priors) < 4.5 * spread).all()


def test_the_improved_policy_moves_towards_what_is_better():
    """The evaluator would try column 1, but thinks that whoever is the first in column 5 wins."""

    def evaluator(states):
        priors = np.ones((len(states), 7))
        priors[:, 0] = 4
        mover, other = observed(loaded(CONNECT), states)[:, 0, 4].T
        return priors, 0.9 * (mover - other)

    search = Search(loaded(CONNECT), select="gumbel", evaluator=evaluator, batch=4, solve=False)
    for seed in range(5):
        search.reset(seed)
        report = search.run(iterations=60)
        shares = {entry.action: entry.strategy for entry in report.actions}
        assert report.best_action == 4
        assert sum(shares.values()) == pytest.approx(1.0)
        assert max(shares, key=shares.get) == 4 and shares[0] < 0.4


def test_a_won_game_is_won_and_a_proven_loss_avoided():
    game = load_game(CONNECT)
    state = game.new_initial_state()
    for action in (0, 6, 1, 6, 2, 5):
        state.apply_action(action)
    report = Search(game, select="gumbel", seed=2).run(state, iterations=64)
    assert report.best_action == 3 and report.proven == "win"


def test_it_needs_priors_and_a_number_of_iterations():
    with pytest.raises(SettingError, match="needs a game with the rule 'prior'"):
        Search(load_game("pig"), select="gumbel")
    with pytest.raises(SettingError, match="iterations="):
        Search(loaded(CONNECT), select="gumbel").run(seconds=0.1)
    with pytest.raises(SettingError, match="select=gumbel"):
        Search(loaded(CONNECT), choose="gumbel")
    with pytest.raises(SettingError, match="m must be"):
        gumbel(m=0)
    with pytest.raises(SettingError, match="threads=1"):
        Search(loaded(CONNECT), select="gumbel", threads=2)
    for more in ("seconds=1", "iterations=50,ponder=true"):
        with pytest.raises(SettingError, match="needs iterations=, and does not ponder"):
            load_agent(f"gumbel:{more}", loaded(CONNECT))


def test_the_agent_of_that_name_plays():
    game = load_game(CONNECT)
    agent = load_agent("gumbel:iterations=40,m=4", game)
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(agent.step(state))
        assert agent.last_report.iterations == 40
