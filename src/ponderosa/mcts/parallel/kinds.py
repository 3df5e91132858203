"""What several threads may do, by name. Start at KINDS."""

from __future__ import annotations

from typing import Any

from ponderosa.core.numbers import check_number
from ponderosa.errors import unknown
from ponderosa.mcts.parallel.leaf import LeafParallel
from ponderosa.mcts.parallel.root import RootParallel, Voting
from ponderosa.mcts.parallel.tree import TreeParallel
from ponderosa.mcts.search import Search

MOST_THREADS = 256

KINDS: dict[str, type[Search]] = {
    "merge": RootParallel,
    "vote": Voting,
    "root": RootParallel,
    "tree": TreeParallel,
    "leaf": LeafParallel,
}
"""How several threads find one answer; "root" is how papers call "merge"."""


def class_for(asked: type[Search], threads: Any, parallel: Any) -> Any:
    """The class of a search on so many threads."""
    check_number("threads", threads, 1, MOST_THREADS, whole=True)
    if parallel not in KINDS:
        raise unknown("way to search in parallel", str(parallel), KINDS)
    return KINDS[parallel] if asked is Search and threads > 1 else asked
