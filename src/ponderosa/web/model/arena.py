"""The matches and tournaments of a file of games, and the door for new ones. Start at Arena; it knows no page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ponderosa.arena.conditions import Conditions
from ponderosa.arena.match import PlannedMatch, plan_match, players_of_match
from ponderosa.arena.openings import NONE
from ponderosa.arena.results.replay import positions
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.store import Store, StoredEvent, StoredGame
from ponderosa.arena.results.stored import stored_result
from ponderosa.core.game import Game
from ponderosa.errors import SettingError, StoreError
from ponderosa.registry import load_game
from ponderosa.web.model.catalogue import PERSON, Catalogue, checked_text, setting_of
from ponderosa.web.model.contest import Contest
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.runner import try_agent
from ponderosa.web.model.session import GameSession

MOST_PLIES = 100
"""No random opening is longer."""
MOST_ITERATIONS = 10**9
MOST_SEED = 2**53
"""Browsers know no larger whole numbers."""
GAMES_A_PAGE = 50
"""How many games are listed at once."""


@dataclass(frozen=True)
class Wish:
    """A match that somebody asks for; nothing in it is checked yet."""

    game: object
    first: object
    second: object
    games: object = 20
    plies: object = 0
    """How many random moves every pair of games begins with."""
    iterations: object = None
    """For each move of the agents without a budget of their own."""
    seconds: object = None
    seed: object = 0


@dataclass(frozen=True)
class EventPage:
    """A match or tournament, what it has shown so far, and some of its games."""

    stored: StoredEvent
    result: EventResult
    games: list[StoredGame]


@dataclass(frozen=True)
class Replay:
    """A stored game to go through."""

    stored: dict[str, Any]
    session: GameSession
    curves: list[list[float | None]]
    """What each agent thought of the first player's chances, by number of moves."""


class Arena:
    """One file of games. Every question opens it anew, so that any thread may ask."""

    def __init__(self, path: Path, catalogue: Catalogue, limits: Limits) -> None:
        self.path, self.catalogue, self.limits = path.expanduser(), catalogue, limits
        self.contest = Contest(self.path)
        """The match that runs here."""

    def stamp(self) -> tuple[Any, ...]:
        """Something that changes whenever there may be something new to see."""
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        found = [file.stat() if file.is_file() else None for file in files]
        return (*((file.st_mtime_ns, file.st_size) if file else None for file in found), self.contest.version)

    def events(self) -> list[StoredEvent]:
        """All matches and tournaments, the newest first; none without a file."""
        if not self.path.is_file():
            return []
        with Store(self.path, readonly=True) as store:
            return store.events()

    def page(self, event: int, offset: int = 0) -> EventPage:
        """One match or tournament, with its newest games but `offset`."""
        with Store(self.path, readonly=True) as store:
            games = store.games(event=event, limit=GAMES_A_PAGE, offset=offset)
            return EventPage(store.event(event), stored_result(store, event), games)

    def has(self, table: Literal["events", "games"], text: str) -> bool:
        """Whether there is an event, or a game, of the number in an address; a file that cannot be read may have it."""
        key = row_number(text)
        if key == 0:
            return False
        try:
            with Store(self.path, readonly=True) as store:
                return store.has(table, key)
        except StoreError:
            return True  # the view says what is wrong with the file

    def replay(self, key: int) -> Replay:
        """A stored game, if its rules are offered here: a file of games names no program to load."""
        with Store(self.path, readonly=True) as store:
            stored = store.game(key)
        self.catalogue.game(stored["game"])
        session = GameSession(stored["game"], load_game(stored["game"]), stored["agents"])
        for _, name in positions(stored, trust=True):  # it is offered here
            if name is not None:
                session.play_text(name)
        return Replay(stored, session, _curves(stored, session))

    def start(self, wish: Wish) -> int:
        """Begin a match, or go on with it; its number in the file."""
        return self.contest.start(self.checked(wish))

    def checked(self, wish: Wish) -> PlannedMatch:
        """The match that is asked for, if it may be played here."""
        limits, spec = self.limits, checked_text("game", wish.game)
        game = self.catalogue.game(spec)
        players_of_match(game)
        agents = (self._agent(wish.first, game), self._agent(wish.second, game))
        games = _whole("games", wish.games, 2, limits.max_games)
        plies = _whole("random opening moves", wish.plies, 0, MOST_PLIES)
        iterations = None if _empty(wish.iterations) else _whole("iterations", wish.iterations, 1, MOST_ITERATIONS)
        seconds = None if _empty(wish.seconds) else checked_number("seconds", wish.seconds, 0.001, limits.max_seconds)
        seed = _whole("seed", wish.seed or 0, 0, MOST_SEED)
        openings = f"random:{plies}" if plies else NONE
        conditions = Conditions(openings, iterations, seconds, seed, timeout=limits.max_seconds)
        return plan_match(spec, *agents, games, conditions=conditions)

    def _agent(self, text: object, game: Game) -> str:
        """An agent that may be asked for here, with no more time than is granted."""
        seat = self.catalogue.seat(checked_text("agent", text), game)
        if seat == PERSON:
            raise SettingError("a match is played by agents; people play on the page itself")
        own = setting_of(seat, "seconds")
        if own is not None:
            checked_number("seconds", own, 0.001, self.limits.max_seconds)
        nodes = setting_of(seat, "max_nodes")
        if nodes is not None:
            _whole("max_nodes", nodes, 1, self.limits.tree_nodes)
        try_agent(seat, game, self.limits)
        return seat


def row_number(text: object) -> int:
    """The number of an event or a game in an address; 0, which nothing has, for nonsense."""
    return int(text) if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 16 else 0


def _empty(value: object) -> bool:
    """Whether nothing was typed into a field."""
    return value is None or value == ""


def checked_number(what: str, value: Any, least: float, most: float) -> float:
    """A number from outside."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not least <= number <= most:
        raise SettingError(f"{what} must be a number from {least:g} to {most:g} here, not {str(value)[:20]!r}")
    return number


def _whole(what: str, value: object, least: int, most: int) -> int:
    """A whole number from outside."""
    number = checked_number(what, value, least, most)
    if number != int(number):
        raise SettingError(f"{what} must be a whole number, not {number:g}")
    return int(number)


def _curves(stored: dict[str, Any], session: GameSession) -> list[list[float | None]]:
    """The values that each agent gave, for the first player of two; the last position has the result."""
    curves = [session.curve() for _ in range(session.game.players)]
    for ply, (seat, _, *told) in enumerate(stored["thoughts"], start=stored["opening"]):
        value = told[2] if len(told) > 2 else None
        if value is not None and not session.game.viewed and ply < session.plies and session.game.players == 2:
            curves[seat][ply] = value if seat == 0 else 1.0 - value
    return curves
