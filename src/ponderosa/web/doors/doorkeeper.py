"""Connections that take their time: closed after a while, so that they take nobody's place. Start at Doorkeeper.

A request is sent in one go by everybody but an attacker. uvicorn waits for ever for the rest of a header or a body, and
for whoever does not read an answer; the doorkeeper goes through the connections from time to time, and does not.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

LOOK_SECONDS = 1.0
"""How often the connections are looked at."""


@dataclass(frozen=True)
class Patience:
    """How long the server waits for a visitor, and for how many at once."""

    seconds: float = 20.0
    """A request that has not come in whole after so long, or an answer of which nobody has taken anything, is ended."""
    waiting: int = 200
    """How many connections may be without a whole request; of more, those that came first are closed at once."""
    connections: int = 2000
    """How many connections are open at once; the requests of further ones are refused."""


class Doorkeeper:
    """Looks after the connections of one server."""

    def __init__(self, connections: Iterable[Any], patience: Patience, clock: Callable[[], float] = time.monotonic):
        """`connections` are uvicorn's own protocols, those of now whenever it is read."""
        self._connections, self._patience, self._clock = connections, patience, clock
        self._since: WeakKeyDictionary[Any, tuple[object, float]] = WeakKeyDictionary()
        """What is awaited of a connection, and since when."""

    async def watch(self) -> None:
        """Look again and again."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()

    def look(self) -> int:
        """Close the connections that have taken too long; how many."""
        now, waiting = self._clock(), []
        for connection in list(self._connections):
            awaited = _awaited(connection)
            known, since = self._since.get(connection, (None, now))
            if awaited != known:
                self._since[connection] = (awaited, since := now)
            if awaited is not None:
                waiting.append((since, connection))
        waiting.sort(key=lambda pair: pair[0], reverse=True)
        late = [c for place, (since, c) in enumerate(waiting) if self._too_long(now - since, place)]
        for connection in late:
            connection.transport.abort()
        return len(late)

    def _too_long(self, seconds: float, place: int) -> bool:
        return seconds > self._patience.seconds or (place >= self._patience.waiting and seconds > LOOK_SECONDS)


def _awaited(connection: Any) -> object:
    """What the server waits for from a visitor; None: nothing, it is the server's turn, or the connection is a socket.

    Sockets are asked by uvicorn itself whether somebody is there.
    """
    transport = getattr(connection, "transport", None)
    if transport is None or transport.is_closing() or not hasattr(connection, "cycle"):
        return None
    cycle, unread = connection.cycle, transport.get_write_buffer_size()
    if unread:
        return "an answer to be read", unread
    if cycle is None or cycle.response_complete:
        return "a request", id(cycle)
    return ("the rest of a request", id(cycle)) if cycle.more_body else None
