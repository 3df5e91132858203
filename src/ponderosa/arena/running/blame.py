"""Whose memory it is: agents of a game share a process, and the one that filled it is to blame. Start at MemoryUse."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

NOTICED = 1e-3
"""Steps that take fewer seconds than this fill no memory worth looking at."""


class MemoryUse:
    """How much the process has grown during each agent's steps."""

    def __init__(self) -> None:
        self._grown: Counter[int] = Counter()

    def now(self) -> int:
        """Bytes that the process holds; 0 where that is not known."""
        if sys.platform != "linux":
            return 0
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def note(self, agent: int, before: int, seconds: float) -> None:
        """After a step of an agent; `before` is how many bytes the process held when it began."""
        if seconds > NOTICED:
            self._grown[agent] += self.now() - before

    def culprit(self, agents: list[int], asking: int) -> int:
        """Which of the agents has taken the most, when `asking` got no more; itself, when that is not clear."""
        most = max(agents, key=lambda agent: self._grown[agent])
        return most if self._grown[most] > 2 * max(self._grown[asking], 0) else asking
