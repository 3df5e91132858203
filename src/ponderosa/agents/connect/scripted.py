"""The agent that plays tic-tac-toe, and boards like it, by a few rules. Start at Scripted."""

from __future__ import annotations

import random
from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.errors import GameError
from ponderosa.games.boards.lines import would_win
from ponderosa.games.connect import Connect


class Scripted(Agent):
    """By rules: win, else block, else a corner, else the cell nearest to the middle."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        if not (isinstance(game, Connect) and game.m == game.n and (game.p, game.q, game.players) == (1, 1, 2)):
            raise GameError(
                "scripted plays tictactoe, and other games of the Connect family for two players, with one stone a "
                f"turn and as many rows as columns, not {game!r}"
            )
        side = self._side = game.n
        corners = {(row, column) for row in (0, side - 1) for column in (0, side - 1)}
        distances: dict[int, list[int]] = {}
        for row in range(side):
            for column in range(side):
                away = (2 * row - side + 1) ** 2 + (2 * column - side + 1) ** 2
                distances.setdefault(-1 if (row, column) in corners else away, []).append(row * side + column)
        self._places = [cells for _, cells in sorted(distances.items())]
        """The corners, then all other cells from the middle on; cells in one list are as good."""
        self._random = random.Random(seed)

    def reset(self, seed: int) -> None:
        """As new, with another seed."""
        self._random.seed(seed)

    def step(self, state: State) -> Any:
        """The first rule that has a cell says where; among its cells, chance."""
        legal, player = state.legal_actions(), state.current_player()
        wins, blocks = (
            [cell for cell in legal if would_win(state.record, cell // self._side, cell % self._side, who)]
            for who in (player, 1 - player)
        )
        free = set(legal)
        rules = (wins, blocks, *([cell for cell in cells if cell in free] for cells in self._places))
        return self._random.choice(next(cells for cells in rules if cells))
