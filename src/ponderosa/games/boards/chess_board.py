"""What games on a chessboard share: how it is shown and read, and how a game of chess ends. Start at ChessBoard."""

from __future__ import annotations

from typing import Any

from ponderosa.compile.annotations import Record
from ponderosa.compile.bits import count_all_bits
from ponderosa.core.cell import Cell
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.games.boards import chess_text
from ponderosa.games.boards.chess_tables import BISHOP, DARK_SQUARES, KNIGHT, PAWN, QUEEN, ROOK, SIDE

DRAWING_PLIES = 100
"""So many moves in a row without a capture or a pawn's move are a draw."""
NAMES = ("White", "Black")
CHECKMATE, STALEMATE, MATERIAL, REPETITION, FIFTY_MOVES = range(1, 6)
ENDINGS = ("", "checkmate", "stalemate", "neither can win", "threefold repetition", "fifty moves")
"""How a game ends, and what people say of it."""


class ChessBoard(Game):
    """A game whose record has the fields of chess_moves.BOARD_FIELDS, with rules of its own."""

    board = "chequered"
    colours = ("white", "black")

    def fen(self, s: Record) -> str:
        """The position in Forsyth-Edwards notation."""
        return chess_text.fen(s)

    @classmethod
    def from_fen(cls, text: str) -> State:
        """The state of a position in Forsyth-Edwards notation."""
        return cls(fen=text).new_initial_state()

    def cells(self, s: Record) -> list[list[Cell]]:
        shown = [
            Cell(letter, sign=sign, ink=self.colours[letter.islower()]) if letter else Cell()
            for letter, sign in map(chess_text.shown, s.board)
        ]
        return [shown[row * SIDE : (row + 1) * SIDE] for row in reversed(range(SIDE))]

    def action_cells(self, s: Record, a: int) -> list[tuple[int, int]]:
        return [(SIDE - 1 - square // SIDE, square % SIDE) for square in chess_text.squares_of(s, a)]

    def row_labels(self) -> list[str]:
        return [str(row) for row in range(SIDE, 0, -1)]

    def column_labels(self) -> list[str]:
        return list(chess_text.COLUMNS)

    def ending(self, s: Record) -> str:
        return ENDINGS[s.ending]

    def draw(self, s: Record) -> str:
        return super().draw(s) + (f"\n{ENDINGS[s.ending]}" if s.ending else "")

    def player_name(self, player: int) -> str:
        return NAMES[player]


def too_little(s: Record) -> Any:
    """Whether no sequence of moves leads to a mate: one knight in all, or bishops on squares of one colour."""
    if s.kinds[PAWN] | s.kinds[ROOK] | s.kinds[QUEEN] != 0:
        return False
    knights, bishops = count_all_bits(s.kinds[KNIGHT]), s.kinds[BISHOP]
    if bishops == 0:
        return knights <= 1
    return knights == 0 and (bishops & DARK_SQUARES == 0 or bishops & ~DARK_SQUARES == 0)
