"""A game that goes on in the terminal. Start at Session.run.

Whoever sits at the keyboard is shown what their player may see, and told what that player gets to know; where nobody
does, as in `watch`, everything is shown.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import typer

from ponderosa.cli.clocks import FlagFell, TableClocks
from ponderosa.cli.common import INTERRUPTED
from ponderosa.cli.console import ask, clear, remark, say
from ponderosa.cli.thinking import show_report, think
from ponderosa.core.announcements import movers, noticed, told
from ponderosa.core.dice import midst_of_choices, roll
from ponderosa.core.notation import in_a_row, move_names, replay, result
from ponderosa.core.turns import CHANCE
from ponderosa.errors import EngineError, GameError, ResignedError
from ponderosa.mcts.report.table import effort, verdict

if TYPE_CHECKING:
    from ponderosa.agents.agent import Agent
    from ponderosa.core.clock import TimeControl
    from ponderosa.core.game import Game
    from ponderosa.core.state import State

BEST_MOVES = 8
"""How many moves are shown of what an agent thought."""


class Left(Exception):  # noqa: N818  no error
    """Somebody has left the game before its end."""


class Session:
    """A position, the names of those who play, and what is shown of it."""

    def __init__(
        self,
        game: Game,
        state: State,
        roles: dict[int, str],
        show_thinking: bool,
        people: Collection[int] = (),
        seed: int | None = None,
        agents: Sequence[Agent] = (),
        control: TimeControl | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`people` are the players at the keyboard, `agents` those who may learn; the dice follow from the seed.

        With a time control, everybody's clock runs while they are to move.
        """
        self.game = game
        self.state = state
        self.names = [f"{game.player_name(player)}{_in_brackets(roles.get(player))}" for player in range(game.players)]
        self.show_thinking = show_thinking
        self.people = sorted(people)
        self.agents = agents
        self.table = None if control is None else TableClocks(control, game, clock)
        """The clocks on the table, if the game is played by the clock."""
        self.seed = secrets.randbelow(2**31) if seed is None else seed
        self._luck = random.Random(self.seed)
        chosen = state.chosen() if midst_of_choices(state) else 0
        self._choices = [(action, "") for action in state.history()[len(state.history()) - chosen :]]
        """What was chosen so far in the turn that is under way, and how sure whoever chose was."""
        self._begun = list(replay(game, state.history()))[-chosen] if chosen else state.clone()
        """The state before that turn."""
        self.at_keyboard: int | None = self.people[0] if len(self.people) == 1 else None
        self._news: dict[int, list[str]] = {player: [] for player in self.people}
        """What each player at the keyboard has not been told yet."""

    @property
    def secret(self) -> bool:
        """Whether there is something that the people at the keyboard may not see."""
        return self.game.viewed and bool(self.people) and not self.state.is_terminal()

    @property
    def shared(self) -> bool:
        """Whether several people must hide something from each other."""
        return self.game.viewed and len(self.people) > 1

    def run(self, turn: Callable[[], None]) -> None:
        """Take turns until the game is over or somebody leaves; Ctrl-C leaves with exit code 130."""
        if self.game.chance and not self.state.is_terminal():
            remark(f"The dice follow from --seed {self.seed}.")
        begun = not self.state.is_terminal()
        try:
            if not (self.shared and self.secret) and not self._dice_are_next():
                self.show()
            while not self.state.is_terminal():
                if self._dice_are_next():
                    self.play(roll(self.state, self._luck))
                else:
                    self._take(turn)
            if self.shared:
                say("\n".join(self._words(None)))
                self.show()
            say(result(self.state, self.names))
            ending = self.game.ending(self.state.record)
            if ending:
                say(ending[0].upper() + ending[1:] + ".")
            if begun:
                self._tell_agents()
        except Left:
            pass
        except FlagFell as fallen:
            say(f"The time of {self.names[fallen.seat]} is over, and with it the game.")
        except ResignedError:
            say(f"{self.mover} resigns, and has lost.")
        except EngineError:
            self.show_moves()
            if self.state.history():
                say(f"{self.mover} has lost the game.")
            raise
        except GameError:
            self.show_moves()
            raise
        except KeyboardInterrupt:
            remark("\ninterrupted")
            self.show_moves()
            raise typer.Exit(INTERRUPTED) from None
        finally:
            self._dismiss_agents()
        self.show_moves()

    def _take(self, turn: Callable[[], None]) -> None:
        """Somebody's turn, or a part of it, by the clock if there is one."""
        if self.table is None:
            turn()
            return
        with self.table.running(self.state.to_move(), lambda: len(self.state.history())):
            turn()

    def _tell_agents(self) -> None:
        """The game is over: let those learn from it who do."""
        for agent in self.agents:
            agent.finish(self.state.clone())
            memory = agent.memory
            if memory is not None and memory.learn:
                remark(f"{memory.path} knows {memory.games:,} game{'s' * (memory.games != 1)} now.")

    def _dismiss_agents(self) -> None:
        for agent in self.agents:
            agent.close()

    def _dice_are_next(self) -> bool:
        return self.state.to_move() == CHANCE

    def view(self) -> State:
        """The position as whoever is at the keyboard may see it."""
        return self.state.observation(self.at_keyboard) if self.secret and self.at_keyboard is not None else self.state

    def show(self) -> None:
        """The board, and whose turn it is."""
        say(f"\n{self.view()}")
        if not self.state.is_terminal():
            say(f"{self.mover} to {'choose' if self.state.is_simultaneous_node() else 'move'}")
            if self.table is not None:
                say(self.table.shown(self.names))

    def show_moves(self) -> None:
        """The moves so far, as the option --moves reads them."""
        moves = move_names(self._begun if midst_of_choices(self.state) else self.state)
        if self.secret and self.game.hidden and moves:
            say("All that was hidden is in these moves.")
        say(f"Moves: {in_a_row(moves)}" if moves else "No move was played.")

    @property
    def mover(self) -> str:
        """The name of the player to move."""
        return self.names[self.state.to_move()]

    def play(self, action: Any, how: str = "") -> None:
        """Make a move, or let the dice fall; at the end of a turn, tell what happened."""
        if not midst_of_choices(self.state):
            self._begun, self._choices = self.state.clone(), []
        self.state.apply_action(action)
        self._choices.append((action, how))
        if midst_of_choices(self.state):
            return
        self._tell()
        watcher = self.at_keyboard if self.secret else None
        if not self.shared and not self._dice_are_next() and noticed(self._begun, self.state, watcher):
            self.show()

    def _tell(self) -> None:
        """Say what a turn was: to all, or to each player at the keyboard what that player gets to know."""
        if not (self.game.viewed and self.people):
            say("\n".join(self._words(None)))
            return
        for player in self.people:
            if noticed(self._begun, self.state, player):
                self._news[player] += self._words(player)
        if not self.shared:
            self.tell_news(self.people[0])

    def _words(self, player: int | None) -> list[str]:
        names = told(self._begun, [action for action, _ in self._choices], player)
        everything = player is None
        return [
            self._line(mover, name, how if everything else "")
            for mover, name, (_, how) in zip(movers(self._begun, names), names, self._choices, strict=True)
        ]

    def _line(self, mover: int, name: str | None, how: str) -> str:
        if mover == CHANCE:
            return "Chance decides something that you do not see" if name is None else f"Chance: {name}"
        return (
            f"{self.names[mover]} moves unseen"
            if name is None
            else f"{self.names[mover]} plays {name}{_in_brackets(how)}"
        )

    def tell_news(self, player: int) -> None:
        """Tell a player at the keyboard what happened since."""
        for line in self._news[player]:
            say(line)
        self._news[player] = []

    def hand_over(self, player: int) -> None:
        """Give the keyboard to a player, so that nobody sees what is not for them."""
        if not self.shared or player == self.at_keyboard:
            if self.shared and self._news[player]:
                self.tell_news(player)
                self.show()
            return
        if self.at_keyboard is not None:
            clear()
        if ask(f"{self.names[player]}: take the keyboard, let nobody look, and press Enter ") is None:
            raise Left
        self.at_keyboard = player
        clear()
        self.tell_news(player)
        self.show()

    def let_play(self, agent: Agent) -> None:
        """Let an agent make a move, and say how sure it was, unless that would tell what is hidden."""
        seat = self.state.to_move()
        if self.table is not None:
            self.table.tell(agent, self.state)
        action = think(agent, self.state.observation(seat), f"{self.mover} is thinking")
        report = agent.last_report
        if report is not None and self.show_thinking and not self.secret:
            say(f"\n{self.mover} ran {effort(report)}")
            show_report(report, BEST_MOVES)
        self.play(action, "" if report is None else verdict(report))

    def take_back(self, players: Collection[int]) -> bool:
        """Go back to before the last turn of one of these players; False: there was none."""
        found = None
        for before in replay(self.game, self.state.history()):
            if not midst_of_choices(before):
                turn = before
            if before.to_move() in players:
                found = turn
        if found is None:
            return False
        self.state = found
        return True


def _in_brackets(text: str | None) -> str:
    return f" ({text})" if text else ""
