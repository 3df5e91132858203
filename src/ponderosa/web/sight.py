"""What a tab may see of a game: everything, or what one player sees while there is something to hide. Start at Sight.

All that is drawn or sent goes through here, numbers too: how many moves the others have made in secret is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ponderosa.core.state import State
from ponderosa.core.telling import movers, noticed, told
from ponderosa.core.turns import CHANCE
from ponderosa.search.report import Report
from ponderosa.web.catalogue import PERSON
from ponderosa.web.director import Director
from ponderosa.web.session import GameSession


@dataclass(frozen=True)
class Entry:
    """A move, as somebody gets to know it."""

    mover: int
    """The player, or CHANCE."""
    name: str | None
    """The move; None: it was made, and cannot be told from others."""
    ply: int
    """How many moves there are after it."""


class Sight:
    """The eyes of one player, or of everybody."""

    def __init__(self, director: Director, player: int | None) -> None:
        """`player` is the one whose seat the tab has; None: whoever moves, as at one board."""
        self.director = director
        self.player = player
        self._known: list[Entry] = []
        self._read, self._last = 0, director.session.states[0]
        """How many moves were looked at, and the state after them."""

    @property
    def session(self) -> GameSession:
        """The game."""
        return self.director.session

    @property
    def limited(self) -> bool:
        """Whether there is something that must not be seen here."""
        return self.session.secret and self.player is not None

    @property
    def state(self) -> State:
        """The position that is looked at, as it may be seen."""
        return self._seen(self.session.state)

    @property
    def before(self) -> State | None:
        """The position before it."""
        return self._seen(self.session.states[self.session.cursor - 1]) if self.session.cursor else None

    def _seen(self, state: State) -> State:
        return state.observation(self.player) if self.limited and self.player is not None else state

    @property
    def ply(self) -> int:
        """How far the game is: a number that tells positions apart which look different from here."""
        return len(self.entries()) if self.limited else self.session.cursor

    def acts(self) -> bool:
        """Whether the person here is to move."""
        session = self.session
        if not session.game.viewed:
            return session.person_moves()
        return self.limited and self.player in session.waiting_for() and session.seats[self.player] == PERSON

    def actions(self) -> list[Any]:
        """What can be clicked."""
        return self.state.legal_actions() if self.limited else self.session.actions()

    def choose(self, action: Any) -> None:
        """Make the move, or the choice, of the person here."""
        mover = self.player if self.limited else self.session.mover
        assert mover is not None
        self.session.choose(mover, action)

    def waits(self) -> bool:
        """Whether the person here has chosen, and others have not."""
        return self.limited and self.player in self.session.choices

    def report(self) -> Report | None:
        """What is known of the position, by whoever knows no more than the person here."""
        if self.limited:
            return self.session.private.get((self.session.cursor, self.player or 0))
        return self.session.report()

    @property
    def hint(self) -> str | None:
        """The hint that was asked for here."""
        mine = not self.limited or self.director.hint_for == self.player
        return self.director.hint if mine else None

    def entries(self) -> list[Entry]:
        """The moves that may be known here; those of the others that nobody noticed are none."""
        session = self.session
        if not self.limited:
            states = session.states
            return [Entry(states[ply].to_move(), name, ply + 1) for ply, name in enumerate(session.names)]
        if self._read > session.cursor or session.states[self._read] is not self._last:
            self._known, self._read = [], 0  # moves were taken back, and perhaps others made
        actions = session.states[-1].history()
        while self._read < session.cursor:
            before = session.states[self._read]
            count = session.game.players if before.is_simultaneous_node() and not before.chosen() else 1
            after = self._read + count
            if after > session.plies:
                break
            if noticed(before, session.states[after], self.player):
                turn = actions[self._read : after]
                names = told(before, turn, self.player)
                self._known += [Entry(*pair, after) for pair in zip(movers(before, turn), names, strict=True)]
            self._read = after
        self._last = session.states[self._read]
        return self._known

    def dice(self) -> list[str]:
        """What chance has shown since somebody moved."""
        shown: list[str] = []
        for entry in reversed([entry for entry in self.entries() if entry.ply <= self.session.cursor]):
            if entry.mover != CHANCE:
                break
            shown += [entry.name] if entry.name is not None else []
        return shown[::-1]
