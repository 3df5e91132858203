"""Many games one after the other leave nothing behind."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path

import pytest

from ponderosa.web.catalogue import PERSON, Catalogue
from ponderosa.web.director import Director
from ponderosa.web.hub import Hub
from ponderosa.web.limits import Limits
from ponderosa.web.place import Place
from ponderosa.web.runner import Thinker
from ponderosa.web.session import GameSession
from ponderosa.web.store import Store
from ponderosa.web.table import Guest, Table
from tests.helpers import loaded


def play(hub: Hub, seed: int) -> None:
    session = GameSession.after("tictactoe", loaded("tictactoe"), ["random", "mcts:iterations=20"], seed=seed)
    director = hub.open(session)
    director.reviewing = False
    while not session.finished:
        director.tick()
        time.sleep(0.0002)
    hub.close(director)


def left_behind() -> int:
    gc.collect()
    # type() asks the object itself; isinstance() would reach through weak proxies, whose target may be gone
    return sum(type(thing) in (Director, GameSession, Thinker, Table, Guest, Place) for thing in gc.get_objects())


def soak(folder: Path, games: int) -> None:
    hub = Hub(Catalogue(), Limits(max_searches=2), Store(folder / "games.sqlite"))
    play(hub, 0)
    threads, things = threading.active_count(), left_behind()
    for seed in range(1, games):
        play(hub, seed)
    assert len(hub.store.listed(2 * games)) == games
    assert (hub.open_games, hub.runner.busy, hub.runner.kept_nodes) == (0, 0, 0)
    assert left_behind() <= things
    assert threading.active_count() <= threads + hub.limits.max_searches  # the pool fills up once
    hub.shut()


def test_tables_leave_no_objects_behind(tmp_path):
    """Every game is reviewed, varied, watched, left and forgotten."""
    hub = Hub(Catalogue(), Limits(max_searches=1, max_sessions=4), Store(tmp_path / "games.sqlite"))
    before = left_behind()
    for number in range(40):
        session = GameSession.after("tictactoe", loaded("tictactoe"), [PERSON, PERSON], "a1 a2")
        tables, first, second = hub.tables, object(), object()
        guest = tables.lay(hub.open(session), first, f"browser {number}")
        tables.join(session.id, second, "watcher")
        place = Place(session)
        guest.table.director.look(place)
        guest.table.director.look_away(place)
        other = hub.tables.lay(hub.open(session.variation(1, number)), second, "watcher")
        other.table.session.play_text("c3")
        for table, tab in ((guest.table, first), (guest.table, second), (other.table, second)):
            tables.leave(table, tab)
        del session, guest, other, table, place
        assert hub.open_games <= 4
    while hub.tables.make_room():
        pass
    assert hub.open_games == 0 and left_behind() <= before
    hub.shut()


def test_games_leave_no_threads_and_no_objects_behind(tmp_path):
    soak(tmp_path, 60)


@pytest.mark.slow
def test_a_thousand_games_leave_no_threads_and_no_objects_behind(tmp_path):
    soak(tmp_path, 1000)
