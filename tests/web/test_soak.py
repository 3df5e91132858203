"""Many games and visits one after the other leave nothing behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest

from ponderosa.web.model.catalogue import PERSON, Catalogue
from ponderosa.web.model.director import Director
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.place import Place
from ponderosa.web.model.runner import Runner, Thinker
from ponderosa.web.model.saved_games import SavedGames
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.table import GameTable, Guest
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
    return sum(type(thing) in (Director, GameSession, Thinker, GameTable, Guest, Place) for thing in gc.get_objects())


def soak(folder: Path, games: int) -> None:
    hub = Hub(Catalogue(), Limits(max_searches=2), SavedGames(folder / "games.sqlite"))
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
    hub = Hub(Catalogue(), Limits(max_searches=1, max_sessions=4), SavedGames(tmp_path / "games.sqlite"))
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


@pytest.mark.usefixtures("compiled")
def test_games_leave_no_threads_and_no_objects_behind(tmp_path):
    soak(tmp_path, 60)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_a_thousand_games_leave_no_threads_and_no_objects_behind(tmp_path):
    soak(tmp_path, 1000)


def test_a_tree_that_nobody_searches_is_given_up_after_a_while():
    now = [0.0]
    runner = Runner(Limits(max_searches=1, tree_seconds=100), clock=lambda: now[0])
    thinkers = [Thinker("mcts:iterations=50", loaded("tictactoe")) for _ in range(2)]
    trees = []
    for thinker in thinkers:
        assert runner.submit(thinker, loaded("tictactoe").new_initial_state()).finished.wait(600)
        trees.append(weakref.ref(thinker.search.tree))
        now[0] += 40
    assert runner.sweep() == 0 and runner.kept_nodes > 0
    now[0] += 30
    assert runner.sweep() == 1
    gc.collect()
    assert trees[0]() is None and trees[1]() is not None
    now[0] += 100
    assert runner.sweep() == 1 and runner.kept_nodes == 0
    again = runner.submit(thinkers[0], loaded("tictactoe").new_initial_state())  # it plays on, from a new tree
    assert again.finished.wait(600) and again.error is None
    runner.close()


VISITS = """
import gc, sys, time
from pathlib import Path
from nicegui import app
from nicegui.client import Client
from starlette.testclient import TestClient
from ponderosa.web.server import Settings, build

guarded, hub = build(Settings(data=Path(sys.argv[1]), arena=Path(sys.argv[1]) / "arena.db"))
with TestClient(guarded, base_url="http://127.0.0.1") as web:
    paths = ("/", "/analysis", "/saved", "/arena", "/lab", "/learning", "/learning?run=none")
    def visit():
        for path in paths:
            assert web.get(path).status_code == 200, path
    def leave():
        for client in list(Client.instances.values()):
            client.delete()
    visit()
    routes = len(app.routes)
    for _ in range(3):
        visit()
    more = len(app.routes) - routes
    web.portal.call(leave)
    VIEWS = "Play Analysis Saved Arena Lab Learning Run".split()
    for _ in range(100):
        gc.collect()
        left = [type(thing).__name__ for thing in gc.get_objects()]
        left = [name for name in left if name.endswith("View") and name[:-4] in VIEWS]
        if not left:
            break
        time.sleep(0.1)
print(more, sorted(left))
"""


@pytest.mark.slow
def test_a_page_that_was_left_is_forgotten_whole(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", VISITS, str(tmp_path)], capture_output=True, text=True, timeout=600, cwd=tmp_path
    )
    assert ran.stdout.split("\n")[0] == "0 []", ran.stdout + ran.stderr
