"""The clocks of a game on the page. Start at GameClocks.look.

They run from the first move on: for people while somebody looks at the game, for machines while they think, so that
nobody pays for a server that is busy or compiles. A game that is opened again later goes on without them.
"""

from __future__ import annotations

from collections.abc import Collection

from ponderosa.core.clock import Clock, TimeControl, moves_to_come
from ponderosa.core.game import Game


class GameClocks:
    """Everybody's clock; whoever runs the game looks at them whenever something has changed, and from time to time."""

    def __init__(self, control: TimeControl, game: Game) -> None:
        self.control = control
        self.left: list[Clock] = [control.start() for _ in range(game.players)]
        """What each player had before the move that is to be made now."""
        self._game = game
        self._spent = [0.0] * game.players
        self._running: frozenset[int] = frozenset()
        self._looked = 0.0
        self._plies = 0

    def look(self, now: float, plies: int, waiting_for: Collection[int], running: Collection[int]) -> int | None:
        """The player whose flag has fallen, if one has.

        `waiting_for` are those who must move now, `running` those of them whose clock runs until the next look. Whose
        clock ran since the last one pays for that time, and has moved if the game has more plies, or waits for others.
        """
        for player in self._running:
            self._spent[player] += max(now - self._looked, 0.0)
        fallen = next((p for p in sorted(self._running) if self._spent[p] > self.left[p].limit), None)
        for player in range(len(self.left)):
            if fallen is None and self._spent[player] and (plies != self._plies or player not in waiting_for):
                self.moved(player)
        self._running, self._looked, self._plies = frozenset(running), now, plies
        return fallen

    def moved(self, player: int) -> None:
        """A player has made a move."""
        clock = self.left[player]
        self.left[player] = clock.after(min(self._spent[player], clock.limit)) or clock
        self._spent[player] = 0.0

    def shown(self, player: int, now: float) -> Clock:
        """What a player's clock shows now."""
        clock = self.left[player]
        spent = self._spent[player] + (max(now - self._looked, 0.0) if player in self._running else 0.0)
        main = max(clock.left - spent, 0.0)
        periods = clock.periods - int(max(spent - clock.left, 0.0) // clock.control.period) if clock.periods else 0
        return Clock(clock.control, main, max(periods, 0))

    def runs(self, player: int) -> bool:
        """Whether a player's clock runs."""
        return player in self._running

    def told(self, ply: int, player: int) -> tuple[list[Clock], int, int]:
        """What an agent is told before its move: `Agent.see_clocks`."""
        to_come = moves_to_come(ply, self._game.players, self._game.max_game_length)
        return list(self.left), player, to_come
