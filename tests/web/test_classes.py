"""The page's inside with every class of games: dice, hidden things, choices at once; no tab sees too much."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ponderosa import CHANCE, Game
from ponderosa.errors import IllegalActionError
from ponderosa.pictures.board import Shown, draw_position
from ponderosa.registry import load_game
from ponderosa.web.drawing.summary import known_moves, move_list, status_line
from ponderosa.web.model.arena import Arena
from ponderosa.web.model.catalogue import PERSON, Catalogue
from ponderosa.web.model.director import Director
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.place import Place
from ponderosa.web.model.runner import Runner
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.sight import Sight
from tests.helpers import EVERY_GAME, PATIENCE, loaded
from tests.small_games import SMALL_GAMES, BlindRow, Doubling, HighCard, Pennies, Race
from tests.web.test_api import new_app, new_hub


@pytest.fixture
def runner() -> Iterator[Runner]:
    found = Runner(Limits(max_seconds=PATIENCE, max_searches=2))
    yield found
    found.close()


def director(runner: Runner, game: Game, seats: list[str] | None = None, moves: str = "") -> Director:
    made = Director(GameSession.after(game.title(), game, seats or [PERSON] * game.players, moves, seed=3), runner)
    made.adviser, made.reviewing = "random", False
    return made


def settle(game: Director, until: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end and not game.message, game.message
        game.tick()
        time.sleep(0.002)


def everything_sent(sight: Sight) -> str:
    """All that a tab is given to draw."""
    shown = Shown(report=sight.report(), hint=sight.hint, clickable=sight.acts())
    board = f'<div data-ply="{sight.ply}">{draw_position(sight.state, sight.before, shown)}</div>'
    return board + status_line(sight) + known_moves(sight)


@pytest.mark.parametrize("kind", SMALL_GAMES)
def test_machines_play_every_class_to_its_end(runner: Runner, kind: type[Game]) -> None:
    game = director(runner, kind(), ["random"] * kind.players)
    settle(game, lambda: game.session.finished)
    assert game.session.states[-1].is_terminal()
    assert GameSession.after("x", kind(), game.session.seats, game.session.moves_text()).finished
    everything_sent(Sight(game, None))


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_registered_game_is_played_by_people_in_seats_of_their_own(runner: Runner, name: str) -> None:
    game, draw = director(runner, loaded(EVERY_GAME[name])), random.Random(1)
    players = range(game.session.game.players)
    sights = [Sight(game, player if game.session.game.viewed else None) for player in players]
    for _ in range(60):
        game.tick()
        if game.session.finished:
            break
        acting = [sight for sight in sights if sight.acts()]
        assert acting
        for sight in sights:
            everything_sent(sight)
        acting[-1].choose(draw.choice(acting[-1].actions()))
        game.changed()
    game.close()


def test_dice_fall_by_themselves_and_are_announced(runner: Runner) -> None:
    game = director(runner, Doubling())
    sight = Sight(game, None)
    game.tick()
    sight.choose(1)
    game.changed()
    assert game.session.mover is None
    game.tick()
    assert game.session.states[1].to_move() == CHANCE and game.session.plies == 2
    assert game.session.names[1] in status_line(sight) and "chance" in status_line(sight)
    assert "chance" in move_list(Place(game.session))


def test_the_same_seed_gives_the_same_dice(runner: Runner) -> None:
    games = [director(runner, Race(), ["random"] * 3) for _ in range(2)]
    for game in games:
        settle(game, lambda game=game: game.session.finished)
    assert games[0].session.names == games[1].session.names


def test_a_score_without_bounds_draws_no_curve(runner: Runner) -> None:
    game = director(runner, Doubling(), moves="stop")
    assert game.session.result() and game.session.curve() == [None, None]


def test_choices_at_once_wait_for_all_and_are_told_together(runner: Runner) -> None:
    game = director(runner, Pennies())
    first, second = Sight(game, 0), Sight(game, 1)
    unseen = everything_sent(second)
    assert first.acts() and second.acts() and game.session.waiting_for() == {0, 1}
    first.choose(1)
    game.changed()
    assert first.waits() and not first.acts() and second.acts()
    assert everything_sent(second) == unseen  # not even that the other has chosen
    assert "has chosen" in status_line(first)
    with pytest.raises(IllegalActionError, match="not to move"):
        first.choose(0)
    second.choose(0)
    game.changed()
    assert game.session.names == ["heads", "tails"] and first.acts() and second.acts()
    assert "heads" in known_moves(second) and "tails" in known_moves(first)


def test_a_machine_chooses_at_once_with_a_person(runner: Runner) -> None:
    game = director(runner, Pennies(), ["random", PERSON])
    sight = Sight(game, 1)
    settle(game, lambda: 0 in game.session.choices)
    assert game.session.plies == 0 and sight.acts()
    sight.choose(1)
    game.changed()
    assert game.session.plies == 2
    assert sight.place.undo() and sight.place.ply == 0 and sight.acts()
    sight.choose(0)
    assert game.session.plies == 0 and game.session.choices == {1: 0}


def test_nothing_of_a_hidden_card_is_sent(runner: Runner) -> None:
    """Whatever the other's card is, a tab is sent the same."""
    sent = set()
    for card in (0, 1, 2, 7, 9):
        game = director(runner, HighCard(), moves=f"card{card} card5")
        place = Place(game.session, 0)
        place.advised = True
        game.look(place)
        settle(game, lambda game=game: game.job is None)
        assert f"card{card}" in everything_sent(Sight(game, 0)) and "card5" not in everything_sent(Sight(game, 0))
        sent.add(everything_sent(Sight(game, 1)))
    assert len(sent) == 1


