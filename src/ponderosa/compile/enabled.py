"""Whether anything is compiled, and for what. Start at jit_enabled."""

from __future__ import annotations

import os
from typing import Literal

Speed = Literal["plain", "native", "cuda"]
"""How rules and phases run: as plain Python, as machine code, or as code for a CUDA card."""


def jit_enabled() -> bool:
    """Whether rules and phases are compiled; NUMBA_DISABLE_JIT=1 runs them as plain Python for the debugger."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def speed_here() -> Speed:
    """How rules and phases run in this process."""
    return "native" if jit_enabled() else "plain"
