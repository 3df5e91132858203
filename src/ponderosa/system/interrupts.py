"""Ctrl-C, where it must not come in between, and where nobody would serve it. Start at interrupts_waiting."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
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
    _handle(note)
    try:
        yield pressed
    finally:
        _handle(signal.default_int_handler)


def end_at_the_second() -> None:
    """From now on the first Ctrl-C interrupts, and the next one ends the process, whatever it is doing.

    The interpreter serves an interrupt when compiled code comes back to it, and code that hangs never does. So the
    system is told beforehand: once a Ctrl-C has come, the next one is not for the interpreter.
    """
    global _ending
    _ending = True
    go_on_after_the_first()


def go_on_after_the_first() -> None:
    """A Ctrl-C was served, and the program goes on: the next one is the first again."""
    by_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if _ending and by_default and threading.current_thread() is threading.main_thread():
        _handle(signal.default_int_handler)


_ending = False


class _LinuxAction(ctypes.Structure):
    """What sigaction of libc takes."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ubyte * 128),
        ("flags", ctypes.c_uint),
        ("restorer", ctypes.c_void_p),
    )
    once = 0x80000000
    """SA_RESETHAND: the handler is taken once, then the signal ends the process."""


class _MacAction(ctypes.Structure):
    _fields_ = (("handler", ctypes.c_void_p), ("mask", ctypes.c_uint32), ("flags", ctypes.c_uint))
    once = 0x0004


_ACTIONS = {"linux": _LinuxAction, "darwin": _MacAction}


def _handle(handler: Any) -> None:
    """Let a function serve Ctrl-C; if the second one is to end the process, only the first."""
    signal.signal(signal.SIGINT, handler)
    kind = _ACTIONS.get(sys.platform)
    if not _ending or kind is None:
        return
    with contextlib.suppress(OSError, AttributeError):
        libc, action = ctypes.CDLL(None), kind()
        if libc.sigaction(signal.SIGINT, None, ctypes.byref(action)) == 0:
            action.flags |= kind.once
            libc.sigaction(signal.SIGINT, ctypes.byref(action), None)
