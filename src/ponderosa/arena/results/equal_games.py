"""Equal games have equal texts, also when the board was turned or everything moved aside. Start at Canon.of."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ponderosa.core.game import Game


class Canon:
    """Knows which games of a game are equal, by the symmetries that it declares."""

    def __init__(self, game: Game) -> None:
        self._tables = [table if isinstance(table, Mapping) else list(table) for table in game.symmetries()]
        shape = game.shifts()
        self._columns = None if shape is None else shape[1]
        cells = range(0 if shape is None else shape[0] * shape[1])
        self._row = [cell // shape[1] for cell in cells] if shape else []
        self._column = [cell % shape[1] for cell in cells] if shape else []

    def of(self, moves: Sequence[Any]) -> str:
        """A text that all games equal to this one have, and no other."""
        return hashlib.blake2b(repr(self.smallest(moves)).encode(), digest_size=10).hexdigest()

    def smallest(self, moves: Sequence[Any]) -> list[Any]:
        """The first in the order of lists among all games that are equal to this one."""
        if not moves or not (self._tables or self._columns):
            return list(moves)
        images = [[table[move] for move in moves] for table in self._tables]
        return min(map(self._moved_to_the_corner, [list(moves), *images]))

    def _moved_to_the_corner(self, moves: list[Any]) -> list[Any]:
        if self._columns is None:
            return moves
        top = min(map(self._row.__getitem__, moves))
        left = min(map(self._column.__getitem__, moves))
        by = top * self._columns + left
        return [move - by for move in moves] if by else moves
