"""Saved games that an earlier version of the page wrote: they are listed, opened, and gone on with."""

from __future__ import annotations

import shutil
from pathlib import Path

from ponderosa.web.model.saved_games import BROKEN_OFF, GameRecord, SavedGames
from tests.helpers import loaded

SAMPLE = Path(__file__).parents[2] / "samples" / "web_games.sqlite"
DRAWN, GOING, GIVEN_UP = ("a" * 32, "b" * 32, "c" * 32)


def test_old_saved_games_are_opened_as_they_ended(tmp_path: Path) -> None:
    store = SavedGames(shutil.copy(SAMPLE, tmp_path / "games.sqlite"))
    results = {record.id: record.result for record in store.listed()}
    assert results == {DRAWN: "A draw.", GOING: BROKEN_OFF, GIVEN_UP: "X gave up; O wins."}
    for name in (DRAWN, GIVEN_UP):
        session = opened(store, name)
        assert session.finished and session.result(session.marks()) == results[name] and session.seed == 7
    store.close()


def test_an_old_unfinished_game_goes_on_and_is_saved_again(tmp_path: Path) -> None:
    store = SavedGames(shutil.copy(SAMPLE, tmp_path / "games.sqlite"))
    session = opened(store, GOING)
    assert session.lent and not session.finished and session.moves_text() == "4 4 3"
    session.play_text("5")
    store.keep(GameRecord.of(session))
    assert opened(store, GOING).moves_text() == "4 4 3 5"
    store.close()


def opened(store: SavedGames, name: str):
    """The session of a saved game."""
    record = store.find(name)
    assert record is not None
    return record.session(loaded(record.game), list(record.seats))
