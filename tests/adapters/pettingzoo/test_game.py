"""PettingZoo's environments as games of ours: as they go there, and searched."""

from __future__ import annotations

import importlib
import pickle
import random

import pytest

from ponderosa import Search, load_game, match
from ponderosa.errors import SettingError, UnknownNameError

NAMES = ["tictactoe_v3", "connect_four_v3", "rps_v2(max_cycles=4)"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_game_goes_as_it_does_in_pettingzoo(name, seed):
    rng, state = random.Random(seed), load_game(f"pettingzoo:{name}").new_initial_state()
    kind, _, cycles = name.partition("(max_cycles=")
    env = importlib.import_module(f"pettingzoo.classic.{kind}").env(**({"max_cycles": 4} if cycles else {}))
    env.reset(seed=0)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        other = state.clone()  # goes its own way, and leaves this one alone
        other.apply_action(rng.choice(other.legal_actions()))
        legal = state.legal_actions()
        assert state.to_move() == env.possible_agents.index(agent)
        if isinstance(seen, dict):
            assert legal == [number for number, allowed in enumerate(seen["action_mask"]) if allowed]
        action = rng.choice(legal)
        state.apply_action(action)
        env.step(action)
        for player, reward in env.rewards.items():
            totals[player] += reward
    assert state.is_terminal() and state.returns() == list(totals.values())
    assert pickle.loads(pickle.dumps(state)) == state


@pytest.mark.slow
def test_the_search_proves_a_win_and_a_board_is_touched_where_its_signs_stand():
    game = load_game("pettingzoo:tictactoe_v3")
    state = game.new_initial_state()
    for square in ["1", "4", "2", "5"]:  # X has the first two squares of a column
        state.apply_action(square)
    report = Search(game).run(state, iterations=200)
    assert report.best_name == "3" and report.proven == "win"
    assert game.action_cells(state.record, 2) == [(2, 0)]
    assert game.cells(state.record) == [["X", "O", ""], ["X", "O", ""], ["", "", ""]]
    column = load_game("pettingzoo:connect_four_v3").new_initial_state()
    column.apply_action("4")
    assert column.game.action_cells(column.record, 3) == [(4, 3)]


def test_choices_at_once_are_not_seen():
    state = load_game("pettingzoo:rps_v2(max_cycles=2)").new_initial_state()
    assert state.is_simultaneous_node() and state.game.max_utility == 2.0
    before = state.observation(1)
    state.apply_action("rock")
    assert state.observation(1) == before
    state.apply_action("paper")
    assert state.world.returns() == [-1.0, 1.0]


def test_agents_play_matches_of_it():
    tally = match("pettingzoo:tictactoe_v3", "mcts:iterations=30", "random", games=2, concurrency=1).tally
    assert tally.games == 2


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("tictactoe_v9", UnknownNameError, "did you mean 'tictactoe_v3'"),
        ("", SettingError, "say which environment"),
        ("rps_v2(cycles=3)", SettingError, "does not make"),
    ],
)
def test_what_pettingzoo_does_not_have_is_said_in_words(name, error, words):
    with pytest.raises(error, match=words):
        load_game(f"pettingzoo:{name}")


def test_hidden_information_that_nobody_describes_is_refused(monkeypatch):
    monkeypatch.setattr("ponderosa.adapters.pettingzoo.game.OPEN", ())
    with pytest.raises(SettingError, match="open=true"):
        load_game("pettingzoo:tictactoe_v3")
    assert load_game("pettingzoo:tictactoe_v3,open=true").players == 2
