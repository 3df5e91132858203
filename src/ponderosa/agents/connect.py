"""Named agents of the Connect family, each a composition of policies. Start at Clever.

They repeat the published comparison of Kenyon (2012): the same search with random playouts, with the WinSave rule in
tree and playouts, and with playouts that are cut off.
"""

from __future__ import annotations

from typing import Any

from ponderosa.agents.mcts import MctsAgent
from ponderosa.core.errors import GameError
from ponderosa.games.connect import Connect
from ponderosa.games.informed import InformedConnect
from ponderosa.search.search import Progress


class Fast(MctsAgent):
    """Random playouts, every empty cell in the tree."""

    def __init__(self, game: Any, seconds: float | None = None, seed: int = 0, **settings: Any) -> None:
        _needs_connect("fast", game)
        super().__init__(game, seconds=seconds, seed=seed, **settings)


class Clever(MctsAgent):
    """WinSave in tree and playouts: win this turn, else stop the opponent's win in the next."""

    def __init__(
        self,
        game: Any,
        seconds: float | None = None,
        near: int = 0,
        forced: bool = True,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        self.twin = InformedConnect.of(_needs_connect("clever", game), near, forced)
        super().__init__(self.twin, seconds=seconds, seed=seed, **{"playout": "informed", **settings})

    def step(self, state: Any, progress: Progress | None = None) -> Any:
        """The action that the search of the informed twin prefers."""
        return super().step(self.twin.state_after(state.history()), progress)


class Lazy(Clever):
    """Clever, with playouts that are a draw after ten moves."""

    def __init__(
        self, game: Any, seconds: float | None = None, max_length: int = 10, seed: int = 0, **settings: Any
    ) -> None:
        super().__init__(game, seconds=seconds, seed=seed, max_length=max_length, **settings)


def _needs_connect(name: str, game: Any) -> Connect:
    if not isinstance(game, Connect):
        raise GameError(f"{name} plays the Connect family (connect, gomoku, connect6, tictactoe), not {game!r}")
    return game
