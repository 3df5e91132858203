"""Gates are honest: who plays the same scores the same, whatever the seats, and figures can be kept."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from ponderosa import load_game
from ponderosa.learning.gate import BEST, Gate, as_json, scores_of
from ponderosa.learning.rivals import PERFECT, STRONG, rivals_of, scores_against
from ponderosa.learning.settings import LearnSettings
from ponderosa.learning.showing import STOP, Window

SETTINGS = LearnSettings(simulations=4, gate_games=8, openings=4.0, choices=9, actions=9)


class Uniform:
    """A judge that knows nothing."""

    def __init__(self):
        self.params = None

    def __call__(self, states):
        return np.ones((len(states), 9)), np.zeros(len(states))


@pytest.fixture(scope="module")
def gate():
    return Gate(load_game("tictactoe"), (Uniform(), Uniform()), SETTINGS, "cpu")


@pytest.mark.slow
def test_a_network_that_has_not_changed_is_not_said_to_be_stronger_than_itself(gate):
    pytest.importorskip("statsmodels", reason='ratings need the extra "arena"')
    gate.measure(None, None)
    second = gate.measure(None, None)
    itself = next(pairing for pairing in second.pairings if pairing.rival == BEST)
    assert itself.low < 0 < itself.high and second.best
    told = json.loads(json.dumps(as_json(second)))
    assert told["number"] == 2 and told["low"] <= told["elo"] <= told["high"]
    other = Gate(load_game("tictactoe"), (Uniform(), Uniform()), SETTINGS, "cpu")
    other.restore(json.loads(json.dumps(gate.kept())))
    assert other.kept() == gate.kept()


def test_a_gate_ends_before_the_games_against_a_rival_when_somebody_wants_it(gate, tmp_path):
    window = Window(tmp_path, {})
    window.look()
    (tmp_path / STOP).touch()
    with pytest.raises(KeyboardInterrupt):
        gate.measure(None, None, window.look)


def test_the_ladder_begins_with_random_moves_and_goes_on_with_more_and_more_iterations(gate):
    names = [name for name, _ in gate.ladder]
    assert names[:3] == ["random", "mcts:iterations=4", "mcts:iterations=16"]
    counts = [contender["iterations"] for _, contender in gate.ladder]
    assert counts == sorted(counts)


def test_in_a_game_for_one_it_counts_who_got_more_in_the_mean():
    played = SimpleNamespace(returns=np.array([[9.0], [1.0], [0.0], [2.0], [0.0], [2.0], [3.0], [3.0]]))
    assert scores_of(played, 1) == [(0, 1.0), (1, 0.375), (2, 0.375), (3, 0.5)]


def test_games_of_several_keep_the_group_that_shares_an_opening():
    played = SimpleNamespace(scores=np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [np.nan, 1.0]]))
    assert scores_of(played, 2) == [(0, 1.0), (0, 0.0), (1, 0.5)]


def test_agents_are_measured_against_where_they_play_the_game_and_perfect_ones_where_it_is_small():
    assert rivals_of(load_game("tictactoe")) == [STRONG, PERFECT]
    assert rivals_of(load_game("pig:target=12")) == [] == rivals_of(load_game("2048:size=2"))


@pytest.mark.slow
def test_a_deep_search_draws_against_a_perfect_player_and_a_blind_one_loses():
    network = {"iterations": 5000, "max_nodes": 60_000, "select": "puct", "evaluator": Uniform()}
    scores = scores_against(load_game("tictactoe"), network, PERFECT, 4, 0, 0, "cpu")
    assert scores == [(0, 0.5), (0, 0.5), (1, 0.5), (1, 0.5)]
    blind = network | {"iterations": 1, "max_nodes": 20, "solve": False}
    again = scores_against(load_game("tictactoe"), blind, PERFECT, 4, 1, 0, "cpu")
    assert sum(score for _, score in again) < 2.0


@pytest.mark.slow
def test_once_random_moves_are_beaten_agents_play_at_the_gate_and_count_for_its_elo(monkeypatch):
    pytest.importorskip("statsmodels", reason='ratings need the extra "arena"')
    fresh = Gate(load_game("tictactoe"), (Uniform(), Uniform()), SETTINGS, "cpu")
    monkeypatch.setattr(fresh, "_passed", lambda pairing: pairing.rival == "random")
    measured = fresh.measure(None, None)
    played = {pairing.rival: pairing.games for pairing in measured.pairings}
    assert list(played) == ["random", "mcts:iterations=4", STRONG, PERFECT]
    assert played[PERFECT] == 4 == sum(rival == PERFECT for _, rival, _, _ in fresh.kept()["told"])
