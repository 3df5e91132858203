"""Thinking on the opponent's time."""

from __future__ import annotations

import random
import threading

import pytest

from ponderosa import load_agent
from ponderosa.errors import PonderosaError
from tests.helpers import loaded, wait_until

GAME = "connect4"


def pondering() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("ponderosa-ponder")]


@pytest.mark.parametrize("threads", [1, 2])
def test_it_thinks_on_and_keeps_what_it_found(threads):
    game = loaded(GAME)
    agent = load_agent(f"mcts:iterations=50,solve=false,ponder=true,threads={threads}", game)
    state = game.new_initial_state()
    state.apply_action(agent.step(state))
    wait_until(lambda: agent.search.tree.nodes[0]["visits"] > 5_000)
    state.apply_action(state.legal_actions()[3])
    agent.step(state)
    assert sum(entry.visits for entry in agent.last_report.actions) > 100  # 50 of this move, and some that it had
    agent.close()
    assert not pondering()


def test_a_whole_game_is_played_and_nothing_goes_on_after_it():
    game, rng = loaded(GAME), random.Random(4)
    agent = load_agent("mcts:iterations=100,ponder=true", game)
    for _ in range(2):
        agent.reset(1)
        state = game.new_initial_state()
        while not state.is_terminal():
            mine = state.current_player() == 0
            state.apply_action(agent.step(state) if mine else rng.choice(state.legal_actions()))
    agent.reset(2)
    assert not pondering()


def test_moves_that_are_taken_back_do_not_confuse_it():
    game = loaded(GAME)
    agent = load_agent("mcts:iterations=100,ponder=true", game)
    state = game.new_initial_state()
    agent.step(state)
    assert agent.step(state) in state.legal_actions()
    agent.close()


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        pytest.param("mcts:ponder=true", "kuhn_poker", marks=pytest.mark.slow),
        ("mcts:ponder=true,reuse=false", GAME),
        ("strong:ponder=true", GAME),
    ],
)
def test_who_cannot_ponder_says_so(spec, game):
    with pytest.raises(PonderosaError, match="ponder"):
        load_agent(spec, loaded(game))
