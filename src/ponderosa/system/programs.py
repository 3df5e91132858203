"""Other programs that end whole: with all that they have started, and with whoever started them. Start at Kept."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

KEEPER = Path(__file__).with_name("program_keeper.py")
KEPT = sys.platform != "win32"
"""Whether programs have a keeper; elsewhere they are only ended themselves."""
PATIENCE = 30.0
"""A keeper that has not ended its program after this many seconds is ended itself, and the program with it."""


def unseen_pipe() -> tuple[int, int]:
    """A pipe's reading end and its writing end, as sockets: those of a process cannot be opened by others in /proc."""
    if not KEPT:
        return os.pipe()
    reading, writing = socket.socketpair()
    reading.shutdown(socket.SHUT_WR)
    return reading.detach(), writing.detach()


class Kept:
    """A program and, between it and us, its keeper: a process that ends it if we are gone."""

    def __init__(
        self, command: Sequence[str], grace: float = 0.0, terminate: bool = False, pass_fds: Any = (), **options: Any
    ) -> None:
        """Once it is let go, the program has `grace` seconds to leave, with `terminate` after a SIGTERM; the options
        are those of subprocess.Popen.
        """
        if not KEPT:
            self.process: subprocess.Popen[Any] = subprocess.Popen(command, **options)
            return
        self._longest = grace + PATIENCE
        control, held = os.pipe()
        self._held = os.fdopen(held, "wb")
        settings = [str(control), str(os.getpid()), str(grace), str(int(terminate))]
        keeper = [sys.executable, "-I", "-S", str(KEEPER), *settings]
        try:
            self.process = subprocess.Popen(
                [*keeper, *command], pass_fds=(control, *pass_fds), start_new_session=True, **options
            )
        except BaseException:
            self._held.close()
            raise
        finally:
            os.close(control)

    @classmethod
    def talking(cls, command: Sequence[str], grace: float = 0.0, **options: Any) -> Kept:
        """A program of ours, as bytes go to it and come from it: no other process can write in between."""
        asked, asking = unseen_pipe()
        answering, answered = unseen_pipe()
        try:
            kept = cls(command, grace, stdin=asked, stdout=answered, stderr=subprocess.DEVNULL, **options)
        except BaseException:
            os.close(asking)
            os.close(answering)
            raise
        finally:
            os.close(asked)
            os.close(answered)
        kept.process.stdin, kept.process.stdout = os.fdopen(asking, "wb"), os.fdopen(answering, "rb")
        return kept

    def let_go(self) -> int:
        """End the program, and all that it has started, after its grace at the latest; its exit code."""
        if not KEPT:
            self.process.terminate()
            return self.process.wait()
        self._held.close()
        return self._wait(self._longest)

    def kill(self) -> int:
        """End the program, and all that it has started, at once; its exit code."""
        if not KEPT:
            self.process.kill()
            return self.process.wait()
        with contextlib.suppress(OSError):
            self.process.send_signal(signal.SIGTERM)
        code = self._wait(PATIENCE)
        self._held.close()
        return code

    def _wait(self, seconds: float) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
