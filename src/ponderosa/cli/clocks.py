"""Clocks of a game in the terminal: a player's runs while it is their turn. Start at TableClocks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ponderosa.core.clock import Clock, TimeControl, moves_to_come

if TYPE_CHECKING:
    from ponderosa.agents.agent import Agent
    from ponderosa.core.game import Game
    from ponderosa.core.state import State


class FlagFell(Exception):  # noqa: N818  no error
    """A player's time is over."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.seat = seat


class TableClocks:
    """Everybody's clock."""

    def __init__(self, control: TimeControl, game: Game, clock: Callable[[], float]) -> None:
        self.clocks: list[Clock] = [control.start() for _ in range(game.players)]
        self._game, self._clock = game, clock
        self._spent = [0.0] * game.players
        """Seconds that were spent on a move that is not made yet."""

    @contextlib.contextmanager
    def running(self, seat: int, moves: Callable[[], int]) -> Iterator[None]:
        """This player's clock runs; when a move was made, what it took is taken off."""
        before, begun = moves(), self._clock()
        yield
        self._spent[seat] += self._clock() - begun
        if self._spent[seat] > self.clocks[seat].limit:
            raise FlagFell(seat)
        if moves() != before:
            self.clocks[seat] = self.clocks[seat].after(self._spent[seat]) or self.clocks[seat]
            self._spent[seat] = 0.0

    def tell(self, agent: Agent, state: State) -> None:
        """Let an agent see the clocks before its move."""
        to_come = moves_to_come(len(state.history()), self._game.players, self._game.max_game_length)
        agent.see_clocks(self.clocks, state.to_move(), to_come)

    def shown(self, names: Sequence[str]) -> str:
        """What every clock shows."""
        return "   ".join(f"{name}: {clock}" for name, clock in zip(names, self.clocks, strict=True))
