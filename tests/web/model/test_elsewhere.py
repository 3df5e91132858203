"""A server's machine code is compiled in another process: nothing that the compiler keeps stays in the server."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ponderosa.core.rules import jit_enabled
from ponderosa.errors import LimitError
from ponderosa.registry import load_game
from ponderosa.web.model import elsewhere
from ponderosa.web.model.elsewhere import Helper, wanted
from tests.helpers import PlainNim

pytestmark = pytest.mark.usefixtures("compiled")

COUNTED = """
import sys
from ponderosa.compile import native
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.elsewhere import Helper
from ponderosa.web.model.session import GameSession

helper = Helper()
if "alone" not in sys.argv:
    helper.take_over()
GameSession("rps", Catalogue().game("rps"), ["person", "person"])
helper.close()
stats = [dispatcher.stats for dispatcher in native._compiled.values()]
print(sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats))
"""


def read_and_compiled(cache: Path, *arguments: str) -> tuple[int, int]:
    """How many functions a process with this folder of machine code has read from it, and compiled itself."""
    ran = subprocess.run(
        [sys.executable, "-c", COUNTED, *arguments],
        env=os.environ | {"PONDEROSA_CACHE_DIR": str(cache)}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    read, compiled = ran.stdout.split()
    return int(read), int(compiled)


@pytest.mark.slow
@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_a_server_compiles_nothing_itself(tmp_path: Path) -> None:
    read, compiled = read_and_compiled(tmp_path / "cold")
    assert read > 0 and compiled == 0
    assert read_and_compiled(tmp_path / "cold") == (read, 0)


@pytest.mark.slow
@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_without_a_helper_everything_is_compiled_here(tmp_path: Path) -> None:
    read, compiled = read_and_compiled(tmp_path / "cold", "alone")
    assert read == 0 and compiled > 0


def asked_by(monkeypatch: pytest.MonkeyPatch, game: object, agent: str) -> list[list[str]]:
    """What a helper is asked when something must be compiled for a game and an agent, and again in the same block."""
    questions: list[list[str]] = []
    monkeypatch.setattr(Helper, "_ask", lambda self, question: questions.append(question) or True)
    helper = Helper()
    with wanted(game, agent):  # type: ignore[arg-type]
        helper._compile()
        helper._compile()
    helper._compile()
    return questions


def test_a_helper_is_asked_once_for_all_that_an_agent_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game("connect4:rows=5")
    assert asked_by(monkeypatch, game, "mcts:iterations=5") == [["connect4:rows=5", "mcts:iterations=5"]]
    assert asked_by(monkeypatch, game, "") == [["connect4:rows=5", ""]]


@pytest.mark.parametrize("agent", ["engine:cmd=other", "mcts:memory=./a.memory", "mcts:evaluator=./net.py:judge"])
def test_a_helper_touches_no_files_and_no_programs(monkeypatch: pytest.MonkeyPatch, agent: str) -> None:
    assert asked_by(monkeypatch, load_game("gomoku"), agent) == []


def test_a_helper_is_not_asked_for_a_game_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked_by(monkeypatch, PlainNim(), "mcts") == []


def test_a_server_that_ends_waits_for_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    helper = Helper()
    monkeypatch.setattr(Helper, "_ask", lambda self, question: bool(self.close()))  # it ends in the midst of it
    monkeypatch.setattr(helper, "_lock", threading.RLock())
    with wanted(load_game("rps")), pytest.raises(LimitError, match="the server ends"):
        helper._compile()


class Program:
    """A compiler's process, as a helper sees it; something happens when its answer is read."""

    def __init__(self, at_answer: Callable[[], object]) -> None:
        self.stdin, self.stdout, self.killed, self._at_answer = io.StringIO(), self, False, at_answer

    def readline(self) -> str:
        self._at_answer()
        return "" if self.killed else "done"

    def kill(self) -> None:
        self.killed = True

    def communicate(self) -> None:
        assert self.killed


@pytest.mark.parametrize("when", ["starting", "answering"])
def test_a_helper_that_is_closed_while_somebody_waits_starts_nothing(
    monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    helper, started, read = Helper(), [], []

    def start(*command: object, **pipes: object) -> Program:
        started.append(command)
        if when == "starting":
            helper.close()
        return Program(answer)

    def answer() -> None:
        read.append(when)
        if len(read) == 2:
            helper.close()

    monkeypatch.setattr(elsewhere.subprocess, "Popen", start)
    monkeypatch.setattr(helper, "_lock", threading.RLock())  # it is closed in the midst of the question
    with pytest.raises(LimitError, match="the server ends"):
        for _ in range(2):
            with wanted(load_game("rps")):
                helper._compile()
    assert len(started) == 1 and len(read) == (2 if when == "answering" else 0) and helper._process is None


def test_a_helper_that_ends_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere.sys, "executable", "/bin/false")
    helper = Helper()
    with wanted(load_game("rps")):
        helper._compile()
    helper.close()
