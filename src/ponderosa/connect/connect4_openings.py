"""The openings of Connect Four, solved once and kept: exact worths of all positions with few stones. Start at Openings.

The worths are those of `connect4_distances`, computed by its solver in `benchmarks/connect4_openings.py`: of all
positions of one ply, from which those with fewer stones follow. Of more stones nothing is known here.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from ponderosa.compile.annotations import Ints
from ponderosa.connect.connect4_solver import BETTER_THAN_LATEST, Board, aligned, key_of

SHIPPED = Path(__file__).with_name("connect4_openings.npz")
SHAPE = 6, 7
"""Rows and columns of the board whose table lies beside the package, and where."""
Position = tuple[int, int]
"""The stones of the player to move, and all stones, as bits."""


class Openings:
    """What positions with few stones are worth to the player to move."""

    def __init__(self, board: Board, plies: int, keys: Ints, worths: Ints) -> None:
        """The keys of all positions with so many stones, mirrored ones once, and what each is worth; perhaps of others
        with fewer."""
        self._board = board
        self._known = dict(zip(keys.tolist(), worths.tolist(), strict=True))
        self.plies = plies
        """The most stones of a position that is known."""

    def save(self, path: Path) -> None:
        """Write the worths of all positions that follow from the empty board."""
        self._best(0, 0)
        known = sorted(self._known.items())
        keys, worths = (np.array(column) for column in zip(*known, strict=True))
        steps, plies = np.diff(keys, prepend=0), np.int64(self.plies)
        np.savez_compressed(path, plies=plies, steps=steps, worths=worths.astype(np.int8))

    def worth(self, own: int, mask: int) -> int | None:
        """What a position in which nobody has won is worth; None: it has too many stones."""
        return self._best(own, mask) if mask.bit_count() <= self.plies else None

    def _best(self, own: int, mask: int) -> int:
        key = int(key_of(own, mask, self._board))
        known = self._known.get(key)
        if known is None:  # each position is asked once
            known = self._known[key] = max(
                BETTER_THAN_LATEST - after.bit_count()
                if aligned(after ^ mask | own, self._board.rows)
                else -self._best(own ^ mask, after)
                for after in moves(mask, self._board)
            )
        return known


@functools.cache
def shipped(board: Board) -> Openings | None:
    """The openings that lie beside the package; None: there are none for boards of this shape."""
    if (board.rows, board.columns) != SHAPE:
        return None
    with np.load(SHIPPED, allow_pickle=False) as arrays:
        return Openings(board, int(arrays["plies"]), np.cumsum(arrays["steps"]), arrays["worths"])


def positions(board: Board, plies: int) -> dict[int, Position]:
    """Every position with so many stones in which nobody has won, by its key; of mirror images one."""
    level: dict[int, Position] = {int(key_of(0, 0, board)): (0, 0)}
    for _ in range(plies):
        following: dict[int, Position] = {}
        for own, mask in level.values():
            for after in moves(mask, board):
                if not aligned(after ^ mask | own, board.rows):
                    following.setdefault(int(key_of(own ^ mask, after, board)), (own ^ mask, after))
        level = following
    return level


def moves(mask: int, board: Board) -> list[int]:
    """All stones after each move."""
    tops = (mask + (1 << column * (board.rows + 1)) for column in range(board.columns))
    return [mask | top for top in tops if (mask | top) & ~board.full == 0]


def position_of(key: int, board: Board) -> Position:
    """The position that has a key, or its mirror image."""
    own = mask = 0
    for column in range(board.columns):
        start = column * (board.rows + 1)
        bits = (key >> start) & ((1 << board.rows + 1) - 1)
        height = bits.bit_length() - 1  # the highest bit stands on the stones, the others are the mover's
        own |= (bits ^ 1 << height) << start
        mask |= ((1 << height) - 1) << start
    return own, mask
