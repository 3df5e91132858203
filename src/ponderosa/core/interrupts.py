"""Ctrl-C, where it must not come in between. Start at interrupts_waiting."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def interrupts_waiting() -> Iterator[None]:
    """Ctrl-C takes effect at the end, or when it is pressed twice.

    In the midst of it, the compiler's callbacks would swallow the interrupt and print a traceback, and what is changed
    in several steps would be left half changed.
    """
    with interrupts_noted() as pressed:
        yield
    if pressed:
        raise KeyboardInterrupt


@contextlib.contextmanager
def interrupts_noted() -> Iterator[list[int]]:
    """Ctrl-C is noted in the list; only when it is pressed twice does it interrupt."""
    pressed: list[int] = []

    def note(number: int, frame: Any) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    by_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not by_default or threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
