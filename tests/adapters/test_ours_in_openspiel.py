"""Every game of the registry as a game of OpenSpiel: it goes as it does here, and OpenSpiel's algorithms take it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from open_spiel.python.algorithms import cfr, exploitability, mcts

from ponderosa.adapters.ours_in_openspiel import spiel_game
from tests.helpers import EVERY_GAME

QUICK = {"tictactoe", "kuhn_poker", "rps", "pig"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in EVERY_GAME]
)
def test_a_game_goes_in_openspiel_as_it_does_here(name):
    game, rng = spiel_game(EVERY_GAME[name]), random.Random(1)
    for _ in range(2):
        theirs, ours = game.new_initial_state(), game.numbered.game.new_initial_state()
        for _ in range(120):
            if ours.is_terminal():
                break
            assert theirs.is_simultaneous_node() == ours.is_simultaneous_node()
            assert theirs.chance_outcomes() == ours.chance_outcomes() if ours.is_chance_node() else True
            before = str(theirs)
            other = theirs.clone()
            if ours.is_simultaneous_node():
                chosen = [rng.choice(theirs.legal_actions(player)) for player in range(game.num_players())]
                theirs.apply_actions(chosen)
                other.apply_actions([theirs_legal[0] for theirs_legal in map(other.legal_actions, range(len(chosen)))])
                for action in chosen:
                    ours.apply_action(action)
            else:
                assert theirs.current_player() == ours.to_move() and theirs.legal_actions() == ours.legal_actions()
                action = rng.choice(ours.legal_actions())
                assert theirs.action_to_string(action) == ours.action_to_string(action)
                theirs.apply_action(action)
                assert str(other) == before
                ours.apply_action(action)
            assert str(theirs) == str(ours)
        assert theirs.is_terminal() == ours.is_terminal() and theirs.returns() == ours.returns()
        observer = game.make_py_observer()
        observer.set_from(theirs, 0)
        assert observer.dict["observation"].shape == game.numbered.shape
        assert all(0 <= action < game.num_distinct_actions() for action in theirs.legal_actions() or [0])


def test_openspiels_regret_minimisation_solves_our_poker():
    game = spiel_game("kuhn_poker")
    solver = cfr.CFRSolver(game)
    start = exploitability.exploitability(game, solver.average_policy())
    for _ in range(20):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.1 < start


def test_openspiels_tree_search_finds_a_win_in_our_tictactoe():
    game = spiel_game("tictactoe")
    state = game.new_initial_state()
    for move in (0, 3, 1, 4):
        state.apply_action(move)
    rng = np.random.RandomState(1)
    assert mcts.MCTSBot(game, 2.0, 60, mcts.RandomRolloutEvaluator(1, rng), random_state=rng).step(state) == 2


def test_a_player_knows_nothing_of_what_is_hidden():
    known = set()
    for other_card in (0, 2):
        state = spiel_game("kuhn_poker").new_initial_state()
        state.apply_action(1)
        state.apply_action(other_card)
        known.add(state.information_state_string(0))
    assert len(known) == 1
