"""A game that was played, whatever file it is from or goes to. Start at Transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ponderosa.core.notation import given_up, move_names, read_action, result
from ponderosa.errors import IllegalActionError, PonderosaError

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.core.state import State

Load = Callable[[str], "Game"]
"""How a name becomes a game: front ends differ in which games they let in."""


class TranscriptError(PonderosaError, ValueError):
    """A file of a game that cannot be read, or a game that a format cannot hold."""


@dataclass(frozen=True)
class Transcript:
    """One game, finished or not."""

    spec: str
    """The game as people name it."""
    state: State
    """The position after all moves; its history is the game."""
    players: tuple[str, ...] = ()
    """Who played, in the order of the players; none: not known."""
    lost_by: int | None = None
    """The player who lost otherwise than by the rules."""
    on_time: bool = False
    """Whether that player's time was over; else they gave up."""
    date: str = ""
    """When it was played, as ISO 8601 has it."""
    seed: int | None = None
    """The seed of its dice, where it may be told."""

    @property
    def game(self) -> Game:
        """The rules."""
        return self.state.game

    @property
    def seats(self) -> list[str]:
        """The players as the game calls them."""
        return [self.game.player_name(player) for player in range(self.game.players)]

    def moves(self) -> list[str]:
        """The moves as people write them."""
        return move_names(self.state)

    def winner(self) -> int | None:
        """Who won a game of two; None: nobody, or not yet."""
        if self.lost_by is not None:
            return 1 - self.lost_by
        returns = self.state.returns() if self.state.is_terminal() else (0.0, 0.0)
        return None if returns[0] == returns[1] else int(returns[1] > returns[0])

    @property
    def over(self) -> bool:
        """Whether it was played to an end."""
        return self.lost_by is not None or self.state.is_terminal()

    def result(self) -> str:
        """How it ended, in words; empty while it goes on."""
        if self.lost_by is not None:
            return given_up(self.seats, self.lost_by, self.on_time)
        return result(self.state, self.seats) if self.state.is_terminal() else ""

    def ended_as(self, words: str) -> Transcript:
        """The same game with the end that a file tells in words, if that is one that the moves do not show."""
        if self.over:
            return self
        ends = [
            replace(self, lost_by=player, on_time=on_time)
            for player in range(self.game.players)
            for on_time in (False, True)
        ]
        return next((end for end in ends if end.result() == words), self)


def played(state: State, moves: Iterable[str]) -> State:
    """The state after more moves, each as people write it; it is the same object."""
    for text in moves:
        try:
            state.apply_action(read_action(state.game, text, state))
        except IllegalActionError as error:
            raise IllegalActionError(f"move {len(state.history()) + 1}: {error}") from None
    return state


def one_line(text: str) -> str:
    """A text without line breaks."""
    return " ".join(text.split())
