"""The agent that is another program, such as a brain of a Gomoku tournament. Start at EngineAgent."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import shutil
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import IO, Any

from ponderosa.agents.agent import Agent
from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.errors import EngineError, SettingError, unknown
from ponderosa.games.connect import Connect
from ponderosa.protocols.gomocup import EXACT, FIVE, OTHER, OWN, Board, RefusedError
from ponderosa.protocols.limits import UNLIMITED
from ponderosa.system.programs import Kept

PROTOCOLS = ("gomocup",)
REMARKS = ("MESSAGE", "DEBUG")
"""Lines that begin with one of these are for people."""
QUIT_SECONDS = 1.0
"""How long a program may take to leave after END, and again after it is told to terminate; then it is killed."""
MOST_CHARACTERS, MOST_LINES = 10_000, 10_000
"""A program that prints a longer line, or more lines before they are read, is not listened to any more."""
MOST_WORDS = 500
"""How many characters of a program's last line are quoted."""
PIECE, PAUSE = 65_536, 0.005
"""What a program writes for people is read in pieces of this many bytes, with this many seconds between them."""
TOO_MUCH = "\n"
"""Stands for what such a program prints next; no line that is read is this."""


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
        self.command = _split(cmd)
        self.board = Board(game.m, game.n)
        self.last_seconds = 0.0
        """How long the program took over its last move, from question to answer."""
        self._clock = clock
        self._program: _Program | None = None
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

    def _started(self) -> _Program:
        """A new process with an empty board."""
        program = _Program(self.command, self._clock)
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


class _Program:
    """A process of another program, and the lines that it prints. Nothing of it is left when this object is gone."""

    def __init__(self, command: list[str], clock: Callable[[], float]) -> None:
        self.name, self._clock = command[0], clock
        if shutil.which(self.name) is None:
            raise EngineError(f"{self.name!r} cannot be started: {_why_not(self.name)}")
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        try:
            self._kept = Kept(command, QUIT_SECONDS, terminate=True, text=True, errors="replace", **pipes)
        except OSError as error:
            raise EngineError(f"there can be no more processes: {error.strerror or error}") from None
        self._process = self._kept.process
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._complaints = _Complaints(self._process.stderr)
        threading.Thread(target=_read_lines, args=(self._process.stdout, self._lines), daemon=True).start()
        self._finalizer = weakref.finalize(self, _end, self._kept)  # also at the interpreter's exit

    def ask(self, lines: tuple[str, ...], seconds: float) -> str:
        """The line that the program answers within this many seconds."""
        self.send(*lines)
        deadline = self._clock() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - self._clock(), 0.0))
            except queue.Empty:
                line = ""
            if line is None:
                raise self._gone(lines[0])
            if line == TOO_MUCH:
                raise EngineError(f"{self.name} prints without end instead of answering {lines[0]!r}")
            if line and line.split()[0].upper() not in REMARKS:
                return line
            if self._clock() >= deadline:
                raise EngineError(f"{self.name} did not answer {lines[0]!r} within {seconds:g} s")

    def send(self, *lines: str) -> None:
        """Tell the program something."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\r\n" for line in lines))
            self._process.stdin.flush()
        except OSError:
            raise self._gone(lines[0]) from None

    def _gone(self, question: str) -> EngineError:
        """The error for a program that no longer listens or speaks, with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        code = self._process.returncode
        how = "closed its output" if code is None else f"ended with exit code {code}"
        words = f"{self.name} {how} instead of answering {question!r}"
        return EngineError(": ".join([words, *self._complaints.last_line()]))

    def end(self) -> None:
        """Ask it to leave, and see to it that it does."""
        self._finalizer()

    def kill(self) -> None:
        """End it at once."""
        if self._finalizer.detach():
            _let_go(self._kept)


class _Complaints:
    """The end of what a program writes for people, however much it writes."""

    def __init__(self, stream: Any) -> None:
        self._end = bytearray()
        self._reader = threading.Thread(target=_read_end, args=(stream, self._end), daemon=True)
        self._reader.start()

    def last_line(self) -> list[str]:
        """What it wrote last, if anything."""
        self._reader.join(QUIT_SECONDS)
        return [line[-MOST_WORDS:] for line in self._end.decode(errors="replace").strip().splitlines()[-1:]]


def _read_end(stream: IO[str], end: bytearray) -> None:
    """Read a stream for as long as it lasts, a piece at a time and no faster than it can be thrown away at ease."""
    with stream, contextlib.suppress(ValueError, OSError):
        while piece := os.read(stream.fileno(), PIECE):
            end += piece
            del end[:-MOST_CHARACTERS]
            time.sleep(PAUSE)


def _why_not(program: str) -> str:
    """Why a program cannot be found."""
    there = os.path.dirname(program) and os.path.exists(program)
    return "it is no program, or not yours to run" if there else "No such file, and no such program on the PATH"


def _split(cmd: str) -> list[str]:
    try:
        words = shlex.split(cmd)
    except ValueError as error:
        raise SettingError(f"the command {cmd!r} of an engine cannot be read: {error}") from None
    if not words:
        raise SettingError('an engine needs the command that starts it: engine:cmd="path/to/program --option"')
    return words


def _read_lines(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    """Hand over each line as it comes, and None at the end. (It must not know the agent: that would keep it alive.)"""
    with stream, contextlib.suppress(ValueError, OSError):
        while line := stream.readline(MOST_CHARACTERS):
            if len(line) == MOST_CHARACTERS or lines.qsize() == MOST_LINES:
                lines.put(TOO_MUCH)
                break
            lines.put(line.strip())
    lines.put(None)


def _end(kept: Kept) -> None:
    stream = kept.process.stdin
    assert stream is not None
    with contextlib.suppress(OSError, ValueError):
        stream.write("END\r\n")
        stream.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        kept.process.wait(QUIT_SECONDS)
    _let_go(kept)


def _let_go(kept: Kept) -> None:
    """Terminate the process and its children, and kill those that will not go."""
    kept.let_go()
    if kept.process.stdin is not None:
        with contextlib.suppress(OSError):
            kept.process.stdin.close()
