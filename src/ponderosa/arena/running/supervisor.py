"""Plays games in a process of their own and ends it when an agent or a rule hangs or dies. Start at Processes.play.

That is what every executor runs, on this machine or another: its arguments and its result are plain values.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import mmap
import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from ponderosa import errors
from ponderosa.arena.event import GRACE, Event
from ponderosa.arena.running.blackboard import EMPTY, RESTING, RULING, THINKING, BoardView
from ponderosa.arena.running.judge import CRASH, HANG, Forfeit, Judge, Record, forfeited
from ponderosa.arena.running.worker import COMPILING, is_spent
from ponderosa.compile.progress import tell
from ponderosa.errors import ArenaError, GameError, PonderosaError
from ponderosa.system.programs import Kept

WINDOWS = sys.platform == "win32"
"""Where open files cannot be passed on."""
LEAVE_SECONDS = 5.0
"""The most seconds that a process may take to leave by itself, and its agents to end what they have started."""
LOOK = 0.05
"""How many seconds pass between two looks at a process that says nothing."""
START_SECONDS = 600.0
"""Seconds after which a process that is not ready, agents compiled and all, is given up."""
RULES_SECONDS = 3.0
"""Seconds that the rules of a game may take at least, whatever the limit of a move is."""
ATTEMPTS = 3
"""How many times a game is tried whose process dies while no agent is at work."""

Game = list[Any]
"""A game to play: number, seats, opening, and the opening's move list or None."""


class Processes:
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
            process = self._process_for(event, memory)
            done = process.play(list(left.values()))
            records += done
            for record in done:
                left.pop(record["number"], None)
            attempts = 0 if done else attempts + 1
            if attempts == ATTEMPTS:
                trouble = process.trouble or "dies between moves"
                raise ArenaError(f"the process that plays {event['game']} {trouble}, {attempts} times in a row")
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


_processes = Processes()
"""For workers of a cluster, where every task may come from somebody else."""


def play(event: dict[str, Any], games: list[Game], memory: float | None = None) -> list[Record]:
    """Play games of an event in this worker of a cluster."""
    return _processes.play(event, games, memory)


def end_processes(key: str) -> None:
    """End the processes of an event in this worker of a cluster."""
    _processes.end(key)


