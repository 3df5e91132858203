"""Goofspiel against OpenSpiel's, and all games with few cards counted."""

from __future__ import annotations

import itertools
import math
import random

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import check_game, load_game
from ponderosa.errors import SettingError
from tests.helpers import loaded, position


def spec_of(cards: int, order: str) -> str:
    return f"goofspiel:cards={cards},prizes={order}"


@pytest.mark.parametrize("order", ["random", "descending", "ascending"])
@given(seed=st.integers(0, 10**6), cards=st.sampled_from([2, 3, 5, 13]))
def test_random_games_are_those_of_openspiel(order, seed, cards):
    """There, the last prize and bids are played by themselves."""
    draw, ours = random.Random(seed), loaded(spec_of(cards, order)).new_initial_state()
    theirs = pyspiel.load_game(f"goofspiel(num_cards={cards},points_order={order})").new_initial_state()
    while not theirs.is_terminal():
        assert ours.current_player() == theirs.current_player()
        if theirs.is_chance_node():
            assert dict(ours.chance_outcomes()) == pytest.approx(dict(theirs.chance_outcomes()))
            prize = draw.choice(ours.legal_actions())
            ours.apply_action(prize)
            theirs.apply_action(prize)
            continue
        assert [ours.legal_actions(player) for player in (0, 1)] == [theirs.legal_actions(p) for p in (0, 1)]
        bids = [draw.choice(ours.legal_actions(player)) for player in (0, 1)]
        ours.apply_actions(bids)
        theirs.apply_actions(bids)
    while not ours.is_terminal():
        (only,) = ours.legal_actions()
        ours.apply_action(only)
    assert ours.returns() == theirs.returns()


@pytest.mark.parametrize(("order", "orders"), [("random", 6), ("descending", 1), ("ascending", 1)])
def test_all_games_with_three_cards(order, orders):
    """Points by plain Python, over all orders of prizes and bids."""
    found = []

    def walk(state):
        if state.is_terminal():
            found.append((tuple(state.record.points.tolist()), state.returns()[0]))
        for action in state.legal_actions():
            walk(state.child(action))

    walk(loaded(spec_of(3, order)).new_initial_state())
    expected, cards = [], list(itertools.permutations((1, 2, 3)))
    for prizes in {"random": cards, "descending": [(3, 2, 1)], "ascending": [(1, 2, 3)]}[order]:
        for one, other in itertools.product(cards, repeat=2):
            rounds = list(zip(prizes, one, other, strict=True))
            points = sum(p for p, a, b in rounds if a > b), sum(p for p, a, b in rounds if b > a)
            expected.append((points, float((points[0] > points[1]) - (points[0] < points[1]))))
    assert len(found) == orders * math.factorial(3) ** 2
    assert sorted(found) == sorted(expected)


def test_equal_bids_get_nothing_and_the_higher_bid_all():
    state = position(loaded("goofspiel"), "6 3 3 2 1 6")
    assert str(state).splitlines() == [
        "prize: -   still to come: 1 3 4 5",
        "player 1: 0 points, cards 2 4 5 6",
        "player 2: 2 points, cards 1 2 4 5",
    ]


def test_a_bid_is_not_seen_before_the_other_has_bid():
    state = position(loaded("goofspiel"), "6")
    views = [state.observation(player).data.tobytes() for player in (0, 1)]
    state.apply_action(5)
    assert [state.observation(player).data.tobytes() for player in (0, 1)] == views
    assert state.to_move() == 1 and state.observation(1).legal_actions() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("goofspiel:cards=0", "goofspiel is played with 1 to 13 cards, not 0"),
        ("goofspiel:cards=14", "goofspiel is played with 1 to 13 cards, not 14"),
        ("goofspiel:prizes=odd", "one of the orders random, descending, ascending, not 'odd'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(spec, message):
    with pytest.raises(SettingError, match=message):
        load_game(spec)


@pytest.mark.parametrize("spec", [spec_of(1, "random"), spec_of(6, "random"), spec_of(13, "descending")])
def test_it_keeps_its_promises(spec):
    assert check_game(loaded(spec), games=40) == []
