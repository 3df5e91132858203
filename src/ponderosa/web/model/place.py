"""A place in the moves of a game, where one viewer looks; other viewers have places of their own. Start at Place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ponderosa.core.state import State
from ponderosa.mcts.report.report import Report
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.session import GameSession


class Place:
    """A position of a game: the last one, and then it goes along with the game, or an earlier one."""

    def __init__(self, session: GameSession, player: int | None = None) -> None:
        """`player` is the one with whose eyes the viewer looks, where each sees something else."""
        self.session = session
        self.player = player
        self.advised = False
        """Whether the adviser is to look at the positions that are looked at here."""
        self._ply: int | None = None
        self._hint: tuple[int, str] | None = None

    @property
    def ply(self) -> int:
        """How many moves the position is away from the start."""
        if self._ply is not None and self._ply >= self.session.plies:
            self._ply = None  # what came after it was taken back: it is the last one now
        return self.session.plies if self._ply is None else self._ply

    @property
    def state(self) -> State:
        """The position."""
        return self.session.states[self.ply]

    @property
    def before(self) -> State | None:
        """The position before it."""
        return self.session.states[self.ply - 1] if self.ply else None

    @property
    def at_end(self) -> bool:
        """Whether it is the last position."""
        return self.ply == self.session.plies

    @property
    def over(self) -> bool:
        """Whether nobody moves any more in this position."""
        return self.state.is_terminal() or (self.at_end and self.session.finished)

    def waiting_for(self) -> set[int]:
        """The players who must act in this position."""
        return self.session.waiting_for() if self.at_end else self.session.turn_of(self.ply)

    @property
    def mover(self) -> int | None:
        """The player to move, the first of them where all choose at once; None when nobody is."""
        return min(self.waiting_for(), default=None)

    def person_moves(self) -> bool:
        """Whether a person is to move."""
        return self.mover is not None and self.session.seats[self.mover] == PERSON

    def asker(self) -> int | None:
        """Whose view may be searched for the viewer: while something is hidden, their own, on their turn."""
        waiting = self.waiting_for()
        if self.session.secret:
            return self.player if self.player in waiting else None
        return min(waiting, default=None)

    def actions(self) -> list[Any]:
        """The legal actions."""
        return [] if self.over else self.state.legal_actions()

    def report(self) -> Report | None:
        """What is known of the position: what the adviser says, or else whoever was to move."""
        return self.session.thoughts.get(self.ply) or self.session.own.get(self.ply)

    def own_thought(self) -> tuple[int, Report] | None:
        """What the machine that moves, or has just moved, thought of it, and after how many moves that was."""
        own = self.session.own
        return next(((ply, own[ply]) for ply in (self.ply, self.ply - 1) if ply in own), None)

    def go_to(self, ply: int) -> None:
        """Look at another position."""
        self._ply = max(ply, 0)

    def go_after(self, moves: str) -> None:
        """Look at the position after a list of moves, if it is one of this game."""
        told = (ply for ply in range(self.session.plies) if self.session.moves_text(ply) == moves.strip())
        self.go_to(next(told, self.session.plies))

    def undo(self, players: Sequence[int] = ()) -> bool:
        """Go back to the last turn of these players, else of people, else by one move; False: there is none."""
        back = self.session.turn_before(self.ply, players)
        if back is not None:
            self.go_to(back)
        return back is not None

    def redo(self, players: Sequence[int] = ()) -> bool:
        """Go forward to the next such turn, or to the end; False: there is nothing ahead."""
        if self.at_end:
            return False
        self.go_to(self.session.turn_after(self.ply, players))
        return True

    @property
    def hint(self) -> str | None:
        """What the adviser would play here, after it was asked."""
        return self._hint[1] if self._hint is not None and self._hint[0] == self.ply else None

    def take_hint(self, ply: int, name: str) -> None:
        """Hear what the adviser would play in a position."""
        self._hint = (ply, name)

    def forget_hint(self) -> None:
        """The game has changed."""
        self._hint = None
