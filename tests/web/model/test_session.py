"""A game without any page: moves, undo and redo, seats, what was thought of it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ponderosa import Game, Search
from ponderosa.errors import IllegalActionError, SettingError
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.place import Place
from ponderosa.web.model.saved_games import GameRecord
from ponderosa.web.model.session import GameSession
from tests.helpers import EXAMPLES, PlainNim, loaded


def session(spec: str = "connect4", moves: str = "", seats: tuple[str, ...] = ()) -> GameSession:
    return GameSession.after(spec, loaded(spec), list(seats) or [PERSON] * loaded(spec).players, moves)


@pytest.mark.parametrize("spec", EXAMPLES.values())
def test_every_game_is_played_to_its_end_and_back(spec):
    game, draw = session(spec), random.Random(1)
    place = Place(game)
    while not place.over:
        assert game.waiting_for() == {game.state.current_player()}
        game.play(draw.choice(place.actions()))
    assert game.finished and game.result() and place.actions() == []
    again = session(spec, game.moves_text())
    assert again.state == game.state and again.names == game.names
    while place.undo():
        pass
    assert place.ply == 0
    while place.redo():
        pass
    assert place.at_end and place.state == again.state


def test_undo_against_a_machine_goes_back_to_one_s_own_turn():
    place = Place(session(moves="4 4 3 3", seats=(PERSON, "random")))
    assert place.undo() and place.ply == 2
    assert place.undo() and place.ply == 0
    assert not place.undo()
    assert place.redo() and place.ply == 2
    assert place.redo() and place.ply == 4
    assert not place.redo()


def test_taking_back_forgets_what_came_after():
    game = session(moves="4 4 3")
    game.take_back(1)
    game.play_text("7")
    assert game.names == ["4", "7"] and game.plies == 2


def test_every_viewer_has_a_place_of_their_own():
    game = session(moves="4 4 3")
    follower, reader = Place(game), Place(game)
    reader.go_to(1)
    game.play_text("7")
    assert follower.ply == 4 and follower.at_end
    assert reader.ply == 1 and not reader.at_end and reader.mover == 1
    game.take_back(1)
    game.play_text("1")
    game.play_text("2")
    assert reader.ply == 1
    reader.go_to(99)
    game.play_text("3")
    assert reader.at_end  # whoever is at the end goes along


def test_a_place_after_moves_that_were_taken_back_goes_along_again():
    game = session(moves="4 4 3 3")
    place = Place(game)
    place.go_to(3)
    game.take_back(1)
    assert place.at_end and place.ply == 1
    game.play_text("1")
    game.play_text("1")
    game.play_text("1")
    assert place.at_end and place.ply == 4


def test_an_illegal_move_changes_nothing():
    game = session(moves="4 4 3")
    with pytest.raises(IllegalActionError, match="'9' is not a legal action here"):
        game.play_text("9")
    with pytest.raises(IllegalActionError):
        game.play(99)
    assert game.names == ["4", "4", "3"] and len(game.states) == 4


def test_giving_up_ends_the_game_for_good():
    game = session(moves="4 4")
    game.resign(0)
    assert (
        game.finished and Place(game).over and game.result() == "Red gave up; Yellow wins." and game.curve()[-1] == 0.0
    )
    with pytest.raises(IllegalActionError, match="the game is over"):
        game.play_text("4")
    with pytest.raises(IllegalActionError):
        game.resign(1)
    again = game.variation(1, seed=1)
    again.play_text("3")
    assert not again.finished and again.names == ["4", "3"] and game.names == ["4", "4"]


@pytest.mark.parametrize("ended_by", ["moves", "resigning"])
def test_nothing_changes_a_finished_game(ended_by):
    game = session("tictactoe", "a1 a2 b1 b2 c1" if ended_by == "moves" else "a1 a2")
    if ended_by == "resigning":
        game.resign(1)
    before = GameRecord.of(game)
    for change in (
        lambda: game.play(game.state.legal_actions()[0] if game.state.legal_actions() else 0),
        lambda: game.play_text("c3"),
        lambda: game.choose(0, 8),
        lambda: game.take_back(2),
        lambda: game.resign(0),
        lambda: game.swap_seats(),
        lambda: game.set_seat(0, "random"),
    ):
        with pytest.raises(IllegalActionError, match="the game is over"):
            change()
    assert replace(GameRecord.of(game), saved=before.saved) == before and len(game.states) == game.plies + 1


def test_a_variation_is_a_game_of_its_own():
    game = session("tictactoe", "a1 a2 b1 b2 c1")
    game.note(0, Search(game.game).run(game.states[0], iterations=50), advice=True)
    other = game.variation(2, seed=5)
    assert other.id != game.id and not other.touched
    assert other.names == ["a1", "a2"] and other.state == game.states[2] and 0 in other.thoughts
    other.play_text("c3")
    assert other.touched and game.moves_text() == "a1 a2 b1 b2 c1" and len(game.states) == 6
    assert other.moves_text() == "a1 a2 c3" and game.finished and not other.finished


def test_seats_go_round():
    game = session(seats=(PERSON, "random"))
    assert Place(game).person_moves() and game.people() == [0]
    game.swap_seats()
    assert game.seats == ["random", PERSON] and not Place(game).person_moves()


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
    assert Place(game).report() is first
    game.note(0, second, advice=True)
    assert Place(game).report() is second


def test_the_curve_is_one_agent_s_opinion():
    game = session("tictactoe", "a1 b2 c3")
    reports = [Search(game.game).run(game.states[ply], iterations=50) for ply in range(3)]
    for ply in (0, 2):
        game.note(ply, reports[ply], advice=False)
    game.note(1, reports[1], advice=True)
    assert game.opinion()[0] == "X" and game.curve() == [reports[0].value, None, reports[2].value, None]
    game.note(2, reports[2], advice=True)
    assert game.opinion()[0] == "the adviser" and game.curve()[0] is None
    game.own.clear()
    game.note(0, reports[0], advice=False)
    game.resign(0)
    assert game.opinion()[0] == "the adviser"


def test_what_a_machine_thought_is_known_at_its_move_and_after_it():
    game = session("tictactoe", "a1 b2 c3")
    report = Search(game.game).run(game.states[1], iterations=50)
    game.note(1, report, advice=False)
    place = Place(game)
    assert place.own_thought() is None
    for ply in (1, 2):
        place.go_to(ply)
        assert place.own_thought() == (1, report)
    game.take_back(1)
    assert place.own_thought() is None


@pytest.mark.slow
def test_the_worst_move_is_found():
    game = session("tictactoe", "b2 a1 c1 c2 a3")  # O's c2 lets X win along the other diagonal
    for ply in range(game.plies):
        game.note(ply, Search(game.game, transpositions=True).run(game.states[ply], iterations=50_000), advice=True)
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
    assert game.moves_text() == "1 from 0, 2 from 1" and game.plies == 2


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
    game.take_back(1)
    game.play_text("7")
    assert game.touched


def test_who_gives_up_after_a_machine_began_has_played():
    game = session("connect4", "", ("random", PERSON))
    game.resign(1)
    assert not game.touched
    game = session("connect4", "4", ("random", PERSON))
    game.resign(1)
    assert game.touched


def test_an_end_is_told_from_everybody_s_seat():
    won = session("tictactoe", "a1 a2 b1 b2 c1")
    assert [won.outcome_for(player) for player in (0, 1)] == ["won", "lost"] and won.decided_by() == "three in a row"
    drawn = session("tictactoe", "b2 a1 c1 a3 a2 c2 b1 b3 c3")
    assert [drawn.outcome_for(player) for player in (0, 1)] == ["drawn", "drawn"]
    given_up = session("tictactoe", "b2")
    given_up.resign(1)
    assert [given_up.outcome_for(player) for player in (0, 1)] == ["won", "lost"] and given_up.decided_by() == ""
    alone = session("samegame:rows=1,columns=2,colours=1", seats=(PERSON,))
    alone.play(alone.state.legal_actions()[0])
    assert alone.finished and alone.outcome_for(0) == ""
