"""Keeps a program: starts it, and leaves nothing of it behind, whatever happens to whoever wanted it. Start at main.

A process of its own, which `programs.py` starts with nothing but the standard library. On Linux every process that the
program has started, and that process in turn, becomes a child of the keeper when its parent is gone, also in a session
of its own; elsewhere only the program's group is known.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import sys
import time
from pathlib import Path

LOOK = 0.5
"""How many seconds pass between two looks at whether whoever wanted the program is still there."""
CANNOT_START = 127
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LINUX = sys.platform == "linux"


def main() -> None:
    """Keep the program of the command line: CONTROL PARENT GRACE TERMINATE COMMAND ...

    It is ended when the pipe CONTROL is closed or the process PARENT is gone, GRACE seconds later, with TERMINATE after
    a SIGTERM; at once when the keeper gets a SIGTERM. The keeper leaves as the program did.
    """
    control, parent, terminate = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4] == "1"
    _tell_the_system(PR_SET_CHILD_SUBREAPER, 1)
    waking, asked = _wake_on_signals()
    program = _start(sys.argv[5:], control)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):  # the program's pipes end with the program
        os.dup2(nowhere, number)
    status = _wait(program, control, parent, float(sys.argv[3]), terminate, waking, asked)
    _leave_like(_end_all(program, status))


def _tell_the_system(what: int, value: int) -> None:
    """Call prctl, where there is such a thing."""
    if LINUX:
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def _wake_on_signals() -> tuple[int, list[int]]:
    """A pipe that can be read when a child has ended or a SIGTERM came, and a list that then has the SIGTERM."""
    asked: list[int] = []
    waking, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    return waking, asked


def _start(command: list[str], control: int) -> int:
    """The program, in a group of its own; it ends with its keeper."""
    keeper = os.getpid()
    program = os.fork()
    if program:
        return program
    try:
        os.close(control)
        os.setpgid(0, 0)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, other programs do not
            signal.signal(number, signal.SIG_DFL)
        _tell_the_system(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == keeper:
            os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]!r} cannot be started: {error.strerror}\n".encode())
    finally:
        os._exit(CANNOT_START)


def _wait(
    program: int, control: int, parent: int, grace: float, terminate: bool, waking: int, asked: list[int]
) -> int | None:
    """How the program ended by itself; None: it is time to end it."""
    last: float | None = None
    while True:
        left = LOOK if last is None else max(0.0, min(LOOK, last - time.monotonic()))
        ready, _, _ = select.select([waking, control] if last is None else [waking], [], [], left)
        if waking in ready:
            os.read(waking, 4096)
        status = _collected(program)
        if status is not None or asked:
            return status
        if last is None and ((control in ready and not os.read(control, 4096)) or os.getppid() != parent):
            last = time.monotonic() + grace
            if terminate:
                _kill_group(program, signal.SIGTERM)
        elif last is not None and time.monotonic() >= last:
            return None


def _collected(program: int) -> int | None:
    """Take leave of the children that have ended; the status of the program, if it is one of them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found = ended[1] if ended[0] == program else found
    return found


def _end_all(program: int, status: int | None) -> int:
    """End all that is left; how the program ended.

    Children of a child that is killed are the keeper's before it can be collected: none slips through.
    """
    if status is None or not LINUX:
        _kill_group(program, signal.SIGKILL)
    while children := _children() if LINUX else []:
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        child, how = os.waitpid(-1, 0)
        status = how if child == program else status
        later = _collected(program)
        status = status if later is None else later
    return os.waitpid(program, 0)[1] if status is None else status


def _children() -> list[int]:
    """The processes whose parent this one is."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(folder.name))
    return found


def _kill_group(program: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(program, number)


def _leave_like(status: int) -> None:
    """Leave with the same exit code, or by the same signal."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
