"""Pig against its rules written down a second time."""

from __future__ import annotations

import functools

import pytest

from ponderosa import CHANCE, TERMINAL, check_game
from ponderosa.errors import SettingError
from tests.helpers import in_python, loaded, random_game

ROLL, HOLD = 0, 1


def position(game, points: list[int], turn: int, left: int = 1000):
    state = game.new_initial_state()
    state.record.points[:] = points
    state.record.turn, state.record.left = turn, left
    return state


@pytest.mark.parametrize("spec", ["pig", "pig:players=4,target=20", "pig:sides=2,target=3,horizon=5"])
def test_random_games_follow_the_rules(spec):
    game = in_python(spec)
    for seed in range(10):
        points, turn, player, decisions = [0] * game.players, 0, 0, 0
        states = random_game(game, seed)
        for before, action in zip(states, states[-1].history(), strict=False):
            assert (before.record.points.tolist(), before.record.turn) == (points, turn)
            if before.to_move() == CHANCE:
                turn, player = (turn + action, player) if action > 1 else (0, (player + 1) % game.players)
                continue
            assert before.to_move() == player
            assert before.legal_actions() == [ROLL, HOLD]
            decisions += 1
            if action == HOLD:
                points[player] += turn
                turn, player = 0, (player + 1) % game.players
        winners = [seat for seat in range(game.players) if points[seat] >= game.target]
        assert len(winners) == 1 or (not winners and decisions == game.horizon)
        expected = [1.0 if seat in winners else -1.0 for seat in range(game.players)] if winners else [0.0]
        assert states[-1].returns() == expected * (1 if winners else game.players)
        assert states[-1].to_move() == TERMINAL


def test_a_perfect_player_gets_what_two_independent_calculations_say():
    """Best play of both to 5 with a die of three sides and twelve decisions: through states, and on bare numbers."""
    game = in_python("pig:target=5,sides=3,horizon=12")

    @functools.cache
    def by_numbers(mine: int, theirs: int, turn: int, left: int) -> float:
        if left == 0:
            return 0.0
        lost = -by_numbers(theirs, mine, 0, left - 1)
        roll = (lost + by_numbers(mine, theirs, turn + 2, left - 1) + by_numbers(mine, theirs, turn + 3, left - 1)) / 3
        hold = 1.0 if mine + turn >= 5 else -by_numbers(theirs, mine + turn, 0, left - 1)
        return max(roll, hold)

    @functools.cache
    def by_states(state) -> tuple[float, float]:
        if state.is_terminal():
            return tuple(state.returns())
        if state.to_move() == CHANCE:
            below = [(by_states(state.child(outcome)), chance) for outcome, chance in state.chance_outcomes()]
            return tuple(sum(values[seat] * chance for values, chance in below) for seat in (0, 1))
        return max((by_states(state.child(action)) for action in (ROLL, HOLD)), key=lambda v: v[state.to_move()])

    first, second = by_states(game.new_initial_state())
    assert first == pytest.approx(by_numbers(0, 0, 0, 12))
    assert first == pytest.approx(-second)
    assert 0.1 < first < 0.9


def test_a_one_loses_the_turn_and_not_what_was_kept():
    state = position(loaded("pig"), [40, 10], turn=18).child(ROLL)
    assert state.to_move() == CHANCE
    assert state.chance_outcomes() == [(face, pytest.approx(1 / 6)) for face in range(1, 7)]
    after = state.child(1)
    assert (after.to_move(), after.record.points.tolist(), after.record.turn) == (1, [40, 10], 0)
    after = state.child(6)
    assert (after.to_move(), after.record.points.tolist(), after.record.turn) == (0, [40, 10], 24)


def test_points_win_when_they_are_kept_and_not_before():
    state = position(loaded("pig"), [90, 99], turn=10)
    assert not state.is_terminal()
    assert state.child(HOLD).returns() == [1.0, -1.0]
    assert not position(loaded("pig"), [90, 99], turn=9).child(HOLD).is_terminal()


def test_the_last_roll_is_still_rolled():
    state = position(loaded("pig"), [0, 0], turn=0, left=1)
    assert state.child(HOLD).returns() == [0.0, 0.0]
    rolling = state.child(ROLL)
    assert not rolling.is_terminal()
    assert rolling.child(5).is_terminal()
    assert loaded("pig").max_game_length == 2000


def test_a_position_is_told_in_words():
    state = position(loaded("pig"), [40, 10], turn=18)
    assert str(state) == "player 1: 40 of 100, and 18 in this turn\nplayer 2: 10 of 100"
    assert str(state.child(ROLL)).startswith("player 1: 40 of 100, and 18 in this turn, the die rolls")
    assert str(position(loaded("pig"), [40, 10], turn=60).child(HOLD)) == "player 1: 100 of 100\nplayer 2: 10 of 100"


@pytest.mark.parametrize("spec", ["pig:players=3,sides=4", "pig:target=1,sides=100", "pig:players=10,horizon=30"])
def test_all_settings_keep_their_promises(spec):
    assert check_game(in_python(spec), games=5) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("target=0", "target, the points that win, must be from 1 to 10000, not 0"),
        ("sides=1", "sides of the die must be from 2 to 100, not 1"),
        ("players=1", "pig is for 2 to 10 players, not 1"),
        ("horizon=0", "horizon, the most decisions of a game, must be from 1"),
    ],
)
def test_settings_that_make_no_game_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        loaded(f"pig:{settings}")
