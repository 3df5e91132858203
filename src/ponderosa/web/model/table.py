"""Open games, and who sits at them: one game is one table, whichever browser opens its address. Start at GameTables.

A seat belongs to a browser, not to a tab or a connection: whoever reloads, looks at another view or was offline sits
there again. It is free again when its browser was not seen for long, and so is the whole table.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from ponderosa.errors import SettingError
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.director import Director
from ponderosa.web.model.session import GameSession

TAKEN = "this seat is taken, or its game is over"
KEPT_SEATS = "other people sit at this table, each at a browser of their own: they keep their seats"


@dataclass(frozen=True, eq=False)
class Guest:
    """A browser at a table, in one of its tabs."""

    table: GameTable
    """The table."""
    browser: str
    """The browser's name, which only it knows."""
    player: int | None
    """Whose seat the tab looks from, where each person sees something else; None: nobody's, or all see the same."""

    @property
    def sits(self) -> bool:
        """Whether there is a seat for this browser; else it watches."""
        return bool(self.seats)

    @property
    def seats(self) -> list[int]:
        """The players whose seats this browser has."""
        return self.table.seats_of(self.browser)

    @property
    def in_company(self) -> bool:
        """Whether other browsers have seats."""
        holders = [self.table.holder(player) for player in range(self.table.session.game.players)]
        return any(holder not in (None, self.browser) for holder in holders)

    def plays(self, player: int) -> bool:
        """Whether moves for a player are made here: from one's own seat, and from free ones where nothing is hidden."""
        if self.table.session.game.viewed:
            return player == self.player
        return self.sits and self.table.holder(player) in (None, self.browser)

    @property
    def people(self) -> list[int]:
        """The people whose moves are made here."""
        return [player for player in self.table.session.people() if self.plays(player)]

    @property
    def own_seat(self) -> int | None:
        """The seat to come back to, where others have theirs."""
        if self.player is not None or not self.in_company:
            return self.player
        return next(iter(self.seats), None)

    @property
    def advised(self) -> bool:
        """Whether the adviser's numbers are wanted here: a reload, or the way back to the table, does not forget it."""
        return (self.browser, self.player) in self.table.advised

    def want_advice(self, wanted: bool) -> None:
        """Remember whether the adviser's numbers are wanted here."""
        (self.table.advised.add if wanted else self.table.advised.discard)((self.browser, self.player))

    def set_seat(self, player: int, seat: str) -> None:
        """Let somebody else play for a player, if that is no other browser's seat."""
        if self.table.session.seats[player] == PERSON and self.table.holder(player) not in (None, self.browser):
            raise SettingError(KEPT_SEATS)
        self.table.session.set_seat(player, seat)

    def swap_seats(self) -> None:
        """Everybody moves on by one seat; when several sit here, only before the first move."""
        if self.in_company and self.table.session.plies:
            raise SettingError(KEPT_SEATS)
        self.table.swap_seats()


class GameTable:
    """One open game, the tabs that look at it, and the browsers that have its seats."""

    def __init__(self, director: Director, clock: Callable[[], float], patience: float) -> None:
        """A seat is free when its browser was away for `patience` seconds."""
        self.director = director
        self.tabs: dict[object, Guest] = {}
        """Who looks on in which tab."""
        self.left = clock()
        """When the last tab was closed."""
        self.advised: set[tuple[str, int | None]] = set()
        """In which browsers, and for which player, the adviser's numbers are shown."""
        self.next = ""
        """The name of the game that those who sit here went on to."""
        self._clock, self._patience = clock, patience
        self._holders: dict[int, str] = {}
        self._seen: dict[str, float] = {}
        self._keys = [secrets.token_urlsafe(12) for _ in range(director.session.game.players)]

    @property
    def session(self) -> GameSession:
        """The game."""
        return self.director.session

    def holder(self, player: int) -> str | None:
        """The browser that has a player's seat; None: it is free."""
        browser = self._holders.get(player)
        return browser if browser is not None and self._is_there(browser) else None

    def _is_there(self, browser: str) -> bool:
        here = any(guest.browser == browser for guest in self.tabs.values())
        return here or self._clock() - self._seen.get(browser, float("-inf")) <= self._patience

    def seats_of(self, browser: str) -> list[int]:
        """The seats that a browser has; it finds them again after any time, if nobody else has taken them."""
        return sorted(player for player, holder in self._holders.items() if holder == browser)

    def is_away(self, player: int) -> bool:
        """Whether the browser that has a seat has no tab here."""
        holder = self.holder(player)
        return holder is not None and not any(guest.browser == holder for guest in self.tabs.values())

    @property
    def watchers(self) -> int:
        """How many browsers look on without a seat."""
        return len({guest.browser for guest in self.tabs.values() if not guest.sits})

    def free_seats(self) -> list[int]:
        """The seats of people at which nobody sits."""
        return [player for player in self.session.people() if self.holder(player) is None]

    def key(self, player: int) -> str:
        """What must be known to sit down in a certain seat: good for one browser at a time."""
        return self._keys[player]

    def opened_by(self, key: str, browser: str) -> int | None:
        """The seat that a key is for, if the browser may take it."""
        same = [secrets.compare_digest(own.encode(), key.encode()) for own in self._keys]
        return same.index(True) if True in same and self._may_take(same.index(True), browser) else None

    @property
    def deserted(self) -> bool:
        """Whether nobody looks on, and nobody who has a seat may come back to play."""
        awaited = any(self._is_there(browser) for browser in self._holders.values())
        return not self.tabs and (self.session.finished or not awaited)

    @property
    def untouched(self) -> bool:
        """Whether nobody loses anything when it is begun anew: one person at most, who has not done anything."""
        session = self.session
        return not session.touched and not session.game.viewed and len(session.people()) < 2

    def sit_down(self, tab: object, browser: str, player: int | None = None) -> Guest:
        """Come to the table, or come back; to a certain player's seat, if it is free or one's own."""
        seated = bool(self.seats_of(browser)) and not self.session.game.viewed  # then free seats are played anyway
        if player is not None and not seated and self._may_take(player, browser):
            self._holders[player] = browser
        elif not self.seats_of(browser):
            self._find_seat(browser)
        guest = Guest(self, browser, self._eyes(browser, player))
        self.tabs[tab] = guest
        self.director.version += 1
        return guest

    def _may_take(self, player: int, browser: str) -> bool:
        """Whether a person's seat is free, or a browser's own."""
        return player in self.session.people() and self.holder(player) in (None, browser)

    def _find_seat(self, browser: str) -> None:
        """The next free seat of a person; where nobody sits at all and machines play, the first one."""
        free = self.free_seats()
        alone = all(self.holder(player) is None for player in self._holders)
        if free or alone:
            self._holders[free[0] if free else 0] = browser

    def _eyes(self, browser: str, wanted: int | None) -> int | None:
        """From which of its seats a browser's new tab looks: the wanted one, else one without a tab."""
        if not self.session.game.viewed or not self.session.people():
            return None
        mine = [player for player in self.seats_of(browser) if player in self.session.people()]
        looking = {guest.player for guest in self.tabs.values()}
        if wanted in mine:
            return wanted
        return next((player for player in mine if player not in looking), mine[0] if mine else None)

    def swap_seats(self) -> None:
        """Everybody moves on by one seat."""
        self.session.swap_seats()
        count = self.session.game.players
        self._holders = {(player + 1) % count: browser for player, browser in self._holders.items()}

    def seat_all_of(self, last: GameTable) -> None:
        """Let those who sat at another table sit here, each one seat further on; who is away has as long as before."""
        count, now = self.session.game.players, self._clock()
        self._holders = {(player + 1) % count: browser for player, browser in last._holders.items()}
        self._seen = last._seen | {guest.browser: now for guest in last.tabs.values()}

    def stand_up(self, tab: object) -> None:
        """A tab is gone; its browser has its seat for a while longer."""
        guest = self.tabs.pop(tab, None)
        if guest is not None and guest.sits:
            self._seen[guest.browser] = self._clock()
        self.left = self._clock()
        self.director.version += 1


