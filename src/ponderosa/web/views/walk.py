"""Going through the moves of a game, by buttons and keys; nobody else's board moves. Start at Walk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ponderosa.web.model.sight import Sight
from ponderosa.web.views.layout import icon_button

FAR = 10**6


class Walk:
    """The buttons that lead to other positions, and what they do."""

    def __init__(self, sight: Callable[[], Sight | None], on_moved: Callable[[], Any]) -> None:
        """`sight` gives what may be seen of the game that is on the board, if there is one."""
        self._sight, self._moved = sight, on_moved

    def build(self) -> None:
        """Put the buttons on the page."""
        icon_button("undo", "Undo", self.undo)
        icon_button("redo", "Redo", self.redo)
        icon_button("first_page", "First position", lambda: self.go(0))
        icon_button("chevron_left", "Back", lambda: self.by(-1))
        icon_button("chevron_right", "Forward", lambda: self.by(1))
        icon_button("last_page", "Last position", lambda: self.go(FAR))

    def by(self, plies: int) -> None:
        """Go so many moves on, or back."""
        sight = self._sight()
        if sight is not None:
            self.go(max(sight.place.ply + plies, 0))

    def go(self, ply: int) -> None:
        """Go to the position after so many moves, where that tells nothing that is hidden."""
        sight = self._sight()
        if sight is not None and ply >= 0 and not sight.session.secret:
            sight.place.go_to(ply)
            self._arrived(sight)

    def undo(self) -> None:
        """Go back to the last turn of those who play here."""
        sight = self._alone()
        if sight is not None and sight.place.undo(_people(sight)):
            self._arrived(sight)

    def redo(self) -> None:
        """Go forward to their next turn."""
        sight = self._alone()
        if sight is not None and sight.place.redo(_people(sight)):
            self._arrived(sight)

    def _alone(self) -> Sight | None:
        """What is seen here, if one may go back in it: not where that would show what others hide."""
        sight = self._sight()
        if sight is None or sight.blind:
            return None
        return sight if not sight.session.secret or len(sight.session.people()) == 1 else None

    def _arrived(self, sight: Sight) -> None:
        """Another position is looked at: nobody else is concerned, except machines that play to be looked at here."""
        if not sight.session.people() and not sight.place.at_end and not sight.branches():
            sight.director.pause(True)
        self._moved()


def _people(sight: Sight) -> list[int]:
    return [] if sight.guest is None else sight.guest.people
