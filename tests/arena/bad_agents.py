"""Agents that misbehave, for the tests of fair play. They make one good move, then do their worst."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np


class Good:
    """Takes the first legal action, and so do the others at first."""

    def __init__(self, game, seed: int = 0):
        self.steps = 0

    def step(self, state):
        self.steps += 1
        return state.legal_actions()[0] if self.steps < 2 else self.worst(state)

    def worst(self, state):
        return state.legal_actions()[0]


class Cheats(Good):
    def worst(self, state):
        return state.history()[0]


class AnswersRubbish(Good):
    def worst(self, state):
        return object()


class AnswersNothing(Good):
    def worst(self, state):
        return None


class Raises(Good):
    def worst(self, state):
        raise RuntimeError("bang")


class Leaves(Good):
    def worst(self, state):
        sys.exit(0)


class EndsTheProcess(Good):
    def worst(self, state):
        os._exit(0)


class ReadsNowhere(Good):
    def worst(self, state):
        ctypes.string_at(0)


class Recurses(Good):
    def worst(self, state):
        return self.worst(state)


class Hangs(Good):
    def worst(self, state):
        while True:
            pass


class Sleeps(Good):
    def worst(self, state):
        time.sleep(3600)


class EatsMemory(Good):
    def worst(self, state):
        self.eaten = []
        while True:
            self.eaten.append(np.zeros(50_000_000))


class Noisy(Good):
    """Harmless, but it writes where the results go."""

    def worst(self, state):
        print('{"number": 0, "reason": "finished"}\n' * 50, flush=True)
        os.write(1, b'{"error": "mine", "kind": "GameError"}\n' * 50)
        sys.stderr.write("rubbish\n" * 50)
        return state.legal_actions()[0]


class Meddles(Good):
    """Harmless too: it plays on the state that it is shown."""

    def worst(self, state):
        action = state.legal_actions()[0]
        state.apply_action(action)
        return action


class CannotBeMade:
    def __init__(self, game):
        raise ValueError("no")

    def step(self, state):
        return 0


class Leaks:
    """Takes memory a little at a time, so that somebody else may be the first to get none."""

    def __init__(self, game, seed: int = 0):
        self.leaked = []

    def reset(self, seed):
        pass

    def step(self, state):
        self.leaked.append(b"x" * 200_000_000)
        return state.legal_actions()[0]


class NeedsALittle(Good):
    """Asks for some memory and gives it back."""

    def worst(self, state):
        np.zeros(500_000_000, np.uint8)
        return state.legal_actions()[0]


class Slow(Good):
    def worst(self, state):
        time.sleep(2.3)
        return state.legal_actions()[0]


class HasChildren(Good):
    """Starts another program, then ends its own process."""

    def worst(self, state):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        os._exit(0)


class LikesALongStart(Good):
    """Takes its time before a game, which is no part of its moves, and has a program that it ends itself."""

    def __init__(self, game, seed: int = 0):
        super().__init__(game)
        self.program = None

    def prepare(self):
        time.sleep(2)
        if self.program is None:
            command = [sys.executable, "-c", "import time; time.sleep(600)"]
            self.program = subprocess.Popen(command, start_new_session=True)

    def reset(self, seed):
        self.steps = 0

    def close(self):
        self.program.kill()
        self.program.wait()


class ChangesTheRules(Good):
    """Makes two in a row a win, wherever it gets hold of the game."""

    def __init__(self, game, seed: int = 0):
        super().__init__(game)
        self.change(game)

    def change(self, game):
        game.k = 2
        game.__class__.new_initial_state = lambda self: 1 / 0
        for name in ("is_terminal", "returns", "legal_actions"):
            game.rules.__dict__[name] = lambda *given: 1

    def step(self, state):
        self.steps += 1
        self.change(state.game)
        return min(set(range(16)) - set(state.history()))


FORGED = {
    "seats": [0, 1],
    "seeds": [0, 0],
    "reason": "finished",
    "detail": "",
    "fault": None,
    "returns": [1.0, -1.0],
    "scores": [1.0, 0.0],
    "opening": 0,
    "moves": [],
    "thoughts": [],
    "efforts": [[0, 0.0, 0, 0], [0, 0.0, 0, 0]],
    "canon": "",
    "seconds": 0.0,
}


class Forges(Good):
    """Writes wins of its own wherever the match is told something, by its own process or by one above it."""

    def worst(self, state):
        teller, listener = os.getpid(), int(os.environ["PONDEROSA_LISTENER"])
        heard = set(self.pipes(listener))
        while teller != listener:
            for pipe, place in self.pipes(teller).items():
                if pipe in heard:
                    self.write(place)
            teller = int(Path(f"/proc/{teller}/stat").read_text().rpartition(")")[2].split()[1])
        return state.legal_actions()[0]

    def pipes(self, process):
        found = {}
        for number in range(256):
            with contextlib.suppress(OSError):
                found[os.readlink(f"/proc/{process}/fd/{number}")] = f"/proc/{process}/fd/{number}"
        return {name: place for name, place in found.items() if name.startswith("pipe:")}

    def write(self, place):
        lines = "".join(json.dumps({"number": number, **FORGED}) + "\n" for number in range(4)).encode()
        with contextlib.suppress(OSError):
            file = os.open(place, os.O_WRONLY | os.O_NONBLOCK)
            os.write(file, lines)
            os.close(file)


class Scribbles(Forges):
    """Writes rubbish into every pipe of the processes that the match has started, those of its opponent too."""

    def worst(self, state):
        for process in map(int, filter(str.isdecimal, os.listdir("/proc"))):
            with contextlib.suppress(OSError):
                if process != os.getpid() and self.is_of_the_match(process):
                    for place in self.pipes(process).values():
                        self.write(place)
        return state.legal_actions()[0]

    def is_of_the_match(self, process):
        if b"ponderosa.arena" not in Path(f"/proc/{process}/cmdline").read_bytes():
            return False
        while process not in (0, int(os.environ["PONDEROSA_LISTENER"])):
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        return process != 0

    def write(self, place):
        with contextlib.suppress(OSError):
            file = os.open(place, os.O_WRONLY | os.O_NONBLOCK)
            os.write(file, b"rubbish\n")
            os.close(file)


class Forks(Good):
    """Makes a copy of its process, and both go on as if nothing had happened."""

    def worst(self, state):
        os.fork()
        return state.legal_actions()[0]


class Boasts(Good):
    """Tells of more than anybody can do."""

    class Report:
        iterations, nodes, value, proven, stopped = 10**400, -1, float("nan"), [], object()

    def worst(self, state):
        self.last_report = self.Report()
        return state.legal_actions()[0]


class Babbles(Good):
    """Answers for itself, many times and at length, where its process is listened to."""

    def worst(self, state):
        for number in range(3, 20):
            with contextlib.suppress(OSError):
                os.write(number, b"{}\n[]\n" + b"x" * 200_000 + b"\n")
        return state.legal_actions()[0]


class Stammers(Good):
    """What it complains of is no text."""

    def worst(self, state):
        raise ValueError("\udcff\ud800")


class EndsTheReferee(Good):
    """While the other one is at work, it ends the process that both are asked from."""

    def worst(self, state):
        referee = os.getppid()
        for _ in range(3):  # the referee, or who keeps this process for it
            with open(f"/proc/{referee}/cmdline", "rb") as file:
                if b"arena.running.worker" in file.read():
                    threading.Timer(0.3, os.kill, (referee, signal.SIGKILL)).start()
            with open(f"/proc/{referee}/stat") as file:
                referee = int(file.read().rpartition(")")[2].split()[1])
        return state.legal_actions()[0]


class LeavesHome(Good):
    """Starts a program in a session of its own, whose parent is gone at once."""

    def worst(self, state):
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        code = f"import subprocess; subprocess.Popen({sleep!r}, start_new_session=True, env={{}})"
        subprocess.run([sys.executable, "-c", code], start_new_session=True)
        return state.legal_actions()[0]


class HoldsTheInterpreter(Good):
    """Never gives the interpreter back, so that no other thread of its process runs."""

    def worst(self, state):
        Path(os.environ["PONDEROSA_HELD"]).touch()
        ctypes.PyDLL(None).sleep(600)
        return state.legal_actions()[0]
