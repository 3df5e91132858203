"""Every game of the registry as an environment of PettingZoo: it passes PettingZoo's own tests."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from ponderosa.adapters.pettingzoo.ours import environment
from ponderosa.errors import GameError, IllegalActionError, SettingError
from tests.helpers import EVERY_GAME, SMALLER, PlainNim

QUICK = {"tictactoe", "kuhn_poker", "rps", "pig"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in EVERY_GAME]
)
def test_a_game_passes_the_tests_of_pettingzoo(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(environment(SMALLER.get(name, name)), num_cycles=60)
        seed_test(lambda: environment(SMALLER.get(name, name)), num_cycles=40)


def played(name, seed):
    """A game of random agents; what each got, and the last state."""
    env, rng = environment(name), np.random.default_rng(seed)
    env.reset(seed=seed)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        totals[agent] += reward
        if over:
            env.step(None)
            continue
        assert list(np.flatnonzero(seen["action_mask"])) == env.state_of_game.legal_actions()
        env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    return totals, env


@pytest.mark.parametrize("name", ["tictactoe", "kuhn_poker", "rps:rounds=3,wins=3,2,1", "pig:target=20,players=3"])
def test_agents_get_what_the_game_returns(name):
    for seed in range(4):
        totals, env = played(name, seed)
        assert list(totals.values()) == env.state_of_game.returns() and env.agents == []
        assert played(name, seed)[0] == totals


def test_an_agent_sees_nothing_of_what_is_hidden():
    env = environment("kuhn_poker")
    sights = set()
    for seed in range(40):
        env.reset(seed=seed)
        dealt = env.state_of_game.history()
        if dealt[0] == 1:
            sights.add((dealt[1], env.observe("player_0")["observation"].tobytes()))
    assert len(sights) == 2 and len({sight for _, sight in sights}) == 1


def test_what_cannot_be_played_is_refused():
    env = environment("tictactoe")
    env.reset(seed=1)
    env.step(4)
    with pytest.raises(IllegalActionError):
        env.step(4)
    with pytest.raises(GameError, match="no dtype"):
        environment(PlainNim())
    with pytest.raises(SettingError, match="actions must be"):
        environment("tictactoe", actions=0)
    small = environment("tictactoe", actions=5)
    small.reset(seed=1)
    with pytest.raises(GameError, match="actions=9"):
        small.observe("player_0")
