"""Plays games in a process of their own and ends it when an agent hangs or dies. Start at Crew.play.

That is what every executor runs, on this machine or another: its arguments and its result are plain values.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from ponderosa.arena.event import Event
from ponderosa.arena.referee import CRASH, HANG, MEMORY, Forfeit, Record, forfeited
from ponderosa.arena.worker import BOARD_SIZE, NOBODY, SIGNAL, read_board
from ponderosa.core import errors
from ponderosa.core.errors import ArenaError, PonderosaError

WINDOWS = sys.platform == "win32"
"""Where open files cannot be passed on."""
GRACE = 0.5
"""A process is ended so many seconds after the last moment at which its agent could still answer in time."""
LEAVE_SECONDS = 5.0
"""So long may a process take to leave by itself, and its agents to end what they have started."""
LOOK = 0.05
"""How many seconds pass between two looks at a process that says nothing."""
START_SECONDS = 600.0
"""A process that is not ready after so many seconds, agents compiled and all, is given up."""
ATTEMPTS = 3
"""A game whose process dies while no agent is at work is played again, so many times."""

Game = list[Any]
"""A game to play: number, seats, opening, and the opening's move list or None."""


class Crew:
    """The processes of those who play together: each thread has one of its own."""

    def __init__(self) -> None:
        self._mine = threading.local()
        self._all: set[Process] = set()
        self._changes = threading.Lock()
        self._stopped = False

    def play(self, event: dict[str, Any], games: list[Game], memory: float | None = None) -> list[Record]:
        """Play games of an event; their records come in any order, one for each."""
        records: list[Record] = []
        left = {game[0]: game for game in games}
        attempts = 0
        while left:
            done = self._process_for(event, memory).play(list(left.values()))
            records += done
            for record in done:
                left.pop(record["number"], None)
            attempts = 0 if done else attempts + 1
            if attempts == ATTEMPTS:
                raise ArenaError(
                    f"the process that plays {event['game']} dies between moves, {attempts} times in a row"
                )
        return records

    def end(self, key: str | None = None) -> None:
        """End the processes of an event, or all; others may be started later."""
        with self._changes:
            ending = [process for process in self._all if key in (None, process.event.key)]
            self._all.difference_update(ending)
        for process in ending:
            process.end()

    def stop(self) -> None:
        """End all processes, and start no others."""
        self._stopped = True
        self.end()

    def _process_for(self, event: dict[str, Any], memory: float | None) -> Process:
        """This thread's process, made anew for another event or when it has died."""
        process: Process | None = getattr(self._mine, "process", None)
        if process is not None and not process.ended and process.settings == (event, memory):
            return process
        if process is not None:
            process.end()
        process = self._mine.process = Process(event, memory)
        with self._changes:
            self._all = {other for other in self._all if not other.ended} | {process}
        if self._stopped:
            process.end()
        process.prepare()
        return process


_crew = Crew()
"""For workers of a cluster, where every task may come from somebody else."""


def play(event: dict[str, Any], games: list[Game], memory: float | None = None) -> list[Record]:
    """Play games of an event in this worker of a cluster."""
    return _crew.play(event, games, memory)


def end_processes(key: str) -> None:
    """End the processes of an event in this worker of a cluster."""
    _crew.end(key)


