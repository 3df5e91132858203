"""OpenSpiel's own games of every class, searched as they are."""

from __future__ import annotations

import random

import pyspiel
import pytest

from ponderosa import Search, search
from ponderosa.mcts.policies.select.ucb import sp_ucb
from tests.helpers import loaded


def decision(name: str):
    """A state of a game in which a player has to choose."""
    rng, state = random.Random(3), pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice([outcome for outcome, _ in state.chance_outcomes()]))
    return state


@pytest.mark.parametrize(
    ("name", "iterations"),
    [
        ("cliff_walking", 300),  # one player
        ("2048", 20),  # one player and chance
        ("pig(players=3)", 200),  # many players and chance
        ("quoridor(players=3,board_size=3)", 50),  # many players
        ("pig", 200),
        ("leduc_poker", 200),  # hidden and chance
        ("kuhn_poker(players=3)", 300),  # hidden, chance, many players
        ("goofspiel(num_cards=4,points_order=random)", 300),  # simultaneous and chance
        ("oshi_zumo(coins=5,size=1)", 300),
    ],
)
def test_a_game_of_every_class_is_searched(name, iterations):
    state = decision(name)
    before = str(state)
    report = search(state, iterations=iterations)
    player = 0 if state.is_simultaneous_node() else state.current_player()
    assert report.player == player
    assert report.best_action in state.legal_actions(player)
    assert sum(entry.visits for entry in report.actions) in (iterations, iterations - 1)
    assert str(state) == before


def test_the_best_way_along_the_cliff_is_found():
    cliff = pyspiel.load_game("cliff_walking(height=2,width=3,horizon=10)")
    report = search(cliff.new_initial_state(), select=sp_ucb(c=1.5), iterations=3_000)  # playouts mostly fall
    assert len(report.best_line) == 4  # up, twice to the right, down
    assert report.best_score == pytest.approx(-4)


def test_rock_paper_scissors_is_mixed():
    state = pyspiel.load_game("matrix_rps").new_initial_state()
    report = search(state, select="regret_matching", iterations=5_000)
    assert [entry.strategy for entry in report.actions] == pytest.approx([1 / 3] * 3, abs=0.1)


def test_kuhn_poker_is_played_as_our_own():
    theirs = pyspiel.load_game("kuhn_poker").new_initial_state()
    ours = loaded("kuhn_poker").new_initial_state()
    for action in (2, 0, 0, 1):  # the king, the jack, a pass, a bet
        theirs.apply_action(action)
        ours.apply_action(action)
    assert search(theirs, iterations=1_000).best_action == search(ours, iterations=1_000).best_action == 1


def test_a_look_alike_with_dice_needs_no_more_than_the_names():
    class Coin:
        """Heads you win; you may also give up."""

        def __init__(self, moves=()):
            self.moves = moves

        def current_player(self):
            return 0 if not self.moves else -1 if self.moves == ("flip",) else -4

        def is_chance_node(self):
            return self.current_player() == -1

        def legal_actions(self):
            return ["flip", "stop"]

        def chance_outcomes(self):
            return [("heads", 0.75), ("tails", 0.25)]

        def apply_action(self, action):
            self.moves = (*self.moves, action)

        def is_terminal(self):
            return self.moves == ("stop",) or len(self.moves) == 2

        def returns(self):
            return [{"heads": 1.0, "tails": -1.0, "stop": 0.0}[self.moves[-1]]]

        def num_players(self):
            return 1

        def clone(self):
            return Coin(self.moves)

    report = Search(Coin()).run(iterations=2_000)
    flip = next(entry for entry in report.actions if entry.action == "flip")
    assert report.best_action == "flip"
    assert flip.expected == pytest.approx(0.5, abs=0.05)
