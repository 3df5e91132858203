"""A trained network and proofs by threats, for the Connect family. Start at NetThreats."""

from __future__ import annotations

from typing import Any

from ponderosa.agents.connect.strong_tree import StrongTree
from ponderosa.agents.says_its_value import SaysItsValue
from ponderosa.core.game import Game
from ponderosa.games.connect import Connect
from ponderosa.networks.player import Player, evaluator

LONG_LINE = 5
"""From lines of this length on, wins by threats are long: worth a search of their own beside every network."""


class NetThreats(SaysItsValue, StrongTree):
    """A tree over the best cells that a network judges; wins by threats are proven at its root and inside."""

    def __init__(self, game: Game, player: Player, branch: int = 24, batch: int = 8, **settings: Any) -> None:
        """`branch` cells are considered in a position, those that are good for lines; the network orders them."""
        self.network = player
        super().__init__(game, branch=branch, batch=batch, **settings)

    def judged(self) -> dict[str, Any]:
        return {"select": "puct", "evaluator": evaluator(self.network, self.twin)}


def has_threats(game: Any) -> bool:
    """Whether wins by threats are searched in a game."""
    return isinstance(game, Connect) and game.players == 2
