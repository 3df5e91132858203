"""Programs that speak the Go Text Protocol, such as GNU Go. Start at GtpClient."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ponderosa.agents.engines.client import Client, Pace
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.notation import replay
from ponderosa.core.state import State
from ponderosa.errors import EngineError, ForbiddenMoveError, ResignedError, SettingError
from ponderosa.protocols.gtp_games import COLOURS, GTP_GAMES, GtpGame

ANSWER = re.compile(r"([=?])(\d*)\s*(.*)")


class GtpClient(Client):
    """Go, Othello, Gomoku; ponderosa.protocols.gtp is the other side."""

    def __init__(self, game: Any, command: list[str], pace: Pace, clock: Callable[[], float]) -> None:
        super().__init__(game, command, pace, clock)
        known = named(game)
        assert known is not None
        self.gtp = known
        self._number = 0
        """That of the last command; answers repeat it."""
        self._time = ""
        """What the program knows of its time."""

    @classmethod
    def check_game(cls, game: Game) -> None:
        if named(game) is None:
            names = ", ".join(GTP_GAMES)
            raise SettingError(f"gtp is for the games {names}, on boards as wide as high, not {game!r}")

    def is_answer(self, line: str) -> bool:
        found = ANSWER.match(line)
        return found is not None and found[2] in ("", str(self._number))

    def greet(self) -> None:
        if self.gtp.label != "Go":  # programs for one game alone do not know this
            self._command(f"set_game {self.gtp.label}", must=False)
        self._time = ""
        self._new_game()

    def answer(self, state: State) -> str:
        moves = state.history()
        if moves[: len(self.shown)] != self.shown:
            self._new_game()
        known = len(self.shown)
        for before, action in list(zip(replay(self.game, moves), moves, strict=True))[known:]:
            vertex = self.gtp.vertex(before.action_to_string(action))
            self._command(f"play {COLOURS[before.to_move()]} {vertex}")
        colour = COLOURS[state.to_move()]
        self._tell_time()
        return self._command(f"genmove {colour}", thinks=True)

    def read(self, text: str, state: State) -> Any:
        if text.lower() == "resign":
            raise ResignedError(f"{self.command[0]} resigns")
        name = self.gtp.name(text).lower()
        for action in state.legal_actions():
            if state.action_to_string(action).lower() == name:
                return action
        raise ForbiddenMoveError(f"{self.command[0]} plays {text[:80]!r}, which is not legal")

    def _new_game(self) -> None:
        self._command(f"boardsize {len(self.game.row_labels())}")
        self._command("clear_board")
        if self.gtp.komi:
            self._command(f"komi {self.game.komi:g}")
        self.shown = []

    def _time_settings(self) -> str:
        if self.clocks is None:  # one stone in the time for a move, again and again
            return f"time_settings 0 {max(round(self.pace.seconds), 1)} 1"
        control = self.clocks.own.control
        periods = f"{max(round(control.period), 1)} 1" if control.periods else "0 0"
        return f"time_settings {round(control.main)} {periods}"

    def _tell_time(self) -> None:
        settings = self._time_settings()
        if settings != self._time:
            self._time = settings
            self._command(settings, must=False)
        if self.clocks is None:
            return
        for seat, clock in enumerate(self.clocks.all):
            self._command(f"time_left {COLOURS[seat]} {_left(clock)}", must=False)

    def _command(self, line: str, thinks: bool = False, must: bool = True) -> str:
        """What is answered to a command; one that must be known and fails is an error."""
        self._number += 1
        asked = f"{self._number} {line}"
        answer = self.ask_move(asked) if thinks else self.ask(asked)
        found = ANSWER.match(answer)
        assert found is not None
        if found[1] == "?" and must:
            raise EngineError(f"{self.command[0]} answers {found[3][:80]!r} to {line!r}")
        return found[3].strip()


def named(game: Game) -> GtpGame | None:
    """The game of the protocol that a game of ours is, if it is one."""
    rows, columns = game.row_labels(), game.column_labels()
    if not rows or not columns or len(rows) != len(columns):
        return None
    for known in GTP_GAMES.values():
        same = all(str(getattr(game, key, None)).lower() == value for key, value in known.more)
        if same and known.kind in [kind.__dict__.get("name") for kind in type(game).__mro__]:
            return known
    return None


def _left(clock: Clock) -> str:
    """Seconds, and stones to be played in them; 0: it is the main time."""
    if clock.left > 0 or not clock.periods:
        return f"{int(clock.left)} 0"
    return f"{int(clock.control.period)} 1"
