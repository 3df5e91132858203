"""What a tab may see of a game, and do in it: everything, or what one player may, or nothing. Start at Sight.

All that is drawn or sent goes through here, numbers too: how many moves the others have made in secret is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ponderosa.core.announcements import movers, noticed, told
from ponderosa.core.state import State
from ponderosa.core.turns import CHANCE
from ponderosa.mcts.report.report import Report
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.director import Director
from ponderosa.web.model.place import Place
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.table import Guest


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
    """The eyes of one player, or of everybody, on one place in the moves."""

    def __init__(self, director: Director, player: int | None, guest: Guest | None = None) -> None:
        """`player` is the one whose seat the tab has; None: whoever moves, as at one board.

        `guest` is who looks; None: somebody who may do everything.
        """
        self.director = director
        self.player = player
        self.guest = guest
        self.place = Place(director.session, player)
        """Where in the moves this tab is."""
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
    def blind(self) -> bool:
        """Whether nothing may be seen here at all: a game that hides something, watched from no seat."""
        return self.session.secret and self.player is None and self.guest is not None

    @property
    def watches(self) -> bool:
        """Whether the person here has no seat."""
        return self.guest is not None and not self.guest.sits

    @property
    def state(self) -> State:
        """The position that is looked at, as it may be seen."""
        return self._seen(self.place.state)

    @property
    def before(self) -> State | None:
        """The position before it."""
        before = self.place.before
        return None if before is None else self._seen(before)

    def _seen(self, state: State) -> State:
        return state.observation(self.player) if self.limited and self.player is not None else state

    @property
    def ply(self) -> int:
        """How far the game is: a number that tells positions apart which look different from here."""
        return len(self.entries()) if self.limited else self.place.ply

    def acts(self) -> bool:
        """Whether the person here is to move."""
        session, place = self.session, self.place
        if session.game.viewed:
            return self.limited and self.player in place.waiting_for() and session.seats[self.player] == PERSON
        mover = place.mover
        if mover is None or not place.person_moves():
            return False
        return self.branches() or self.guest is None or self.guest.plays(mover)

    def alone(self) -> bool:
        """Whether whoever sits here plays for one player, and not for all at one screen."""
        return self.limited or len(self.session.people()) == 1 or (self.guest is not None and self.guest.in_company)

    def branches(self) -> bool:
        """Whether going on from here is a game of its own, because this one is over, or not only one's own."""
        others = self.guest is not None and self.guest.in_company
        timed = self.session.clocks is not None
        return not self.place.at_end and (self.session.finished or others or self.watches or timed)

    def actions(self) -> list[Any]:
        """What can be clicked."""
        return self.state.legal_actions() if self.limited else self.place.actions()

    def choose(self, action: Any) -> None:
        """Make the move, or the choice, of the person here; moves after an earlier position are taken back."""
        mover = self.player if self.limited else self.place.mover
        assert mover is not None
        if not self.place.at_end:
            self.session.take_back(self.place.ply)
        self.session.choose(mover, action)

    def waits(self) -> bool:
        """Whether the person here has chosen, and others have not."""
        return self.limited and self.player in self.session.choices

    def report(self) -> Report | None:
        """What is known of the position, by whoever knows no more than the person here."""
        if self.limited:
            return self.session.private.get((self.place.ply, self.player or 0))
        return self.place.report()

    def own_thought(self) -> tuple[int, Report] | None:
        """What the machine that moves or moved here thought itself, where nothing is hidden, and after which move."""
        return None if self.session.secret else self.place.own_thought()

    @property
    def hint(self) -> str | None:
        """The hint that was asked for here."""
        return self.place.hint

    def entries(self) -> list[Entry]:
        """The moves that may be known here; those of the others that nobody noticed are none."""
        session = self.session
        if self.blind:
            return []
        if not self.limited:
            states = session.states
            return [Entry(states[ply].to_move(), name, ply + 1) for ply, name in enumerate(session.names)]
        here = self.place.ply
        if self._read > here or session.states[self._read] is not self._last:
            self._known, self._read = [], 0  # moves were taken back, and perhaps others made
        actions = session.states[-1].history()
        while self._read < here:
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
        for entry in reversed([entry for entry in self.entries() if entry.ply <= self.place.ply]):
            if entry.mover != CHANCE:
                break
            shown += [entry.name] if entry.name is not None else []
        return shown[::-1]
