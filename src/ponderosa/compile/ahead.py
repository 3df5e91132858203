"""Compiling on a second core: another process makes machine code that this one will need soon. Start at compile_ahead.

Numba compiles one function at a time in a process. What two processes need is compiled by the one that comes first, and
the other finds it on disk (compile/native.py); so nothing is lost where the other process is late, or cannot start.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading
from typing import Any

from ponderosa.compile.cache import cache_folder
from ponderosa.system.delegation import errand

VARIABLE = "PONDEROSA_COMPILE_AHEAD"
"""Set to 0, everything is compiled in the process that needs it."""

_asked: set[str] = set()
"""What other processes were asked for."""


def compile_ahead(target: str, *arguments: Any) -> subprocess.Popen[bytes] | None:
    """Let another process call `module:function` with arguments of plain data, which compiles something.

    None, where that was done already or cannot help: on one core, without a cache, in a process that lets others
    compile for it, or in one that compiles ahead itself.
    """
    task = json.dumps([target, arguments])
    helps = os.environ.get(VARIABLE) != "0" and _cores() > 1 and cache_folder() is not None and errand.run is None
    if not helps or task in _asked:
        return None
    _asked.add(task)
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "ponderosa.compile.ahead"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {VARIABLE: "0"},
        )
    except OSError:  # no process can be had: then this one does it when it comes to it
        return None
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(task.encode() + b"\n")
        process.stdin.flush()  # it stays open: its end tells the other that nobody needs it any more
    atexit.register(_end, process)
    return process


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave no process behind."""
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
        process.kill()
        process.wait()


def _leave_with_the_other() -> None:
    """End this process when whoever started it has ended."""
    with contextlib.suppress(OSError):
        while os.read(sys.stdin.fileno(), 1024):
            pass
    os._exit(0)


def main() -> None:
    """The other process: read what is asked for, and compile it."""
    target, arguments = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_leave_with_the_other, daemon=True).start()
    module, _, name = target.partition(":")
    getattr(importlib.import_module(module), name)(*arguments)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
