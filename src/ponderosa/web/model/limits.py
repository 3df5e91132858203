"""What one server grants to everybody together. Start at Limits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.game import Game
from ponderosa.core.spec import read_value, split_spec
from ponderosa.errors import SettingError, shortly
from ponderosa.mcts.tree.memory import ALONE

MOST_TEXT = 20_000
"""No text from outside is longer: names, settings, lists of moves."""
MOST_FILE = 200_000
"""No file of games is longer."""
MOST_OF = {"rollouts": 1_000, "leaves": 1_000, "threads": os.cpu_count() or 1, "trees": 4096, "table": 2**22}
"""Settings of agents from outside: a search can be stopped between iterations only, and threads are for everybody."""
MOST_NESTED = 8
"""How many texts of policies may be one within the other."""
PLAYOUTS = ("rollouts", "leaves")
"""The settings that say how many playouts an iteration has."""
MOST_MOVES = 300_000
"""How many moves the playouts of one iteration may have: machine code takes a few seconds for them at worst."""


def every_setting(text: str) -> Iterator[tuple[str, str]]:
    """Every setting of an agent's text, as whoever makes the agent reads it; those of its policies, too."""
    level = [text]
    for _ in range(MOST_NESTED):
        settings = [pair for within in level for pair in split_spec(within)[1].items()]
        yield from settings
        level = [value for _, value in settings if ":" in value]
    if level:
        raise SettingError(f"policies within policies go {MOST_NESTED} levels deep here, and no deeper")


def check_settings(text: str, game: Game | None = None) -> None:
    """No setting is more than MOST_OF, however its number is written; no more playouts at once than fit the game."""
    for key, written in every_setting(text):
        most = _most_of(key, game)
        if most is not None:
            value = read_value(key, written, None, None)
            if isinstance(value, int | float) and not value <= most:
                raise SettingError(f"{key} must be at most {most} here, not {shortly(value)}")


def _most_of(key: str, game: Game | None) -> int | None:
    if key not in PLAYOUTS or game is None or game.max_game_length is None:
        return MOST_OF.get(key)
    return max(1, min(MOST_OF[key], MOST_MOVES // game.longest))


@dataclass(frozen=True)
class Limits:
    """How much thinking, memory and company there may be."""

    max_seconds: float = 60.0
    """No search takes longer."""
    max_sessions: int = 100
    """How many games may be open at once, those of the page and of the API together; left ones make room."""
    max_searches: int = field(default_factory=lambda: os.cpu_count() or 1)
    """How many searches run at once; others wait for their turn. A visitor of whom none runs may have one beside."""
    overrun_seconds: float = 5.0
    """A search that goes on for so long after `max_seconds` is ended, whatever it does."""
    max_nodes: int = field(default_factory=lambda: 2 * ALONE.nodes())
    """All search trees together hold this many nodes: running searches half of them, trees that are kept the rest."""
    max_games: int = 1000
    """A match that is started on the page has this many games at most."""
    max_minutes: float = 600.0
    """A run of learning that is started on the page goes on for no longer at once."""
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
            "overrun_seconds",
            "max_nodes",
            "max_games",
            "max_minutes",
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
        return max(1000, self.max_nodes // 2 // (self.max_searches + self.spare_searches))

    @property
    def spare_searches(self) -> int:
        """How many searches more may run for visitors of whom none does."""
        return max(1, self.max_searches // 2)

    @property
    def kept_nodes(self) -> int:
        """How many nodes all the trees may hold that wait to be used again."""
        return self.max_nodes // 2
