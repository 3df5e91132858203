"""A game that goes on in the terminal. Start at Session.run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from ponderosa.cli.common import INTERRUPTED
from ponderosa.cli.console import remark, say
from ponderosa.cli.thinking import effort, show_report, think, verdict
from ponderosa.core.errors import GameError
from ponderosa.core.notation import in_a_row, move_names, replay, result

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.core.state import State

BEST_MOVES = 8
"""So many moves are shown of what an agent thought."""


class Left(Exception):  # noqa: N818  no error
    """Somebody has left the game before its end."""


class Session:
    """A position, the names of those who play, and what is shown of it."""

    def __init__(self, game: Game, state: State, roles: dict[int, str], show_thinking: bool) -> None:
        if game.chance or game.hidden or game.simultaneous:
            raise GameError(f"{game.title()} has chance, hidden or simultaneous moves, which cannot be played yet")
        self.game = game
        self.state = state
        self.names = [f"{game.player_name(player)}{_in_brackets(roles.get(player))}" for player in range(game.players)]
        self.show_thinking = show_thinking

    def run(self, turn: Callable[[], None]) -> None:
        """Take turns until the game is over or somebody leaves; Ctrl-C leaves with exit code 130."""
        try:
            self.show()
            while not self.state.is_terminal():
                turn()
            say(result(self.state, self.names))
        except Left:
            pass
        except KeyboardInterrupt:
            remark("\ninterrupted")
            self.show_moves()
            raise typer.Exit(INTERRUPTED) from None
        self.show_moves()

    def show(self) -> None:
        """The board, and whose turn it is."""
        say(f"\n{self.state}")
        if not self.state.is_terminal():
            say(f"{self.mover} to move")

    def show_moves(self) -> None:
        """The moves so far, as the option --moves reads them."""
        moves = move_names(self.state)
        say(f"Moves: {in_a_row(moves)}" if moves else "No move was played.")

    @property
    def mover(self) -> str:
        """The name of the player to move."""
        return self.names[self.state.current_player()]

    def play(self, action: Any, how: str = "") -> None:
        """Make a move and show it."""
        mover, name = self.mover, self.state.action_to_string(action)
        self.state.apply_action(action)
        say(f"{mover} plays {name}{_in_brackets(how)}")
        self.show()

    def let_play(self, agent: Any) -> None:
        """Let an agent make a move, and say how sure it was."""
        action = think(agent, self.state, f"{self.mover} is thinking")
        report = agent.last_report
        if report is not None and self.show_thinking:
            say(f"\n{self.mover} ran {effort(report)}")
            show_report(report, BEST_MOVES)
        self.play(action, "" if report is None else verdict(report))

    def take_back(self, players: set[int]) -> bool:
        """Go back to before the last move of one of these players; False: there was none."""
        for before in reversed(list(replay(self.game, self.state.history()))):
            if before.current_player() in players:
                self.state = before
                return True
        return False


def _in_brackets(text: str | None) -> str:
    return f" ({text})" if text else ""
