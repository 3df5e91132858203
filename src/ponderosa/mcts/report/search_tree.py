"""The tree behind a report, as people walk through it. Start at SearchTree; reader.py has its nodes."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ponderosa.errors import SettingError
from ponderosa.mcts.report.reader import GONE, TreeNode, TreeReader

if TYPE_CHECKING:
    from ponderosa.mcts.tree_search import TreeSearch

DEPTH, LEAST_SHARE = 3, 50
"""A picture shows so many moves, and nodes that have at least one part in so many of all visits."""


class SearchTree:
    """The tree that a search has grown, for as long as the search has not gone on to another one.

    `root` is where it begins; a node has `name`, `visits`, `value`, `proven`, `children`, `best_line` and more
    (ponderosa docs concepts). Iterating over the tree gives all of its nodes, a parent before its children.
    """

    def __init__(self, search: TreeSearch) -> None:
        self._search: Callable[[], TreeSearch | None] = lambda: search
        self._tree = weakref.ref(search.tree)

    @property
    def root(self) -> TreeNode:
        """The position that was searched, with the numbers that it has now."""
        return self.reader().root()

    def __iter__(self) -> Iterator[TreeNode]:
        return iter(self.root)

    def loosen(self) -> None:
        """Let the search go when nobody else needs it: a tree may be large."""
        search = self._search()
        if search is not None:
            self._search = weakref.ref(search)

    def reader(self) -> TreeReader:
        """Reads the tree as it is now."""
        search, tree = self._search(), self._tree()
        if search is None or tree is None or search._tree is not tree:
            raise SettingError(GONE)
        return TreeReader(search)

    def _repr_svg_(self) -> str:
        """The most visited nodes as a picture, for notebooks."""
        from importlib import import_module

        least = max(self.root.visits // LEAST_SHARE, 1)
        drawn: str = import_module("ponderosa.pictures.tree").tree_svg(self.reader().top(DEPTH, least))  # a room above
        return drawn

    def __repr__(self) -> str:
        try:
            return f"<tree: {self.root!r}>"
        except SettingError:
            return "<tree that is gone>"
