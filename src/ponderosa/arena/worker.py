"""The process in which agents live: it reads games to play, plays them, writes what happened. Start at main.

One JSON value a line. What agents print goes nowhere; when whoever started it is gone, it ends, and with it all that
its agents have started.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import queue
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from ponderosa.arena.event import Event
from ponderosa.arena.referee import MEMORY, Referee, out_of_memory
from ponderosa.core.errors import PonderosaError

SIGNAL = struct.Struct("=qqqqqq")
"""What the board shows: moves begun, the game's number, the seat at work or NOBODY, whether it only prepares itself,
plies played, plies of opening."""
ACTION = struct.Struct("=q")
MOST_ACTIONS = 2000
"""So many actions of the game that is played follow; longer games show their beginning."""
BOARD_SIZE = SIGNAL.size + MOST_ACTIONS * ACTION.size
NOBODY = -1
PATIENCE = 0.05
"""Finished games are handed over after so many seconds at the latest."""


class Board:
    """A few shared bytes that tell the supervisor who is at work, without a word said."""

    def __init__(self, file: int | str) -> None:
        """A file that was passed on open, or its path where that cannot be done."""
        with open(file, "r+b") as opened:
            self._bytes = mmap.mmap(opened.fileno(), BOARD_SIZE)
        self._begun = self._plies = self._opening = 0
        self.idle()

    def thinking(self, number: int, seat: int, preparing: bool = False) -> None:
        self._begun += 1
        SIGNAL.pack_into(self._bytes, 0, self._begun, number, seat, preparing, self._plies, self._opening)

    def idle(self) -> None:
        SIGNAL.pack_into(self._bytes, 0, self._begun, 0, NOBODY, 0, 0, 0)

    def begin(self, opening: list[Any]) -> None:
        self._plies = 0
        for action in opening:
            self.moved(action)
        self._opening = self._plies

    def moved(self, action: Any) -> None:
        if type(action) is int and self._plies < MOST_ACTIONS:
            ACTION.pack_into(self._bytes, SIGNAL.size + self._plies * ACTION.size, action)
            self._plies += 1


def read_board(board: Any) -> tuple[int, int, list[int], int]:
    """What a board shows: the game's number, the seat at work, the actions so far, how many are the opening."""
    _, number, seat, _, plies, opening = SIGNAL.unpack_from(board)
    places = range(SIGNAL.size, SIGNAL.size + plies * ACTION.size, ACTION.size)
    return number, seat, [ACTION.unpack_from(board, place)[0] for place in places], opening


def main() -> None:
    """Prepare as the first line says, then play what the others ask for."""
    at_the_end: list[Callable[[], None]] = []
    tasks, answers = _streams(at_the_end)
    settings = json.loads(tasks.get())
    try:
        limit_memory(settings["memory"])
        referee = Referee(Event.from_dict(settings["event"]), watch=Board(settings["board"]))
        referee.rehearse()
    except PonderosaError as error:
        _write(answers, [{"error": str(error), "kind": type(error).__name__}])
        return
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        if out_of_memory(error):
            words = f"{settings['memory']:g} gigabytes of memory are too little to begin with"
        _write(answers, [{"error": words, "kind": "GameError"}])
        return
    _write(answers, [{"ready": referee.game.players, "forfeit": referee.forfeit}])
    at_the_end.append(referee.close)
    while True:
        _play(referee, json.loads(tasks.get()), answers)


def _play(referee: Referee, games: list[list[Any]], answers: IO[str]) -> None:
    """Play games, and write them down in bundles: a line each would cost more than a short game."""
    finished: list[Any] = []
    last = time.monotonic()
    for number, seats, opening, line in games:
        try:
            finished.append(referee.play(number, seats, opening, line))
        except PonderosaError as error:
            _write(answers, [*finished, {"error": str(error), "kind": type(error).__name__}])
            return
        if finished[-1]["reason"] == MEMORY:  # what was taken is not given back: the supervisor starts a new process
            break
        if time.monotonic() - last > PATIENCE:
            _write(answers, finished)
            finished, last = [], time.monotonic()
    _write(answers, finished)


def _write(answers: IO[str], values: list[Any]) -> None:
    answers.write("".join(json.dumps(value) + "\n" for value in values))
    answers.flush()


def _streams(at_the_end: list[Callable[[], None]]) -> tuple[queue.SimpleQueue[str], IO[str]]:
    """Lines from the supervisor, and where to write to it; file descriptors 1 and 2 lead nowhere from now on."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    tasks: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in questions:
            tasks.put(line)
        with contextlib.suppress(BaseException):
            for do in at_the_end:
                do()
        end_everything()

    threading.Thread(target=read, daemon=True).start()
    return tasks, answers


def end_everything() -> None:
    """End this process and those that its agents have started."""
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def limit_memory(gigabytes: float | None) -> None:
    """From now on, asking for more address space than this is a MemoryError."""
    if gigabytes is None or sys.platform == "win32":
        return
    import resource

    most = int(gigabytes * 2**30)
    with contextlib.suppress(ValueError, OSError):  # a lower limit is in force already
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    main()
