"""The named agents of the Connect family."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import PonderosaError, load_agent, load_game
from ponderosa.agents.connect.list_agents import on_arrays
from ponderosa.connect.list_states import ListState
from ponderosa.core.plain import Box
from ponderosa.core.rng import new_rng
from ponderosa.mcts.engines.phases import Playout
from ponderosa.mcts.policies.playout.playouts import random

pytestmark = pytest.mark.slow
BUDGET = "iterations=300,seconds=60"
BOARD = "connect:m=8,n=8"


@pytest.mark.parametrize("name", ["slow", "medium", "fast", "clever", "lazy", "voting"])
@pytest.mark.parametrize("game", [BOARD, "connect:m=5,n=6,k=4,p=2,q=1"])
def test_a_named_agent_plays_legal_moves(name, game):
    game = load_game(game)
    agent = load_agent(f"{name}:{BUDGET if name != 'slow' else 'iterations=3'}", game)
    state = game.new_initial_state()
    for _ in range(4):
        state.apply_action(agent.step(state))
        assert agent.last_report.iterations <= 300
        assert agent.last_report.best_name == state.action_to_string(state.history()[-1])


@pytest.mark.parametrize("name", ["clever", "lazy", "voting"])
def test_it_takes_a_win_and_blocks_one(name):
    game = load_game(BOARD)
    state = game.new_initial_state()
    for move in ("c4", "b4", "d4", "a1", "e4", "a3", "f4"):
        state.apply_action(game.parse_action(move, state))
    assert state.action_to_string(load_agent(f"{name}:{BUDGET}", game).step(state)) == "g4"
    state.apply_action(game.parse_action("a7", state))
    agent = load_agent(f"{name}:{BUDGET}", game)
    assert state.action_to_string(agent.step(state)) == "g4"
    assert agent.last_report.proven == "win"


def test_the_tree_is_kept_from_move_to_move():
    game = load_game(BOARD)
    agent = load_agent("clever:iterations=2000,seconds=60,near=1", game)
    state = game.new_initial_state()
    state.apply_action(game.parse_action("d4", state))
    state.apply_action(agent.step(state))
    reply = agent.last_report.pv[1]
    state.apply_action(game.parse_action(reply, state))
    agent.step(state)
    assert sum(entry.visits for entry in agent.last_report.actions) > 2000


@pytest.mark.parametrize("name", ["slow", "medium", "fast", "clever", "lazy", "voting"])
def test_other_games_are_refused(name):
    with pytest.raises(PonderosaError, match=f"{name} plays the Connect family"):
        load_agent(name, load_game("connect4"))


def test_voting_is_what_its_line_says():
    agent = load_agent("voting", load_game(BOARD))
    assert agent.budget.seconds == 10 and agent.search.threads == 4
    assert agent.search.policies.backup.name == "discounted"
    assert (agent.twin.near, agent.twin.forced) == (1, True)
    quick = load_agent("voting:seconds=0.5,threads=2,parallel=merge,near=2", load_game(BOARD))
    assert (quick.budget.seconds, quick.search.threads, quick.twin.near) == (0.5, 2, 2)


@pytest.mark.parametrize("name", ["slow", "medium", "fast"])
def test_the_same_search_at_three_speeds_solves_the_same(name):
    game = load_game("tictactoe")
    state = game.new_initial_state()
    for move in ("a1", "b2", "c3"):
        state.apply_action(game.parse_action(move, state))
    agent = load_agent(f"{name}:iterations=20000", game)
    agent.step(state)
    assert (agent.last_report.proven, agent.last_report.stopped) == ("draw", "solved")
    wrong = {entry.name for entry in agent.last_report.actions if entry.proven == "loss"}
    assert wrong <= {"a3", "c1"}  # the corners let the first player fork


def test_playouts_on_arrays_are_those_of_the_compiled_game():
    game = load_game("connect:m=5,n=6,k=4,p=2,q=1")
    state = game.new_initial_state()
    for action in (0, 7, 8, 12):
        state.apply_action(action)
    policy, lists = on_arrays(game), Box(ListState.after(game, state.history()))
    same = Playout(game, random())
    for seed in range(20):
        values, expected = np.zeros(2), np.zeros(2)
        plies = policy.function(None, lists, None, None, None, new_rng(seed), values)
        assert plies == same(state.clone().data, new_rng(seed), expected)
        assert values.tolist() == expected.tolist()
