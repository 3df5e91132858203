"""The agent that plays tic-tac-toe by a few rules. Start at Scripted."""

from __future__ import annotations

import random
from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.errors import GameError
from ponderosa.games.boards.lines import would_win
from ponderosa.games.connect import Connect

CORNERS, CENTRE, SIDES = (0, 2, 6, 8), (4,), (1, 3, 5, 7)


class Scripted(Agent):
    """Tic-tac-toe by rules: win, else block, else a corner, the centre, a side."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        if not (
            isinstance(game, Connect) and (game.m, game.n, game.k, game.p, game.q, game.players) == (3, 3, 3, 1, 1, 2)
        ):
            raise GameError(f"scripted plays tictactoe with three rows and columns, not {game!r}")
        self._random = random.Random(seed)

    def reset(self, seed: int) -> None:
        """As new, with another seed."""
        self._random.seed(seed)

    def step(self, state: State) -> Any:
        """The first rule that has a cell says where; among its cells, chance."""
        legal, player = state.legal_actions(), state.current_player()
        wins, blocks = (
            [cell for cell in legal if would_win(state.record, cell // 3, cell % 3, who)]
            for who in (player, 1 - player)
        )
        rules = (wins, blocks, *([cell for cell in cells if cell in legal] for cells in (CORNERS, CENTRE, SIDES)))
        return self._random.choice(next(cells for cells in rules if cells))
