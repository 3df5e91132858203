"""What must hold for every game in which chance decides."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from ponderosa import CHANCE
from ponderosa.core.rng import new_rng
from tests.helpers import EVERY_GAME, loaded, random_game
from tests.plain_python import plain_and_compiled  # noqa: F401

DICE = [name for name in EVERY_GAME if loaded(EVERY_GAME[name]).chance]
ROLLS = 4_000


def chance_states(game, seed: int, most: int) -> list:
    """Some states of a random game in which chance decides, spread over the game."""
    found = [state for state in random_game(game, seed) if state.to_move() == CHANCE]
    return found[:: max(1, len(found) // most)]


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == "pig" else pytest.mark.slow) for name in DICE])
def test_dice_fall_as_often_as_their_probabilities_say(name):
    """Within five standard deviations: chance fails this once in a million comparisons."""
    game, rng = loaded(EVERY_GAME[name]), new_rng(7)
    for state in chance_states(game, seed=1, most=6):
        expected = dict(state.chance_outcomes())
        rolled = Counter(int(game.rules.chance_outcome(state.data, rng)) for _ in range(ROLLS))
        assert set(rolled) <= set(expected)
        for outcome, probability in expected.items():
            spread = math.sqrt(ROLLS * probability * (1.0 - probability))
            assert abs(rolled[outcome] - ROLLS * probability) <= 5.0 * spread


@pytest.mark.parametrize("name", DICE)
def test_what_dice_show_is_written_in_words_and_read_again(name):
    game = loaded(EVERY_GAME[name])
    for state in chance_states(game, seed=2, most=6):
        outcomes = state.legal_actions()
        names = [state.action_to_string(outcome) for outcome in outcomes]
        assert len(set(names)) == len(names)
        assert [game.parse_action(text, state) for text in names] == outcomes


@pytest.mark.parametrize("name", DICE)
def test_a_game_with_dice_is_played_again_from_its_history(name):
    game = loaded(EVERY_GAME[name])
    for seed in range(3):
        last, again = random_game(game, seed)[-1], game.new_initial_state()
        for action in last.history():
            again.apply_action(action)
        assert again == last
        assert again.returns() == last.returns()
