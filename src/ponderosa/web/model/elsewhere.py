"""Compiling in another process: what the compiler keeps goes with it, and the page answers meanwhile. Start at wanted.

A game that is compiled in a process leaves tens of megabytes there, which Numba and LLVM never give back; the same
machine code read from the disk takes a few. So a server lets a helper write it there, and reads it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

from ponderosa.compile.progress import listening, tell
from ponderosa.core.budget import Budget
from ponderosa.core.game import Game
from ponderosa.core.spec import split_spec
from ponderosa.errors import LimitError
from ponderosa.registry import AGENTS, GAMES, game_class, load_agent, load_game, registered_agent
from ponderosa.system.delegation import errand
from ponderosa.web.model.compiled_now import told_of

IDLE_SECONDS = 60.0
"""A helper that is asked nothing for so long ends."""
MOST_KILOBYTES = 700_000
"""A helper that has grown so large ends, and the next question starts another."""

PART, DONE = "part ", "done"
"""What a helper says: which part it compiles, and that all is done."""

_here = threading.local()


@contextlib.contextmanager
def wanted(game: Game, agent: str = "") -> Iterator[None]:
    """What must be compiled in this block is for this game, or for this agent that plays it."""
    before = getattr(_here, "wanted", None)
    _here.wanted = (game, agent)
    try:
        with told_of(game, rules_alone=not agent):
            yield
    finally:
        _here.wanted = before


def ready(game: Game) -> Game:
    """A game, its rules compiled; call it in a thread."""
    with wanted(game):
        game.new_initial_state().is_terminal()  # the first question compiles them
    return game


class Helper:
    """A process that compiles what it is asked for. Where it fails, whoever asked compiles for themselves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    def take_over(self) -> None:
        """From now on, compile in the place of this process."""
        errand.run = self._compile

    def close(self) -> None:
        """End the process; others compile for themselves again."""
        errand.run, self._closed = None, True
        process = self._process
        if process is not None:
            process.kill()  # who waits for it need not wait any more
        with self._lock:
            self._end()

    def _compile(self) -> None:
        """Let the helper compile all that the block is about, once; the disk has it then."""
        game, agent = getattr(_here, "wanted", None) or (None, "")
        _here.wanted = None
        if game is not None and _can_be_told(game, agent):
            with self._lock:
                waited = self._process is not None  # and may have gone meanwhile
                if not self._ask([game.spec, agent]) and waited:
                    self._ask([game.spec, agent])
        if self._closed:
            raise LimitError("the server ends: nothing is compiled any more")

    def _ask(self, question: list[str]) -> bool:
        """Whether the helper has answered; after the end nobody is asked, and nothing is started."""
        try:
            if self._process is None and not self._closed:
                command, pipe = [sys.executable, "-m", "ponderosa.web.model.elsewhere"], subprocess.PIPE
                self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
            if self._process is not None and not self._closed:  # it may have been closed while it started
                assert self._process.stdin is not None and self._process.stdout is not None
                self._process.stdin.write(json.dumps(question) + "\n")
                self._process.stdin.flush()
                while answer := self._process.stdout.readline().rstrip("\n"):
                    if answer == DONE:
                        return True
                    tell(answer.removeprefix(PART))
        except OSError:  # it cannot be started, or has ended
            pass
        self._end()
        return False

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with contextlib.suppress(OSError):  # what was not said is lost
                process.communicate()


def _can_be_told(game: Game, agent: str) -> bool:
    """Whether a text says it all: no game of one's own, no files, no other programs."""
    kind = split_spec(game.spec)[0]
    if kind not in GAMES or type(game) is not game_class(kind):
        return False
    name, settings = split_spec(agent) if agent else ("", {})
    if not name:
        return True
    if name not in AGENTS:
        return False
    found = registered_agent(name)
    return not (found.runs_programs or settings.keys() & set(found.files))


def prepare(game_spec: str, agent_spec: str) -> None:
    """Compile a game's rules, and what an agent needs for a move in it."""
    game = load_game(game_spec)
    state = game.new_initial_state()
    state.is_terminal()
    if agent_spec:
        agent = load_agent(agent_spec, game)
        if agent.budget is not None:
            agent.budget = Budget(iterations=1)
        while state.to_move() < 0:
            state.apply_action(state.legal_actions()[0])
        agent.step(state.observation(state.to_move()))


def main() -> None:
    """Answer every line of questions with a line, until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what games and agents print is no answer

    def say(line: str) -> None:
        answers.write(f"{line}\n")
        answers.flush()

    patience = _patience()
    for line in sys.stdin:
        patience.cancel()
        with contextlib.suppress(Exception), listening(lambda part: say(PART + part)):
            prepare(*json.loads(line))  # whoever asked finds out what went wrong, and says so
        say(DONE)
        if _grown_to() > MOST_KILOBYTES:
            return
        patience = _patience()


def _patience() -> threading.Timer:
    """Ends this process when nobody asks for long."""
    timer = threading.Timer(IDLE_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()
    return timer


def _grown_to() -> int:
    """The most memory that this process has had, in kilobytes; 0 where that cannot be known."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    main()