class GameTables:
    """All tables of a server."""

    def __init__(
        self,
        close: Callable[[Director], None],
        keep: Callable[[GameSession], None],
        clock: Callable[[], float],
        patience: float,
    ) -> None:
        """`close` ends a game that nobody will come back to, `keep` saves one; seats last `patience` seconds."""
        self._close, self._keep, self._clock, self._patience = close, keep, clock, patience
        self._tables: dict[str, GameTable] = {}
        """By the names of their games; the one that somebody came to last at the end."""

    def lay(self, director: Director, tab: object, browser: str, player: int | None = None) -> Guest:
        """A table for a game; the browser that opens it has the seat that it asks for, or the first person's."""
        self._tables[director.session.id] = GameTable(director, self._clock, self._patience)
        return self.join(director.session.id, tab, browser, player)

    def lay_next(self, director: Director, last: GameTable) -> None:
        """A table for the next game of those who sit at another one."""
        self._tables[director.session.id] = table = GameTable(director, self._clock, self._patience)
        table.seat_all_of(last)
        last.next = director.session.id
        last.director.version += 1

    def find(self, name: str) -> GameTable | None:
        """The table of an open game."""
        return self._tables.get(name)

    def join(self, name: str, tab: object, browser: str, player: int | None = None) -> Guest:
        """Come to an open game: to one's own seat, to a free one, or to watch."""
        self._tables[name] = table = self._tables.pop(name)
        return table.sit_down(tab, browser, player)

    def join_by_key(self, key: str, tab: object, browser: str) -> Guest:
        """Sit down at the seat that a key is for; its holder comes back to it."""
        for name, table in self._tables.items():
            player = table.opened_by(key, browser)
            if player is not None:
                return self.join(name, tab, browser, player)
        raise SettingError(TAKEN)

    def last_of(self, browser: str) -> str | None:
        """The name of the unfinished game at which a browser sat last."""
        mine = (name for name, table in reversed(self._tables.items()) if table.seats_of(browser))
        return next((name for name in mine if not self._tables[name].session.finished), None)

    def leave(self, table: GameTable, tab: object) -> None:
        """A tab is gone; with the last one, searches end and trees are freed, and the game waits for those who sit."""
        table.stand_up(tab)
        if table.tabs:
            return
        if table.deserted or table.untouched:
            self._clear(table)
            return
        table.director.close()
        table.session.forget_details()
        self._keep(table.session)

    def sweep(self) -> int:
        """Close the games that nobody will come back to; how many."""
        old = [table for table in self._tables.values() if table.deserted]
        for table in old:
            self._clear(table)
        return len(old)

    def make_room(self) -> bool:
        """Close the game that was left longest ago; False: people look at all of them."""
        left = [table for table in self._tables.values() if not table.tabs]
        if left:
            self._clear(min(left, key=lambda table: table.left))
        return bool(left)

    def _clear(self, table: GameTable) -> None:
        del self._tables[table.session.id]
        self._close(table.director)
