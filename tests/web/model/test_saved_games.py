"""Saved games: kept, listed, written as text and read back, also after a restart."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from ponderosa.errors import PonderosaError, SettingError
from ponderosa.transcripts.formats import write_game
from ponderosa.web.model.catalogue import PERSON, Catalogue
from ponderosa.web.model.exchange import MOST_GAMES, imported, transcript_of
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.saved_games import BROKEN_OFF, GameRecord, SavedGames, SavedGamesError
from ponderosa.web.model.session import GameSession
from tests.helpers import loaded
from tests.web.browser import wait_for


def played(moves: str, spec: str = "connect4") -> GameSession:
    session = GameSession.after(spec, loaded(spec), [PERSON, "random"])
    for move in moves.split():
        session.play_text(move)
    return session


def test_a_restart_keeps_the_games(tmp_path):
    store = SavedGames(tmp_path / "deep" / "games.sqlite")
    first, second = played("4 4"), played("4 1 4 1 4 1 4")
    store.keep(GameRecord.of(first))
    store.keep(GameRecord.of(second))
    store.close()
    again = SavedGames(tmp_path / "deep" / "games.sqlite")
    assert {record.id: record.result for record in again.listed()} == {first.id: BROKEN_OFF, second.id: "Red wins."}
    assert again.find(first.id).moves == "4 4" and again.find(first.id).seats == (PERSON, "random")
    assert again.find("nothing") is None
    again.remove(first.id)
    assert [record.id for record in again.listed()] == [second.id]
    again.close()


def test_a_game_that_goes_on_takes_its_own_place(tmp_path):
    store, session = SavedGames(tmp_path / "games.sqlite"), played("4 4")
    store.keep(GameRecord.of(session))
    session.play_text("3")
    store.keep(GameRecord.of(session))
    assert [record.moves for record in store.listed()] == ["4 4 3"]
    store.close()


def test_a_finished_game_is_never_overwritten(tmp_path):
    store, won, given_up = SavedGames(tmp_path / "games.sqlite"), played("4 1 4 1 4 1 4"), played("4 4")
    given_up.resign(1)
    for session in (won, given_up):
        record = GameRecord.of(session)
        store.keep(record)
        store.keep(replace(record, saved="later"))  # the same once more changes nothing, and is no trouble
        shorter = played("4 1 3")
        shorter.id = session.id
        for other in (GameRecord.of(shorter), replace(record, result="O wins."), replace(record, moves="1 1")):
            with pytest.raises(SavedGamesError, match="is finished"):
                store.keep(other)
        assert store.find(session.id) == record
    store.close()


def test_what_was_only_looked_at_is_not_saved(tmp_path):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    untouched = GameSession.after("connect4", loaded("connect4"), [PERSON, PERSON], "4 4")
    empty = GameSession.after("connect4", loaded("connect4"), [PERSON, PERSON])
    for session in (untouched, empty, played("4")):
        hub.close(hub.open(session))
    assert [record.moves for record in hub.store.listed()] == ["4"]
    hub.shut()


def saved(hub: Hub, session: GameSession) -> GameRecord | None:
    """What another server would find now, if this one were killed."""
    hub.find_saved(session.id).result()
    other = SavedGames(hub.store.path)
    found = other.find(session.id)
    other.close()
    return found


def test_every_change_of_a_game_is_saved_at_once(tmp_path):
    hub = Hub(Catalogue(), Limits(max_searches=1), SavedGames(tmp_path / "games.sqlite"))
    session = GameSession.after("tictactoe", loaded("tictactoe"), ["random", PERSON], seed=7)
    director = hub.open(session)
    wait_for(lambda: (director.tick(), session.plies == 1)[1])
    assert saved(hub, session) is None  # a machine that began is not enough
    session.choose(1, session.state.legal_actions()[0])
    director.changed()
    assert saved(hub, session).moves == session.moves_text()
    wait_for(lambda: (director.tick(), session.plies == 3)[1])
    assert saved(hub, session).moves == session.moves_text() and saved(hub, session).seed == 7
    director.set_seat(0, PERSON)
    assert saved(hub, session).seats == (PERSON, PERSON)
    session.take_back(0)
    director.changed()
    assert saved(hub, session).moves == ""
    session.resign(0)
    director.changed()
    assert saved(hub, session).finished
    hub.close(director)
    hub.shut()


def test_a_game_whose_moves_were_all_taken_back_is_not_kept(tmp_path):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    director = hub.open(played("4"))
    director.changed()
    assert saved(hub, director.session).moves == "4"
    director.session.take_back(0)
    hub.close(director)
    assert saved(hub, director.session) is None
    hub.shut()


def test_a_position_that_is_only_analysed_is_not_saved(tmp_path):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    director = hub.open(played("4 4"), keep=False)
    director.changed()
    hub.shut()
    assert SavedGames(tmp_path / "games.sqlite").listed() == []


def test_a_full_disk_does_not_end_a_game(tmp_path, monkeypatch):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    director = hub.open(played("4"))

    def full(record: GameRecord) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(hub.store, "keep", full)
        director.changed()
        director.saving.result()
    director.session.play_text("3")
    director.changed()
    assert saved(hub, director.session).moves == "4 3"
    hub.shut()


@pytest.mark.parametrize("form", ["txt", "json"])
def test_a_game_is_read_back(tmp_path, form):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    won, given_up, late = played("4 1 4 1 4 1 4"), played("4 4"), played("4 4 3")
    given_up.resign(1)
    late.lose_on_time(0)
    for session in (won, given_up, late, played("4 4")):
        record = GameRecord.of(session)
        (again,) = imported(hub, write_game(transcript_of(session), form))
        assert (again.game, again.moves, again.result) == ("connect4", record.moves, record.result)
        assert again.id != record.id and again.seats == record.seats
        assert hub.reopened(again).result() == session.result()
    hub.shut()


def test_games_of_other_programs_come_in(tmp_path):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    (gomoku,) = imported(hub, "\ufeff(;GM[4]PB[a]PW[b];B[hh];W[hi]RE[B+R])")
    assert (gomoku.game, gomoku.moves, gomoku.seats) == ("gomoku", "h8 h7", (PERSON, PERSON))
    assert len(imported(hub, "(;GM[4];B[hh])" * 60)) == MOST_GAMES
    with pytest.raises(SettingError, match="shorter than 200000 letters"):
        imported(hub, "(;GM[4];B[hh])" * 20_000)
    hub.shut()


@pytest.mark.parametrize("text", ["[game: connect4]\n", "[game: kuhn_poker]\nking jack", "(;GM[4]PB[a])(;GM[4]PB[b])"])
def test_a_file_in_which_nobody_has_moved_is_refused(tmp_path, text):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    with pytest.raises(SettingError, match=r"nobody has moved in th(is game|ese games): there is nothing to save"):
        imported(hub, text)
    hub.shut()


def test_of_many_games_those_without_a_move_are_left_out(tmp_path):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    assert [record.moves for record in imported(hub, "(;GM[4];B[hh])(;GM[4])(;GM[4];B[ii])")] == ["h8", "i7"]
    hub.shut()


def test_the_seed_of_a_game_that_goes_on_is_not_told():
    session = GameSession.after("pig", loaded("pig"), [PERSON, "random"], seed=5)
    assert transcript_of(session).seed is None
    session.resign(0)
    assert transcript_of(session).seed == 5


def test_a_hidden_game_of_which_somebody_has_the_text_is_listed(tmp_path):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    (record,) = imported(hub, "[game: kuhn_poker]\nking jack pass")
    hub.store.keep(record)
    assert [(record.moves, record.result) for record in hub.store.listed()] == [("king jack pass", BROKEN_OFF)]
    hub.shut()


@pytest.mark.parametrize(
    "text",
    ["", "4 4 3", "[game: connect4]\n4 9", "[game: nosuch]\n4", "[game: connect4]\n" + "4 " * 9, "\x00", "[game:]"],
)
def test_nonsense_is_refused_in_words(tmp_path, text):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    with pytest.raises(PonderosaError):
        imported(hub, text)
    hub.shut()


def test_an_agent_of_a_file_that_may_not_be_asked_for_becomes_a_person(tmp_path):
    hub = Hub(Catalogue(), Limits(), SavedGames(tmp_path / "games.sqlite"))
    text = "[game: tictactoe]\n[players: engine:cmd=sh | mcts:iterations=5]\nb2"
    assert imported(hub, text)[0].seats == (PERSON, "mcts:iterations=5")
    hub.shut()


def test_a_file_that_is_no_store_is_named(tmp_path):
    (tmp_path / "games.sqlite").write_text("not a database, but long enough to be looked at by SQLite" * 20)
    with pytest.raises(SavedGamesError, match=r"cannot keep games in .*games.sqlite"):
        SavedGames(tmp_path / "games.sqlite")
    newer = sqlite3.connect(tmp_path / "newer.sqlite")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(SavedGamesError, match="newer version"):
        SavedGames(tmp_path / "newer.sqlite")


def test_a_store_that_is_damaged_while_it_is_open_is_told_of(tmp_path):
    store = SavedGames(tmp_path / "games.sqlite")
    store.keep(GameRecord("one", "tictactoe", (PERSON, PERSON), "b2", 1, "broken off"))
    with sqlite3.connect(tmp_path / "games.sqlite") as other:
        other.execute("DROP TABLE games")
    for ask in (store.listed, lambda: store.find("one"), lambda: store.remove("one")):
        with pytest.raises(SavedGamesError, match=r"the games in .*games\.sqlite cannot be read or written"):
            ask()
    store.close()
