"""The store: written once, whole or not at all, quick to list, never damaged."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ponderosa import PonderosaError, match
from ponderosa.arena.event import Event
from ponderosa.arena.store import Store
from tests.cli.conftest import Run, nim, ponderosa  # noqa: F401  fixtures

EVENT = Event("tictactoe", ("random", "mcts"), openings="random:2")


def record(
    number: int, scores: Sequence[float] = (1.0, 0.0), reason: str = "finished", moves: int = 9
) -> dict[str, Any]:
    return {
        "number": number,
        "group": number // 2,
        "seats": [number % 2, 1 - number % 2],
        "seeds": [1, 2],
        "reason": reason,
        "detail": "",
        "fault": None,
        "returns": [2 * score - 1 for score in scores],
        "scores": list(scores),
        "opening": 0,
        "moves": list(range(moves)),
        "thoughts": [[at % 2, 0.01, 10, 20, 0.5, None] for at in range(moves)],
        "efforts": [[5, 0.05, 50, 100], [4, 0.04, 40, 80]],
        "canon": str(number),
        "seconds": 0.1,
    }


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = tmp_path / "games.db"
    with Store(path) as store:
        event = store.begin(EVENT, 6, "1", 0.0)
        scores = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)]
        records = [record(number, scores[number % 3]) for number in range(5)] + [record(5, (0.0, 1.0), "crash")]
        store.add(event, EVENT.names, records, "1", 5.0)
    return path


def test_what_is_written_is_read(filled: Path) -> None:
    with Store(filled, readonly=True) as store:
        game = store.game(1)
        assert game["moves"] == list(range(9)) and game["agents"] == ["random", "mcts"] and game["scores"] == [1.0, 0.0]
        assert game["settings"]["openings"] == "random:2" and game["version"] == "1" and game["seeds"] == [1, 2]
        assert [event.games for event in store.events()] == [6] and store.event(1).event == EVENT
        outcome = next(iter(store.outcomes(1)))
        assert (outcome.seats, outcome.scores, outcome.efforts[1]) == ((0, 1), (1.0, 0.0), (4, 0.04, 40, 80))


def test_a_game_is_written_once(filled: Path) -> None:
    with Store(filled) as store:
        event = store.begin(EVENT, 8, "2", 9.0)
        store.add(event, EVENT.names, [record(0, (0.0, 1.0)), record(6)], "2", 9.0)
        assert store.numbers(event) == set(range(7))
        assert store.game(1)["scores"] == [1.0, 0.0] and store.event(event).wanted == 8


@pytest.mark.parametrize(
    ("filters", "numbers"),
    [
        ({}, [5, 4, 3, 2, 1, 0]),
        ({"limit": 2, "offset": 1}, [4, 3]),
        ({"reason": "crash"}, [5]),
        ({"agent": "random", "result": "win"}, [5, 0]),
        ({"agent": "mcts", "result": "draw"}, [4, 1]),
        ({"result": "loss"}, [5, 2]),
        ({"agent": "nobody"}, []),
        ({"event": 2}, []),
    ],
)
def test_games_are_filtered(filled: Path, filters: dict[str, Any], numbers: list[int]) -> None:
    with Store(filled, readonly=True) as store:
        assert [game.number for game in store.games(**filters)] == numbers
        if not filters.keys() & {"limit"}:
            assert store.count(**filters) == len(numbers)


def test_a_page_of_a_large_store_is_read_without_sorting_it(tmp_path: Path) -> None:
    """benchmarks/arena_overhead.py has the times for 100,000 games; here the plans show that no list is sorted."""
    with Store(tmp_path / "many.db") as store:
        event = store.begin(EVENT, None, "1", 0.0)
        store.add(event, EVENT.names, [record(number, moves=1) for number in range(5000)], "1", 0.0)
        asked: list[str] = []
        store._connection.set_trace_callback(asked.append)
        assert store.count(agent="random", result="win") == 2500
        assert len(store.games(event, "mcts", "finished", "win")) == 100
        assert len(store.games(limit=20)) == 20
        store._connection.set_trace_callback(None)
        plans = {question: store._rows(f"EXPLAIN QUERY PLAN {question}") for question in asked}
    assert len(asked) > 100
    for question, plan in plans.items():
        steps = " ".join(str(step[3]) for step in plan)
        assert "TEMP B-TREE" not in steps, question
        assert "SCAN s" not in steps, question


def test_a_full_disk_is_told_and_nothing_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "full.db"
    with Store(path) as store:
        event = store.begin(EVENT, None, "1", 0.0)
        store.add(event, EVENT.names, [record(0)], "1", 0.0)
        pages = store._value("PRAGMA page_count")
        store._connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(PonderosaError, match="make room and run the same command again"):
            for number in range(1, 1000):
                store.add(event, EVENT.names, [record(number)], "1", 0.0)
        before = store.numbers(event)
        store._connection.execute("PRAGMA max_page_count = 100000")
        store.add(event, EVENT.names, [record(len(before))], "1", 0.0)
    with Store(path) as store:
        assert store.numbers(event) == before | {len(before)}
        assert store._value("PRAGMA integrity_check") == "ok"
        assert sum(1 for _ in store.outcomes(event)) == len(before) + 1


def test_a_match_on_a_full_disk_ends_with_its_games_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "full.db"
    connect = Store._connect

    def small(self: Store) -> sqlite3.Connection:
        connection = connect(self)
        connection.execute("PRAGMA max_page_count = 16")
        return connection

    monkeypatch.setattr(Store, "_connect", small)
    with pytest.raises(PonderosaError, match="full"):
        match("tictactoe", "random", "random:seed=9", 2000, out=path)
    monkeypatch.undo()
    with Store(path, readonly=True) as store:
        stored = store.events()[0].games
    assert match("tictactoe", "random", "random:seed=9", stored + 2, out=path).tally.games >= stored + 2


def test_a_store_of_another_version_is_refused_and_left_alone(filled: Path) -> None:
    with sqlite3.connect(filled) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = filled.read_bytes()
    for readonly in (True, False):
        with pytest.raises(PonderosaError, match="another version"):
            Store(filled, readonly)
    assert filled.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to have a header of 100 bytes" * 9])
def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text.db"
    path.write_bytes(content)
    with pytest.raises(PonderosaError):
        Store(path, readonly=not content)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE x (y)")
    with pytest.raises(PonderosaError, match="another program's"):
        Store(path)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PonderosaError, match="cannot be opened"):
        Store(tmp_path / "no" / "games.db")
    with pytest.raises(PonderosaError, match="there is no file"):
        Store(tmp_path / "none.db", readonly=True)


def test_games_are_listed_shown_replayed_and_exported(ponderosa: Run, tmp_path: Path) -> None:  # noqa: F811
    out = str(tmp_path / "games.db")
    match("connect4:rows=4,cols=4,k=3", "mcts:iterations=20", "random", 4, out=out, openings="random:1")
    listed = ponderosa("games-db", "list", "--store", out)
    assert listed.code == 0 and "4 of 4 games" in listed.out
    assert "No such game" in ponderosa("games-db", "list", "--store", out, "--reason", "crash").out
    events = json.loads(ponderosa("games-db", "list", "--events", "--json", "--store", out).out)
    assert events[0]["games"] == 4 and events[0]["event"]["openings"] == "random:1"
    shown = ponderosa("games-db", "show", "1", "--store", out)
    assert shown.code == 0 and "1 2 3 4" in shown.out and "(the first 1 are the opening)" in shown.out
    replayed = ponderosa("games-db", "show", "1", "--replay", "--store", out).out
    game = json.loads(ponderosa("games-db", "show", "1", "--json", "--store", out).out)
    assert replayed.count("1 2 3 4") >= len(game["moves"]) and "1. " in replayed and "iterations" in replayed
    lines = ponderosa("games-db", "export", "--store", out).out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 3, 4]
    to = tmp_path / "games.txt"
    ponderosa("games-db", "export", str(to), "--format", "text", "--store", out)
    moves = to.read_text().splitlines()[1]
    over = ponderosa("analyze", "connect4:rows=4,cols=4,k=3", "--moves", moves, "--iterations", "10")
    assert "over" in over.out + over.err
    assert ponderosa("games-db", "show", "99", "--store", out).code == 1


def test_a_game_whose_actions_are_no_numbers_is_replayed(
    ponderosa: Run,  # noqa: F811
    nim: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    out = str(tmp_path / "games.db")
    match(f"{nim}:Nim", "random", "mcts:iterations=20", 2, out=out)
    shown = ponderosa("games-db", "show", "1", "--replay", "--store", out)
    assert shown.code == 0 and "take" in shown.out
