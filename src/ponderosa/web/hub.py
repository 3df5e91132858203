"""What all visitors share: games on offer, limits, threads, open games, saved games. Start at Hub."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ponderosa.arena.store import DEFAULT
from ponderosa.core.errors import LimitError, UnknownNameError
from ponderosa.core.game import Game
from ponderosa.lab.files import FOLDER
from ponderosa.web.arena import Arena
from ponderosa.web.catalogue import PERSON, Catalogue, is_known
from ponderosa.web.director import Director
from ponderosa.web.limits import Limits
from ponderosa.web.runner import Runner, try_agent
from ponderosa.web.session import GameSession
from ponderosa.web.store import Record, Store
from ponderosa.web.table import Tables

log = logging.getLogger("ponderosa.web")


class Hub:
    """One server's state."""

    def __init__(
        self,
        catalogue: Catalogue,
        limits: Limits,
        store: Store,
        clock: Callable[[], float] = time.monotonic,
        games: Path = Path(DEFAULT),
        reports: Path = Path(FOLDER),
    ) -> None:
        """`games` is the file of matches and tournaments, `reports` the folder of the lab's reports."""
        self.reports = reports
        self.catalogue = catalogue
        self.limits = limits
        self.store = store
        self.runner = Runner(limits, clock)
        self.arena = Arena(games, catalogue, limits)
        self.tables = Tables(self.close, self.keep, clock, limits.seat_seconds)
        """The games of the page, and who sits at them."""
        self._clock = clock
        self._open: dict[str, Director] = {}
        self._asked: dict[str, float] = {}
        self._lock = threading.Lock()
        self.closings = 0
        """How many games were closed so far."""

    def open(self, session: GameSession) -> Director:
        """Let a game begin, if there is room for one more; games that everybody has left make room."""
        while self.open_games >= self.limits.max_sessions and self.tables.make_room():
            pass
        with self._lock:
            if len(self._open) >= self.limits.max_sessions:
                raise LimitError(
                    f"{self.limits.max_sessions} games are open, which is as many as this server takes; "
                    "close a tab or try again later"
                )
            director = Director(session, self.runner, self._clock)
            self._open[session.id] = director
            return director

    def seat(self, text: str, game: Game, seconds: float | None = None) -> str:
        """Who is to sit down: PERSON, or an agent that was tried; call it in a thread. Levels are known to be right."""
        spec = self.catalogue.seat(text, game, seconds)
        if spec != PERSON and not is_known(text):
            try_agent(spec, game, self.limits)
        return spec

    def close(self, director: Director, keep: bool = True) -> None:
        """A game is left: its search ends, its trees are freed, and what was played is kept."""
        with self._lock:
            if self._open.get(director.session.id) is director:
                del self._open[director.session.id]
            self._asked.pop(director.session.id, None)
            self.closings += 1
        director.close()
        if keep:
            self.keep(director.session)

    def keep(self, session: GameSession) -> None:
        """Save a game in which something was played here."""
        if not session.touched:
            return
        try:
            self.store.keep(Record.of(session))
        except Exception:  # a full disk must not end the game that goes on
            log.exception("the game could not be saved")

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
        """A game belongs to the API: it is closed when nobody has asked for it for long."""
        with self._lock:
            self._asked[director.session.id] = self._clock()

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
            self.close(director)
        self.runner.close()
        self.arena.contest.close()
        self.store.close()
