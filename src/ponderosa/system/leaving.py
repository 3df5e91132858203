"""Ctrl-C before and after all work. Start at leave_when_interrupted.

It must be quick to load: what a fresh interpreter has not loaded yet, as `signal` and `contextlib`, takes longer than
all of this, and Ctrl-C meanwhile is a traceback.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from typing import Any
else:
    import _signal  # what `signal` makes its enumerations of

INTERRUPTED = 130
"""The exit code of a process that Ctrl-C has ended."""


def leave_when_interrupted() -> None:
    """Before and after all work, when there is nothing to put in order, Ctrl-C ends the process with a word."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # a shell may have switched it off
        _signal.signal(_signal.SIGINT, _leave)


def _leave(number: int, frame: Any) -> None:
    os.write(2, b"\ninterrupted\n")
    os._exit(INTERRUPTED)


class interrupts_raised:  # noqa: N801
    """While there is work, Ctrl-C is a KeyboardInterrupt."""

    def __enter__(self) -> None:
        self._changed = _signal.getsignal(_signal.SIGINT) is _leave
        if self._changed:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)

    def __exit__(self, *error: object) -> None:
        if self._changed:
            _signal.signal(_signal.SIGINT, _leave)
