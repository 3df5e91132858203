"""Rock, paper, scissors: what every pair of shapes pays, once and again."""

from __future__ import annotations

import itertools

import pytest

from ponderosa import check_game, load_game
from ponderosa.errors import SettingError
from tests.helpers import loaded, position

ROCK, PAPER, SCISSORS = range(3)


@pytest.mark.parametrize(("spec", "rock", "paper", "scissors"), [("rps", 1, 1, 1), ("rps:wins=1,2,0.5", 1, 2, 0.5)])
def test_every_pair_of_shapes_pays_what_it_should(spec, rock, paper, scissors):
    matrix = [[0, -paper, rock], [paper, 0, -scissors], [-rock, scissors, 0]]
    game = loaded(spec)
    for one, other in itertools.product(range(3), repeat=2):
        state = game.new_initial_state()
        state.apply_actions([one, other])
        assert state.is_terminal()
        assert state.returns() == [matrix[one][other], -matrix[one][other]]
    assert (game.min_utility, game.max_utility) == (-max(rock, paper, scissors), max(rock, paper, scissors))


def test_rounds_add_up():
    state = position(loaded("rps:rounds=3,wins=1,2,3"), "rock scissors paper rock rock paper")
    assert state.returns() == [1.0 + 2.0 - 2.0, -1.0]
    assert str(state) == "player 1 leads by 1, rounds to play: 0\nfor a win by rock 1, paper 2, scissors 3"


def test_the_most_that_can_be_won_is_the_most_that_is_won_to_the_last_digit():
    game = loaded("rps:rounds=10,wins=0.1,0.1,0.1")
    state = position(game, "rock scissors " * 10)
    assert state.returns() == [game.max_utility, game.min_utility]
    assert game.max_utility == pytest.approx(1.0)


def test_a_shape_is_not_seen_before_the_other_is_shown():
    state = loaded("rps").new_initial_state()
    before = state.observation(1)
    views = set()
    for shape in range(3):
        views.add(state.child(shape).observation(1))
    assert views == {before}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rps:rounds=0", "rounds must be 1 to 1000, not 0"),
        ("rps:rounds=1001", "rounds must be 1 to 1000, not 1001"),
        ("rps:wins=1,2", "wins are three numbers above 0"),
        ("rps:wins=1,2,0", "wins are three numbers above 0"),
        ("rps:wins=1,2,inf", "wins are three numbers above 0"),
        ("rps:wins=1,2,much", "wins are three numbers above 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(spec, message):
    with pytest.raises(SettingError, match=message):
        load_game(spec)


@pytest.mark.parametrize("spec", ["rps", "rps:rounds=7,wins=0.1,0.7,0.3"])
def test_it_keeps_its_promises(spec):
    assert check_game(loaded(spec), games=100) == []
