"""Ctrl-C before and after all work. Start at leave_when_interrupted; it must be quick to load."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import Any

INTERRUPTED = 130
"""The exit code of a process that Ctrl-C has ended."""


def leave_when_interrupted() -> None:
    """Before and after all work, when there is nothing to put in order, Ctrl-C ends the process with a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may have switched it off
        signal.signal(signal.SIGINT, _leave)


def _leave(number: int, frame: Any) -> None:
    os.write(2, b"\ninterrupted\n")
    os._exit(INTERRUPTED)


@contextlib.contextmanager
def interrupts_raised() -> Iterator[None]:
    """While there is work, Ctrl-C is a KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is not _leave:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, _leave)
