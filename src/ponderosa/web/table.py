"""Open games and the tabs at them: where something is hidden, each person has a tab of their own. Start at Tables.

Such a seat has a key. Whoever brings it sits down there and gets another one, so that a link is good for one person.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from ponderosa.core.errors import SettingError
from ponderosa.web.director import Director


class Table:
    """One open game, and who looks at it."""

    def __init__(self, director: Director) -> None:
        self.director = director
        self.tabs: dict[object, int | None] = {}
        """Each tab, and the player whose seat it has; None: it has no seat of its own."""
        session = director.session
        self.keys = {player: secrets.token_urlsafe(12) for player in session.people()} if session.game.viewed else {}
        """What must be known to sit down, by player."""

    def free_seats(self) -> list[int]:
        """The seats of people at which nobody sits yet."""
        return [player for player in self.keys if player not in self.tabs.values()]


class Tables:
    """All tables of a server."""

    def __init__(self, close: Callable[[Director], None]) -> None:
        """`close` ends a game that everybody has left."""
        self._close = close
        self._tables: set[Table] = set()

    def lay(self, director: Director, tab: object) -> Table:
        """A table for a game; the tab that began it has the first person's seat, where seats count."""
        table = Table(director)
        table.tabs[tab] = next(iter(table.keys), None)
        self._tables.add(table)
        return table

    def join(self, key: str, tab: object) -> Table:
        """Sit down at the seat that a key is for; the key is used up."""
        for table in self._tables:
            for player, known in table.keys.items():
                if secrets.compare_digest(known.encode(), key.encode()):
                    table.keys[player] = secrets.token_urlsafe(12)
                    table.tabs[tab] = player
                    table.director.version += 1
                    return table
        raise SettingError("this seat is taken, or its game is over")

    def leave(self, table: Table, tab: object) -> None:
        """A tab is gone; with the last one, the game."""
        table.tabs.pop(tab, None)
        table.director.version += 1
        if not table.tabs:
            self._tables.discard(table)
            self._close(table.director)
