"""The protocol of chess programs (UCI), as a program speaks it that plays. Start at Session.

A user interface sends a command a line and shows a position before it says go; the answer to go comes at its end, as
bestmove, and while the program thinks it listens: for stop, ponderhit, isready, quit.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from typing import Any, NoReturn, TextIO

from ponderosa.core.state import State
from ponderosa.errors import PonderosaError, SettingError
from ponderosa.protocols.listening import GoneError, Inbox
from ponderosa.protocols.thought import Thought
from ponderosa.protocols.uci_go import Go
from ponderosa.protocols.uci_info import MoveText, depth_of, info_lines
from ponderosa.protocols.uci_options import Options

Think = Callable[[State, Go, Options, Callable[[], bool], Callable[[Any], None]], Thought]
"""Chooses in a state, as far as it was asked to go, or until the function says that it should stop; reports go to the
last function on the way."""
LATE = 0.1
"""Whoever thinks looks up so often, in seconds: that much less is thought after a ponderhit."""
STARTPOS = "startpos"


class Session:
    """Plays for a user interface."""

    def __init__(
        self,
        new_state: Callable[[str | None], State],
        think: Think,
        ready: Callable[[Options], None],
        move_text: MoveText,
        output: TextIO,
        options: Options,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`new_state` makes a position from FEN, or the first one; `ready` waits until one can think."""
        self._new_state, self._think, self._ready, self._text = new_state, think, ready, move_text
        self._output, self._clock = output, clock
        self.options = options
        self._begun: tuple[str | None, State] | None = None
        """The position that moves are counted from, as text and as state."""
        self._state: State | None = None
        self._inbox = Inbox(self._heard, clock)
        self._speaking = threading.Lock()
        self._searching, self._stop, self._hit = threading.Event(), threading.Event(), threading.Event()
        self._hit_at = 0.0

    def run(self, lines: Iterable[str]) -> None:
        """Obey a user interface until it says quit, or until there are no more lines."""
        self._inbox.listen(lines)
        with contextlib.suppress(GoneError, BrokenPipeError):
            while True:
                words = self._inbox.next()[1].split()
                while words and words[0] not in COMMANDS:  # what is not known is passed over
                    del words[0]
                if words:
                    self._obey(words)

    def _obey(self, words: list[str]) -> None:
        try:
            COMMANDS[words[0]](self, words[1:])
        except (PonderosaError, ValueError, IndexError) as error:
            why = " ".join(str(error).split()) if isinstance(error, PonderosaError) else "that cannot be read"
            self._say(f"info string {why}: {' '.join(words)[:80]}")
            if words[0] == "go":
                self._say_best("0000")

    def _heard(self, line: str) -> bool:
        """What is obeyed at once; in the thread that listens."""
        word = line.split()[0] if line else ""
        if word == "go":
            self._stop.clear()
            self._hit.clear()
            self._searching.set()
        elif word == "quit":
            self._stop.set()
            self._inbox.left.set()
        elif not self._searching.is_set():
            return False
        elif word == "stop":
            self._stop.set()
        elif word == "ponderhit":
            self._hit_at = self._clock()
            self._hit.set()
        elif word == "isready":
            self._say("readyok")
        return word in ("quit", "stop", "ponderhit", "isready")

    def _say(self, *lines: str) -> None:
        with self._speaking:
            self._output.write("".join(line + "\n" for line in lines))
            self._output.flush()

    def _say_best(self, *words: str) -> None:
        """The answer to go; from then on nobody thinks."""
        self._searching.clear()
        self._say(f"bestmove {' ponder '.join(words)}")

    def _uci(self, words: Sequence[str]) -> None:
        who = f"id name Ponderosa {version('ponderosa')}", "id author The Ponderosa authors"
        self._say(*who, *self.options.declared(), "uciok")

    def _isready(self, words: Sequence[str]) -> None:
        self._position_now()
        self._ready(self.options)
        self._say("readyok")

    def _setoption(self, words: Sequence[str]) -> None:
        self.options.hear(words)

    def _ucinewgame(self, words: Sequence[str]) -> None:
        self._state = None

    def _position(self, words: Sequence[str]) -> None:
        place = words.index("moves") if "moves" in words else len(words)
        fen = None if words[:1] == [STARTPOS] else " ".join(words[1:place])
        if words[:1] not in ([STARTPOS], ["fen"]):
            raise SettingError("position is startpos or fen, and then moves")
        state = self._first(fen).clone()
        for text in words[place + 1 :]:
            state.apply_action(text)
        self._state = state

    def _first(self, fen: str | None) -> State:
        if self._begun is None or self._begun[0] != fen:
            self._begun = fen, self._new_state(fen)
        return self._begun[1]

    def _position_now(self) -> State:
        if self._state is None:
            self._state = self._first(None).clone()
        return self._state

    def _go(self, words: Sequence[str]) -> None:
        state, begun = self._position_now(), self._clock()
        if state.is_terminal():
            self._say_best("0000")
            return
        asked = Go.asked(words, state, self.options)
        if asked.ignored:
            self._say(f"info string {asked.ignored} is not known here, and passed over")

        deep_enough, told = threading.Event(), list[int]()

        def should_stop() -> bool:
            if self._hit.is_set() and asked.seconds is not None and self._clock() >= self._over(asked.seconds):
                return True
            gone = asked.waits and self._inbox.left.is_set()
            return self._stop.is_set() or gone or deep_enough.is_set()

        def watch(report: Any) -> None:
            if asked.depth is not None and report.depth is None and depth_of(report) >= asked.depth:
                deep_enough.set()  # who counts depths was made to end there, with all lines that were asked for
            if told[-1:] != [report.iterations]:  # the last of them comes again, with the move
                self._say(*info_lines(report, state, self._text, self.options.lines, self._clock() - begun))
            told.append(report.iterations)

        thought = self._think(state, asked, self.options, should_stop, watch)
        if thought.report is not None:
            watch(thought.report)
        elif thought.note:
            self._say(f"info string {thought.note}")
        while asked.waits and not (self._stop.is_set() or self._hit.is_set() or self._inbox.left.is_set()):
            self._stop.wait(LATE)  # what is asked to think for ever says nothing before it is stopped
        self._say_best(*self._answer(state, thought))

    def _over(self, seconds: float) -> float:
        """When the time is over that began with ponderhit."""
        return self._hit_at + seconds - LATE

    def _answer(self, state: State, thought: Thought) -> list[str]:
        """The move, and the answer that is expected to it."""
        best = self._text(state, thought.action)
        after = state.child(thought.action)
        line = () if thought.report is None else thought.report.pv
        if len(line) < 2 or after.is_terminal():
            return [best]
        return [best, self._text(after, after.legal_action(line[1]))]

    def _show(self, words: Sequence[str]) -> None:
        self._say(str(self._position_now()))

    def _quit(self, words: Sequence[str]) -> NoReturn:
        raise GoneError

    def _nothing(self, words: Sequence[str]) -> None:
        """A word that means something only while somebody thinks, or to others."""


COMMANDS: dict[str, Callable[[Session, Sequence[str]], None]] = {
    "uci": Session._uci,
    "debug": Session._nothing,
    "isready": Session._isready,
    "setoption": Session._setoption,
    "register": Session._nothing,
    "ucinewgame": Session._ucinewgame,
    "position": Session._position,
    "go": Session._go,
    "stop": Session._nothing,
    "ponderhit": Session._nothing,
    "d": Session._show,
    "quit": Session._quit,
}