def test_the_others_hidden_moves_and_tries_are_not_even_counted(runner: Runner) -> None:
    """O's page is the same whether X was refused or not, and wherever X is."""
    sent = set()
    for moves in ("b2 a1 a1 c3", "b2 a1 c2", "c3 a1 b2", "c3 a1 a1 c2"):
        game = director(runner, load_game("blind_tictactoe"), moves=moves)
        sent.add(everything_sent(Sight(game, 1)))
        assert "…" in everything_sent(Sight(game, 1))
    assert len(sent) == 1


def test_hints_and_advice_are_for_the_one_who_asked(runner: Runner) -> None:
    game = director(runner, HighCard(), moves="card1 card5")
    mine, other = Sight(game, 0), Sight(game, 1)
    for sight in (mine, other):
        game.look(sight.place)
    before = everything_sent(other)
    game.ask_hint(mine.place)
    settle(game, lambda: mine.hint is not None)
    assert mine.hint in ("bet", "pass") and other.hint is None
    assert everything_sent(other) == before
    game.ask_hint(other.place)  # not their turn: the search of the other's cards is not for them
    for _ in range(20):
        game.tick()
        time.sleep(0.002)
    assert other.hint is None and game.job is None


def test_what_a_machine_thinks_is_nobody_elses(runner: Runner) -> None:
    from ponderosa.mcts.report.report import ActionReport, Report

    game = director(runner, HighCard(), ["random", PERSON], "card1 card5")
    entry = ActionReport(1, "bet", 5, 0.9, None, ("bet",))
    report = Report("x", 0, 1, "bet", 0.9, None, 5, 5, 0.1, "iterations", 0, (entry,))
    game._purpose, game._ply, game._player = "move", 2, 0
    game._note(report)
    assert game.session.thoughts == {} and game.session.private == {}
    assert Sight(game, 1).report() is None


def test_everything_is_shown_when_it_is_over(runner: Runner) -> None:
    game = director(runner, HighCard(), moves="card1 card5 bet pass")
    sight = Sight(game, 1)
    assert not sight.limited and "card1 card5" in everything_sent(sight)
    sight.place.go_to(2)
    assert not sight.acts()  # a finished game is looked through, not played on


def test_watching_machines_shows_everything(runner: Runner) -> None:
    game = director(runner, HighCard(), ["random", "random"], "card1 card5")
    assert "card1 card5" in everything_sent(Sight(game, None))


def test_undo_goes_back_to_ones_own_turn_in_a_hidden_game(runner: Runner) -> None:
    game = director(runner, BlindRow(), [PERSON, "random"])
    sight = Sight(game, 0)
    start = everything_sent(sight)
    sight.choose(2)
    game.changed()
    settle(game, lambda: game.session.plies == 2)
    assert everything_sent(sight) != start
    assert sight.place.undo() and everything_sent(sight) == start


def test_moves_that_were_taken_back_are_forgotten(runner: Runner) -> None:
    game = director(runner, HighCard(), moves="card1 card5")
    sight = Sight(game, 1)
    game.session.choose(0, 1)
    assert [entry.name for entry in sight.entries()][-1] == "bet"
    game.session.take_back(2)
    game.session.choose(0, 0)
    assert [entry.name for entry in sight.entries()][-1] == "pass"


def test_the_api_shows_a_player_what_that_player_sees(tmp_path: Path) -> None:
    hub = new_hub(tmp_path)
    with TestClient(new_app(hub)) as api:
        started = api.post("/api/sessions", json={"game": "kuhn_poker", "players": ["person", "random"]}).json()
        where = f"/api/sessions/{started['id']}"
        director = hub.visit(started["id"])
        mine, other = director.session.names[:2]
        assert mine in started["text"] and other not in str(started) and started["player"] == 0
        assert api.get(f"{where}/actions").json() == ["pass", "bet"]
        assert api.get(where, params={"player": 1}).status_code == 422
        after = api.post(f"{where}/play", json={"move": "pass"}).json()
        assert other not in str(after)
        assert api.post(f"{where}/analyse", json={"agent": "random"}).status_code == 409
        while not after["over"]:
            machine = after["to_move"] == 1
            after = api.post(f"{where}/play", json={} if machine else {"move": "bet"}).json()
        assert other in str(after) and after["player"] is None
    hub.shut()


def test_the_api_takes_choices_of_all(tmp_path: Path) -> None:
    hub = new_hub(tmp_path)
    with TestClient(new_app(hub)) as api:
        started = api.post("/api/sessions", json={"game": "rps"}).json()
        assert started["player"] == 0
        where = f"/api/sessions/{started['id']}"
        chosen = api.get(f"{where}/actions", params={"player": 1}).json()[0]
        told = api.post(f"{where}/play", json={"move": chosen, "player": 1}).json()
        assert told["moves"] == []
        assert api.post(f"{where}/play", json={"move": chosen, "player": 1}).status_code == 409
        done = api.post(f"{where}/play", json={"move": chosen, "player": 0}).json()
        assert done["moves"] == [chosen, chosen]
    hub.shut()


@pytest.mark.parametrize("name", ["kuhn_poker", "rps", "2048"])
def test_stored_games_of_every_class_are_replayed(tmp_path: Path, name: str) -> None:
    from ponderosa import match

    file = tmp_path / "games.db"
    match(load_game(name), "random", "random", games=2, out=file)
    replay = Arena(file, Catalogue(), Limits()).replay(1)
    assert replay.session.plies == len(replay.stored["moves"]) and replay.session.finished
    assert {len(curve) for curve in replay.curves} == {replay.session.plies + 1}
