"""What several threads may do, by name. Start at tree_search."""

from __future__ import annotations

from typing import Any

from ponderosa.core.numbers import check_number
from ponderosa.errors import unknown
from ponderosa.mcts.parallel.leaf import LeafParallel
from ponderosa.mcts.parallel.root import RootParallel, Voting
from ponderosa.mcts.parallel.tree import TreeParallel
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree_search import TreeSearch

MOST_THREADS = 256

KINDS: dict[str, type[TreeSearch]] = {
    "merge": RootParallel,
    "vote": Voting,
    "root": RootParallel,
    "tree": TreeParallel,
    "leaf": LeafParallel,
}
"""How several threads find one answer; "root" is how papers call "merge"."""


def tree_search(game: Any, settings: SearchSettings) -> TreeSearch:
    """The search that the settings ask for: on one thread, or several."""
    check_number("threads", settings.threads, 1, MOST_THREADS, whole=True)
    if settings.parallel not in KINDS:
        raise unknown("way to search in parallel", str(settings.parallel), KINDS)
    return (KINDS[settings.parallel] if settings.threads > 1 else TreeSearch)(game, settings)
