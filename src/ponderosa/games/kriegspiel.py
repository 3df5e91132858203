"""Kriegspiel: chess in which neither side sees the other's men. Start at Kriegspiel.

The position and its legal moves are chess's (boards/chess_moves.py); what the unseen men may be is drawn by
boards/chess_hidden.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.compile.bits import count_all_bits, lowest_bit
from ponderosa.core.game import rule
from ponderosa.core.rng import Rng, below
from ponderosa.core.state import State
from ponderosa.games.boards import chess_text
from ponderosa.games.boards.chess_board import (
    CHECKMATE,
    DRAWING_PLIES,
    FIFTY_MOVES,
    MATERIAL,
    STALEMATE,
    ChessBoard,
    too_little,
)
from ponderosa.games.boards.chess_hidden import (
    BY_FILE,
    BY_KNIGHT,
    BY_LONG_DIAGONAL,
    BY_RANK,
    BY_SHORT_DIAGONAL,
    draw_unseen,
    follow_kings,
    pawn_tries_of,
    take_unseen_away,
    ways_of_check,
)
from ponderosa.games.boards.chess_moves import (
    BOARD_FIELDS,
    MOVE_FIELDS,
    SEEN_FROM_BELOW,
    bishop_reach,
    carry,
    one_action,
    rook_reach,
    survey,
)
from ponderosa.games.boards.chess_tables import (
    ACTION_OF,
    ACTION_ORIGIN,
    ACTION_PROMOTION,
    ACTION_TARGET,
    BISHOP,
    BIT,
    CASTLING_FREE,
    CASTLING_KING,
    EMPTY,
    HOME_RANK,
    KINDS,
    KING,
    KING_REACH,
    KNIGHT,
    KNIGHT_REACH,
    NOWHERE,
    PAWN,
    PAWN_REACH,
    ROOK,
    SEVENTH_RANK,
    SIDE,
    SQUARES,
    UNDERPROMOTION_OF,
    UNDERPROMOTIONS,
    WHITE,
)
from ponderosa.games.boards.chess_values import as_result, lead

MOST_TRIES = 323
"""Nine queens on an otherwise empty board, two rooks, bishops and knights, and the king."""
WAYS = {
    BY_FILE: "on the file",
    BY_RANK: "on the rank",
    BY_LONG_DIAGONAL: "on the long diagonal",
    BY_SHORT_DIAGONAL: "on the short diagonal",
    BY_KNIGHT: "by a knight",
}


class Kriegspiel(ChessBoard):
    """Chess without seeing the other side's men: try a move, and the referee refuses it if it is not legal.

    A refusal is told to the one who tried, who tries again. All are told where something was taken and whether it was
    a pawn, from where there is check, and how many captures by pawns there are. Fifty moves of each without a capture
    or a pawn's move are a draw; nobody sees that a position comes again, and it does not count.
    """

    name = "kriegspiel"
    label = "Kriegspiel"
    hidden = True
    dtype = np.dtype(
        [
            *BOARD_FIELDS[:3],
            *MOVE_FIELDS[:1],
            ("refused", "i8", SQUARES),  # from each square, the tries of the player to move that were refused
            ("lair", "i8", 2),  # where each may think the other's king to be, once the other has few men
            ("move", "i2"),  # the number of the move, as it is counted for people
            ("plies", "i2"),  # moves since the start
            *BOARD_FIELDS[3:],
            *MOVE_FIELDS[1:],
            ("calm", "i1", 2),  # moves since a capture or a move of a pawn of each player, as far as they count
            ("stepped", "i1"),  # the square that a pawn's last move has passed, known to its owner; NOWHERE
            ("taken", "i1"),  # where the last move took something; NOWHERE
            ("taken_pawn", "i1"),  # whether that was a pawn
            ("lost_pawns", "i1", 2),
            ("lost_pieces", "i1", 2),
            ("fallen", "u1", 2),  # the files on which pawns were taken, a bit each
            ("checks", "i1"),  # BY_FILE and the like
            ("pawn_tries", "i1"),  # captures by pawns that there are
            ("start", "i1", SQUARES),  # the board as the game began
            ("rights", "i1"),  # to castle, as the game began
            ("ending", "i1"),  # CHECKMATE and the like; 0: the game goes on
        ]
    )
    scratch = ("hash", *(field[0] for field in MOVE_FIELDS))
    max_actions = MOST_TRIES

    def __init__(self, fen: str = chess_text.START) -> None:
        self.fen_parts = chess_text.read_fen(fen)

    def setup(self, s: Record) -> None:
        chess_text.lay_out(s, self.fen_parts)
        s.start[:] = s.board
        s.rights, s.stepped, s.taken = s.castling, s.passed, NOWHERE
        s.calm[:] = self.fen_parts.quiet
        s.lair[:] = -1
        announce(s)

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        return fill_tries(s, actions)

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        """A refused try costs nothing, so that whoever tries at random makes all legal moves equally often."""
        return one_action(s, rng) if s.choices != 0 else one_try(s, rng)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        turned = SEEN_FROM_BELOW * s.player
        origin, target = ACTION_ORIGIN[a] ^ turned, ACTION_TARGET[a] ^ turned
        if is_legal(s, origin, target):
            make_move(s, origin, target, ACTION_PROMOTION[a])
            announce(s)
        else:
            s.refused[origin] |= BIT[target]
            if s.choices == 0 and count_tries(s) == 0:  # only where a drawn position fits no message
                s.ending = STALEMATE

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
    def conceal(s: Record, player: Int) -> None:
        if s.ending == 0:
            take_unseen_away(s, player)
            s.hash = s.movable = s.choices = s.usual = s.checked = 0
            s.reach[:] = 0
            s.origin[:] = 0
            s.calm[1 - player] = s.lair[1 - player] = 0
            if s.player != player:
                s.refused[:] = 0

    @rule
    def determinize(s: Record, player: Int, rng: Rng) -> None:
        if s.ending == 0:
            draw_unseen(s, player, rng)
            most = min(s.calm[player], DRAWING_PLIES - 1)
            s.calm[1 - player] = below(rng, most + 1)
            s.lair[1 - player] = ~(s.men[0] & 0)

    def action_to_string(self, s: Record, a: int) -> str:
        """A try names its piece and both squares; what is on the other one is not known."""
        origin, target = chess_text.squares_of(s, a)
        kind = (s.board[origin] - 1) % KINDS
        if kind == KING and abs(target - origin) == 2:
            return "O-O" if target > origin else "O-O-O"
        promotion = chess_text.promotion_of(s, a)
        letter = chess_text.LETTERS[1 + kind] if kind != PAWN else ""
        becomes = "" if promotion is None else f"={chess_text.LETTERS[1 + promotion]}"
        return f"{letter}{chess_text.square_name(origin)}-{chess_text.square_name(target)}{becomes}"

    def parse_action(self, text: str, state: State) -> Any:
        """The try that is written so, or in algebraic notation, in which a pawn goes straight unless it says x."""
        legal = state.legal_actions()
        squares = [(action, *chess_text.squares_of(state.record, action)) for action in legal]
        straight = [
            action
            for action, origin, target in squares
            if (state.record.board[origin] - 1) % KINDS != PAWN or (origin - target) % SIDE == 0
        ]
        for tries in (straight, legal):
            found = chess_text.read_move(state.record, text, tries)
            if found is not None:
                return found
        return super().parse_action(text, state)

    def remarks(self, s: Record) -> list[str]:
        """What the referee has said since the last move."""
        if s.ending:
            return []
        said = []
        if s.taken != NOWHERE:
            what = "pawn" if s.taken_pawn else "piece"
            said.append(f"{self.player_name(s.player)} has lost a {what} on {chess_text.square_name(s.taken)}")
        ways = [words for way, words in WAYS.items() if s.checks & way]
        said += [f"check {' and '.join(ways)}"] if ways else []
        if s.pawn_tries:
            said.append(f"{s.pawn_tries} pawn {'try' if s.pawn_tries == 1 else 'tries'}")
        refused = [
            chess_text.square_name(origin) + chess_text.square_name(target)
            for origin in range(SQUARES)
            for target in range(SQUARES)
            if s.refused[origin] & BIT[target] != 0
        ]
        return said + ([f"refused: {' '.join(refused)}"] if refused else [])


def announce(s: Record) -> None:
    """Find the legal moves, and say what all are told of them."""
    s.refused[:] = 0
    survey(s)
    s.checks = ways_of_check(s)
    s.pawn_tries = pawn_tries_of(s)
    follow_kings(s)
    s.ending = ending_of(s)


def ending_of(s: Record) -> Any:
    """How the game has ended; 0: it goes on."""
    if s.choices == 0:
        return CHECKMATE if s.checked else STALEMATE
    if min(s.calm[0], s.calm[1]) >= DRAWING_PLIES:
        return FIFTY_MOVES
    return MATERIAL if too_little(s) else 0


def is_legal(s: Record, origin: Int, target: Int) -> Any:
    """Whether a try is one of chess's moves here."""
    for index in range(s.movable):
        if s.origin[index] == origin:
            return s.reach[index] & BIT[target] != 0
    return False