class Process:
    """A worker process and the board on which it shows who is at work."""

    def __init__(self, event: dict[str, Any], memory: float | None) -> None:
        self.settings = (event, memory)
        self.event = Event.from_dict(event)
        self.ended = False
        self.trouble = ""
        """Why it had to be ended without anybody to blame."""
        self._pays: list[float] = []
        named = tempfile.NamedTemporaryFile if WINDOWS else tempfile.TemporaryFile
        self._file = named(prefix="ponderosa-")  # for the life of the process
        self._file.write(EMPTY)
        self._file.flush()
        self._board = mmap.mmap(self._file.fileno(), len(EMPTY))
        self._key = secrets.token_hex(8)
        self._kept = Kept.talking(
            [sys.executable, "-m", "ponderosa.arena.running.worker"],
            grace=LEAVE_SECONDS,
            pass_fds=() if WINDOWS else (self._file.fileno(),),
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(_absolute, sys.path))},
        )
        self._program = self._kept.process
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def prepare(self) -> None:
        """Load the game and make the agents, once; what cannot be made is an error."""
        event, memory = self.settings
        board = self._file.name if WINDOWS else self._file.fileno()
        self._send({"event": event, "board": board, "memory": memory, "key": self._key})
        try:
            self._pays = self._first_answer(time.monotonic() + START_SECONDS)["forfeit"]
        except BaseException:
            self.end()
            raise

    def play(self, games: list[Game]) -> list[Record]:
        """Play games until all are done, or until an agent is at fault; that game is the last."""
        self._send(games, self._key)
        left = {game[0]: game for game in games}
        records: list[Record] = []
        patience = _Patience(self._board)
        while left:
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=LOOK)
                if line is None:
                    return [*records, *self._blamed(CRASH, self._how_it_died(), left)]
                record = _checked(json.loads(line))
                if self._is_doubtful(left, record):
                    self.end(politely=False)
                    return records
                records.append(record)
                del left[record["number"]]
                if is_spent(self.event, record):
                    self.end()
                    return records
                continue
            seen = patience.look()
            allowed = self._allowed(left, seen)
            if patience.seconds > allowed:
                self._check_rules(seen, allowed)
                return [*records, *self._blamed(HANG, f"no move after {allowed:g} s", left)]
        return records

    def _is_doubtful(self, left: dict[int, Game], record: Record) -> bool:
        """Whether a record is none of those that were asked for, or not what its moves come to."""
        task = left.get(record.get("number", -1))
        if task is None:
            self.trouble = "tells of games that nobody asked for"
        elif self.event.doubtful and (doubt := self._judge.doubt(task, record)):
            self.trouble = f"tells what cannot be, {doubt}"
        return bool(self.trouble)

    @functools.cached_property
    def _judge(self) -> Judge:
        """Who replays games, here, where no agent's code runs."""
        from ponderosa.registry import load_game

        with _compiling:
            game = load_game(self.event.game)
            if game.dtype is not None:
                game.rules  # noqa: B018  compiled once, and not by several threads
        return Judge(self.event, game)

    def _allowed(self, games: dict[int, Game], seen: BoardView) -> float:
        """How many seconds what is done may take before the process is ended."""
        if seen.doing == RESTING:
            return math.inf
        game = games.get(seen.number)
        if seen.doing == THINKING and game is not None and seen.seat in range(len(game[1])):
            agent: int = game[1][seen.seat]
            deadline = seen.limit + self.event.tolerance if seen.limit > 0 else self.event.deadline(agent)
            return deadline + GRACE * (1 + self.event.guests[agent])  # guests are ended by the worker
        return max(self.event.timeout, RULES_SECONDS if seen.doing == RULING else 0.0) + 2 * GRACE

    def _check_rules(self, seen: BoardView, seconds: float) -> None:
        """The rules have not come back: that is nobody's fault but the game's."""
        if seen.doing == RULING:
            self.end(politely=False)
            after = f", after the actions {' '.join(map(str, seen.moves))}" if seen.moves else ""
            raise GameError(f"a rule of {self.event.game} has not come back after {seconds:g} s{after}: it hangs")

    def end(self, politely: bool = True) -> None:
        """End the process and all that its agents have started."""
        self.ended = True
        if politely and self._program.returncode is None:
            self._leave()
        self._kept.kill()
        with contextlib.suppress(OSError):
            assert self._program.stdin is not None
            self._program.stdin.close()
        with contextlib.suppress(OSError):
            self._file.close()

    def _blamed(self, reason: str, detail: str, games: dict[int, Game]) -> list[Record]:
        """The lost game of the agent that was at work when the process had to end; nothing when nobody was."""
        if self.ended:  # we have ended it ourselves
            raise ArenaError("stopped")
        seen = BoardView.of(self._board)
        self.end(politely=False)
        game = games.get(seen.number)
        if not seen.at_work or game is None or seen.seat not in range(len(game[1])):
            self.trouble = f"dies between moves, {detail}"
            return []
        if reason == CRASH and any(self.event.guests):  # their code is elsewhere: whoever has ended it is not known
            self.trouble = f"was ended by somebody, {detail}"
            return []
        forfeit = Forfeit(seen.seat, reason, detail)
        return [forfeited(self.event, seen.number, game[1], forfeit, list(seen.moves), seen.opening, self._pays)]

    def _leave(self) -> None:
        """Let the process end by itself, and its agents the programs that they have started."""
        assert self._program.stdin is not None
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._program.stdin.close()
            self._program.wait(LEAVE_SECONDS)

    def _how_it_died(self) -> str:
        code = self._kept.kill()
        return f"its process was ended by signal {-code}" if code < 0 else f"its process left with exit code {code}"

    def _send(self, value: object, key: str = "") -> None:
        assert self._program.stdin is not None
        with contextlib.suppress(OSError):  # it has died: reading will tell
            self._program.stdin.write(f"{key} {json.dumps(value)}\n".encode())
            self._program.stdin.flush()

    def _first_answer(self, until: float) -> dict[str, Any]:
        """The one answer to the settings; what is compiled before it is told."""
        patience = _Patience(self._board)
        while True:
            if time.monotonic() > until:
                raise ArenaError(f"agents were not ready after {START_SECONDS:g} s")
            seen = patience.look()
            if patience.seconds > self._allowed({}, seen):
                self._check_rules(seen, self._allowed({}, seen))
            with contextlib.suppress(queue.Empty):
                next_line = self._lines.get(timeout=LOOK)
                if next_line is None:
                    raise ArenaError("stopped" if self.ended else f"an agent cannot be made: {self._how_it_died()}")
                answer = json.loads(next_line)
                if COMPILING not in answer:
                    return _checked(answer)
                tell(str(answer[COMPILING]))

    def _read(self) -> None:
        assert self._program.stdout is not None
        key = self._key.encode()
        with self._program.stdout, contextlib.suppress(ValueError, OSError):
            for line in self._program.stdout:
                if line.startswith(key):  # else somebody else has written it
                    self._lines.put(line.removeprefix(key))
        self._lines.put(None)


class _Patience:
    """How long a board has shown the same."""

    def __init__(self, board: mmap.mmap) -> None:
        self._board = board
        self._changes, self._since = -1, time.monotonic()

    def look(self) -> BoardView:
        """What it shows now."""
        seen = BoardView.of(self._board)
        if seen.changes != self._changes:
            self._changes, self._since = seen.changes, time.monotonic()
        return seen

    @property
    def seconds(self) -> float:
        """How long it has shown what it showed at the last look."""
        return time.monotonic() - self._since


_compiling = threading.Lock()


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer, or the error that it tells of."""
    if "error" in answer:
        kind = getattr(errors, answer["kind"], PonderosaError)
        raise kind(answer["error"])
    return answer


def _absolute(path: str) -> str:
    return str(Path(path or ".").resolve())
