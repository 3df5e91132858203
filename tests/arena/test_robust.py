"""A match that is killed, interrupted, or loses its workers ends with the same games as an undisturbed one."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from ponderosa import match
from ponderosa.arena.conditions import Conditions
from ponderosa.arena.match import plan_match, play_match
from ponderosa.arena.planned import Progress
from ponderosa.arena.results.store import Store
from tests.arena.test_fair_play import bad
from tests.arena.test_match import moves_in
from tests.helpers import PATIENCE, running, wait_until

GAME, AGENTS = "connect4", ("mcts:iterations=150", "random")
SETTINGS: dict[str, Any] = {"openings": "random:2", "seed": 8}
GAMES = 80

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    path = tmp_path_factory.mktemp("robust") / "games.db"
    match(GAME, *AGENTS, GAMES, out=path, **SETTINGS)
    return moves_in(path)


def started(
    path: Path, mark: str, games: int = GAMES, concurrency: int = 2
) -> AbstractContextManager[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "ponderosa", "match", GAME, *AGENTS, "--games", str(games), "--out", str(path)]
    return running(
        [*command, "--openings", "random:2", "--seed", "8", "--concurrency", str(concurrency)],
        env=os.environ | {"PONDEROSA_MARK": mark, "TMPDIR": str(temporary(path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def temporary(path: Path) -> Path:
    """A folder for temporary files beside the games."""
    folder = path.parent / "temporary"
    folder.mkdir(exist_ok=True)
    return folder


def stored(path: Path) -> int:
    if not path.exists():
        return 0
    with Store(path) as store:
        return store.count()


def left_running(mark: str) -> list[str]:
    """The processes that have a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


def assert_nothing_left(mark: str) -> None:
    """All of them end, sooner or later."""
    wait_until(lambda: not left_running(mark), pause=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, 8])
def test_a_match_that_is_killed_often_ends_with_the_same_games(
    kills: int, undisturbed: list[Any], tmp_path: Path
) -> None:
    path, mark, chance = tmp_path / "games.db", uuid.uuid4().hex, random.Random(4)
    seen: list[Any] = []
    for kill in range(kills):
        with started(path, mark, concurrency=2 if kill % 5 == 0 else 1) as process:
            enough = stored(path) + chance.randint(0, 4)
            if chance.random() < 0.8:
                wait_until(lambda enough=enough: stored(path) >= enough or process.poll() is not None, pause=0.03)
            time.sleep(chance.uniform(0, 0.3))  # at any moment: nothing below depends on which
            process.kill()
            process.communicate()
        if path.exists():
            now = moves_in(path) if stored(path) else []
            assert [game for game in seen if game not in now] == []  # what was stored stays
            seen = now
    with started(path, mark) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert f"{GAMES} games are in" in out
    assert moves_in(path) == undisturbed
    assert list(temporary(path).iterdir()) == []
    if sys.platform == "linux":
        assert_nothing_left(mark)


LEAGUE = """
game = "tictactoe"
kind = "round robin"
games = 10
openings = "random:1"
agents = ["random", "random:seed=1", "scripted"]
seed = 5
out = "games.db"
"""


@pytest.mark.slow
def test_a_tournament_that_is_killed_ends_with_the_same_games(tmp_path: Path) -> None:
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    chance = random.Random(6)
    for folder, kills in ((undisturbed, 0), (killed, 2)):
        folder.mkdir()
        (folder / "league.toml").write_text(LEAGUE)
        path, command = folder / "games.db", [sys.executable, "-m", "ponderosa", "tournament", "league.toml"]
        for _ in range(kills):
            with running(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                enough = stored(path) + 1 + chance.randint(0, 3)
                wait_until(lambda e=enough, p=process: stored(path) >= e or p.poll() is not None, pause=0.01)  # noqa: B023
                process.kill()
                process.wait()
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    games = moves_in(killed / "games.db")
    assert len({game[0] for game in games}) == len(games) == 30
    assert games == moves_in(undisturbed / "games.db")


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds",  # those with the same seed play the same match
    [("7", "7"), pytest.param(("7", "7", "7", "8", "8"), marks=pytest.mark.slow)],
    ids=["two", "five"],
)
def test_several_processes_share_a_store_and_no_game_is_lost_or_doubled(seeds: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    command = [sys.executable, "-m", "ponderosa", "match", "tictactoe", "random", "scripted", "--games", "40"]
    command += ["--openings", "random:2", "--concurrency", "1", "--out", str(path)]
    with contextlib.ExitStack() as stack:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        processes = [stack.enter_context(running([*command, "--seed", seed], text=True, **quiet)) for seed in seeds]
        for process in processes:
            _, complaint = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, complaint
    match("tictactoe", "random", "scripted", 40, openings="random:2", seed=7, out=tmp_path / "alone.db")
    with Store(path, readonly=True) as store:
        seeds_of = {event.event.seed: event.id for event in store.events()}
    assert [len(moves_in(path, event)) for event in seeds_of.values()] == [40] * len(set(seeds))
    assert moves_in(path, seeds_of[7]) == moves_in(tmp_path / "alone.db")


def test_ctrl_c_keeps_the_games_and_ends_all_processes(undisturbed: list[Any], tmp_path: Path) -> None:
    path, mark = tmp_path / "games.db", uuid.uuid4().hex
    with started(path, mark, 20_000) as process:
        wait_until(lambda: stored(path) >= 5 or process.poll() is not None, pause=0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and "Traceback" not in err
    assert "Elo difference" in out
    assert "To go on after a stop: ponderosa match" in err
    games = moves_in(path)
    assert len(games) >= 5
    known = {game[0]: game for game in undisturbed}
    assert all(known.get(game[0], game) == game for game in games)
    if sys.platform == "linux":
        assert_nothing_left(mark)


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_same_games(undisturbed: list[Any], tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    path = tmp_path / "games.db"
    planned = plan_match(GAME, *AGENTS, GAMES, conditions=Conditions(cluster="local:2", **SETTINGS))
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if not killed and 0 < progress.games < GAMES - 20:
            killed.append(min(distributed.default_client().run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    with Store(path) as store, planned.venue() as venue:
        play_match(planned, store, venue, kill_one)
    assert killed
    assert moves_in(path) == undisturbed


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_programs_that_agents_have_started_end_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = uuid.uuid4().hex
    monkeypatch.setenv("PONDEROSA_CHILD", mark)
    result = match("tictactoe", bad("HasChildren"), bad("Good"), 2, out=tmp_path / "g.db")
    assert result.tally.lines[0].faults == {"crash": 2}
    polite = match("tictactoe", bad("LikesALongStart"), "random", 2, seconds=0.05, tolerance=1.5)
    assert not polite.tally.lines[0].faults
    monkeypatch.delenv("PONDEROSA_CHILD")
    assert_nothing_left(mark)
