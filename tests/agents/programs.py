"""Other programs for tests: some that are written here, and some that the system has. Start at HEAD."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ponderosa.agents.program import where
from tests.helpers import wait_until

HEAD = """
import os, sys, time
folder = os.path.dirname(os.path.abspath(__file__))
def note(name, text):
    with open(os.path.join(folder, name), "a") as file:
        file.write(text + "\\n")
def say(text):
    print(text, flush=True)
note("pids", str(os.getpid()))
def heard():
    for line in sys.stdin:
        note("heard", line.rstrip("\\r\\n"))
        yield line.strip()
"""
"""What a program begins with: it notes its process and what it hears beside its file."""


def noted(tmp_path: Path, name: str) -> list[str]:
    file = tmp_path / name
    return file.read_text().splitlines() if file.exists() else []


def alive(pid: str) -> bool:
    """Whether a process still runs; one that has died and was not yet collected does not."""
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    status = Path("/proc", pid, "stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


def assert_none_left(tmp_path: Path) -> None:
    pids = noted(tmp_path, "pids")
    assert pids
    wait_until(lambda: not any(alive(pid) for pid in pids))


def installed(program: str) -> str:
    """The file of a program of the system; a test is skipped where there is none, but not where there must be one."""
    found = where(program)
    if found is None and (os.environ.get("PONDEROSA_REQUIRE_ENGINES") or os.environ.get("CI")):
        pytest.fail(f"tests against other programs must run here, and there is no {program}")
    if found is None:
        pytest.skip(f"there is no {program} on this machine")
    return found
