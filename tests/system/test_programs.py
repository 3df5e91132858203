"""Programs end whole: with all that they have started, and with whoever started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ponderosa.system.programs import Kept
from tests.helpers import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, only what is in a program's group is known")

STRAY = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()) + "\\n")
        time.sleep(600)
    os._exit(0)
os.wait()
"""
"""Starts a process that has a session of its own, and no parent any more."""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def stray_of(note: Path) -> int:
    wait_until(lambda: note.exists() and note.read_text().endswith("\n"))
    return int(note.read_text())


@pytest.mark.parametrize("how", ["let go", "killed", "by itself"])
def test_nothing_is_left_of_a_program_that_is(how: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    wait = "sys.stdin.read()" if how == "by itself" else "time.sleep(600)"
    kept = Kept([sys.executable, "-S", "-c", STRAY + wait, str(note)], stdin=subprocess.PIPE)
    stray = stray_of(note)
    assert alive(stray)
    if how == "by itself":
        assert kept.process.stdin is not None
        kept.process.stdin.close()
        assert kept.process.wait() == 0
    code = kept.kill() if how == "killed" else kept.let_go()
    assert code == (0 if how == "by itself" else -signal.SIGKILL)
    assert not alive(stray)


def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = f"""
import os, signal, sys, time
from ponderosa.system.programs import Kept
kept = Kept([sys.executable, "-S", "-c", {STRAY + "time.sleep(600)"!r}, {str(note)!r}])
if os.fork() == 0:  # whose copy of the pipe stays open for a while
    os.close(1), os.close(2), time.sleep(5), os._exit(0)
while not os.path.exists({str(note)!r}) or not open({str(note)!r}).read().endswith("\\n"):
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    stray = stray_of(note)
    wait_until(lambda: not alive(stray))


@pytest.mark.parametrize(("ending", "code"), [("sys.exit(3)", 3), ("os.kill(os.getpid(), 11)", -11)])
def test_its_exit_code_is_told(ending: str, code: int) -> None:
    assert Kept([sys.executable, "-S", "-c", f"import os, sys; {ending}"]).process.wait() == code


def test_what_it_writes_and_reads_goes_through() -> None:
    kept = Kept(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"A": "b"})
    assert kept.process.communicate(b"hello")[0] == b"hello"
    assert kept.let_go() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_what_is_said_to_a_program_of_ours_cannot_be_meddled_with() -> None:
    kept = Kept.talking(["cat"])
    assert kept.process.stdin is not None and kept.process.stdout is not None
    for stream in (kept.process.stdin, kept.process.stdout):
        with pytest.raises(OSError, match="No such device or address"):
            os.open(f"/proc/self/fd/{stream.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    kept.process.stdin.write(b"hello")
    kept.process.stdin.close()
    assert kept.process.stdout.read() == b"hello"
    assert kept.let_go() == 0
    kept.process.stdout.close()
