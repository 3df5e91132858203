"""A process of another program: questions to it, and the lines that it prints. Start at Program."""

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
from collections.abc import Callable
from typing import IO, Any

from ponderosa.errors import EngineError, LateError, SettingError
from ponderosa.system.programs import Kept

QUIT_SECONDS = 1.0
"""How long a program may take to leave after it was asked to, and again after it is told to terminate; then it is
killed."""
MOST_CHARACTERS, MOST_LINES = 10_000, 10_000
"""A program that prints a longer line, or more lines before they are read, is not listened to any more."""
MOST_WORDS = 500
"""How many characters of a program's last line are quoted."""
PIECE, PAUSE = 65_536, 0.005
"""What a program writes for people is read in pieces of this many bytes, with this many seconds between them."""
TOO_MUCH = "\n"
"""Stands for what such a program prints next; no line that is read is this."""
GAME_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian has games, also when they are not on the PATH."""


class Program:
    """A process of another program, and the lines that it prints. Nothing of it is left when this object is gone."""

    def __init__(
        self, command: list[str], clock: Callable[[], float], goodbye: str = "quit", line_end: str = "\n"
    ) -> None:
        """`goodbye` is the line that asks it to leave."""
        self.name, self._clock, self._line_end = command[0], clock, line_end
        found = where(self.name)
        if found is None:
            raise EngineError(f"{self.name!r} cannot be started: {_why_not(self.name)}")
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        try:
            self._kept = Kept([found, *command[1:]], QUIT_SECONDS, terminate=True, text=True, errors="replace", **pipes)
        except OSError as error:
            raise EngineError(f"there can be no more processes: {error.strerror or error}") from None
        self._process = self._kept.process
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._complaints = _Complaints(self._process.stderr)
        threading.Thread(target=_read_lines, args=(self._process.stdout, self._lines), daemon=True).start()
        self._finalizer = weakref.finalize(self, _end, self._kept, goodbye + line_end)  # also at the interpreter's exit

    def ask(self, lines: tuple[str, ...], seconds: float, is_answer: Callable[[str], bool]) -> str:
        """The first line after these that is an answer; it must come within this many seconds."""
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
            if line and is_answer(line):
                return line
            if self._clock() >= deadline:
                raise LateError(f"{self.name} did not answer {lines[0]!r} within {seconds:g} s")

    def send(self, *lines: str) -> None:
        """Tell the program something."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(line + self._line_end for line in lines))
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


def where(program: str) -> str | None:
    """The file of a program on the PATH, or among the games of the system."""
    return shutil.which(program) or shutil.which(program, path=os.pathsep.join(GAME_FOLDERS))


def _why_not(program: str) -> str:
    """Why a program cannot be found."""
    there = os.path.dirname(program) and os.path.exists(program)
    return "it is no program, or not yours to run" if there else "No such file, and no such program on the PATH"


def words_of(cmd: str) -> list[str]:
    """A command as the system takes it."""
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


def _end(kept: Kept, goodbye: str) -> None:
    stream = kept.process.stdin
    assert stream is not None
    with contextlib.suppress(OSError, ValueError):
        stream.write(goodbye)
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
