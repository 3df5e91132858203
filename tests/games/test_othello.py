"""Othello: against OpenSpiel's rules, exact counts, and positions drawn as text."""

from __future__ import annotations

import pytest

from ponderosa import Search, check_game
from ponderosa.errors import SettingError
from tests.games.against_openspiel import play_both
from tests.helpers import loaded, position, random_game


@pytest.mark.parametrize("games", [60, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_games_are_those_of_openspiel(games):
    assert play_both(loaded("othello"), "othello", games) > 55 * games


def discs(drawn: str) -> list[str]:
    """The rows of a board drawn as text, without labels."""
    return [row.split(maxsplit=1)[1].replace(" ", "") for row in drawn.splitlines()[:-1]]


def test_enclosed_discs_are_turned():
    before = position(loaded("othello"), "f5 d6 c3 d3")
    assert discs(str(before))[2:6] == ["..XO....", "...OX...", "...OXX..", "...O...."]
    after = position(loaded("othello"), "f5 d6 c3 d3 c4")
    assert discs(str(after)) == [
        "........",
        "........",
        "..XO....",
        "..XXX...",
        "...OXX..",
        "...O....",
        "........",
        "........",
    ]


def test_who_cannot_move_passes_and_a_game_ends_when_neither_can():
    passes = 0
    for seed in range(30):
        states = random_game(loaded("othello:size=6"), seed)
        for state in states[:-1]:
            names = [state.action_to_string(action) for action in state.legal_actions()]
            passes += names == ["pass"]
            assert "pass" not in names or len(names) == 1
            assert names != ["pass"] or state.child(36).to_move() == 1 - state.to_move()
        rows = "".join(discs(str(states[-1])))
        lead = rows.count("X") - rows.count("O")
        assert states[-1].returns()[0] == (lead > 0) - (lead < 0)
    assert passes > 5


def test_nine_moves_that_take_all_discs_end_the_game():
    state = position(loaded("othello"), "e6 f4 e3 f6 g5 d6 e7 f5 c5")
    assert state.is_terminal()
    assert state.returns() == [1.0, -1.0]
    assert "O" not in "".join(discs(str(state)))


def test_the_second_player_wins_on_four_by_four():
    assert Search(loaded("othello:size=4"), seed=1).run(iterations=200_000).proven == "loss"


def test_the_static_value_knows_corners_and_is_even_at_the_start():
    game = loaded("othello")
    assert game.own_rules()["evaluate"](game.new_initial_state().record) == (0.0, 0.0)
    rule = game.own_rules()["prior"]
    record = game.new_initial_state().record
    worth = {name: rule(record, action) for name, action in (("a1", 0), ("b1", 1), ("b2", 9), ("c1", 2), ("h8", 63))}
    assert worth["a1"] == worth["h8"] > worth["c1"] > worth["b1"] > worth["b2"]
    assert all(rule(record, image[9]) == rule(record, 9) for image in game.symmetries())


@pytest.mark.slow
def test_sizes_are_checked_and_promises_kept():
    assert check_game(loaded("othello:size=6"), games=20) == []
    with pytest.raises(SettingError, match="size must be one of 4, 6, 8, not 7"):
        loaded("othello:size=7")
