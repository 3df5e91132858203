"""The agent with a trained network: alone, with a search, and beside proofs by threats."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ponderosa import PonderosaError, load_agent, load_game
from ponderosa.agents.connect.net_threats import NetThreats
from ponderosa.agents.net import NetAgent
from ponderosa.core.observation import observed
from ponderosa.errors import GameError, NetworkFileError, SettingError
from ponderosa.networks import file
from ponderosa.networks.file import load
from tests.helpers import Nim, loaded
from tests.networks.small import SAMPLE, written

pytest.importorskip("onnxruntime", reason='networks play with the extra "net"')
NET = f"net:file={SAMPLE}"


@pytest.fixture
def game():
    return loaded("tictactoe")


def after(game, *moves):
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(game.parse_action(move, state))
    return state


def preferred(state):
    """The legal action of the largest prior, asked without any search."""
    net = load(SAMPLE, state.game)
    logits, _ = net.judge(observed(state.game, state.data.view(state.game.dtype)))
    legal = state.legal_actions()
    return legal[int(np.argmax(logits[0][legal]))]


@pytest.mark.parametrize("moves", [(), ("a1",), ("b2", "a1"), ("a1", "b1", "a2", "b2"), ("c3", "b2", "c1")])
def test_with_one_iteration_it_plays_what_the_network_prefers_of_the_legal_actions(game, moves):
    state = after(game, *moves)
    assert load_agent(f"{NET},iterations=1", game).step(state) == preferred(state)


def test_alone_it_proves_nothing_and_searches_nothing(game):
    agent, state = load_agent(f"{NET},iterations=1", game), game.new_initial_state()
    while not state.is_terminal():
        best = preferred(state)
        assert agent.step(state) == best
        assert agent.last_report.iterations == 1
        assert agent.last_report.proven is None
        state.apply_action(best)


def test_whoever_looks_on_is_told_what_the_network_says_by_itself(game):
    agent, state, heard = load_agent(f"{NET},iterations=3000,solve=false", game), after(game, "b2"), []
    agent.think(state, lambda report: heard.append(report.judged))
    net = load(SAMPLE, game)
    _, values = net.judge(observed(game, state.data.view(game.dtype)))
    said = 0.5 + 0.5 * float(values[0])
    assert agent.last_report.judged == pytest.approx(said) and set(heard) <= {agent.last_report.judged}
    assert f"The network alone says {100 * said:.1f} %." in str(agent.last_report)
    agent.step(state)
    assert agent.last_report.judged is None  # in matches nobody asks


def test_with_more_iterations_it_searches_and_proves(game):
    agent = load_agent(f"{NET},iterations=300", game)
    state = after(game, "a1", "b1", "a2", "b2")
    assert state.action_to_string(agent.step(state)) == "a3"
    assert agent.last_report.proven == "win"


def test_the_report_says_the_networks_priors_beside_what_was_found(game):
    agent = load_agent(f"{NET},iterations=20", game)
    state = game.new_initial_state()
    agent.step(state)
    priors = {entry.action: entry.prior for entry in agent.last_report.actions}
    assert sum(priors.values()) == pytest.approx(1.0)
    assert max(priors, key=priors.get) == preferred(state)
    assert agent.last_report.to_dict()["actions"][0]["prior"] in priors.values()


def test_the_same_seed_plays_the_same(game):
    agents = [load_agent(f"{NET},iterations=40,seed=3,batch=4", game) for _ in range(2)]
    state = after(game, "b2")
    assert len({agent.step(state) for agent in agents}) == 1
    assert agents[0].last_report.actions == agents[1].last_report.actions


@pytest.mark.slow
def test_gumbel_plans_its_iterations_with_the_network(game):
    agent = load_agent(f"{NET},iterations=40,select=gumbel", game)
    assert agent.step(game.new_initial_state()) in range(9)
    with pytest.raises(SettingError, match="needs iterations="):
        load_agent(f"{NET},seconds=1,select=gumbel", game)


def test_dice_are_rolled_between_judgements(tmp_path):
    pig = loaded("pig:target=30")
    agent = load_agent(f"net:file={written(tmp_path / 'pig.onnx', pig, 2)},iterations=30", pig)
    state = pig.new_initial_state()
    assert agent.step(state) in state.legal_actions()
    assert agent.last_report.iterations == 30


@pytest.mark.slow
def test_long_lines_are_played_with_threats_unless_it_is_said_otherwise(tmp_path):
    game = load_game("connect:m=9,n=9")
    net = f"net:file={written(tmp_path / 'net.onnx', game, 81)}"
    kinds = {
        f"{net},seconds=1": NetThreats,
        f"{net},iterations=50": NetThreats,
        f"{net},iterations=50,threats=false": NetAgent,
        f"{net},iterations=50,select=gumbel": NetAgent,
        f"{net},iterations=1": NetAgent,
    }
    assert {spec: type(load_agent(spec, game)) for spec in kinds} == kinds
    for more in ("iterations=1", "iterations=9,select=gumbel"):
        with pytest.raises(SettingError, match="threats are searched beside a tree that grows"):
            load_agent(f"{net},threats=true,{more}", game)


@pytest.mark.slow
def test_threats_are_of_the_connect_family(game):
    with pytest.raises(SettingError, match="threats are those of the Connect family"):
        load_agent(f"{NET},threats=true", loaded("connect4"))
    assert isinstance(load_agent(f"{NET},threats=true", game), NetThreats)


@pytest.mark.slow
def test_threats_win_where_the_network_knows_nothing(tmp_path):
    game = load_game("connect:m=9,n=9")
    net = f"net:file={written(tmp_path / 'net.onnx', game, 81)}"
    state = after(game, "d5", "a1", "e5", "a3", "f5", "i9")
    assert state.action_to_string(load_agent(f"{net},iterations=50", game).step(state)) in ("c5", "g5")
    state = after(game, "a1", "d5", "a3", "e5", "i9", "f5", "i1", "g5", "h5")
    agent = load_agent(f"{net},iterations=50", game)
    assert state.action_to_string(agent.step(state)) == "c5"
    assert agent.last_report.proven == "win"


@pytest.mark.parametrize(
    ("spec", "game", "error", "message"),
    [
        ("net", "tictactoe", SettingError, "no network of tictactoe comes with the package"),
        ("net:file=nowhere.onnx", "tictactoe", NetworkFileError, "cannot read nowhere.onnx"),
        (f"{NET}", "connect4", NetworkFileError, "does not see what connect4 shows"),
        (f"{NET},threads=0", "tictactoe", SettingError, "threads"),
        (f"{NET},batch=0", "tictactoe", SettingError, "batch"),
        (f"{NET},playout=mast", "tictactoe", SettingError, "takes the place of playouts"),
        ("net", "kuhn_poker", GameError, "hidden things"),
    ],
)
def test_what_cannot_be_is_said_in_words(spec, game, error, message, monkeypatch, tmp_path):
    monkeypatch.setattr(file, "FOLDER", tmp_path)
    with pytest.raises(error, match=message):
        load_agent(spec, loaded(game))


def test_games_without_records_are_refused(game):
    with pytest.raises(GameError, match="net plays games with a dtype"):
        NetAgent(object())


def test_without_onnx_runtime_it_says_what_to_install(game, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(PonderosaError, match=r'pip install "ponderosa\[net\]"'):
        load_agent(NET, game)


def test_a_game_that_says_nothing_of_what_is_seen_is_played_too(tmp_path):
    nim = Nim()
    path = written(tmp_path / "nim.onnx", nim, 400)
    assert (
        NetAgent(nim, str(path), iterations=20).step(nim.new_initial_state()) in nim.new_initial_state().legal_actions()
    )
