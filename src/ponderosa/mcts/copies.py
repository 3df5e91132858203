"""Copies and pickles of a search: each goes on by itself, as the original would have. Start at Copied.

What is compiled is in no copy: it is made again from the game and the settings, and filled with what was grown.
"""

from __future__ import annotations

import copy
import types
from dataclasses import fields, replace
from typing import Any, Self

from ponderosa.core.references import portable
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.turn import looking


class Copied:
    """What can be copied and pickled at any time between two iterations."""

    def __init__(self, game: Any, settings: SearchSettings) -> None:
        """A new search."""
        raise NotImplementedError

    def _made_with(self) -> tuple[Any, SearchSettings]:
        """The game and the settings that make a search like this one."""
        raise NotImplementedError

    def _grown(self) -> dict[str, Any]:
        """All that has changed since it was made; only the tree is not a copy."""
        raise NotImplementedError

    def _go_on(self, grown: dict[str, Any]) -> None:
        """Go on from what another search has grown."""
        raise NotImplementedError

    @looking
    def __getstate__(self) -> dict[str, Any]:
        return self._state({})

    def _state(self, known: dict[int, Any]) -> dict[str, Any]:
        """What a pickle has of it. The search may go on before all is written, so the tree is a copy; in `known` are
        those that were copied already."""
        (game, settings), grown = self._made_with(), self._grown()
        functions = {
            part.name: getattr(settings, part.name)
            for part in fields(settings)
            if isinstance(getattr(settings, part.name), types.FunctionType)
        }
        made = {name: portable(function) for name, function in functions.items()}
        tree = grown["tree"]
        if tree is not None and id(tree) not in known:
            known[id(tree)] = tree.snapshot()
        return {"game": game, "settings": replace(settings, **made), "grown": grown | {"tree": known.get(id(tree))}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        type(self).__init__(self, state["game"], state["settings"])
        self._go_on(state["grown"])

    def __copy__(self) -> Self:
        return self.__deepcopy__({})

    @looking
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The rules of the game, the policies and the evaluator are shared: they are asked, and never change."""
        twin = memo[id(self)] = type(self).__new__(type(self))
        grown = self._grown()
        type(twin).__init__(twin, *self._made_with())
        twin._go_on(grown | {"tree": copy.deepcopy(grown["tree"], memo)})
        return twin
