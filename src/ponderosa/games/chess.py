"""Chess, with all its rules. Start at Chess; the pieces' moves are in boards/chess_moves.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.bits import count_all_bits
from ponderosa.compile.record_view import PlainRecord
from ponderosa.core.game import rule
from ponderosa.core.rng import Rng
from ponderosa.core.state import State
from ponderosa.games.boards import chess_text
from ponderosa.games.boards.chess_board import (
    CHECKMATE,
    DRAWING_PLIES,
    FIFTY_MOVES,
    MATERIAL,
    REPETITION,
    STALEMATE,
    ChessBoard,
    too_little,
)
from ponderosa.games.boards.chess_moves import (
    BOARD_FIELDS,
    MOVE_FIELDS,
    SEEN_FROM_BELOW,
    carry,
    fill_actions,
    fill_noisy,
    one_action,
    passing_hash,
    survey,
)
from ponderosa.games.boards.chess_tables import (
    ACTION_ORIGIN,
    ACTION_PROMOTION,
    ACTION_TARGET,
    BIT,
    BLACK,
    CLOCK_HASH,
    EMPTY,
    KINDS,
    NOWHERE,
    PAWN,
    SEEN_HASH,
    SIDE,
    SQUARES,
    WHITE,
)
from ponderosa.games.boards.chess_values import as_result, lead, promise

LOW_WORD = 0xFFFFFFFF
FINE_CLOCK = 80
"""From here on, a position's key tells every number of such moves apart, and before only each fourth."""
SEEN_PLANES = 2 * KINDS + 8


