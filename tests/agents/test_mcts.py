"""The agent that searches: how well it plays, and that it keeps its tree from move to move."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest

from ponderosa import PonderosaError, load_agent
from ponderosa.agents.mcts import MctsAgent
from ponderosa.errors import SettingError, UnknownNameError
from tests.helpers import Exact, LookAlike, PlainNim, grown, loaded, play_game


class Perfect:
    """Knows every position of a small game, and plays any of the best actions."""

    exact = Exact()

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def step(self, state):
        return self._random.choice(self.exact.best_actions(state))


@pytest.mark.parametrize("side", [0, 1])
def test_never_loses_tictactoe_against_a_perfect_player(side):
    game = loaded("tictactoe")
    results = []
    for seed in range(100):
        agents = [load_agent(f"mcts:iterations=2000,seed={seed}", game), Perfect(seed)]
        results.append(play_game(game, *(agents if side == 0 else agents[::-1]))[side])
    assert results == [0.0] * 100


@pytest.mark.slow
def test_wins_connect_four_against_random_as_the_second_player():
    game = loaded("connect4")
    wins = 0
    for seed in range(100):
        agents = load_agent(f"random:seed={seed}", game), load_agent(f"mcts:iterations=500,seed={seed}", game)
        wins += play_game(game, *agents)[1] == 1.0
    assert wins >= 95


def test_keeps_the_tree_from_move_to_move():
    game = loaded("connect4")
    agent = MctsAgent(game, iterations=300)
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(agent.step(state))
        reply = state.legal_actions()[-1]
        before = grown(agent.search)
        state.apply_action(reply)
        kept = agent_visits_after(agent, state)
        agent.step(state)
        assert kept > 0
        assert agent.search.tree.nodes[0]["visits"] == kept + agent.last_report.iterations
        assert agent.search.root_state == state
        assert len(before) > 1


def agent_visits_after(agent, state) -> int:
    """How often the agent's tree has visited a state two actions below its root."""
    nodes, visits = agent.search.tree.nodes, 0
    node = 0
    for action in state.history()[-2:]:
        below = range(nodes[node]["first"], nodes[node]["first"] + nodes[node]["count"])
        node = next(child for child in below if nodes[child]["action"] == action)
        visits = int(nodes[node]["visits"])
    return visits


def test_forgets_the_tree_when_it_may_not_keep_it():
    game = loaded("connect4")
    agent = MctsAgent(game, iterations=300, reuse=False)
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(agent.step(state))
        state.apply_action(state.legal_actions()[0])
        agent.step(state)
        assert agent.search.tree.nodes[0]["visits"] == agent.last_report.iterations > 0


def test_one_agent_plays_game_after_game():
    game = loaded("tictactoe")
    agent, other = MctsAgent(game, iterations=2_000), MctsAgent(game, iterations=2_000, seed=1)
    for _ in range(4):
        assert play_game(game, agent, other) == [0.0, 0.0]
        assert play_game(game, other, agent) == [0.0, 0.0]
    assert play_game(game, agent, agent) == [0.0, 0.0]


def test_jumps_to_a_position_that_does_not_follow():
    game = loaded("connect4")
    agent = MctsAgent(game, iterations=100)
    for moves in ([], [3, 3], [0, 1, 2], [3], [3, 3, 3, 3]):
        state = game.new_initial_state()
        for action in moves:
            state.apply_action(action)
        assert agent.step(state) in state.legal_actions()
        assert agent.search.root_state == state
        assert state.history() == moves


@pytest.mark.parametrize(
    "game", [LookAlike(9), PlainNim((2, 3)), pyspiel.load_game("tic_tac_toe")], ids=["look-alike", "plain", "pyspiel"]
)
def test_plays_any_kind_of_game(game):
    state = game.new_initial_state() if hasattr(game, "new_initial_state") else game
    agents = [MctsAgent(game, iterations=200, seed=seed) for seed in range(2)]
    while not state.is_terminal():
        before, player = str(state), state.current_player()
        action = agents[player].step(state)
        assert action in state.legal_actions()
        assert str(state) == before or isinstance(state, LookAlike)
        state.apply_action(action)
    assert sum(state.returns()) == 0.0


