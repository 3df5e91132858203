"""Ctrl-C at any moment: a word and an exit code, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ponderosa
from ponderosa.system.leaving import INTERRUPTED
from tests.helpers import PATIENCE

PRESSED_WHILE_IT_IS_LOADED = """
import signal, sys
from importlib.abc import MetaPathFinder
signal.signal(signal.SIGINT, signal.default_int_handler)
class Pressing(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Pressing())
sys.argv = ["ponderosa", *{arguments!r}]
from ponderosa.__main__ import {program}
{program}()
"""
PRESSED_AT_THE_END = """
import atexit, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(signal.raise_signal, signal.SIGINT)
sys.argv = ["ponderosa", "games"]
from ponderosa.__main__ import main
main()
"""


LOADED_BEFORE_IT_LISTENS = """
import os, sys
sys.path.insert(0, {folder!r})
before = set(sys.modules)
import ponderosa.__main__
print(*sorted(set(sys.modules) - before))
"""


def ran(code: str) -> tuple[int, str]:
    """The exit code and the messages of a process."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("program", "module", "arguments"),
    [
        ("main", "ponderosa.cli", ["games"]),
        ("main", "typer", ["games"]),
        ("main", "ponderosa.cli.commands.watch", ["games"]),
        ("main", "typer.rich_utils", ["--help"]),
        ("main", "ponderosa.registry", ["games"]),
        ("main", "numpy", ["games"]),
        ("main", "numba", ["check", "tictactoe"]),
        ("pbrain", "ponderosa.cli", []),
        ("pbrain", "typer", []),
    ],
)
@pytest.mark.usefixtures("compiled")
def test_it_can_be_interrupted_while_it_is_loaded(program: str, module: str, arguments: list[str]) -> None:
    code, messages = ran(PRESSED_WHILE_IT_IS_LOADED.format(program=program, module=module, arguments=arguments))
    assert (code, messages) == (INTERRUPTED, "\ninterrupted\n")


def test_next_to_nothing_is_loaded_before_it_can_be_interrupted() -> None:
    """Until then, Ctrl-C is a traceback."""
    code = LOADED_BEFORE_IT_LISTENS.format(folder=str(Path(ponderosa.__file__).parents[1]))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    ours = {"ponderosa", "ponderosa.__main__", "ponderosa.system", "ponderosa.system.leaving"}
    assert ours <= set(done.stdout.split()) <= ours | {"__future__", "_signal"}, done.stderr


def test_it_can_be_interrupted_after_its_last_word() -> None:
    assert ran(PRESSED_AT_THE_END) == (INTERRUPTED, "\ninterrupted\n")


def test_who_has_switched_interrupts_off_is_not_interrupted() -> None:
    """As a shell does for what runs in its background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        command = [sys.executable, "-m", "ponderosa", "games"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.returncode == 0 and b"connect4" in out and err == b""
