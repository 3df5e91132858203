"""Chess programs: the protocol UCI as a user interface speaks it, such as Stockfish understands. Start at UciClient."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ponderosa.agents.engines.client import Client, Pace
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.notation import replay
from ponderosa.core.state import State
from ponderosa.errors import ForbiddenMoveError, SettingError, unknown
from ponderosa.games.boards import chess_text
from ponderosa.games.chess import Chess

OPTION = re.compile(r"option name (.+?) type \w+")


class UciClient(Client):
    """Chess; ponderosa.protocols.uci is the other side."""

    takes_options = True

    def __init__(self, game: Any, command: list[str], pace: Pace, clock: Callable[[], float]) -> None:
        super().__init__(game, command, pace, clock)
        self._words: list[str] = []
        """The moves that the program was shown, as the protocol writes them."""

    @classmethod
    def check_game(cls, game: Game) -> None:
        if type(game) is not Chess:
            raise SettingError(f"uci is for chess, not {game!r}")

    def is_answer(self, line: str) -> bool:
        return line.startswith("bestmove")

    def greet(self) -> None:
        known: list[str] = []

        def at_the_end(line: str) -> bool:
            known.extend(OPTION.findall(line))
            return line == "uciok"

        self.ask("uci", is_answer=at_the_end)
        names = {name.lower(): name for name in known}
        for name, value in self.options.items():
            if name.lower() not in names:
                raise unknown(f"option of {self.command[0]}", name, known)
            self.program.send(f"setoption name {names[name.lower()]} value {value}")
        self._new_game()

    def answer(self, state: State) -> str:
        moves = state.history()
        if moves[: len(self.shown)] != self.shown:
            self._new_game()
        self._words += self._text_of(state, len(self._words))
        fen = self.game.fen(self.game.new_initial_state().record)
        begin = "startpos" if fen == chess_text.START else f"fen {fen}"
        played = f" moves {' '.join(self._words)}" if self._words else ""
        return self.ask_move(f"position {begin}{played}", f"go {self._how_far()}")

    def _text_of(self, state: State, known: int) -> Iterator[str]:
        """The moves that led to a state, without those that are known."""
        actions = state.history()
        for before, action in list(zip(replay(self.game, actions), actions, strict=True))[known:]:
            yield chess_text.uci(before.record, action)

    def read(self, text: str, state: State) -> Any:
        words = text.split()
        move = words[1].lower() if len(words) > 1 else ""
        for action in state.legal_actions():
            if chess_text.uci(state.record, action) == move:
                return action
        raise ForbiddenMoveError(f"{self.command[0]} answers {text[:80]!r}, which is not legal")

    def _new_game(self) -> None:
        self.program.send("ucinewgame")
        self.ask("isready", is_answer=lambda line: line == "readyok")
        self.shown, self._words = [], []

    def _how_far(self) -> str:
        limits = [f"{name} {most}" for name, most in (("nodes", self.pace.nodes), ("depth", self.pace.depth)) if most]
        if self.clocks is not None:
            white, black = self.clocks.all
            limits += [f"wtime {_left(white)} btime {_left(black)} {_more(self.clocks.own, white, black)}".strip()]
        elif not limits or self.pace.told:
            limits += [f"movetime {int(1000 * self.pace.seconds)}"]
        return " ".join(limits)


def _left(clock: Clock) -> int:
    """Milliseconds, those of a period included, which is there for every move."""
    return int(1000 * (clock.left + (clock.control.period if clock.periods else 0)))


def _more(own: Clock, white: Clock, black: Clock) -> str:
    """What is added with a move; or that a period is over with one."""
    if own.control.increment:
        return f"winc {int(1000 * white.control.increment)} binc {int(1000 * black.control.increment)}"
    return "movestogo 1" if own.periods and own.left <= 0 else ""
