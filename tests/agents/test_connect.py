"""The named agents of the Connect family."""

from __future__ import annotations

import pytest

from ponderosa import PonderosaError, load_agent, load_game

BUDGET = "iterations=300,seconds=60"


@pytest.mark.parametrize("name", ["fast", "clever", "lazy"])
@pytest.mark.parametrize("game", ["gomoku", "connect:m=7,n=8,k=4,p=2,q=1", "tictactoe"])
def test_a_named_agent_plays_legal_moves(name, game):
    game = load_game(game)
    agent = load_agent(f"{name}:{BUDGET}", game)
    state = game.new_initial_state()
    for _ in range(4):
        state.apply_action(agent.step(state))
        assert agent.last_report.iterations <= 300


@pytest.mark.parametrize("name", ["clever", "lazy"])
def test_it_takes_a_win_and_blocks_one(name):
    game = load_game("gomoku")
    state = game.new_initial_state()
    for move in ("h8", "g8", "i8", "a3", "j8", "a5", "k8"):
        state.apply_action(game.parse_action(move, state))
    assert state.action_to_string(load_agent(f"{name}:{BUDGET}", game).step(state)) == "l8"
    state.apply_action(game.parse_action("a7", state))
    agent = load_agent(f"{name}:{BUDGET}", game)
    assert state.action_to_string(agent.step(state)) == "l8"
    assert agent.last_report.proven == "win"


def test_the_tree_is_kept_from_move_to_move():
    game = load_game("gomoku")
    agent = load_agent("clever:iterations=2000,seconds=60,near=1", game)
    state = game.new_initial_state()
    state.apply_action(game.parse_action("h8", state))
    state.apply_action(agent.step(state))
    reply = agent.last_report.pv[1]
    state.apply_action(game.parse_action(reply, state))
    agent.step(state)
    assert sum(entry.visits for entry in agent.last_report.actions) > 2000


def test_other_games_are_refused():
    with pytest.raises(PonderosaError, match="Connect family"):
        load_agent("clever", load_game("connect4"))
