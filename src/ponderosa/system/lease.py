"""One who writes a file at a time, whatever processes there are. Start at Lease."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import IO, Any

PATIENCE = 3.0
"""How many seconds are waited for somebody who is about to leave."""
LOOK = 0.05


class Lease:
    """The right to write a file: a lock on a file beside it, which the system takes back when a process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}.lock")
        self._file: IO[Any] | None = None

    def take(self, patience: float | None = None) -> bool:
        """Whether it could be had, after some seconds of waiting; a folder that cannot be written is an OSError."""
        until = time.monotonic() + (PATIENCE if patience is None else patience)
        while not self._try():
            if time.monotonic() >= until:
                return False
            time.sleep(LOOK)
        return True

    def _try(self) -> bool:
        file = self._path.open("ab")
        if not _locked(file) or not self._still_there(file):
            file.close()
            return False
        self._file = file
        return True

    def _still_there(self, file: IO[Any]) -> bool:
        """Whoever had it before may have removed the file after we opened it."""
        if sys.platform == "win32":  # an open file cannot be removed there
            return True
        with contextlib.suppress(OSError):
            return self._path.stat().st_ino == os.fstat(file.fileno()).st_ino
        return False

    def give_back(self) -> None:
        """Let somebody else have it."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            self._file.close()
            self._file = None
            with contextlib.suppress(OSError):
                if sys.platform == "win32":
                    self._path.unlink()


def _locked(file: IO[Any]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
