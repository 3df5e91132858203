"""From an address of the page to a place at a table, and back. Start at Entrance.come_in."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest

from ponderosa.core.clock import TimeControl
from ponderosa.errors import SettingError
from ponderosa.web.model.catalogue import PERSON, USUAL_LEVEL, seat_text
from ponderosa.web.model.clocks import GameClocks
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.saved_games import UNSEEN, GameRecord
from ponderosa.web.model.session import GameSession, new_seed
from ponderosa.web.model.shares import Visitor
from ponderosa.web.model.sight import Sight
from ponderosa.web.model.table import Guest
from ponderosa.web.views.layout import link_to

SEAT_SEPARATOR = "|"


@dataclass(frozen=True)
class Address:
    """What the address of the page asks for; all of it may be missing."""

    game: str = ""
    """The game as people name it."""
    moves: str = ""
    """The moves to the position."""
    players: str = ""
    """Who plays for each player, with bars between them."""
    id: str = ""
    """The name of a game that is open, or saved: it goes before the other facts."""
    seat: str = ""
    """The key to a seat of an open game."""
    player: str = ""
    """The number of one's own seat, where several people play."""

    @property
    def empty(self) -> bool:
        """Whether nothing is asked for."""
        return self == Address()

    @property
    def own(self) -> int | None:
        """One's own seat."""
        return int(self.player) if re.fullmatch("[0-9]{1,3}", self.player) else None

    @property
    def seats(self) -> list[str] | None:
        """Who plays for each player."""
        return [seat.strip() for seat in self.players.split(SEAT_SEPARATOR) if seat.strip()] or None


def address_of(sight: Sight) -> str:
    """The address that leads a browser back to what it sees; what is hidden is not in it."""
    session = sight.session
    seats = [seat_text(seat, session.game) for seat in session.seats]
    facts = {"game": session.spec, "players": SEAT_SEPARATOR.join(seats), "id": session.id}
    if not session.secret:
        facts["moves"] = session.moves_text(sight.place.ply)
    own = None if session.finished or sight.guest is None else sight.guest.own_seat
    if own is not None:
        facts["player"] = str(own)
    return link_to("/play", **facts)


class Entrance:
    """Leads one tab of a browser to games."""

    def __init__(self, hub: Hub, tab: object, visitor: Visitor) -> None:
        self._hub, self._tab, self._visitor, self._browser = hub, tab, visitor, visitor.browser
        self.lost = False
        """Whether the game that was asked for by its name is not there any more, and another one was begun."""

    async def come_in(self, asked: Address) -> Guest:
        """Come to the game that is asked for: open, saved or new; without a wish, to one's last unfinished game."""
        tables = self._hub.tables
        if asked.seat:
            return tables.join_by_key(asked.seat, self._tab, self._browser)
        name = (tables.last_of(self._browser) or "") if asked.empty else asked.id
        if tables.find(name) is None:
            return self.begin(await self._prepared(lambda: self._asked_for(asked)), asked.own)
        return tables.join(name, self._tab, self._browser, asked.own)

    async def new(
        self, spec: str, seats: list[str] | None, times: list[float | None], moves: str = "", control: str = ""
    ) -> GameSession:
        """A game that has yet to begin; with a time control, it is played by the clock."""
        return await self._prepared(lambda: new_session(self._hub, spec, seats, times, moves, control))

    def begin(self, session: GameSession, player: int | None = None) -> Guest:
        """Open a game, in a player's seat; if somebody else has just opened it, come to their table."""
        tables = self._hub.tables
        if tables.find(session.id) is not None:
            return tables.join(session.id, self._tab, self._browser, player)
        return tables.lay(self._hub.open(session, self._visitor), self._tab, self._browser, player)

    def next_game(self, guest: Guest) -> Guest:
        """Come to the next game of the same people, one seat further on; whoever asks first lays its table."""
        last, tables = guest.table, self._hub.tables
        if tables.find(last.next) is None:
            tables.lay_next(self._hub.open(last.session.rematch(new_seed()), self._visitor), last)
        wanted = None if guest.player is None else (guest.player + 1) % last.session.game.players
        return tables.join(last.next, self._tab, self._browser, wanted)

    async def _prepared(self, make: Callable[[], GameSession]) -> GameSession:
        """Make a game, which may compile its rules, in a thread."""
        return await asyncio.wrap_future(self._hub.runner.prepare(make))

    def _asked_for(self, asked: Address) -> GameSession:
        record = self._hub.store.find(asked.id) if asked.id else None
        if record is not None and record.lent:
            return self._copied(record)
        if record is not None:
            return self._hub.reopened(record)
        self.lost = asked.id != ""
        return new_session(self._hub, asked.game or self._hub.catalogue.usual_game, asked.seats, [], asked.moves)

    def _copied(self, record: GameRecord) -> GameSession:
        """A game that a program plays, as one of one's own: the program's goes on undisturbed."""
        if record.result == UNSEEN:
            raise SettingError(
                "this game goes on elsewhere, and something is hidden in it: it is shown when it is over"
            )
        session = self._hub.reopened(replace(record, id=uuid.uuid4().hex, lent=False, seed=new_seed()))
        session.kept = False
        return session


def new_session(
    hub: Hub,
    spec: str,
    seats: list[str] | None,
    times: list[float | None],
    moves: str = "",
    control: str = "",
) -> GameSession:
    """A game with these players; a person against the usual level, if nobody says otherwise."""
    if control:
        TimeControl.of(control)  # before anything takes time
    game = hub.catalogue.game(spec)
    asked = seats if seats is not None else ([PERSON] + [USUAL_LEVEL] * game.players)[: game.players]
    found = [hub.seat(seat, game, seconds) for seat, seconds in zip_longest(asked, times[: len(asked)])]
    session = GameSession.after(spec, game, found, moves, new_seed())
    if control:
        session.clocks = GameClocks(TimeControl.of(control), game)
    return session
