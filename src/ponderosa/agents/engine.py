"""The agent that is another program, such as a brain of a Gomoku tournament. Start at EngineAgent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ponderosa.agents.agent import Agent
from ponderosa.agents.program import Program, words_of
from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.errors import EngineError, SettingError, unknown
from ponderosa.games.connect import Connect
from ponderosa.protocols.gomocup import EXACT, FIVE, OTHER, OWN, Board, RefusedError
from ponderosa.protocols.limits import UNLIMITED

PROTOCOLS = ("gomocup",)
REMARKS = ("MESSAGE", "DEBUG")
"""Lines that begin with one of these are for people."""


class EngineAgent(Agent):
    """Another program that plays five in a row and speaks a protocol: engine:cmd="pbrain-other --fast",seconds=2."""

    runs_programs = True

    def __init__(
        self,
        game: Game,
        cmd: str,
        protocol: str = "gomocup",
        seconds: float = 1.0,
        grace: float = 1.0,
        startup: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """The program is told to take `seconds` a move, and has lost after `grace` more; `startup` is for its START."""
        if protocol not in PROTOCOLS:
            raise unknown("protocol", protocol, PROTOCOLS)
        if not (isinstance(game, Connect) and (game.k, game.p, game.q, game.players) == (FIVE, 1, 1, 2)):
            raise SettingError(
                f"{protocol} is for five in a row of two players, gomoku or connect:k=5,p=1,q=1, not {game!r}"
            )
        for name, value in (("seconds", seconds), ("grace", grace), ("startup", startup)):
            check_number(f"{name} of an engine", value, 0, MOST_SECONDS)
        self.game, self.seconds, self.grace, self.startup = game, seconds, grace, startup
        self.command = words_of(cmd)
        self.board = Board(game.m, game.n)
        self.last_seconds = 0.0
        """How long the program took over its last move, from question to answer."""
        self._clock = clock
        self._program: Program | None = None
        self._left: Clock | None = None
        """What it has for the rest of the game, if that is limited."""
        self._moves: list[int] = []
        """What stands on the program's board."""

    def step(self, state: State) -> int:
        """The program's move. A program that fails is ended; the next step starts it again."""
        moves = state.history()
        try:
            text = self._answer(moves)
            if text.upper().startswith("SUGGEST "):
                text = self._ask("PLAY " + text.split(maxsplit=1)[1])
            action = self._read(text)
            if action not in state.legal_actions():
                raise EngineError(f"{self.command[0]} plays {text}, where there is a stone already")
        except BaseException:  # also when Ctrl-C leaves a question without its answer
            self._kill()
            raise
        self._moves = [*moves, action]
        return action

    def see_clocks(self, clocks: Sequence[Clock], seat: int, moves: int) -> None:
        self._left = clocks[seat]

    def reset(self, seed: int) -> None:
        """As new for another game: the program gets a new board with its first move."""
        self.last_report, self._left = None, None

    def prepare(self) -> None:
        """Start the program now, so that this is no part of its first move."""
        if self._program is None:
            self._program = self._started()

    def close(self) -> None:
        """End the program politely; the next step would start it again."""
        if self._program is not None:
            self._program.end()
            self._program = None

    def _kill(self) -> None:
        if self._program is not None:
            self._program.kill()
            self._program = None

    def _answer(self, moves: list[int]) -> str:
        """What the program says to a position that these moves led to."""
        if self._program is None:
            self._program = self._started()
        elif not moves or moves[:-1] != self._moves:
            self._restart()
        if not moves:
            return self._ask("BEGIN")
        if moves[:-1] == self._moves:
            return self._ask(f"TURN {self.board.cell(moves[-1])}")
        owners = [OWN if (len(moves) - place) % 2 == 0 else OTHER for place in range(len(moves))]
        stones = [f"{self.board.cell(action)},{owner}" for action, owner in zip(moves, owners, strict=True)]
        return self._ask("BOARD", *stones, "DONE")

    def _ask(self, *lines: str) -> str:
        assert self._program is not None
        begun, seconds = self._clock(), self.seconds
        if self._left is not None:
            seconds = self._left.limit
            self._program.send(*self._settings())
        answer = self._program.ask(lines, seconds + self.grace)
        self.last_seconds = self._clock() - begun
        return answer

    def _started(self) -> Program:
        """A new process with an empty board."""
        program = Program(self.command, self._clock, "END", REMARKS)
        rows, columns = self.board
        start = f"START {rows}" if rows == columns else f"RECTSTART {columns},{rows}"
        try:
            answer = program.ask((start,), self.startup)
            if not answer.upper().startswith("OK"):
                raise EngineError(f"{self.command[0]} answers {answer!r} to {start}")
            program.send(*self._settings())
        except BaseException:
            program.kill()
            raise
        self._moves = []
        return program

    def _restart(self) -> None:
        """An empty board; a program that does not know RESTART is started again, as the protocol has it."""
        assert self._program is not None
        if self._program.ask(("RESTART",), self.startup).upper().startswith("OK"):
            self._program.send(*self._settings())
            self._moves = []
        else:
            self.close()
            self._program = self._started()

    def _settings(self) -> list[str]:
        clock = self._left
        settings = {
            "timeout_turn": int((self.seconds if clock is None else clock.limit) * 1000),
            "timeout_match": 0 if clock is None else int(clock.control.main * 1000),
            "time_left": UNLIMITED if clock is None else int(clock.limit * 1000),
            "max_memory": 0,
            "game_type": 1,
            "rule": EXACT if self.game.exact else 0,
        }
        return [f"INFO {key} {value}" for key, value in settings.items()]

    def _read(self, text: str) -> int:
        try:
            return self.board.read(text)
        except RefusedError as error:
            raise EngineError(f"{self.command[0]} answers {text[:80]!r}, which is no move: {error}") from None
