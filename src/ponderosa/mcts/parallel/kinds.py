"""What several threads may do, by name. Start at tree_search."""

from __future__ import annotations

import importlib
from typing import Any, cast

from ponderosa.core.numbers import check_number
from ponderosa.errors import SettingError, unknown
from ponderosa.mcts.parallel.leaf import LeafParallel
from ponderosa.mcts.parallel.root import RootParallel, Voting
from ponderosa.mcts.parallel.tree import TreeParallel
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree_search import TreeSearch

MOST_THREADS = 256
MOST_TREES = 2**18
DEVICES = ("auto", "cpu", "cuda")
"""Where a search may grow its trees; `auto` is the processor, whose speed is known."""

KINDS: dict[str, type[TreeSearch]] = {
    "merge": RootParallel,
    "vote": Voting,
    "root": RootParallel,
    "tree": TreeParallel,
    "leaf": LeafParallel,
}
"""How several threads find one answer; "root" is how papers call "merge"."""

MANY: dict[str, str] = {
    "merge": "ponderosa.forest.one_position:ManyTrees",
    "root": "ponderosa.forest.one_position:ManyTrees",
    "leaf": "ponderosa.forest.leaf_trees:LeafTrees",
}
"""The same for many trees, on a card or on all cores: named only, because forests stand on this folder."""


def tree_search(game: Any, settings: SearchSettings) -> TreeSearch:
    """The search that the settings ask for: on one thread, on several, or many trees together."""
    check_number("threads", settings.threads, 1, MOST_THREADS, whole=True)
    if settings.parallel not in KINDS:
        raise unknown("way to search in parallel", str(settings.parallel), KINDS)
    if settings.device not in DEVICES:
        raise unknown("device", str(settings.device), DEVICES)
    if settings.trees is not None:
        check_number("trees", settings.trees, 1, MOST_TREES, whole=True)
    if settings.many:
        return _many_trees(settings.parallel)(game, settings)
    return (KINDS[settings.parallel] if settings.threads > 1 else TreeSearch)(game, settings)


def _many_trees(kind: str) -> type[TreeSearch]:
    """The search that grows many trees together."""
    if kind not in MANY:
        raise SettingError(f"many trees are searched with parallel={' or '.join(MANY)}, not {kind}")
    module, name = MANY[kind].split(":")
    return cast(type[TreeSearch], getattr(importlib.import_module(module), name))
