"""The store: written once, whole or not at all, quick to list, never damaged."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ponderosa import PonderosaError, match
from ponderosa.arena.event import Event
from ponderosa.arena.results.replay import positions
from ponderosa.arena.results.store import Store
from ponderosa.arena.results.stored import stored_result
from tests.cli.conftest import Run, nim, ponderosa  # noqa: F401  fixtures
from tests.helpers import run_python

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


@pytest.mark.slow
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
    match("connect4", "mcts:iterations=20", "random", 4, out=out, openings="random:1")
    listed = ponderosa("games-db", "list", "--store", out)
    assert listed.code == 0 and "4 of 4 games" in listed.out
    assert "No such game" in ponderosa("games-db", "list", "--store", out, "--reason", "crash").out
    events = json.loads(ponderosa("games-db", "list", "--events", "--json", "--store", out).out)
    assert events[0]["games"] == 4 and events[0]["event"]["openings"] == "random:1"
    shown = ponderosa("games-db", "show", "1", "--store", out)
    assert shown.code == 0 and "1 2 3 4 5 6 7" in shown.out and "(the first 1 are the opening)" in shown.out
    replayed = ponderosa("games-db", "show", "1", "--replay", "--store", out).out
    game = json.loads(ponderosa("games-db", "show", "1", "--json", "--store", out).out)
    assert replayed.count("1 2 3 4 5 6 7") >= len(game["moves"]) and "1. " in replayed and "iterations" in replayed
    lines = ponderosa("games-db", "export", "--store", out).out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 3, 4]
    to = tmp_path / "games.txt"
    ponderosa("games-db", "export", str(to), "--format", "text", "--store", out)
    moves = to.read_text().splitlines()[1]
    over = ponderosa("analyze", "connect4", "--moves", moves, "--iterations", "10")
    assert "over" in over.out + over.err
    assert ponderosa("games-db", "show", "99", "--store", out).code == 1


@pytest.mark.slow
def test_a_game_whose_actions_are_no_numbers_is_replayed(
    ponderosa: Run,  # noqa: F811
    nim: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    out = str(tmp_path / "games.db")
    match(f"{nim}:Nim", "random", "mcts:iterations=20", 2, out=out)
    shown = ponderosa("games-db", "show", "1", "--replay", "--trust", "--store", out)
    assert shown.code == 0 and "take" in shown.out


def test_a_store_names_a_game_and_no_code_to_run(ponderosa: Run, nim: str, tmp_path: Path) -> None:  # noqa: F811
    out, ran = str(tmp_path / "games.db"), tmp_path / "ran"
    match(f"{nim}:Nim", "random", "random", 2, out=out)
    Path(nim).write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n{Path(nim).read_text()}")
    commands = (
        ["list"],
        ["list", "--events"],
        ["show", "1"],
        ["show", "1", "--json"],
        ["result", "1"],
        ["export", "-", "--format", "text"],
    )
    for command in commands:
        done = ponderosa("games-db", *command, "--store", out)
        assert done.code == 0 or ("which is code" in done.err and "--trust" in done.err)
    assert "which is code" in ponderosa("games-db", "show", "1", "--store", out).err
    assert not ran.exists()
    for command in (["show", "1"], ["export", "-", "--format", "text"]):
        assert "take 1" in ponderosa("games-db", *command, "--trust", "--store", out).out
    assert ran.exists()


READERS = (["list"], ["list", "--events"], ["show", "2", "--replay"], ["result", "1"], ["export", "-"])


def spoiled(content: bytes, seed: int) -> bytes:
    """Cut off, with flipped bits, with a stretch of noise, or with other letters here and there."""
    draw, spoilt = random.Random(seed), bytearray(content)
    if seed % 4 == 0:
        return content[: draw.randrange(len(content))]
    if seed % 4 == 1:
        for _ in range(draw.choice([1, 10, 50])):
            spoilt[draw.randrange(len(spoilt))] ^= 1 << draw.randrange(8)
    elif seed % 4 == 2:
        begin, length = draw.randrange(len(spoilt)), draw.choice([16, 200, 4096])
        spoilt[begin : begin + length] = draw.randbytes(length)
    else:
        for _ in range(40):
            spoilt[draw.randrange(len(spoilt))] = draw.choice(b'0123456789[],"{}n-.e')
    return bytes(spoilt)


QUESTIONS = {
    "list": lambda store: [vars(game) for game in store.games()] + [store.count()],
    "events": lambda store: store.events(),
    "game": lambda store: list(positions(store.game(2))),
    "result": lambda store: stored_result(store, 1).to_dict(),
    "moves": lambda store: list(store.move_seconds(1)),
}


def test_a_damaged_store_is_read_or_refused_in_a_sentence(filled: Path) -> None:
    with contextlib.closing(sqlite3.connect(filled)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content, answered, refused = filled.read_bytes(), 0, 0
    for seed in range(160):
        filled.write_bytes(spoiled(content, seed))
        for ask in QUESTIONS.values():
            try:
                with Store(filled, readonly=True) as store:
                    ask(store)
                answered += 1
            except PonderosaError as error:
                assert str(error)
                refused += 1
    assert answered > 100 and refused > 100


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("games", "moves", "[[]]"),
        ("games", "moves", "[99]"),
        ("games", "moves", "[" * 100_000),
        ("games", "moves", b"\xff"),
        ("games", "thoughts", '[["x", 0.1]]'),
        ("games", "thoughts", "[[0]]"),
        ("games", "thoughts", "[[7, 0.1]]"),
        ("games", "opening", 99),
        ("games", "ended", 1e300),
        ("games", "fault", 5),
        ("seats", "score", "x"),
        ("seats", "agent", 12),
        ("seats", "returned", float("inf")),
        ("events", "settings", "{}"),
        ("events", "settings", '{"game": 3, "agents": ["random", "random"]}'),
        ("events", "settings", '{"game": "tictactoe", "agents": [1, 2]}'),
        ("events", "began", -1e300),
    ],
)
def test_values_of_the_wrong_kind_are_damage(
    ponderosa: Run,  # noqa: F811
    filled: Path,
    table: str,
    column: str,
    value: Any,
) -> None:
    with sqlite3.connect(filled) as connection:
        connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
    codes = [ponderosa("games-db", *command, "--store", str(filled)).code for command in READERS]
    assert 1 in codes and set(codes) <= {0, 1, 2}


def test_tables_that_are_questions_are_not_asked(ponderosa: Run, filled: Path) -> None:  # noqa: F811
    """A view could count to no end."""
    with sqlite3.connect(filled) as connection:
        connection.execute("DROP TABLE seats")
        endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
        connection.execute(f"CREATE VIEW seats AS {endless}")
    ran = ponderosa("games-db", "list", "--store", str(filled))
    assert ran.code == 1 and "tables that are questions" in ran.err


@pytest.mark.parametrize("digits", ["9" * 400, str(2**63), str(2**64)])
def test_numbers_of_many_digits_name_nothing(ponderosa: Run, filled: Path, digits: str) -> None:  # noqa: F811
    for command in (["show", digits], ["result", digits]):
        ran = ponderosa("games-db", *command, "--store", str(filled))
        assert ran.code == 1 and "there is no" in ran.err and len(ran.err) < 400
    for command in (["list", "--event", digits], ["export", "-", "--event", digits]):
        assert ponderosa("games-db", *command, "--store", str(filled)).code == 0
    assert "6 of 6" in ponderosa("games-db", "list", "--limit", digits, "--store", str(filled)).out


@pytest.mark.parametrize("logged", [False, True])
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders are protected otherwise here")
def test_a_store_in_a_folder_that_cannot_be_written_is_read(filled: Path, logged: bool) -> None:
    """Also what waits in the log of a process that was killed; the superuser may write anywhere, so nobody looks."""
    folder = Path(tempfile.mkdtemp())
    with contextlib.closing(sqlite3.connect(filled)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE games SET reason = 'told in the log' WHERE id = 1")
        connection.commit()
        for file in (filled, *([filled.with_name(f"{filled.name}-wal")] if logged else [])):
            shutil.copy(file, folder)
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    code = f"""
        import json, os
        from ponderosa.arena.results.store import Store
        if os.geteuid() == 0:
            os.setegid(65534), os.seteuid(65534)
        with Store({str(folder / filled.name)!r}, readonly=True) as store:
            print(json.dumps([game.reason for game in store.games()]))
    """
    try:
        reasons = run_python(code)
        assert len(list(folder.iterdir())) == 1 + logged
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
    assert len(reasons) == 6 and ("told in the log" in reasons) == logged
