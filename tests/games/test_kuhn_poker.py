"""Kuhn poker: every game against OpenSpiel's, and the value that everybody knows, computed exactly."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pyspiel
import pytest

from ponderosa import CHANCE, check_game
from tests.helpers import loaded, position

GAME = loaded("kuhn_poker")
JACK, QUEEN, KING = 1, 2, 3
Strategy = dict[tuple[int, tuple[int, ...]], Fraction]
"""How likely a bet is, by one's own card and what was played."""


def knowledge(state: Any) -> tuple[int, tuple[int, ...]]:
    """What the player to move knows."""
    seen = state.observation(state.current_player())
    return seen.record.card[state.current_player()], tuple(state.history()[2:])


def first(alpha: Fraction) -> Strategy:
    """The equilibria of the first player are one for each alpha from 0 to 1/3."""
    bets = {JACK: alpha, QUEEN: Fraction(0), KING: 3 * alpha}
    calls = {JACK: Fraction(0), QUEEN: alpha + Fraction(1, 3), KING: Fraction(1)}
    return {(card, ()): bet for card, bet in bets.items()} | {(card, (0, 1)): call for card, call in calls.items()}


def second() -> Strategy:
    bets = {JACK: Fraction(1, 3), QUEEN: Fraction(0), KING: Fraction(1)}
    calls = {JACK: Fraction(0), QUEEN: Fraction(1, 3), KING: Fraction(1)}
    return {(card, (0,)): bet for card, bet in bets.items()} | {(card, (1,)): call for card, call in calls.items()}


def value(state: Any, strategies: tuple[Strategy, Strategy]) -> Fraction:
    """What the first player gets on average."""
    if state.is_terminal():
        return Fraction(state.returns()[0])
    if state.is_chance_node():
        outcomes = state.chance_outcomes()
        return sum(value(state.child(outcome), strategies) for outcome, _ in outcomes) / Fraction(len(outcomes))
    bet = strategies[state.current_player()][knowledge(state)]
    shares = {0: 1 - bet, 1: bet}
    return sum(share * value(state.child(action), strategies) for action, share in shares.items() if share)


def pure(strategy: Strategy) -> list[Strategy]:
    """All strategies without chance that know the same."""
    choices = itertools.product((Fraction(0), Fraction(1)), repeat=len(strategy))
    return [dict(zip(strategy, bets, strict=True)) for bets in choices]


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 6), Fraction(1, 3)])
def test_the_game_is_worth_a_loss_of_an_eighteenth_to_the_first_player(alpha):
    start, equilibrium = GAME.new_initial_state(), (first(alpha), second())
    assert value(start, equilibrium) == Fraction(-1, 18)
    assert max(value(start, (other, equilibrium[1])) for other in pure(equilibrium[0])) == Fraction(-1, 18)
    assert min(value(start, (equilibrium[0], other)) for other in pure(equilibrium[1])) == Fraction(-1, 18)


def test_all_games_are_those_of_openspiel():
    finished = 0

    def walk(ours, theirs):
        nonlocal finished
        assert ours.is_terminal() == theirs.is_terminal()
        assert ours.current_player() == theirs.current_player()
        if ours.is_terminal():
            finished += 1
            assert ours.returns() == theirs.returns()
            return
        assert ours.legal_actions() == theirs.legal_actions()
        if ours.is_chance_node():
            assert ours.chance_outcomes() == theirs.chance_outcomes()
        for action in ours.legal_actions():
            walk(ours.child(action), theirs.child(action))

    walk(GAME.new_initial_state(), pyspiel.load_game("kuhn_poker").new_initial_state())
    assert finished == 30  # six deals, and five ways to play


def test_each_player_can_be_in_six_situations():
    seen = {0: set(), 1: set()}

    def walk(state):
        if state.current_player() >= 0:
            seen[state.current_player()].add(state.observation(state.current_player()))
        for action in state.legal_actions():
            walk(state.child(action))

    walk(GAME.new_initial_state())
    assert [len(views) for views in seen.values()] == [6, 6]


def test_the_other_card_is_one_of_the_two_that_are_left():
    state = position(GAME, "queen king pass")
    drawn = [state.resample_from_infostate(0, seed).record.card[1] for seed in range(2000)]
    assert set(drawn) == {JACK, KING}
    assert abs(drawn.count(KING) - 1000) < 5 * 500**0.5
    assert {state.resample_from_infostate(1, seed).record.card[0] for seed in range(50)} == {JACK, QUEEN}


def test_who_has_no_card_yet_expects_any():
    state = position(GAME, "queen")
    assert state.to_move() == CHANCE
    assert {state.resample_from_infostate(1, seed).record.card[0] for seed in range(50)} == {JACK, QUEEN, KING}


def test_a_hand_is_drawn_without_the_other_card():
    state = position(GAME, "queen king pass bet")
    assert str(state.observation(0)) == "player 1: queen, 1 in the pot\nplayer 2: a card, 2 in the pot"
    state.apply_action(1)
    assert str(state.observation(0)) == "player 1: queen, 2 in the pot\nplayer 2: king, 2 in the pot"
    assert state.returns() == [-2.0, 2.0]


def test_it_keeps_its_promises():
    assert check_game(GAME, games=200) == []
