"""Brains of Gomoku tournaments: the protocol of Gomocup as a manager speaks it. Start at GomocupClient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ponderosa.agents.engines.client import Client, Pace
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.errors import EngineError, SettingError
from ponderosa.games.connect import Connect
from ponderosa.protocols.gomocup import EXACT, FIVE, OTHER, OWN, Board, RefusedError
from ponderosa.protocols.limits import UNLIMITED

REMARKS = ("MESSAGE", "DEBUG")
"""Lines that begin with one of these are for people."""


class GomocupClient(Client):
    """Five in a row of two players; ponderosa.protocols.gomocup is the other side."""

    goodbye, line_end = "END", "\r\n"

    def __init__(self, game: Connect, command: list[str], pace: Pace, clock: Callable[[], float]) -> None:
        super().__init__(game, command, pace, clock)
        self.board = Board(game.m, game.n)

    @classmethod
    def check_game(cls, game: Game) -> None:
        if not (isinstance(game, Connect) and (game.k, game.p, game.q, game.players) == (FIVE, 1, 1, 2)):
            raise SettingError(
                f"gomocup is for five in a row of two players, gomoku or connect:k=5,p=1,q=1, not {game!r}"
            )

    def is_answer(self, line: str) -> bool:
        return line.split()[0].upper() not in REMARKS

    def greet(self) -> None:
        rows, columns = self.board
        start = f"START {rows}" if rows == columns else f"RECTSTART {columns},{rows}"
        answer = self.ask(start)
        if not answer.upper().startswith("OK"):
            raise EngineError(f"{self.command[0]} answers {answer!r} to {start}")
        self.program.send(*self._settings())
        self.shown = []

    def move(self, state: State) -> Any:
        moves = state.history()
        if not self.start() and (not moves or moves[:-1] != self.shown):
            self._restart()
        return super().move(state)

    def answer(self, state: State) -> str:
        moves = state.history()
        if self.clocks is not None:
            self.program.send(*self._settings())
        text = self.ask_move(*self._question(moves))
        if text.upper().startswith("SUGGEST "):
            text = self.ask_move("PLAY " + text.split(maxsplit=1)[1])
        return text

    def _question(self, moves: list[int]) -> list[str]:
        """How a position that these moves led to is put before the program."""
        if not moves:
            return ["BEGIN"]
        if moves[:-1] == self.shown:
            return [f"TURN {self.board.cell(moves[-1])}"]
        owners = [OWN if (len(moves) - place) % 2 == 0 else OTHER for place in range(len(moves))]
        stones = [f"{self.board.cell(action)},{owner}" for action, owner in zip(moves, owners, strict=True)]
        return ["BOARD", *stones, "DONE"]

    def read(self, text: str, state: State) -> int:
        try:
            return self.board.read(text)
        except RefusedError as error:
            raise EngineError(f"{self.command[0]} answers {text[:80]!r}, which is no move: {error}") from None

    def illegal(self, text: str, state: State) -> str:
        return f"{self.command[0]} plays {text}, where there is a stone already"

    def _restart(self) -> None:
        """An empty board; a program that does not know RESTART is started again, as the protocol has it."""
        if self.ask("RESTART").upper().startswith("OK"):
            self.program.send(*self._settings())
            self.shown = []
        else:
            self.end()
            self.start()

    def _settings(self) -> list[str]:
        clock = None if self.clocks is None else self.clocks.own
        settings = {
            "timeout_turn": int(self.move_seconds * 1000),
            "timeout_match": 0 if clock is None else int(clock.control.main * 1000),
            "time_left": UNLIMITED if clock is None else int(clock.limit * 1000),
            "max_memory": 0,
            "game_type": 1,
            "rule": EXACT if self.game.exact else 0,
        }
        return [f"INFO {key} {value}" for key, value in settings.items()]