def make_move(s: Record, origin: Int, target: Int, promotion: Int) -> None:
    """Move a piece, pass the turn, and note what all are told and what each knows."""
    player = s.player
    other = 1 - player
    victim, passed = s.board[target], s.passed
    if victim == EMPTY and target == passed and (s.board[origin] - 1) % KINDS == PAWN:
        victim = 1 + PAWN + KINDS * other
    lasting = carry(s, origin, target, promotion)
    s.stepped, s.taken, s.taken_pawn = s.passed, NOWHERE, 0
    s.calm[player] = 0 if lasting == 2 else min(s.calm[player] + 1, DRAWING_PLIES)
    s.calm[other] = min(s.calm[other] + 1, DRAWING_PLIES)
    if victim != EMPTY:
        s.calm[:] = 0
        s.taken = target
        if (victim - 1) % KINDS == PAWN:
            s.taken_pawn = 1
            s.lost_pawns[other] += 1
            s.fallen[other] |= 1 << target % SIDE
        else:
            s.lost_pieces[other] += 1
    s.plies += 1
    s.move += player


def tries_from(s: Record, square: Int) -> Any:
    """Where a man of the player to move may try to go: nothing but one's own men is in the way, and no try is in vain
    of which the referee's words say so."""
    own, player = s.men[s.player], s.player
    kind = (s.board[square] - 1) % KINDS
    reach = own & 0
    if kind == PAWN:
        forward = SIDE if player == 0 else -SIDE
        if own & BIT[square + forward] == 0:
            reach |= BIT[square + forward]
            if HOME_RANK[player] & BIT[square] != 0:
                reach |= BIT[square + 2 * forward]
        if s.pawn_tries != 0:
            reach |= PAWN_REACH[player * SQUARES + square]
    elif kind == KNIGHT:
        reach = KNIGHT_REACH[square]
    elif kind == KING:
        reach = KING_REACH[square]
        for way in range(2 * player, 2 * player + 2):
            if s.checks == 0 and s.castling >> way & 1 and CASTLING_FREE[way] & own == 0:
                reach |= BIT[CASTLING_KING[way]]
    else:
        if kind != ROOK:
            reach = bishop_reach(square, own)
        if kind != BISHOP:
            reach |= rook_reach(square, own)
    return reach & ~own & ~s.refused[square]


