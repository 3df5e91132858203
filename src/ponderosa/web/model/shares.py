"""Whose search is next, so that nobody takes everybody's place. Start at Shares.

Those who have waited longest for their turn come first, not those who ask most: addresses take turns, at one address
the browsers, and each browser's searches come in the order in which they were asked for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


@dataclass(frozen=True)
class Visitor:
    """Somebody who asks for searches."""

    address: str = ""
    """Where they are."""
    browser: str = ""
    """Their browser's name; empty: a program that keeps no cookie."""


NO_VISITOR = Visitor()
"""The server itself, and tests."""


class Asked(Protocol):
    """Something that a visitor waits for."""

    visitor: Visitor


T = TypeVar("T", bound=Asked)


class Shares(Generic[T]):
    """How many things go on at once, some more for visitors of whom nothing does; the others wait for their turn."""

    def __init__(self, places: int, spare: int, most_waiting: int) -> None:
        """`spare` places are for visitors without any; half of `most_waiting` is the most that one of them may have."""
        self._places, self._spare, self._most = places, spare, most_waiting
        self._waiting: list[T] = []
        self._running: Counter[str | Visitor] = Counter()
        self._served: dict[str | Visitor, int] = {}
        """Which turn an address or a visitor had last."""
        self._turn = 0

    def may_ask(self, visitor: Visitor) -> bool:
        """Whether there is room for one more that waits."""
        mine = sum(asked.visitor == visitor for asked in self._waiting)
        return len(self._waiting) < self._most and mine < max(1, self._most // 2)

    def ask(self, asked: T) -> None:
        """Wait for a place."""
        self._waiting.append(asked)

    def next(self) -> T | None:
        """What goes on now, if anything may."""
        free = self._running.total() // 2 < self._places  # each is counted twice, for address and visitor
        spare = self._running.total() // 2 < self._places + self._spare
        able = [asked for asked in self._waiting if free or (spare and not self._running[asked.visitor])]
        if not able:
            return None
        chosen = min(able, key=self._claim)  # of equal claims, the first
        self._waiting.remove(chosen)
        self._turn += 1
        for who in _counted(chosen):
            self._running[who] += 1
            self._served[who] = self._turn
        return chosen

    def done(self, asked: T) -> None:
        """A place is free again."""
        for who in _counted(asked):
            self._running[who] -= 1
        self._running = +self._running
        if not self._waiting and not self._running:
            self._served.clear()  # nobody is remembered longer than needed

    def _claim(self, asked: T) -> tuple[int, ...]:
        """Less goes first: what runs already for the address and the visitor, and how lately they had a turn."""
        return tuple(n for who in _counted(asked) for n in (self._running[who], self._served.get(who, 0)))


def _counted(asked: Asked) -> tuple[str | Visitor, ...]:
    return asked.visitor.address, asked.visitor
