"""Whether anything is compiled at all. Start at jit_enabled."""

from __future__ import annotations

import os


def jit_enabled() -> bool:
    """Whether rules and phases are compiled; NUMBA_DISABLE_JIT=1 runs them as plain Python for the debugger."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
