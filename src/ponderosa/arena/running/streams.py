"""What the processes of a match do with the pipes and the memory that they are given. Start at own_streams."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
from typing import IO

PR_SET_DUMPABLE = 4


class Answers:
    """Where answers go, as JSON, a line each; before each stands a key that nobody but whoever asks knows."""

    def __init__(self, stream: IO[bytes], key: str) -> None:
        self._stream, self._key = stream, key

    def write(self, *values: object) -> None:
        self._stream.write("".join(f"{self._key} {json.dumps(value)}\n" for value in values).encode())
        self._stream.flush()


def own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Where questions come from and answers go to; file descriptors 0, 1 and 2 lead nowhere from now on.

    Other processes of the same user are not let in (on Linux): their system then gives nobody these files or memory.
    """
    with contextlib.suppress(OSError, AttributeError):
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    return questions, answers


def limit_memory(gigabytes: float | None) -> None:
    """From now on, asking for more address space than this is a MemoryError."""
    if gigabytes is None or sys.platform == "win32":
        return
    import resource

    most = int(gigabytes * 2**30)
    with contextlib.suppress(ValueError, OSError):  # a lower limit is in force already
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
