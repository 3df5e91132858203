"""How much time and memory a tournament manager allows. Start at Limits."""

from __future__ import annotations

from dataclasses import dataclass

from ponderosa.core.clock import HARD

UNLIMITED = 2_147_483_647
"""The time_left of a match without a limit."""

BLINK = 0.01
"""How long to think when there is no time at all, in seconds."""
MARGIN, MARGIN_SHARE = 0.04, 0.02
"""Of each turn, 40 ms and 2 % stay unused: a search's last slice, its report and a busy machine take 5 to 35 ms."""
MATCH_SHARE = 1 / 20
"""How much of what is left of the match a move may take: most games are over after 15 to 40 moves a side."""
NODE_BYTES = 24
INTERPRETER_BYTES = 200 * 2**20
"""What Python, NumPy and the compiler take before there is a tree (measured: 165 MB, 200 MB after compiling)."""
LEAST_NODES = 10_000


@dataclass
class Limits:
    """What the manager allows, as INFO tells it."""

    turn: float = 5.0
    """Seconds for a move; 0: as fast as possible."""
    match: float = 0.0
    """Seconds for all moves; 0: no limit."""
    left: float | None = None
    """Seconds that are left of the match; None: no limit."""
    memory: int = 0
    """Bytes for the whole process; 0: no limit."""
    rule: int = 0

    def hear(self, key: str, number: int) -> None:
        """Take in one INFO; keys that nobody knows, or that matter to no search, are passed over."""
        if key == "timeout_turn":
            self.turn = max(number, 0) / 1000
        elif key == "timeout_match":
            self.match = max(number, 0) / 1000
            self.left = (self.match or None) if self.left is None else self.left
        elif key == "time_left":
            self.left = None if number >= UNLIMITED else number / 1000
        elif key == "max_memory":
            self.memory = max(number, 0)
        elif key == "rule":
            self.rule = number

    def new_match(self) -> None:
        """All the time is there again."""
        self.left = self.match or None

    def spend(self, seconds: float) -> None:
        """Count the time of a move; the manager's own count, if it sends one, replaces this."""
        if self.left is not None:
            self.left -= seconds

    def seconds(self, used: float) -> float:
        """How long to think, in a turn of which some seconds are used already."""
        return self._within(MATCH_SHARE, used)

    def most_seconds(self, used: float) -> float:
        """How long a hard move may take, if clear ones are played early."""
        return self._within(HARD * MATCH_SHARE, used)

    def _within(self, share: float, used: float) -> float:
        """A turn but for its margin, and no more than a share of what is left of the match."""
        most = self.turn if self.left is None else min(self.turn, self.left * share)
        return max(BLINK, most * (1 - MARGIN_SHARE) - MARGIN - used)

    @property
    def too_little_memory(self) -> bool:
        """Whether the limit is below what there is without a tree: it cannot be kept."""
        return 0 < self.memory < INTERPRETER_BYTES

    def max_nodes(self) -> int | None:
        """How many nodes fit; half of the room is for the part of a tree that is copied to be kept."""
        room = self.memory - INTERPRETER_BYTES
        return max(LEAST_NODES, room // NODE_BYTES // 2) if self.memory else None