def test_never_changes_the_state_that_it_is_shown():
    state = loaded("connect4").new_initial_state()
    before = state.data.copy()
    for spec in ("random", "mcts:iterations=50"):
        load_agent(spec, loaded("connect4")).step(state)
        assert np.array_equal(state.data, before)
        assert state.history() == []


def test_settings_reach_their_policies():
    agent = load_agent(
        "mcts:iterations=9,select=epsilon_greedy,epsilon=0.2,expand=all,min_visits=3,playout=random,rollouts=2,"
        "max_length=7,backup=discounted,per_ply=0.1,cap=0.3,choose=secure,a=2,solve=no,reuse=off,seed=5",
        loaded("tictactoe"),
    )
    settings = {phase: policy.settings for phase, policy in agent.search.policies.by_phase().items()}
    assert settings == {
        "select": {"epsilon": 0.2, "fpu": None},
        "expand": {"n": "all", "min_visits": 3},
        "playout": {"rollouts": 2, "max_length": 7, "at_cutoff": "draw"},
        "backup": {"per_ply": 0.1, "cap": 0.3},
        "choose": {"a": 2},
    }
    assert (agent.budget.iterations, agent.budget.seconds, agent.search.solve, agent.reuse) == (9, None, False, False)
    assert agent.search.seed == 5


def test_thinks_for_a_second_unless_told_otherwise():
    assert MctsAgent(loaded("tictactoe")).budget.seconds == 1.0
    assert MctsAgent(loaded("tictactoe"), max_nodes=50).budget.seconds is None


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("mcts:select=ucb2", UnknownNameError, "unknown select policy 'ucb2'; did you mean 'ucb1'"),
        ("mcts:playout=randm", UnknownNameError, "did you mean 'random'"),
        ("mcts:itertions=5", UnknownNameError, "'itertions'; did you mean 'iterations'"),
        ("mcts:epsilon=0.1", UnknownNameError, "'epsilon'"),
        ("mcts:iterations=0", SettingError, "iterations must be more than 0"),
        ("mcts:iterations=many", SettingError, "iterations of agent mcts must be a whole number"),
        ("mcts:seconds=-1", SettingError, "seconds must be more than 0"),
        ("mcts:seconds=nan", SettingError, "seconds must be more than 0"),
        ("mcts:seconds=inf", SettingError, "seconds must be"),
        ("mcts:c=-1", SettingError, "c must be a number of at least 0"),
        ("mcts:c=nan", SettingError, "c must be a number of at least 0"),
        ("mcts:c=inf", SettingError, "c must be"),
        ("mcts:c=much", SettingError, "c must be a number"),
        ("mcts:expand=some", UnknownNameError, "unknown expand policy 'some'"),
        ("mcts:select=rave,expand=widening,k=3", SettingError, "k is a setting of select=rave and of expand=widening"),
        ("mcts:select=ucb1:c=1,c=2", SettingError, "c is given twice"),
        ("mcts:select=ucb1:d=1", UnknownNameError, "unknown parameter of select=ucb1 'd'"),
        ("mcts:expand=0", SettingError, "expand: n must be a whole number from 1"),
        ("mcts:n=3", SettingError, "is said by expand=3, not by n"),
        ("mcts:rollouts=1.5", SettingError, "rollouts must be a whole number"),
        ("mcts:solve=maybe", SettingError, "solve must be True, False or 'bounded'"),
        ("mcts:seed=-1", SettingError, "seed must be a whole number of at least 0"),
        ("mcts:seed=x", SettingError, "seed of agent mcts must be a whole number"),
        ("mcts:game=3", UnknownNameError, "unknown parameter of agent mcts 'game'"),
        ("mcts:self=3", UnknownNameError, "unknown parameter of agent mcts 'self'"),
        ("mcts:settings=3", PonderosaError, "settings"),
        ("mcts:clock=3", PonderosaError, "clock"),
        ("random:seed=x", SettingError, "seed of agent random must be a whole number"),
        ("random:sed=1", UnknownNameError, "did you mean 'seed'"),
    ],
)
def test_nonsense_is_answered_in_words(spec, error, message):
    with pytest.raises(error) as caught:
        load_agent(spec, loaded("tictactoe"))
    assert message in str(caught.value)


@pytest.mark.parametrize("game", [None, 3, "connect4", object(), loaded])
def test_an_agent_needs_a_game(game):
    with pytest.raises(PonderosaError):
        load_agent("mcts:iterations=5", game)
