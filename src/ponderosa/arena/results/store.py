"""One SQLite file with every game that was played. Start at Store; readers use events, games, game and outcomes.

A game is written once, under its event and number, in a transaction that either happens or does not: a process may be
killed, or the power fail, at any moment.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from ponderosa.arena.event import Event
from ponderosa.arena.results import rows
from ponderosa.arena.results.rows import Outcome as Outcome
from ponderosa.arena.results.rows import StoredEvent as StoredEvent
from ponderosa.arena.results.rows import StoredGame as StoredGame
from ponderosa.arena.running.judge import Record
from ponderosa.errors import StoreError, shortly

APPLICATION = 0x504F4E44
"""Marks a file as ours, in SQLite's header."""
VERSION = 1
"""The version of the tables below."""
BUSY_SECONDS = 30.0
ATTEMPTS = 100
DEFAULT = "ponderosa.db"
"""The file, in the current folder, when none is named."""

TABLES = """
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,   -- the hash of all that decides its games
    kind TEXT NOT NULL,         -- match, round robin, gauntlet, ladder
    game TEXT NOT NULL,
    settings TEXT NOT NULL,     -- the Event, as JSON
    wanted INTEGER,             -- how many games were asked for last; NULL: until a test decides
    version TEXT NOT NULL,      -- of Ponderosa, when it began
    began REAL NOT NULL         -- seconds since 1970
);
CREATE TABLE IF NOT EXISTS games (
    id INTEGER PRIMARY KEY,
    event INTEGER NOT NULL REFERENCES events (id),
    number INTEGER NOT NULL,    -- its place in the event
    grp INTEGER NOT NULL,       -- games of a group share agents and opening
    reason TEXT NOT NULL,       -- finished, or how somebody lost it
    detail TEXT NOT NULL,
    fault INTEGER,              -- the seat that lost it by its own fault
    opening INTEGER NOT NULL,   -- how many of the moves are the opening
    plies INTEGER NOT NULL,     -- how many moves there are
    canon TEXT NOT NULL,        -- equal for equal games, rotated or mirrored ones too; empty: never equal
    seconds REAL NOT NULL,
    ended REAL NOT NULL,        -- seconds since 1970
    version TEXT NOT NULL,      -- of Ponderosa
    seeds TEXT NOT NULL,        -- of the agents, by seat, as JSON
    moves TEXT NOT NULL,        -- actions, or their names where actions are no numbers, as JSON
    thoughts TEXT NOT NULL,     -- a move: seat, seconds, and if the agent tells: iterations, nodes, value, proven
    UNIQUE (event, number)
);
CREATE TABLE IF NOT EXISTS seats (
    event INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    agent INTEGER NOT NULL,     -- its place in the event's list
    name TEXT NOT NULL,
    score REAL NOT NULL,        -- 0 .. 1: the share of the others that it left behind
    returned REAL NOT NULL,     -- what the game paid
    moves INTEGER NOT NULL,
    seconds REAL NOT NULL,      -- of all its moves
    iterations INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    PRIMARY KEY (event, number, seat)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seats_by_name ON seats (name, score, event, number);
CREATE INDEX IF NOT EXISTS games_by_reason ON games (reason);
"""


