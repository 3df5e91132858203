"""What a client of a protocol does: it starts a program, shows it positions and reads its moves. Start at Client."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ponderosa.agents.program import Program
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.errors import ForbiddenMoveError


@dataclass(frozen=True)
class Pace:
    """How long a program may take."""

    seconds: float
    """What it is told to take for a move, where there is no clock."""
    grace: float
    """How much later its answer may come."""
    startup: float
    """What it may take until it is ready."""
    told: bool = True
    """Whether the seconds were asked for, and are no more than the longest that an answer is waited for."""
    nodes: int | None = None
    """How many positions it is told to look at."""
    depth: int | None = None
    """How many half-moves it is told to look ahead."""


@dataclass(frozen=True)
class Clocks:
    """What the players have left, when a game is played by the clock."""

    all: Sequence[Clock]
    """The clock of every seat."""
    seat: int
    """Who is to move."""
    moves: int
    """For how many moves of its own the player to move should keep time."""

    @property
    def own(self) -> Clock:
        """The clock of the player to move."""
        return self.all[self.seat]


class Client(ABC):
    """A program that speaks a protocol, kept from game to game.

    A protocol says how a program is greeted, how a position is shown to it, and how its answer reads. The process, its
    end, and the time that an answer may take are the same for all. Whoever gets an error kills the program.
    """

    goodbye: ClassVar[str] = "quit"
    """The line that asks the program to leave."""
    line_end: ClassVar[str] = "\n"
    takes_options: ClassVar[bool] = False
    """Whether the protocol has words for options, nodes and depth."""

    def __init__(self, game: Any, command: list[str], pace: Pace, clock: Callable[[], float]) -> None:
        self.game, self.command, self.pace, self._clock = game, command, pace, clock
        self.options: Mapping[str, str] = {}
        """What is set in the program, by its names."""
        self.clocks: Clocks | None = None
        """What is left for the rest of the game, if that is limited."""
        self.last_seconds = 0.0
        """How long the program took over its last move, from question to answer."""
        self.shown: list[Any] = []
        """The moves that stand on the program's board."""
        self._program: Program | None = None

    @classmethod
    @abstractmethod
    def check_game(cls, game: Game) -> None:
        """Raise a SettingError for a game that the protocol has no words for."""

    @abstractmethod
    def greet(self) -> None:
        """The first words to a new process, until it waits for the first move of a game."""

    @abstractmethod
    def answer(self, state: State) -> str:
        """What the program wants to play in a position, in its own words."""

    @abstractmethod
    def read(self, text: str, state: State) -> Any:
        """The action of an answer, legal or not; an EngineError says why it is none."""

    @abstractmethod
    def is_answer(self, line: str) -> bool:
        """Whether a line answers a question; all others are for people."""

    def move(self, state: State) -> Any:
        """The program's move in a position that is not over, the program started if it is not there."""
        self.start()
        text = self.answer(state)
        action = self.read(text, state)
        if action not in state.legal_actions():
            raise ForbiddenMoveError(self.illegal(text, state))
        self.shown = [*state.history(), action]
        return action

    def illegal(self, text: str, state: State) -> str:
        """What to say of an answer that the rules forbid."""
        return f"{self.command[0]} plays {text}, which is not legal"

    def start(self) -> bool:
        """Start the program if it is not there; whether that was so."""
        if self._program is not None:
            return False
        self._program = Program(self.command, self._clock, self.goodbye, self.line_end)
        try:
            self.greet()
        except BaseException:
            self.kill()
            raise
        return True

    def end(self) -> None:
        """End the program politely; the next move would start it again."""
        if self._program is not None:
            self._program.end()
            self._program = None

    def kill(self) -> None:
        """End the program at once."""
        if self._program is not None:
            self._program.kill()
            self._program = None

    @property
    def program(self) -> Program:
        """The process that runs."""
        assert self._program is not None
        return self._program

    @property
    def move_seconds(self) -> float:
        """How long the next move may take, by the clock or as it was set."""
        return self.pace.seconds if self.clocks is None else self.clocks.own.limit

    def ask(self, *lines: str, seconds: float | None = None, is_answer: Callable[[str], bool] | None = None) -> str:
        """What the program answers within so many seconds, or within those that it may take until it is ready."""
        return self.program.ask(lines, self.pace.startup if seconds is None else seconds, is_answer or self.is_answer)

    def ask_move(self, *lines: str) -> str:
        """What the program answers to a question that it has to think about."""
        begun = self._clock()
        answer = self.ask(*lines, seconds=self.move_seconds + self.pace.grace)
        self.last_seconds = self._clock() - begun
        return answer
