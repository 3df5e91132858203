"""Named agents of the Connect family, each a composition of policies. Start at Clever.

The ideas are those of Kenyon (2012): the same search with random playouts, with the WinSave rule in tree and playouts,
and with playouts that are cut off. The search around them is ours; with c=0.5,solve=false,reuse=false it is set up as
there (lab/published/works.py). The slower agents, over Python lists, are in list_agents.py.
"""

from __future__ import annotations

from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.agents.mcts import MctsAgent
from ponderosa.connect.informed import InformedConnect
from ponderosa.connect.near import NearConnect
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.errors import GameError
from ponderosa.games.connect import Connect


class Fast(MctsAgent):
    """Random playouts, every empty cell in the tree."""

    def __init__(self, game: Game, seconds: float | None = None, seed: int = 0, **settings: Any) -> None:
        needs_connect(self, game)
        super().__init__(game, seconds=seconds, seed=seed, **settings)


class Clever(MctsAgent):
    """WinSave in tree and playouts: win this turn, else stop the opponent's win in the next."""

    def __init__(
        self,
        game: Game,
        seconds: float | None = None,
        near: int = 0,
        forced: bool = True,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        self.twin = InformedConnect.of(needs_connect(self, game), near=near, forced=forced)
        super().__init__(self.twin, seconds=seconds, seed=seed, **{"playout": "informed", **settings})

    def seen(self, state: State) -> Any:
        return self.twin.state_after(state.history())


class Lazy(Clever):
    """Clever, with playouts that are a draw after ten moves."""

    def __init__(
        self, game: Game, seconds: float | None = None, max_length: int = 10, seed: int = 0, **settings: Any
    ) -> None:
        super().__init__(game, seconds=seconds, seed=seed, max_length=max_length, **settings)


class Voting(MctsAgent):
    """Cells next to stones, win or block, threes stopped, quick wins count more; four trees vote, ten seconds a move.

    After a student project on Gomoku whose threads vote for the move.
    """

    default_seconds = 10.0

    def __init__(
        self,
        game: Game,
        seconds: float | None = None,
        near: int = 1,
        forced: bool = True,
        threes: bool = True,
        threads: int = 4,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        """`near` is for the tree and the playouts; `threes`: an open three is stopped, unless somebody wins.

        `playout=random` draws from all cells.
        """
        self.twin = NearConnect.of(needs_connect(self, game), near=near, forced=forced, threes=threes)
        own = {"playout": "informed", "backup": "discounted", "parallel": "vote"}
        super().__init__(self.twin, seconds=seconds, threads=threads, seed=seed, **{**own, **settings})

    def seen(self, state: State) -> Any:
        return self.twin.state_after(state.history())


def needs_connect(agent: Agent | str, game: Any) -> Connect:
    """The game, if it is one of the family, for two players; the agent, or its name, is for the message."""
    name = agent if isinstance(agent, str) else type(agent).__name__.lower()
    if not isinstance(game, Connect):
        raise GameError(f"{name} plays the Connect family (connect, gomoku, connect6, tictactoe), not {game!r}")
    if game.players != 2:
        raise GameError(f"{name} plays for two players, and {game.spec} has {game.players}: take mcts")
    return game
