"""What one server grants to everybody together. Start at Limits."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.errors import SettingError
from ponderosa.search.room import ALONE

MOST_TEXT = 20_000
"""No text from outside is longer: names, settings, lists of moves."""
MOST_OF = {"rollouts": 1_000, "threads": os.cpu_count() or 1, "table": 2**22}
"""Settings of agents from outside: a search can be stopped between iterations only, and threads are for everybody."""


@dataclass(frozen=True)
class Limits:
    """How much thinking, memory and company there may be."""

    max_seconds: float = 60.0
    """No search takes longer."""
    max_sessions: int = 100
    """So many games may be open at once, those of the page and of the API together; left ones make room."""
    max_searches: int = field(default_factory=lambda: os.cpu_count() or 1)
    """So many searches run at once; others wait for their turn."""
    max_nodes: int = field(default_factory=lambda: 2 * ALONE.nodes())
    """All search trees together hold so many nodes: running searches half of them, trees that are kept the rest."""
    max_games: int = 1000
    """A match that is started on the page has so many games at most."""
    idle_seconds: float = 1800.0
    """A game of the API that nobody asks for is closed after so long."""
    seat_seconds: float = 3600.0
    """A browser that was not seen for so long loses its seat; a game of the page whose players all did is closed."""
    tree_seconds: float = 600.0
    """A tree that nobody searches is given up after so long, whether its game is open or not."""

    def __post_init__(self) -> None:
        for name in (
            "max_seconds",
            "max_sessions",
            "max_searches",
            "max_nodes",
            "max_games",
            "idle_seconds",
            "seat_seconds",
            "tree_seconds",
        ):
            if not getattr(self, name) > 0:
                raise SettingError(f"{name} must be more than 0, not {getattr(self, name)}")
        if self.max_seconds > MOST_SECONDS:
            raise SettingError(f"max_seconds must be at most {MOST_SECONDS:,g}, not {self.max_seconds}")

    @property
    def tree_nodes(self) -> int:
        """How many nodes one search may use."""
        return max(1000, self.max_nodes // 2 // self.max_searches)

    @property
    def kept_nodes(self) -> int:
        """How many nodes all the trees may hold that wait to be used again."""
        return self.max_nodes // 2
