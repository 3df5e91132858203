"""An agent of somebody's own, in a process of its own, as the referee sees it. Start at GuestAgent.

The referee's rules live where no such agent's code runs: what the agent is shown is a copy, sent to its process, and
what comes back is the number or the name of a move, which the referee looks up in its own rules.
"""

from __future__ import annotations

import contextlib
import json
import queue
import secrets
import sys
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import IO, Any

from ponderosa import errors
from ponderosa.arena.event import GRACE, Event
from ponderosa.arena.running.guest_process import CHOICE, Parcel
from ponderosa.arena.running.judge import CRASH, HANG, ILLEGAL, MEMORY
from ponderosa.arena.running.referee import Fault, Remote
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.errors import ArenaError, PonderosaError
from ponderosa.system.programs import Kept

LEAVE_SECONDS = 2.0
"""The most seconds that its process may take to leave by itself."""
START_SECONDS = 600.0
"""Seconds after which a process that is not there is given up: no agent's code has run in it by then."""
MOST_CHARACTERS, MOST_LINES = 100_000, 1000
"""A longer answer, or more of them, is none."""
MOST_AT_ONCE = 8
"""How many guests of a worker keep their processes; of more, those that have not played for the longest time do not."""


class GuestAgent(Remote):
    """Passes on to a process what the referee asks of the agent in it."""

    def __init__(self, event: Event, agent: int, memory: float | None, present: list[GuestAgent]) -> None:
        """`present` lists the guests that have a process, the one that played last at its end."""
        self._event, self._agent, self._memory, self._present = event, agent, memory, present
        self._game: Any = None  # until make is called, which comes first
        self.last_report: Any = None
        self._kept: Kept | None = None
        self._ready = False
        self._finishes = True
        self._clocks: tuple[Sequence[Clock], int, int] | None = None

    def make(self, game: Game, seed: int) -> GuestAgent:
        """Make the agent, and say what is wrong if it cannot be made."""
        self._game = game
        self.start()
        try:
            answer = self._ask(("make", seed), START_SECONDS)
        except Fault as fault:
            raise ArenaError(f"an agent cannot be made: {fault}") from None
        if "error" in answer:
            raise getattr(errors, str(answer.get("kind")), PonderosaError)(str(answer["error"]))
        return self

    def launch(self) -> None:
        """Let its process begin, and wait for nothing."""
        command = [sys.executable, "-m", "ponderosa.arena.running.guest_process"]
        self._kept = Kept.talking(command, LEAVE_SECONDS)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        key = secrets.token_hex(8)
        reading = (self._kept.process.stdout, key.encode(), self._lines)
        threading.Thread(target=_read, args=reading, daemon=True).start()
        self._send({"event": self._event.to_dict(), "agent": self._agent, "memory": self._memory, "key": key})
        self._ready = False
        self._present.append(self)

    def start(self) -> None:
        """See to it that its process is there, and ready."""
        if self in self._present:
            self._present.remove(self)
            self._present.append(self)
        try:
            if self._kept is None:
                for other in self._present[: 1 - max(MOST_AT_ONCE, self._game.players)]:
                    other.close()
                self.launch()
            if not self._ready:
                self._answer(START_SECONDS)
                self._ready = True
        except OSError as error:
            raise ArenaError(f"there can be no more processes: {error.strerror or error}") from None
        except Fault as fault:
            raise ArenaError(f"the process of an agent cannot be started: {fault}") from None

    def reset(self, seed: int) -> None:
        """As new for another game, and ready for it."""
        self.last_report = None
        answer = self._ask(("game_begins", seed), self._event.timeout)
        if "error" in answer:
            raise Fault(CRASH, str(answer["error"]))
        self._finishes = bool(answer.get("finishes"))

    def see_clocks(self, clocks: Sequence[Clock], seat: int, moves: int) -> None:
        self._clocks = (clocks, seat, moves)  # told with the next state

    def step(self, state: State) -> Any:
        """The action that the agent chooses."""
        legal = state.legal_actions() if self._game.dtype is None else None
        deadline = self._event.deadline(self._agent)
        if self._clocks is not None:
            clocks, seat, _ = self._clocks
            deadline = clocks[seat].limit + self._event.tolerance
        answer = self._ask(("step", state, legal, self._clocks), deadline)
        self.last_report = _report(answer.get("effort"))
        if CHOICE not in answer:
            return answer.get("action")
        try:
            assert legal is not None
            return legal[answer[CHOICE]]
        except Exception:
            raise Fault(ILLEGAL, "what it chose is no legal action") from None

    def finish(self, state: State) -> None:
        """Show it the last state, if it wants to see that."""
        if self._finishes:
            self._ask(("finish", state), self._event.timeout)

    def close(self) -> None:
        """Let the agent end what it has started, and end the rest."""
        if self._kept is not None:
            assert self._kept.process.stdin is not None
            with contextlib.suppress(OSError):
                self._kept.process.stdin.close()
            self._kept.let_go()
            self._gone()

    def _send(self, request: object) -> None:
        assert self._kept is not None and self._kept.process.stdin is not None
        parcel = Parcel(self._game).packed(request)
        with contextlib.suppress(OSError):  # it has died: reading will tell
            self._kept.process.stdin.write(parcel)
            self._kept.process.stdin.flush()

    def _ask(self, request: object, seconds: float) -> dict[str, Any]:
        """What the process answers to a question."""
        if self._kept is None:
            raise Fault(CRASH, "its process has ended")
        self._send(request)
        return self._answer(seconds)

    def _answer(self, seconds: float) -> dict[str, Any]:
        """What the process says within this time; whatever else it does is the agent's fault."""
        try:
            answer = _read_answer(self._lines.get(timeout=seconds + GRACE))
        except queue.Empty:
            self._kill()
            raise Fault(HANG, f"no move after {seconds + GRACE:g} s") from None
        if answer is None:
            raise Fault(CRASH, self._how_it_died())
        if "fault" in answer:
            reason = answer["fault"] if answer["fault"] in (ILLEGAL, MEMORY) else CRASH
            if reason == MEMORY:  # what was taken is not given back
                self._kill()
            raise Fault(reason, str(answer.get("detail", "")))
        return answer

    def _how_it_died(self) -> str:
        code = self._kill()
        return f"its process was ended by signal {-code}" if code < 0 else f"its process left with exit code {code}"

    def _kill(self) -> int:
        assert self._kept is not None
        code = self._kept.kill()
        self._gone()
        return code

    def _gone(self) -> None:
        if self._kept is not None:
            with contextlib.suppress(OSError):
                assert self._kept.process.stdin is not None
                self._kept.process.stdin.close()
        self._kept = None
        if self in self._present:
            self._present.remove(self)