class Chess(ChessBoard):
    """Chess by the laws of FIDE: mate the king. Stalemate, fifty moves, a third repetition and bare kings are draws.

    Moves are written in algebraic notation (Nf3, exd5, O-O, e8=Q) and read as that or as two squares (g1f3, e7e8q).
    `fen` is a position to begin with, its parts with blanks or underscores between.
    """

    name = "chess"
    label = "Chess"
    dtype = np.dtype(
        [
            *BOARD_FIELDS[:3],
            *MOVE_FIELDS[:1],
            ("past", "u4", DRAWING_PLIES),  # the low words of hashes since a move that cannot be taken back
            ("move", "i2"),  # the number of the move, as it is counted for people
            *BOARD_FIELDS[3:],
            *MOVE_FIELDS[1:],
            ("quiet", "i1"),  # moves since the last capture or move of a pawn
            ("seen", "i1"),  # positions in `past`
            ("before", "i1"),  # how often the position was there before
            ("ending", "i1"),  # CHECKMATE and the like; 0: the game goes on
        ]
    )
    scratch = tuple(field[0] for field in MOVE_FIELDS)
    max_actions = 218
    """The position with the most legal moves that anybody has found has 218 (N. Petrović 1964)."""
    observation_shape = (SIDE, SIDE, SEEN_PLANES)

    def __init__(self, fen: str = chess_text.START) -> None:
        self.fen_parts = chess_text.read_fen(fen)
        self.max_game_length = longest_game(self.fen_parts)

    def setup(self, s: Record) -> None:
        chess_text.lay_out(s, self.fen_parts)
        begin(s, self.fen_parts.quiet)

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        return fill_actions(s, actions)

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return one_action(s, rng)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        turned = SEEN_FROM_BELOW * s.player
        s.move += s.player
        s.hash ^= passing_hash(s)
        lasting = carry(s, ACTION_ORIGIN[a] ^ turned, ACTION_TARGET[a] ^ turned, ACTION_PROMOTION[a])
        s.quiet = 0 if lasting == 2 else s.quiet + 1
        if lasting != 0:
            s.seen = 0
        survey(s)
        s.hash ^= passing_hash(s)
        remember(s)
        s.ending = ending_of(s)

    @rule
    def is_terminal(s: Record) -> Any:
        return s.ending != 0

    @rule
    def returns(s: Record) -> Any:
        if s.ending != CHECKMATE:
            return 0.0, 0.0
        return (-1.0, 1.0) if s.player == WHITE else (1.0, -1.0)

    @rule
    def evaluate(s: Record) -> Any:
        """Men, and where they stand."""
        value = as_result(lead(s))
        return value, -value

    @rule
    def noisy(s: Record, actions: Actions) -> Any:
        """Captures and new queens; in check, everything."""
        return -fill_actions(s, actions) if s.checked else fill_noisy(s, actions)

    @rule
    def prior(s: Record, a: Int) -> Any:
        """Captures of much by little, new queens, ways to better squares."""
        turned = SEEN_FROM_BELOW * s.player
        origin, target = ACTION_ORIGIN[a], ACTION_TARGET[a]
        pawn = s.kinds[PAWN] & BIT[origin ^ turned] != 0
        return promise(s, origin ^ turned, target ^ turned, pawn and target >= SQUARES - SIDE)

    @rule
    def bounds(s: Record) -> Any:
        """A bare king cannot win."""
        least = 0.0 if count_all_bits(s.men[1 - s.player]) == 1 else -1.0
        return least, 0.0 if count_all_bits(s.men[s.player]) == 1 else 1.0

    @rule
    def key(s: Record) -> Any:
        """Positions that the rules tell apart have different keys, but what came before is not in them."""
        clock = s.quiet if s.quiet >= FINE_CLOCK else s.quiet // 4  # no position comes again within four moves
        return s.hash ^ CLOCK_HASH[clock] ^ (SEEN_HASH if s.before != 0 else 0)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """The board as the player to move sees it: own pieces, the other's, rights, en passant, clock, repetition."""
        turned = SEEN_FROM_BELOW * s.player
        for square in range(SQUARES):
            piece = s.board[square]
            if piece != EMPTY:
                plane = (piece - 1 + KINDS * s.player) % (2 * KINDS)
                planes[(square ^ turned) // SIDE, square % SIDE, plane] = 1.0
        for right in range(4):
            if s.castling >> right & 1:
                planes[:, :, 2 * KINDS + (right + 2 * s.player) % 4] = 1.0
        if s.passed != NOWHERE:
            planes[(s.passed ^ turned) // SIDE, s.passed % SIDE, 2 * KINDS + 4] = 1.0
        planes[:, :, 2 * KINDS + 5] = s.quiet / DRAWING_PLIES
        planes[:, :, 2 * KINDS + 6] = min(s.before, 1)
        planes[:, :, 2 * KINDS + 7] = s.player

    def action_to_string(self, s: Record, a: int) -> str:
        return chess_text.san(s, a) + self._threat(s, a)

    def parse_action(self, text: str, state: State) -> Any:
        """The legal move that is written in algebraic notation, or as the two squares."""
        found = chess_text.read_move(state.record, text, state.legal_actions())
        return super().parse_action(text, state) if found is None else found

    def remarks(self, s: Record) -> list[str]:
        return ["check"] if s.checked and s.ending == 0 else []

    def _threat(self, s: Record, a: int) -> str:
        """What is written behind a move that checks or mates."""
        assert self.dtype is not None
        data = chess_text.bytes_of(s)
        self.rules.apply_action(data, a)
        after = PlainRecord(data, self.dtype)
        return "" if not after.checked else "#" if after.ending == CHECKMATE else "+"


def begin(s: Record, quiet: int) -> None:
    """What follows from the pieces on the board."""
    survey(s)
    s.hash ^= passing_hash(s)
    s.quiet = quiet
    remember(s)
    s.ending = ending_of(s)


def remember(s: Record) -> None:
    """Count how often the position was there, and note it."""
    word, found = s.hash & LOW_WORD, 0
    for place in range(s.seen - 4, -1, -2):
        if s.past[place] == word:
            found += 1
    s.before = found
    if s.seen < DRAWING_PLIES:
        s.past[s.seen] = word
        s.seen += 1


def ending_of(s: Record) -> Any:
    """How the game has ended; 0: it goes on."""
    if s.choices == 0:
        return CHECKMATE if s.checked else STALEMATE
    if s.quiet >= DRAWING_PLIES:
        return FIFTY_MOVES
    if s.before >= 2:
        return REPETITION
    return MATERIAL if too_little(s) else 0


def longest_game(parts: chess_text.Position) -> int:
    """No game is longer: a capture or a move of a pawn comes in time, or a draw."""
    pieces = [piece for piece in parts.board if piece != EMPTY]
    steps = sum(6 for piece in pieces if (piece - 1) % KINDS == PAWN)
    captures = len(pieces) - 2
    return max(DRAWING_PLIES - parts.quiet, 0) + (steps + captures) * DRAWING_PLIES


assert BLACK == 1
