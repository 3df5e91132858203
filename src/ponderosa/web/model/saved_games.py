"""Saved games in SQLite. Start at SavedGames; a GameRecord is one game: a few facts, and its moves as a text."""

from __future__ import annotations

import datetime
import json
import sqlite3
import threading
from dataclasses import dataclass, field
from pathlib import Path

from ponderosa.core.game import Game
from ponderosa.core.notation import read_action
from ponderosa.errors import PonderosaError
from ponderosa.web.model.session import GameSession

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, seats TEXT NOT NULL, moves TEXT NOT NULL, plies INTEGER NOT NULL,
    result TEXT NOT NULL, seed INTEGER NOT NULL, saved TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_date ON games (saved DESC);
CREATE TABLE IF NOT EXISTS going (id TEXT PRIMARY KEY, lent INTEGER NOT NULL, chosen TEXT NOT NULL);
"""
KEEP = """
INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    game = excluded.game, seats = excluded.seats, moves = excluded.moves, plies = excluded.plies,
    result = excluded.result, seed = excluded.seed, saved = excluded.saved
WHERE games.result IN (?, ?)
"""
FOUND = "SELECT games.*, coalesce(lent, 0), coalesce(chosen, '{}') FROM games LEFT JOIN going USING (id)"
LISTED = f"{FOUND} WHERE result != ? AND (plies > 0 OR lent IS NULL) ORDER BY saved DESC, games.rowid DESC LIMIT ?"
BROKEN_OFF = "broken off"
UNSEEN = "broken off, hidden"
"""The result of a game that goes on, if at all, with people who must not see everything yet."""


class SavedGamesError(PonderosaError):
    """Saved games that cannot be read or written."""


@dataclass(frozen=True)
class GameRecord:
    """One game, finished or not."""

    id: str
    """Its name in the store."""
    game: str
    """The game as people name it."""
    seats: tuple[str, ...]
    """Who played."""
    moves: str
    """The moves, one after the other."""
    plies: int
    """How many."""
    result: str
    """How it ended, in words."""
    seed: int = 0
    """The seed of its dice and agents."""
    saved: str = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
    """When it was saved."""
    lent: bool = False
    """Whether the API opens it by its name."""
    chosen: dict[int, str] = field(default_factory=dict)
    """What some have chosen, by player, where others who choose at once have not."""

    @classmethod
    def of(cls, session: GameSession) -> GameRecord:
        """A session as it is now."""
        return cls(
            session.id, session.spec, tuple(session.seats), session.moves_text(), session.plies,
            session.result() or (UNSEEN if session.secret else BROKEN_OFF), session.seed,
            lent=session.lent, chosen=session.chosen(),
        )  # fmt: skip

    @property
    def finished(self) -> bool:
        """Whether it was played to its end."""
        return self.result not in (BROKEN_OFF, UNSEEN)

    @property
    def told(self) -> str:
        """How it ended, for people: what is broken off may go on."""
        return self.result if self.finished else "unfinished"

    def session(self, game: Game, seats: list[str]) -> GameSession:
        """The game as it was saved, to look through it or to go on."""
        session = GameSession.after(self.game, game, seats, self.moves, self.seed)
        session.id, session.lent, session.kept = self.id, self.lent, True
        if self.finished and not session.finished:
            self._give_up(session)
        for player, text in self.chosen.items():
            session.choose(player, read_action(game, text, session.state.observation(player)))
        session.unsaved = False
        return session

    def _give_up(self, session: GameSession) -> None:
        """End a game as it did end: by somebody who gave up, or had no time left."""
        for player in range(session.game.players):
            for session.resigned, session.overtime in ((player, None), (None, player)):
                if self.result in (session.result(), session.result(session.marks())):  # files of old have marks
                    return
        raise SavedGamesError(f"the saved game ended otherwise than by its moves: {self.result}")


class _Turn:
    """One thread at a time; what SQLite says of a damaged file is said in a sentence."""

    def __init__(self, path: str) -> None:
        self._path, self._lock = path, threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        self._lock.release()
        if isinstance(error, sqlite3.Error | UnicodeDecodeError):
            raise SavedGamesError(f"the games in {self._path} cannot be read or written: {error}") from None


class SavedGames:
    """Games in one file of SQLite."""

    def __init__(self, path: Path | str) -> None:
        """Open the file, or make it."""
        self.path = str(path)
        self._lock = _Turn(self.path)
        try:
            if self.path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._link = sqlite3.connect(self.path, check_same_thread=False, timeout=10)
            version = self._link.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                raise SavedGamesError(f"{path} was written by a newer version of ponderosa")
            self._link.execute("PRAGMA journal_mode=WAL")
            self._link.execute("PRAGMA synchronous=NORMAL")
            self._link.executescript(SCHEMA)
            self._link.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        except (sqlite3.Error, OSError) as error:
            raise SavedGamesError(f"cannot keep games in {path}: {error}; --data names another folder") from None

    def keep(self, record: GameRecord) -> None:
        """Save a game, in the place of what was saved of it before; a finished one is never changed."""
        values = (
            record.id, record.game, json.dumps(record.seats), record.moves, record.plies,
            record.result, record.seed, record.saved,
        )  # fmt: skip
        with self._lock, self._link:
            written = self._link.execute(KEEP, (*values, BROKEN_OFF, UNSEEN)).rowcount
            self._link.execute("DELETE FROM going WHERE id = ?", (record.id,))
            if record.lent or record.chosen:
                going = (record.id, record.lent, json.dumps(record.chosen))
                self._link.execute("INSERT INTO going VALUES (?, ?, ?)", going)
        if written:
            return
        known = self.find(record.id)
        if known is not None and (known.moves, known.result) != (record.moves, record.result):
            raise SavedGamesError(f"the game {record.id} is finished: what is saved of it stays as it is")

    def listed(self, most: int = 200) -> list[GameRecord]:
        """The games saved last, the newest first, which all may read; others are found by their names alone."""
        with self._lock:
            rows = self._link.execute(LISTED, (UNSEEN, most)).fetchall()
        return [_record(row) for row in rows]

    def find(self, name: str) -> GameRecord | None:
        """A game by its name."""
        with self._lock:
            row = self._link.execute(f"{FOUND} WHERE games.id = ?", (name,)).fetchone()
        return None if row is None else _record(row)

    def remove(self, name: str) -> None:
        """Forget a game."""
        with self._lock, self._link:
            self._link.execute("DELETE FROM games WHERE id = ?", (name,))
            self._link.execute("DELETE FROM going WHERE id = ?", (name,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._link.close()


def _record(row: tuple[str, str, str, str, int, str, int, str, int, str]) -> GameRecord:
    name, game, seats, moves, plies, result, seed, saved, lent, chosen = row
    choices = {int(player): text for player, text in json.loads(chosen).items()}
    return GameRecord(name, game, tuple(json.loads(seats)), moves, plies, result, seed, saved, bool(lent), choices)