class Store:
    """A file of games, open for reading, and for writing unless it is read-only."""

    def __init__(self, path: str | Path, readonly: bool = False) -> None:
        self.path = Path(path).expanduser()
        self.kept = True
        """Whether the file stays when it is closed."""
        self._readonly = readonly
        if readonly and not self.path.exists():
            raise StoreError(f"there is no file {str(self.path)!r} with games; `ponderosa match` writes one")
        if self.path.exists() and not self.path.is_file():
            raise StoreError(f"{self.path} is no regular file: games are kept in one")
        with self._plain_errors("opened"), contextlib.ExitStack() as opened:
            self._connection = self._connect()
            opened.callback(self._connection.close)
            self._prepare()
            opened.pop_all()

    def _connect(self) -> sqlite3.Connection:
        if not self._readonly:
            return connected(self.path, "mode=rwc")
        with contextlib.ExitStack() as opened:
            connection = connected(self.path, "mode=ro")
            opened.callback(connection.close)
            with contextlib.suppress(sqlite3.OperationalError):
                connection.execute("SELECT count(*) FROM sqlite_master")
                opened.pop_all()
                return connection
        return unwritten(self.path)  # SQLite wants to write beside it even to read, and may not

    def _prepare(self) -> None:
        """Check whose file it is; make the tables in a new one."""
        if self._value("SELECT count(*) FROM sqlite_master") == 0 and not self._readonly:
            self._make_tables()
        if self._value("PRAGMA application_id") != APPLICATION:
            raise StoreError(f"{self.path} is another program's database; name a new file, or one with games")
        version = self._value("PRAGMA user_version")
        if version != VERSION:
            raise StoreError(
                f"{self.path} was written by another version of Ponderosa (its tables are version {version}, "
                f"this one reads {VERSION}); nothing was changed: take another file, or that version"
            )
        if self._value("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger') OR sql LIKE '%VIRTUAL%'"):
            raise StoreError(f"{self.path} has tables that are questions; Ponderosa wrote none, and asks none")
        self._connection.execute("PRAGMA synchronous = FULL")  # a game that is told of survives a power failure

    def _make_tables(self) -> None:
        """All at once or not at all; another process may be doing the same, and then waits or is waited for."""
        for attempt in range(ATTEMPTS):
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:  # locked: this one statement does not wait by itself
                if attempt == ATTEMPTS - 1:
                    raise
                time.sleep(0.05)
        self._connection.executescript(
            f"BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def begin(self, event: Event, wanted: int | None, version: str, now: float) -> int:
        """The event's number in the store; it is added unless it is there already."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO events (key, kind, game, settings, wanted, version, began) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET wanted = excluded.wanted",
                (event.key, event.kind, event.game, json.dumps(event.to_dict()), wanted, version, now),
            )
        found = self.find(event)
        assert found is not None
        return found

    def add(self, event: int, names: Sequence[str], records: Sequence[Record], version: str, now: float) -> None:
        """Write games down, all or none; those that are there already stay as they are."""
        games = [_game_row(event, record, version, now) for record in records]
        seats = [row for record in records for row in _seat_rows(event, names, record)]
        with self._transaction():
            self._connection.executemany(f"INSERT OR IGNORE INTO games {_GAME_COLUMNS}", games)
            self._connection.executemany("INSERT OR IGNORE INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", seats)

    def find(self, event: Event) -> int | None:
        """The event's number in the store, if it is there."""
        found = self._rows("SELECT id FROM events WHERE key = ?", event.key)
        return found[0][0] if found else None

    def numbers(self, event: int) -> set[int]:
        """Which games of an event are there."""
        return {number for (number,) in self._rows("SELECT number FROM games WHERE event = ?", event)}

    def versions(self, event: int) -> tuple[str, ...]:
        """The versions of Ponderosa that have played games of an event."""
        return tuple(row[0] for row in self._rows("SELECT DISTINCT version FROM games WHERE event = ?", event))

    def events(self) -> list[StoredEvent]:
        """All matches and tournaments, the newest first."""
        counts = dict(self._rows("SELECT event, count(*) FROM games GROUP BY event"))
        found = self._rows("SELECT id, settings, wanted, version, began FROM events ORDER BY id DESC")
        with self._checking():
            return [rows.stored_event(row, counts.get(row[0], 0)) for row in found]

    def has(self, table: Literal["events", "games"], key: int) -> bool:
        """Whether there is an event, or a game, of this number."""
        return bool(self._value(f"SELECT count(*) FROM {table} WHERE id = ?", _in_64_bits(key)))

    def event(self, key: int) -> StoredEvent:
        """One match or tournament."""
        found = next((event for event in self.events() if event.id == key), None)
        if found is None:
            raise StoreError(
                f"there is no event {shortly(key)} in {self.path}; `ponderosa games-db list --events` shows them"
            )
        return found

    def outcomes(self, event: int) -> Iterator[Outcome]:
        """The results of an event in the order of their numbers."""
        games = self._rows("SELECT number, grp, reason, fault, canon FROM games WHERE event = ? ORDER BY number", event)
        seats = self._rows(
            "SELECT number, agent, score, returned, moves, seconds, iterations, nodes FROM seats "
            "WHERE event = ? ORDER BY number, seat",
            event,
        )
        by_number: dict[int, list[Any]] = {}
        for number, *seat in seats:
            by_number.setdefault(number, []).append(seat)
        agents = len(self.event(event).event.agents)
        with self._checking():
            yield from [rows.outcome(row, by_number[row[0]], agents) for row in games]

    def move_seconds(self, event: int) -> Iterator[tuple[int, float]]:
        """The agent and the seconds of every move of an event."""
        found = self._rows(
            "SELECT g.thoughts, s.seat, s.agent FROM games g JOIN seats s ON s.event = g.event AND s.number = g.number "
            "WHERE g.event = ?",
            event,
        )
        for thoughts, seat, agent in found:
            with self._checking():
                told = [(agent, seconds) for mover, seconds, *_ in json.loads(thoughts) if mover == seat]
            yield from told

    def games(
        self,
        event: int | None = None,
        agent: str | None = None,
        reason: str | None = None,
        result: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[StoredGame]:
        """Games, the newest first: of an event, of an agent (and its `result`: win, draw, loss), ended so.

        A limit of -1 is none.
        """
        where, values = _conditions(event, agent, reason, result)
        found = self._rows(
            "SELECT g.id, g.event, g.number, e.game, g.reason, g.plies, g.seconds, g.ended FROM games g "
            f"JOIN events e ON e.id = g.event {where} ORDER BY g.id DESC LIMIT ? OFFSET ?",
            *values,
            limit,
            offset,
        )
        return [self._listed(row) for row in found]

    def count(
        self, event: int | None = None, agent: str | None = None, reason: str | None = None, result: str | None = None
    ) -> int:
        """How many games there are of a kind."""
        where, values = _conditions(event, agent, reason, result)
        return int(self._value(f"SELECT count(*) FROM games g {where}", *values))

    def game(self, key: int) -> dict[str, Any]:
        """All that is known of one game, as plain values."""
        with self._plain_errors("read"):
            cursor = self._connection.execute("SELECT * FROM games WHERE id = ?", (_in_64_bits(key),))
            row = cursor.fetchone()
        if row is None:
            raise StoreError(f"there is no game {shortly(key)} in {self.path}")
        game = dict(zip((column[0] for column in cursor.description), row, strict=True))
        with self._checking():
            game = rows.whole_game(game, self._seats(game["event"], game["number"]))
        stored = self.event(game["event"])
        return game | {"game": stored.event.game, "settings": stored.event.to_dict()}

    def _listed(self, row: Any) -> StoredGame:
        with self._checking():
            return rows.stored_game(row, self._seats(row[1], row[2]))

    def _seats(self, event: int, number: int) -> list[Any]:
        question = "SELECT name, score, returned FROM seats WHERE event = ? AND number = ? ORDER BY seat"
        return self._rows(question, event, number)

    def _rows(self, question: str, *values: object) -> list[Any]:
        with self._plain_errors("read"):
            return self._connection.execute(question, [_in_64_bits(value) for value in values]).fetchall()

    def _value(self, question: str, *values: object) -> Any:
        found = self._rows(question, *values)
        return found[0][0] if found else None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All that happens within, or nothing of it."""
        with self._plain_errors("written"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # a full disk may have rolled it back already
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _plain_errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            full = "disk is full" in str(error)
            advice = "; the games before are safe: make room and run the same command again" if full else ""
            raise StoreError(f"{self.path} cannot be {what}: {error}{advice}") from None
        except UnicodeDecodeError as error:  # in a message of SQLite's, which quotes what is wrong
            said = error.object.decode(errors="replace")
            raise StoreError(f"{self.path} cannot be {what}: {said}") from None

    @contextlib.contextmanager
    def _checking(self) -> Iterator[None]:
        """For what is made of rows: those of the wrong kind are damage."""
        try:
            yield
        except rows.DAMAGE as error:
            raise StoreError(f"{self.path} is damaged: {error}") from None


def connected(path: Path, how: str) -> sqlite3.Connection:
    """A connection to a file."""
    name = f"{path.resolve().as_uri()}?{how}"
    return sqlite3.connect(name, uri=True, timeout=BUSY_SECONDS, isolation_level=None)


def unwritten(path: Path) -> sqlite3.Connection:
    """A connection to a file in a folder that cannot be written; what waits in its log is read from a copy of both."""
    log = path.with_name(f"{path.name}-wal")
    if not log.is_file() or log.stat().st_size == 0:
        return connected(path, "mode=ro&immutable=1")
    memory = sqlite3.connect(":memory:", isolation_level=None)
    with tempfile.TemporaryDirectory() as folder:
        for file in (path, log):
            shutil.copyfile(file, Path(folder, file.name))
        with contextlib.closing(connected(Path(folder, path.name), "mode=rw")) as copy:
            copy.backup(memory)
    return memory


def _in_64_bits(value: object) -> object:
    """A number as SQLite takes it: none of its own is as large as what does not fit."""
    return min(max(value, -(2**63)), 2**63 - 1) if isinstance(value, int) else value


_GAME_COLUMNS = (
    "(event, number, grp, reason, detail, fault, opening, plies, canon, seconds, ended, version, seeds, moves, "
    "thoughts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SCORES = {"win": "s.score > 0.5", "draw": "s.score = 0.5", "loss": "s.score < 0.5"}


def _game_row(event: int, record: Record, version: str, now: float) -> tuple[Any, ...]:
    return (
        event,
        record["number"],
        record["group"],
        record["reason"],
        record["detail"],
        record["fault"],
        record["opening"],
        len(record["moves"]),
        record["canon"],
        record["seconds"],
        now,
        version,
        json.dumps(record["seeds"]),
        json.dumps(record["moves"]),
        json.dumps(record["thoughts"]),
    )


def _seat_rows(event: int, names: Sequence[str], record: Record) -> Iterator[tuple[Any, ...]]:
    columns = (record["seats"], record["scores"], record["returns"], record["efforts"])
    for seat, (agent, score, returned, effort) in enumerate(zip(*columns, strict=True)):
        yield (event, record["number"], seat, agent, names[agent], score, returned, *effort)


def _conditions(event: int | None, agent: str | None, reason: str | None, result: str | None) -> tuple[str, list[Any]]:
    """The WHERE of a list of games."""
    parts: list[str] = []
    values: list[Any] = []
    if event is not None:
        parts.append("g.event = ?")
        values.append(event)
    if reason is not None:
        parts.append("g.reason = ?")
        values.append(reason)
    if result is not None and result not in _SCORES:
        raise StoreError(f"a result is win, draw or loss, not {result!r}")
    if agent is not None or result is not None:
        score = _SCORES[result] if result is not None else "1"
        name = "s.name = ?" if agent is not None else "s.seat = 0"
        parts.append(f"(g.event, g.number) IN (SELECT s.event, s.number FROM seats s WHERE {name} AND {score})")
        values += [] if agent is None else [agent]
    return ("WHERE " + " AND ".join(parts) if parts else ""), values