def fill_tries(s: Record, actions: Actions) -> Any:
    """The numbers of all tries, and how many they are."""
    count, turned, men = 0, SEEN_FROM_BELOW * s.player, s.men[s.player]
    while men != 0:
        square = lowest_bit(men)
        men ^= BIT[square]
        reach = tries_from(s, square)
        promotes = s.kinds[PAWN] & SEVENTH_RANK[s.player] & BIT[square] != 0
        while reach != 0:
            target = lowest_bit(reach)
            reach ^= BIT[target]
            way = (square ^ turned) * SQUARES + (target ^ turned)
            actions[count] = ACTION_OF[way]
            count += 1
            if promotes:
                for kind in range(len(UNDERPROMOTIONS)):
                    actions[count] = UNDERPROMOTION_OF[way] + kind
                    count += 1
    return count


def count_tries(s: Record) -> Any:
    """How many tries there are, promotions to a queen alone."""
    men, count = s.men[s.player], 0
    while men != 0:
        square = lowest_bit(men)
        men ^= BIT[square]
        count += count_all_bits(tries_from(s, square))
    return count


def one_try(s: Record, rng: Rng) -> Any:
    """The number of a random try, where nothing is known of the unseen men."""
    left, men, turned = below(rng, max(count_tries(s), 1)), s.men[s.player], SEEN_FROM_BELOW * s.player
    while men != 0:
        square = lowest_bit(men)
        men ^= BIT[square]
        reach = tries_from(s, square)
        count = count_all_bits(reach)
        if left < count:
            for _ in range(left):
                reach ^= BIT[lowest_bit(reach)]
            return ACTION_OF[(square ^ turned) * SQUARES + (lowest_bit(reach) ^ turned)]
        left -= count
    return NOWHERE
