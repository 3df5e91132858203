"""A game without any page: moves, undo and redo, seats, what was thought of it."""

from __future__ import annotations

import random

import pytest

from ponderosa import Game, Search
from ponderosa.core.errors import IllegalActionError, SettingError
from ponderosa.web.catalogue import PERSON
from ponderosa.web.session import GameSession
from tests.helpers import EXAMPLES, PlainNim, loaded


def session(spec: str = "connect4", moves: str = "", seats: tuple[str, ...] = ()) -> GameSession:
    return GameSession.after(spec, loaded(spec), list(seats) or [PERSON] * loaded(spec).players, moves)


@pytest.mark.parametrize("spec", EXAMPLES.values())
def test_every_game_is_played_to_its_end_and_back(spec):
    game, draw = session(spec), random.Random(1)
    while not game.over:
        assert game.waiting_for() == {game.state.current_player()}
        game.play(draw.choice(game.actions()))
    assert game.finished and game.result() and game.actions() == []
    again = session(spec, game.moves_text())
    assert again.state == game.state and again.names == game.names
    while game.undo():
        pass
    assert game.cursor == 0
    while game.redo():
        pass
    assert game.at_end and game.state == again.state


def test_undo_against_a_machine_goes_back_to_one_s_own_turn():
    game = session(moves="4 4 3 3", seats=(PERSON, "random"))
    assert game.undo() and game.cursor == 2
    assert game.undo() and game.cursor == 0
    assert not game.undo()
    assert game.redo() and game.cursor == 2
    assert game.redo() and game.cursor == 4
    assert not game.redo()


def test_a_move_in_the_past_forgets_what_came_after():
    game = session(moves="4 4 3")
    game.go_to(1)
    game.play_text("7")
    assert game.names == ["4", "7"] and game.at_end
    assert not game.redo()


def test_an_illegal_move_changes_nothing():
    game = session(moves="4 4 3")
    game.go_to(1)
    with pytest.raises(IllegalActionError, match="'9' is not a legal action here"):
        game.play_text("9")
    with pytest.raises(IllegalActionError):
        game.play(99)
    assert game.names == ["4", "4", "3"] and game.cursor == 1


def test_giving_up_ends_the_game_and_undo_brings_it_back():
    game = session(moves="4 4")
    game.resign(0)
    assert game.over and game.result() == "X gave up; O wins." and game.curve()[-1] == 0.0
    with pytest.raises(IllegalActionError, match="the game is over"):
        game.play_text("4")
    with pytest.raises(IllegalActionError):
        game.resign(1)
    game.undo()
    game.play_text("3")
    assert not game.finished and game.names == ["4", "3"]


def test_seats_go_round():
    game = session(seats=(PERSON, "random"))
    assert game.person_moves() and game.people() == [0]
    game.swap_seats()
    assert game.seats == ["random", PERSON] and not game.person_moves()


def test_the_curve_is_for_the_first_player():
    game = session("tictactoe", "a1 b2")
    game.note(0, Search(game.game).run(game.states[0], iterations=50), advice=True)
    second = Search(game.game).run(game.states[1], iterations=50)
    game.note(1, second, advice=True)
    curve = game.curve()
    assert curve[1] == 1.0 - second.value and curve[2] is None


def test_an_agent_s_own_thought_never_replaces_the_adviser_s():
    game = session("tictactoe")
    first, second = (Search(game.game, seed=seed).run(iterations=50) for seed in (1, 2))
    game.note(0, first, advice=True)
    game.note(0, second, advice=False)
    assert game.report() is first
    game.note(0, second, advice=True)
    assert game.report() is second


def test_the_worst_move_is_found():
    game = session("tictactoe", "b2 a1 c1 c2 a3")  # O's c2 lets X win along the other diagonal
    for ply in range(game.plies):
        game.note(ply, Search(game.game).run(game.states[ply], seconds=20), advice=True)
    mistakes = game.mistakes()
    assert [move.played for move in mistakes[1]] == ["c2"]
    assert mistakes[1][0].best == "a3" and mistakes[1][0].loss == 0.5
    assert mistakes[0] == []


def test_every_player_needs_a_seat():
    with pytest.raises(SettingError, match="has 2 players, not 1"):
        GameSession("tictactoe", loaded("tictactoe"), [PERSON])


def test_a_plain_game_with_spaces_in_its_moves():
    rules: Game = PlainNim()
    game = GameSession.after("nim", rules, [PERSON, PERSON], "1 from 0, 2 from 1")
    assert game.moves_text() == "1 from 0, 2 from 1" and game.cursor == 2


@pytest.mark.parametrize(
    ("spec", "seats", "given", "moves", "kept"),
    [
        ("connect4", (PERSON, PERSON), "", "", False),
        ("connect4", (PERSON, PERSON), "4 4", "", False),
        ("connect4", (PERSON, PERSON), "4 4", "3", True),
        ("connect4", ("random", PERSON), "", "4", False),  # the machine began, and the person has left
        ("connect4", ("random", PERSON), "", "4 4", True),
        ("connect4", ("random", PERSON), "4 4", "3", False),
        ("connect4", ("random", "random"), "", "4", True),  # machines among themselves
        ("kuhn_poker", (PERSON, PERSON), "", "king jack", False),  # the cards are dealt
        ("kuhn_poker", (PERSON, PERSON), "", "king jack pass", True),
        ("pig", (PERSON, "random"), "", "roll", True),
    ],
)
def test_a_game_in_which_nobody_has_moved_is_not_worth_keeping(spec, seats, given, moves, kept):
    game = session(spec, given, seats)
    for move in moves.split():
        game.play_text(move)
    assert game.touched == kept


def test_another_move_in_the_place_of_a_given_one_is_played_here():
    game = session("connect4", "4 4 3")
    game.go_to(1)
    game.play_text("7")
    assert game.touched


def test_who_gives_up_after_a_machine_began_has_played():
    game = session("connect4", "", ("random", PERSON))
    game.resign(1)
    assert not game.touched
    game = session("connect4", "4", ("random", PERSON))
    game.resign(1)
    assert game.touched
