"""What all visitors share: games on offer, limits, threads, open games, saved games. Start at Hub."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from ponderosa.arena.results.store import DEFAULT
from ponderosa.core.game import Game
from ponderosa.errors import LimitError, UnknownNameError
from ponderosa.lab.reports.folder import FOLDER
from ponderosa.learning.watching import FOLDER as LEARNING
from ponderosa.web.model.arena import Arena
from ponderosa.web.model.catalogue import PERSON, Catalogue, is_known
from ponderosa.web.model.director import Director
from ponderosa.web.model.gallery import Gallery
from ponderosa.web.model.learning import Learning
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.runner import Runner, try_agent
from ponderosa.web.model.saved_games import GameRecord, SavedGames
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.shares import NO_VISITOR, Visitor
from ponderosa.web.model.short_addresses import ShortAddresses
from ponderosa.web.model.table import GameTables

TAKEN = ("play", "analysis", "saved", "arena", "lab", "learning", "docs", "api", "page-files")
"""What addresses begin with that lead to other views."""
log = logging.getLogger("ponderosa.web")
REST_SECONDS = 60.0
"""A game of the API that nobody has asked for so long gives its place to another, when there is no other."""


class Hub:
    """One server's state."""

    def __init__(
        self,
        catalogue: Catalogue,
        limits: Limits,
        store: SavedGames,
        clock: Callable[[], float] = time.monotonic,
        games: Path = Path(DEFAULT),
        reports: Path = Path(FOLDER),
        learning: Path = Path(LEARNING),
        token: str = "",
    ) -> None:
        """`games` is the file of matches and tournaments, `reports` the folder of the lab's reports, `learning` that
        of runs of learning."""
        self.reports = reports
        self.token = token
        """What visitors must know, if anything: it is in the links with which they invite each other."""
        self.catalogue = catalogue
        self.gallery = Gallery(catalogue)
        self.addresses = ShortAddresses(catalogue, TAKEN)
        """Positions as addresses that one can say."""
        self.limits = limits
        self.store = store
        self.runner = Runner(limits, clock)
        self.arena = Arena(games, catalogue, limits)
        self.learning = Learning(learning, catalogue, limits)
        self.tables = GameTables(self.close, self.keep, clock, limits.seat_seconds)
        """The games of the page, and who sits at them."""
        self._clock = clock
        self._open: dict[str, Director] = {}
        self._asked: dict[str, float] = {}
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store")
        """Writes games one after the other, so that nobody waits for the disk."""
        self.closings = 0
        """How many games were closed so far."""

    def open(self, session: GameSession, visitor: Visitor = NO_VISITOR, keep: bool = True) -> Director:
        """Let a game begin, if there is room for one more; games that everybody has left make room.

        Its searches are the visitor's; it is saved as it is played, if it is to be kept.
        """
        while self.open_games >= self.limits.max_sessions and (self.tables.make_room() or self._rest_one()):
            pass
        with self._lock:
            if len(self._open) >= self.limits.max_sessions:
                raise LimitError(
                    f"{self.limits.max_sessions} games are open, which is as many as this server takes; "
                    "close a tab or try again later"
                )
            if session.id in self._open:  # somebody else has just opened it
                return self._open[session.id]
            director = Director(session, self.runner, self._clock, self.keep_soon if keep else None, visitor)
            self._open[session.id] = director
            return director

    def _rest_one(self) -> bool:
        """Put down the game of the API that rests longest: its name opens it again; False: there is none."""
        with self._lock:
            resting = [name for name in self._asked if name in self._open and self._open[name].job is None]
            oldest = min(resting, key=self._asked.__getitem__, default=None)
            if oldest is None or self._clock() - self._asked[oldest] < REST_SECONDS:
                return False
            director = self._open[oldest]
        director.save()
        self._put_down(director)
        return True

    def seat(self, text: str, game: Game, seconds: float | None = None) -> str:
        """Who is to sit down: PERSON, or an agent that was tried; call it in a thread. Levels are known to be right."""
        spec = self.catalogue.seat(text, game, seconds)
        if spec != PERSON and not is_known(text):
            try_agent(spec, game, self.limits)
        return spec

    def reopened(self, record: GameRecord) -> GameSession:
        """A saved game as it was saved: an address, which anybody can write, plays no moves in it; in a thread."""
        game = self.catalogue.game(record.game)
        return record.session(game, [self.seat(seat, game) for seat in record.seats])

    def close(self, director: Director, keep: bool = True) -> None:
        """A game is left: its search ends, its trees are freed, and what was played is kept."""
        self._put_down(director)
        session = director.session
        lent, session.lent = session.lent, False
        if not keep:
            return
        if session.touched or (session.kept and session.names):
            session.unsaved = session.unsaved or lent
            self.keep(session)
        elif lent or session.kept:
            self._writer.submit(self.store.remove, session.id).result()

    def _put_down(self, director: Director) -> None:
        with self._lock:
            if self._open.get(director.session.id) is director:
                del self._open[director.session.id]
            self._asked.pop(director.session.id, None)
            self.closings += 1
        director.end()

    def keep(self, session: GameSession) -> None:
        """Save a game in which something was played here, and wait until it is."""
        saving = self.keep_soon(session)
        if saving is not None:
            saving.result()

    def keep_soon(self, session: GameSession) -> Future[None] | None:
        """Save a game in which something was played here, or that is lent; None: there is nothing to save."""
        if not session.unsaved or not (session.touched or session.kept or session.lent):
            return None
        session.unsaved, session.kept = False, session.kept or session.touched
        return self._writer.submit(self._write, GameRecord.of(session))

    def _write(self, record: GameRecord) -> None:
        try:
            self.store.keep(record)
        except Exception:  # a full disk must not end the game that goes on
            log.exception("the game could not be saved")

    def saved_games(self) -> Future[list[GameRecord]]:
        """The games saved last, with all that is to be written."""
        return self._writer.submit(self.store.listed)

    def find_saved(self, name: str) -> Future[GameRecord | None]:
        """A saved game by its name, after all that is to be written was written."""
        return self._writer.submit(self.store.find, name)

    @property
    def open_games(self) -> int:
        """How many games are open."""
        return len(self._open)

    def visit(self, name: str) -> Director:
        """An open game of the API by its name; it stays open for a while longer."""
        with self._lock:
            if name not in self._asked or name not in self._open:
                raise UnknownNameError(f"there is no open game {name!r}")
            self._asked[name] = self._clock()
            return self._open[name]

    def lend(self, director: Director) -> None:
        """A game belongs to the API: it is closed when nobody has asked for it for long, and else is there again after
        a restart."""
        session = director.session
        with self._lock:
            self._asked[session.id] = self._clock()
        session.unsaved, session.lent = session.unsaved or not session.lent, True

    def sweep(self) -> int:
        """Close the games of the API that nobody asks for any more, and give up trees; how many of both."""
        now = self._clock()
        with self._lock:
            old = [
                self._open[name]
                for name, asked in self._asked.items()
                if name in self._open and now - asked > self.limits.idle_seconds
            ]
        for director in old:
            self.close(director)
        return len(old) + self.runner.sweep()

    def shut(self) -> None:
        """The server ends: everything open is kept, and the threads and the match end."""
        self.arena.contest.stop()
        for director in list(self._open.values()):
            director.save()
            self._put_down(director)
        self.runner.close()
        self.arena.contest.close()
        self.learning.learner.close()
        self._writer.shutdown(wait=True)
        self.store.close()
