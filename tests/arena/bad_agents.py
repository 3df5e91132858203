"""Agents that misbehave, for the tests of fair play. They make one good move, then do their worst."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time

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
