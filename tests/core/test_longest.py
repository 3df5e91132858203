"""No game is played for longer than it may be, wherever it is played."""

from __future__ import annotations

import random

import pytest

from ponderosa import check_game
from ponderosa.arena.match import match
from ponderosa.arena.running.judge import TOO_LONG
from ponderosa.core.dice import MOST_ROLLS, roll_on
from ponderosa.core.game import LONGEST
from ponderosa.errors import GameError, TooLongError
from ponderosa.web.model.director import Director
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.runner import Runner
from ponderosa.web.model.session import GameSession
from tests.endless_games import AtOnce, Countdown, Dice, PlainToAndFro, Still, ToAndFro
from tests.helpers import wait_until


def played(game, actions: int):
    state = game.new_initial_state()
    for _ in range(actions):
        state.apply_action(state.legal_actions()[0])
    return state


@pytest.mark.parametrize("game", [ToAndFro, PlainToAndFro, AtOnce], ids=lambda game: game.__name__)
def test_a_state_takes_no_more_actions_than_the_game_may_have(game):
    last = played(game(), 50)
    with pytest.raises(TooLongError, match=r"has not ended after 50 actions, the most that its max_game_length says"):
        last.apply_action(last.legal_actions()[0])
    assert len(last.history()) == 50
    assert played(Countdown(), 5).is_terminal()


@pytest.mark.parametrize(("declared", "longest"), [(None, LONGEST), (7, 7), (LONGEST, LONGEST), (10**12, LONGEST)])
def test_no_game_may_last_for_ever_whatever_it_declares(declared, longest, monkeypatch):
    monkeypatch.setattr(ToAndFro, "max_game_length", declared)
    assert ToAndFro().longest == longest
    assert (f"{LONGEST:,} actions, the most that any game may have" in str(ToAndFro().too_long())) == (
        declared in (None, 10**12)
    )


@pytest.mark.parametrize("declared", [0, -1, 2.5, True, "many"])
def test_a_length_that_is_none_is_refused(declared, monkeypatch):
    monkeypatch.setattr(ToAndFro, "max_game_length", declared)
    with pytest.raises(GameError, match="max_game_length must be a whole number of at least 1, or None, not"):
        _ = ToAndFro().longest


def test_dice_that_nobody_can_stop_are_noticed():
    state = played(Dice(), 1)
    state.game.max_game_length = None
    with pytest.raises(GameError, match=rf"chance decides more than {MOST_ROLLS} times in a row in dice"):
        roll_on(state, random.Random(0))


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Still, "no action changes the state"),
        (ToAndFro, "a game is longer than max_game_length says 50"),
        (PlainToAndFro, "a game is longer than max_game_length says 50"),
        (Dice, "no action changes the state"),
    ],
)
def test_check_says_what_is_wrong(game, words):
    (problem,) = check_game(game(), games=3)
    assert words in problem


@pytest.mark.parametrize("game", [ToAndFro, PlainToAndFro], ids=lambda game: game.__name__)
def test_check_ends_where_no_length_is_declared(game, monkeypatch):
    monkeypatch.setattr(game, "max_game_length", None)
    (problem,) = check_game(game(), games=3)
    assert f"a game is longer than any game should last: {LONGEST}" in problem and " and 99,800 more)" in problem


@pytest.mark.parametrize("game", [ToAndFro, PlainToAndFro, AtOnce], ids=lambda game: game.__name__)
def test_a_referee_calls_it_a_draw(game):
    result = match(game(), "random", "random:seed=1", games=2, openings="random:4")
    for outcome in result.tally.counted:
        assert outcome.reason == TOO_LONG and list(outcome.scores) == [0.5, 0.5]


def test_a_search_that_finds_no_end_forfeits_with_these_words():
    result = match(PlainToAndFro(), "mcts:iterations=10", "random", games=2)
    assert result.tally.lines[0].faults == {"crash": 2}


@pytest.mark.parametrize("game", [ToAndFro, Dice], ids=lambda game: game.__name__)
def test_the_page_stops_and_says_why(game):
    runner = Runner(Limits())
    director = Director(GameSession("endless", game(), ["random", "random"]), runner)
    director.reviewing = False
    wait_until(lambda: director.tick() is None or bool(director.message))
    assert "has not ended after 50 actions" in director.message
    plies = director.session.plies
    for _ in range(5):
        director.tick()
    assert director.session.plies == plies == 50
    director.close()
    runner.close()
