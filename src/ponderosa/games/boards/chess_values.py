"""What chess positions are worth at a glance: men, and where they stand. Start at lead.

Values are in hundredths of a pawn. Each man has two, for a board full of pieces and for an empty one, and a position's
value lies between them by how many pieces are left. Places are worth what simple rules of thumb say, written as
formulas: pieces in the middle, pawns far up, the king behind pawns and later in the middle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.games.boards.chess_tables import (
    BISHOP,
    BIT,
    KINDS,
    KING,
    KNIGHT,
    PAWN,
    PAWN_REACH,
    QUEEN,
    ROOK,
    SIDE,
    SQUARES,
    Table,
)

WORTH = np.array([100, 320, 330, 500, 950, 0])
"""Of each kind."""
WEIGHTS = np.array([0, 1, 1, 2, 4, 0])
"""How much of a full board each kind is."""
FULL = 24
"""A board with all its pieces."""
TO_MOVE = 10
"""What it is worth to have the move."""
STEEPNESS = math.log(10) / 800
"""400 more is a score of ten to one, as on Elo's scale."""


def _middle(row: int, column: int) -> int:
    """How near a square is to the middle: 0 in the corners, 6 on the four squares of the centre."""
    return min(row, SIDE - 1 - row) + min(column, SIDE - 1 - column)


def _early(kind: int, row: int, column: int) -> int:
    """What a white man's square is worth on a full board."""
    near = min(column, SIDE - 1 - column)
    if kind == PAWN:
        return 3 * (row - 1) * near - (15 if row == 1 and near == 3 else 0)
    if kind == KING:
        return -15 * min(row, 4) - 8 * near + (10 if column in (1, 2, 6) and row == 0 else 0)
    return {
        KNIGHT: 8 * _middle(row, column) - 24,
        BISHOP: 4 * _middle(row, column) - 8,
        ROOK: (20 if row == 6 else 0) + 3 * near,
        QUEEN: 2 * _middle(row, column) - 4,
    }[kind]


def _late(kind: int, row: int, column: int) -> int:
    """What it is worth on an empty board."""
    if kind == PAWN:
        return 4 * (row - 1) * (row - 1)
    return {KNIGHT: 6, BISHOP: 4, ROOK: 1, QUEEN: 4, KING: 10}[kind] * (_middle(row, column) - 3)


def _places(of: Any) -> Table:
    """The worth of every man on every square, at piece * SQUARES + square; Black's is that of the mirror image."""
    found = np.zeros((2 * KINDS + 1) * SQUARES, np.int64)
    for kind in range(KINDS):
        for square in range(SQUARES):
            worth = int(WORTH[kind]) + of(kind, square // SIDE, square % SIDE)
            found[(1 + kind) * SQUARES + square] = worth
            found[(1 + kind + KINDS) * SQUARES + (square ^ (SQUARES - SIDE))] = -worth
    return found


EARLY, LATE = _places(_early), _places(_late)


def lead(s: Record) -> Any:
    """By how much White is ahead."""
    early = late = full = 0
    men = s.men[0] | s.men[1]
    while men != 0:
        square = lowest_bit(men)
        men ^= BIT[square]
        piece = s.board[square]
        early += EARLY[piece * SQUARES + square]
        late += LATE[piece * SQUARES + square]
        full += WEIGHTS[(piece - 1) % KINDS]
    full = min(full, FULL)
    return (early * full + late * (FULL - full)) / FULL + (TO_MOVE if s.player == 0 else -TO_MOVE)


def promise(s: Record, origin: Int, target: Int, promotes: Any) -> Any:
    """How promising a move looks, in pawns: what it takes and becomes, and where it leads; a square that a pawn guards
    costs the man."""
    piece, victim = s.board[origin], s.board[target]
    kind, sign = (piece - 1) % KINDS, 1 - 2 * s.player
    worth = sign * (EARLY[piece * SQUARES + target] - EARLY[piece * SQUARES + origin])
    if victim != 0:
        worth += WORTH[(victim - 1) % KINDS] + 50 - WORTH[kind] // 20
    if promotes:
        worth += WORTH[QUEEN] - WORTH[PAWN]
    if kind != PAWN and PAWN_REACH[s.player * SQUARES + target] & s.men[1 - s.player] & s.kinds[PAWN] != 0:
        worth -= WORTH[kind]
    return worth / 100.0


def as_result(lead: Any) -> Any:
    """The result to expect of White with such a lead, from -1 to 1."""
    return math.tanh(STEEPNESS * lead)
