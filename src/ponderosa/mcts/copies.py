"""Copies and pickles of a search: each goes on by itself, as the original would have. Start at Copied.

What is compiled is in no copy: it is made again from the game and the settings, and filled with what was grown.
"""

from __future__ import annotations

import copy
import types
from typing import Any, Self

from ponderosa.core.references import portable
from ponderosa.mcts.turn import looking


class Copied:
    """What can be copied and pickled at any time between two iterations."""

    def _made_with(self) -> dict[str, Any]:
        """The game and the settings that make a search like this one."""
        raise NotImplementedError

    def _make(self, game: Any, **settings: Any) -> None:
        """Become a new search."""
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
        made, grown = self._made_with(), self._grown()
        named = {name: portable(value) for name, value in made.items() if isinstance(value, types.FunctionType)}
        tree = grown["tree"]
        if tree is not None and id(tree) not in known:
            known[id(tree)] = tree.snapshot()
        return {"made": made | named, "grown": grown | {"tree": known.get(id(tree))}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._make(**state["made"])
        self._go_on(state["grown"])

    def __copy__(self) -> Self:
        return self.__deepcopy__({})

    @looking
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The rules of the game, the policies and the evaluator are shared: they are asked, and never change."""
        twin = memo[id(self)] = type(self).__new__(type(self))
        grown = self._grown()
        twin._make(**self._made_with())
        twin._go_on(grown | {"tree": copy.deepcopy(grown["tree"], memo)})
        return twin