def makers(event: Event, memory: float | None) -> list[Callable[[Any, int], Any] | None]:
    """How each guest among the agents of an event is made; None: it is no guest."""
    present: list[GuestAgent] = []
    guests = [GuestAgent(event, agent, memory, present) if own else None for agent, own in enumerate(event.guests)]
    for guest in [guest for guest in guests if guest is not None][:MOST_AT_ONCE]:
        guest.launch()  # side by side
    return [None if guest is None else guest.make for guest in guests]


def _read(stream: IO[bytes], key: bytes, lines: queue.SimpleQueue[bytes]) -> None:
    """Hand over each line that has the key before it, as it comes; what is no line at all stands for the end."""
    with stream, contextlib.suppress(ValueError, OSError):
        while (line := stream.readline(MOST_CHARACTERS)).endswith(b"\n") and lines.qsize() < MOST_LINES:
            if line.startswith(key):  # else somebody else has written it
                lines.put(line.removeprefix(key))
    lines.put(b"")


def _read_answer(line: bytes) -> dict[str, Any] | None:
    """An answer; None: there is none, or no sense in it."""
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _report(effort: Any) -> Any:
    """What it says of its last move, in the form of a report; whoever counts it looks at it closely."""
    try:
        iterations, nodes, value, proven = effort
    except (TypeError, ValueError):
        return None
    return SimpleNamespace(iterations=iterations, nodes=nodes, value=value, proven=proven)
