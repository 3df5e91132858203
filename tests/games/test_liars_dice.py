"""Liar's dice against OpenSpiel's for two, and against a plain count of the dice for more."""

from __future__ import annotations

import collections
import itertools
import random

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import check_game, load_game
from ponderosa.core.notation import position
from ponderosa.errors import SettingError
from ponderosa.games.boards.sets import numbers_in
from tests.helpers import loaded

SPECS = ["liars_dice", "liars_dice:players=2", "liars_dice:players=5,dice=2", "liars_dice:players=4,dice=2,wild=false"]
SEEDS = st.integers(0, 10**6)


def cautious(draw: random.Random, actions: list[int]) -> int:
    """A random action, low bids more often, so that games last a while."""
    return draw.choice(actions[:3] + actions[-1:])


@pytest.mark.parametrize("dice", [1, 2])
@given(seed=SEEDS)
def test_for_two_it_is_the_game_of_openspiel(dice, seed):
    """There, sixes are wild and the highest; here, ones are: face r + 1 there is r + 2 here, and 6 there is 1 here."""
    ours = loaded(f"liars_dice:players=2,dice={dice}").new_initial_state()
    theirs, draw = pyspiel.load_game(f"liars_dice(numdice={dice})").new_initial_state(), random.Random(seed)
    while not theirs.is_terminal():
        assert ours.current_player() == theirs.current_player()
        if theirs.is_chance_node():
            rank = draw.randrange(6)
            ours.apply_action((rank + 1) % 6 + 1)
            theirs.apply_action(rank)
            continue
        assert ours.legal_actions() == theirs.legal_actions()
        action = cautious(draw, ours.legal_actions())
        ours.apply_action(action)
        theirs.apply_action(action)
    assert ours.is_terminal()
    assert ours.returns() == theirs.returns()


@pytest.mark.parametrize("spec", SPECS)
@given(seed=SEEDS)
def test_who_is_wrong_about_the_dice_loses(spec, seed):
    game, draw = loaded(spec), random.Random(seed)
    state, everything = game.new_initial_state(), game.players * game.dice
    dice, bids = [], []
    while not state.is_terminal():
        action = cautious(draw, state.legal_actions())
        if state.is_chance_node():
            assert state.legal_actions() == [1, 2, 3, 4, 5, 6]
            dice.append(action)
        else:
            assert len(dice) == everything
            assert state.current_player() == len(bids) % game.players
            higher = list(range(bids[-1] + 1 if bids else 0, 6 * everything))
            assert state.legal_actions() == higher + ([6 * everything] if bids else [])
            bids.append(action)
        state.apply_action(action)
    doubter, bidder = (len(bids) - 1) % game.players, (len(bids) - 2) % game.players
    count, face = bids[-2] // 6 + 1, (2, 3, 4, 5, 6, 1)[bids[-2] % 6]
    there = dice.count(face) + (dice.count(1) if game.wild and face != 1 else 0)
    loser = doubter if there >= count else bidder
    share = 1 / (game.players - 1)
    assert state.returns() == [-1.0 if player == loser else share for player in range(game.players)]
    assert sum(state.returns()) == pytest.approx(0)
    assert numbers_in(state.record.bids) == bids[:-1]
    for player in range(game.players):
        mine = slice(player * game.dice, (player + 1) * game.dice)
        assert list(state.record.face[mine]) == sorted(dice[mine])


def test_the_dice_of_the_others_are_drawn_as_they_fall():
    state, draws = position(loaded("liars_dice:players=3,dice=2"), "3, 1, 2, 2, 5, 6, 2 x 4"), 9000
    cups = collections.Counter()
    for seed in range(draws):
        face = state.resample_from_infostate(0, seed).record.face.tolist()
        assert face[:2] == [1, 3]
        cups[tuple(face[2:4])] += 1
        cups[tuple(face[4:6])] += 1
    assert set(cups) == set(itertools.combinations_with_replacement(range(1, 7), 2))
    for (one, other), count in cups.items():
        expected = 2 * draws * (1 if one == other else 2) / 36
        assert abs(count - expected) < 5 * expected**0.5


def test_dice_that_are_not_yet_rolled_are_not_drawn():
    state = position(loaded("liars_dice:players=3,dice=2"), "3, 1, 6")
    drawn = state.resample_from_infostate(0, 7).record.face.tolist()
    assert drawn[:2] == [1, 3]
    assert drawn[2] > 0 and not any(drawn[3:])


def test_the_longest_game_has_every_bid():
    game = loaded("liars_dice:players=2,dice=1")
    state = position(game, "1 1")
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    assert len(state.history()) == game.max_game_length == 2 + 12 + 1
    assert state.returns() == [-1.0, 1.0]  # there are two ones, as the second player said last


def test_a_round_is_drawn_with_what_was_said():
    state = position(loaded("liars_dice"), "4, 2, 1, 1 x 4, 2 x 1")
    assert str(state) == "player 1: 4\nplayer 2: 2\nplayer 3: 1\nbids: player 1 1 x 4, player 2 2 x 1"
    seen = "player 1: ?\nplayer 2: 2\nplayer 3: ?\nbids: player 1 1 x 4, player 2 2 x 1"
    assert str(state.observation(1)) == seen


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("liars_dice:players=1", "liars_dice is for 2 to 5 players, not 1"),
        ("liars_dice:players=6", "liars_dice is for 2 to 5 players, not 6"),
        ("liars_dice:dice=0", "dice, those of each player, must be 1 to 2, not 0"),
        ("liars_dice:dice=3", "dice, those of each player, must be 1 to 2, not 3"),
    ],
)
def test_settings_that_make_no_sense_are_refused(spec, message):
    with pytest.raises(SettingError, match=message):
        load_game(spec)


@pytest.mark.parametrize("spec", SPECS)
def test_it_keeps_its_promises(spec):
    assert check_game(loaded(spec), games=40) == []