class Process:
    """A worker process and the board on which it shows who is at work."""

    def __init__(self, event: dict[str, Any], memory: float | None) -> None:
        self.settings = (event, memory)
        self.event = Event.from_dict(event)
        self.ended = False
        self._pays: list[float] = []
        named = tempfile.NamedTemporaryFile if WINDOWS else tempfile.TemporaryFile
        self._file = named(prefix="ponderosa-")  # for the life of the process
        self._file.write(SIGNAL.pack(0, 0, NOBODY, 0, 0, 0).ljust(BOARD_SIZE, b"\0"))
        self._file.flush()
        self._board = mmap.mmap(self._file.fileno(), BOARD_SIZE)
        self._program = subprocess.Popen(
            [sys.executable, "-m", "ponderosa.arena.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            pass_fds=() if WINDOWS else (self._file.fileno(),),
            start_new_session=True,  # Ctrl-C is ours to handle, and its children go with it
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(_absolute, sys.path))},
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def prepare(self) -> None:
        """Load the game and make the agents, once; what cannot be made is an error."""
        event, memory = self.settings
        self._send({"event": event, "board": self._file.name if WINDOWS else self._file.fileno(), "memory": memory})
        try:
            self._pays = self._answer(time.monotonic() + START_SECONDS)["forfeit"]
        except BaseException:
            self.end()
            raise

    def play(self, games: list[Game]) -> list[Record]:
        """Play games until all are done, or until an agent is at fault; that game is the last."""
        self._send(games)
        records: list[Record] = []
        seen, since = -1, time.monotonic()
        while len(records) < len(games):
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=LOOK)
                if line is None:
                    return [*records, *self._blamed(CRASH, self._how_it_died(), games)]
                records.append(_checked(json.loads(line)))
                if records[-1]["reason"] == MEMORY:
                    self.end()
                    return records
                continue
            begun, number, seat, preparing, *_ = SIGNAL.unpack_from(self._board)
            if begun != seen or seat == NOBODY:
                seen, since = begun, time.monotonic()
                continue
            allowed = self.event.timeout + GRACE if preparing else self._allowed(games, number, seat)
            if time.monotonic() - since > allowed:
                return [*records, *self._blamed(HANG, f"no move after {allowed:g} s", games)]
        return records

    def _allowed(self, games: list[Game], number: int, seat: int) -> float:
        """How many seconds the agent in a seat may take before it is ended."""
        agent = next((game[1][seat] for game in games if game[0] == number), 0)
        return self.event.deadline(agent) + GRACE

    def end(self, politely: bool = True) -> None:
        """End the process and all that its agents have started."""
        self.ended = True
        if politely and self._program.returncode is None:
            self._leave()
        self._kill()
        for stream in (self._program.stdin, self._program.stdout):
            with contextlib.suppress(OSError):
                assert stream is not None
                stream.close()
        with contextlib.suppress(OSError):
            self._file.close()

    def _blamed(self, reason: str, detail: str, games: list[Game]) -> list[Record]:
        """The lost game of the agent that was at work when the process had to end; nothing when nobody was."""
        if self.ended:  # we have ended it ourselves
            raise ArenaError("stopped")
        number, seat, moves, opening = read_board(self._board)
        self.end(politely=False)
        game = next((game for game in games if game[0] == number), None)
        if seat == NOBODY or game is None:
            return []
        return [forfeited(self.event, number, game[1], Forfeit(seat, reason, detail), moves, opening, self._pays)]

    def _leave(self) -> None:
        """Let the process end by itself, and its agents the programs that they have started."""
        assert self._program.stdin is not None
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._program.stdin.close()
            self._program.wait(LEAVE_SECONDS)

    def _kill(self) -> int:
        """End the process, if it still runs, and its children in any case; its exit code."""
        if self._program.returncode is None:  # until its end is acknowledged, its number belongs to nobody else
            with contextlib.suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(self._program.pid, signal.SIGKILL)
                else:
                    self._program.kill()
        return self._program.wait()

    def _how_it_died(self) -> str:
        code = self._kill()
        return f"its process was ended by signal {-code}" if code < 0 else f"its process left with exit code {code}"

    def _send(self, value: Any) -> None:
        assert self._program.stdin is not None
        with contextlib.suppress(OSError):  # it has died: reading will tell
            self._program.stdin.write(json.dumps(value) + "\n")
            self._program.stdin.flush()

    def _answer(self, until: float) -> dict[str, Any]:
        """The one answer to the settings."""
        try:
            line = self._lines.get(timeout=max(until - time.monotonic(), 0))
        except queue.Empty:
            raise ArenaError(f"agents were not ready after {START_SECONDS:g} s") from None
        if line is None and self.ended:
            raise ArenaError("stopped")
        if line is None:
            raise ArenaError(f"an agent cannot be made: {self._how_it_died()}")
        return _checked(json.loads(line))

    def _read(self) -> None:
        assert self._program.stdout is not None
        with contextlib.suppress(ValueError, OSError):  # closed while reading
            for line in self._program.stdout:
                self._lines.put(line)
        self._lines.put(None)


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer, or the error that it tells of."""
    if "error" in answer:
        kind = getattr(errors, answer["kind"], PonderosaError)
        raise kind(answer["error"])
    return answer


def _absolute(path: str) -> str:
    return str(Path(path or ".").resolve())
