"""Chess in words: positions in Forsyth-Edwards notation, moves in algebraic notation. Start at read_fen and san."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ponderosa.compile.annotations import Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.errors import SettingError, shortly
from ponderosa.games.boards.chess_moves import MOST_PIECES, SEEN_FROM_BELOW, attacked, place
from ponderosa.games.boards.chess_tables import (
    ACTION_ORIGIN,
    ACTION_PROMOTION,
    ACTION_TARGET,
    BLACK_HASH,
    CASTLING_HASH,
    CASTLING_ROOK,
    CASTLINGS,
    EMPTY,
    KINDS,
    KING,
    KING_HOME,
    NOWHERE,
    PAWN,
    QUEEN,
    ROOK,
    SIDE,
    SQUARES,
)

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LETTERS = " PNBRQKpnbrqk"
"""The piece of each number."""
SIGNS = " ♟♞♝♜♛♚♟♞♝♜♛♚"
"""Solid ones for both sides: colour tells them apart, and nothing of the board is seen through them."""
COLUMNS = "abcdefgh"
MOST_MOVES = 9999
"""No game is said to have been longer."""
SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[x:]?([a-h][1-8])(?:=?([NBRQnbrq]))?[+#]*[!?]*")
UCI = re.compile(r"([a-h][1-8])-?([a-h][1-8])([nbrq]?)", re.IGNORECASE)
CASTLES = {"O-O": 2, "O-O-O": -2}
"""How far the king goes to the right."""


class Position(NamedTuple):
    """What a text in Forsyth-Edwards notation says."""

    board: tuple[int, ...]
    """The piece on each square, from a1 on."""
    player: int
    castling: int
    passed: int
    quiet: int
    move: int


def square_name(square: int) -> str:
    """a1 is square 0."""
    return f"{COLUMNS[square % SIDE]}{square // SIDE + 1}"


def square_of(name: str) -> int:
    """The square of a name."""
    return (int(name[1]) - 1) * SIDE + COLUMNS.index(name[0].lower())


def shown(piece: int) -> tuple[str, str | None]:
    """A piece's letter and its sign; nothing for an empty square."""
    return (LETTERS[piece], SIGNS[piece]) if piece != EMPTY else ("", None)


def read_fen(text: str) -> Position:
    """A position that can be played on, or the error says what is wrong with it."""
    parts = text.replace("_", " ").split()
    if not 1 <= len(parts) <= 6:
        raise _wrong(text, "it has up to six parts, as in " + START)
    rows, turn, rights, passed, quiet, move = [*parts, *["w", "-", "-", "0", "1"][len(parts) - 1 :]]
    board = _read_rows(text, rows)
    if turn not in ("w", "b"):
        raise _wrong(text, f"whose turn it is must be w or b, not {shortly(turn)}")
    player = "wb".index(turn)
    if rights != "-" and (set(rights) - set(CASTLINGS) or len(set(rights)) != len(rights)):
        raise _wrong(text, f"rights to castle are some of {CASTLINGS}, or -, not {shortly(rights)}")
    numbers = [int(number) if re.fullmatch("[0-9]{1,4}", number) else -1 for number in (quiet, move)]
    if not 0 <= numbers[0] <= 100 or numbers[1] < 0:
        raise _wrong(text, "the last two parts are moves without a capture, from 0 to 100, and the number of the move")
    castling = sum(1 << right for right, letter in enumerate(CASTLINGS) if letter in rights)
    found = Position(board, player, castling, _read_passed(text, passed, player, board), numbers[0], max(numbers[1], 1))
    _check_pieces(text, found)
    return found


def _wrong(text: str, why: str) -> SettingError:
    return SettingError(f"{shortly(text)} is no position of chess: {why}")


def _read_rows(text: str, rows: str) -> tuple[int, ...]:
    board: list[int] = []
    for row in reversed(rows.split("/")):
        for letter in row:
            board += [EMPTY] * int(letter) if letter in "12345678" else [LETTERS.find(letter)]
        if len(board) % SIDE or not row or min(board) < 0 or EMPTY in map(LETTERS.find, row.strip("12345678")):
            raise _wrong(text, f"{shortly(row)} is no row of eight squares, of {LETTERS.strip()} and digits")
    if len(board) != SQUARES:
        raise _wrong(text, "it has no eight rows with / between")
    return tuple(board)


def _read_passed(text: str, passed: str, player: int, board: Sequence[int]) -> int:
    """The square that a pawn has passed; NOWHERE too if no pawn stands beyond it."""
    if passed == "-":
        return NOWHERE
    if not re.fullmatch("[a-h][36]", passed):
        raise _wrong(text, f"a square that a pawn has passed is of row 3 or 6, or -, not {shortly(passed)}")
    square, forward = square_of(passed), SIDE if player == 0 else -SIDE
    pawn = 1 + PAWN + (KINDS if player == 0 else 0)
    if square // SIDE != (5 if player == 0 else 2) or board[square] != EMPTY or board[square - forward] != pawn:
        raise _wrong(text, f"no pawn has just passed {passed}")
    return square


def _check_pieces(text: str, found: Position) -> None:
    """What the rules rely on: kings, no more pieces than a set has, pawns in the middle, rooks that may castle."""
    board = found.board
    for colour in range(2):
        own = [piece for piece in board if piece != EMPTY and (piece > KINDS) == colour]
        if own.count(1 + KING + colour * KINDS) != 1:
            raise _wrong(text, f"{('White', 'Black')[colour]} must have one king")
        if len(own) > MOST_PIECES or own.count(1 + PAWN + colour * KINDS) > SIDE:
            raise _wrong(text, f"no side has more than {MOST_PIECES} pieces, {SIDE} of them pawns")
    if any(board[square] in (1 + PAWN, 1 + PAWN + KINDS) for square in (*range(SIDE), *range(SQUARES - SIDE, SQUARES))):
        raise _wrong(text, "pawns stand on the second to the seventh row")
    for right, letter in enumerate(CASTLINGS):
        black = KINDS * (right // 2)
        rook, king = board[CASTLING_ROOK[right]], board[KING_HOME[right // 2]]
        if found.castling >> right & 1 and (rook, king) != (1 + ROOK + black, 1 + KING + black):
            raise _wrong(text, f"with the right {letter} to castle, king and rook stand where they began")


def lay_out(s: Record, position: Position) -> None:
    """Put the pieces of a position on an empty board."""
    for square, piece in enumerate(position.board):
        if piece != EMPTY:
            place(s, square, piece)
    s.player, s.castling, s.passed, s.move = position.player, position.castling, position.passed, position.move
    s.hash ^= int(CASTLING_HASH[position.castling]) ^ (BLACK_HASH if position.player else 0)
    other = 1 - position.player
    king = lowest_bit(s.men[other] & s.kinds[KING])
    if attacked(s, king, other, s.men[position.player], s.men[0] | s.men[1]):
        raise SettingError(f"{shortly(fen(s))} is no position of chess: the king of the side not to move is attacked")


def fen(s: Record) -> str:
    """The position in Forsyth-Edwards notation; a square that a pawn has passed only if a pawn may take there."""
    rows = ["".join(LETTERS[piece] for piece in s.board[row : row + SIDE]) for row in range(SQUARES - SIDE, -1, -SIDE)]
    placed = re.sub(" +", lambda blanks: str(len(blanks[0])), "/".join(rows))
    rights = "".join(letter for right, letter in enumerate(CASTLINGS) if s.castling >> right & 1) or "-"
    passed = "-" if s.passed == NOWHERE else square_name(s.passed)
    return f"{placed} {'wb'[s.player]} {rights} {passed} {getattr(s, 'quiet', 0)} {s.move}"


def squares_of(s: Record, action: int) -> tuple[int, int]:
    """From where to where an action goes."""
    turned = SEEN_FROM_BELOW * s.player
    return int(ACTION_ORIGIN[action]) ^ turned, int(ACTION_TARGET[action]) ^ turned


def promotion_of(s: Record, action: int) -> int | None:
    """The kind of piece that a pawn becomes, if it does."""
    origin, target = squares_of(s, action)
    if (s.board[origin] - 1) % KINDS != PAWN or 0 < target // SIDE < SIDE - 1:
        return None
    return int(ACTION_PROMOTION[action])


def uci(s: Record, action: int) -> str:
    """A move as two squares, and the piece that a pawn becomes: e7e8q."""
    origin, target = squares_of(s, action)
    promotion = promotion_of(s, action)
    return square_name(origin) + square_name(target) + ("" if promotion is None else LETTERS[1 + promotion].lower())


def san(s: Record, action: int) -> str:
    """A move in algebraic notation, without the sign for a check."""
    origin, target = squares_of(s, action)
    kind = (s.board[origin] - 1) % KINDS
    if kind == KING and abs(target - origin) == 2:
        return "O-O" if target > origin else "O-O-O"
    takes = "x" if s.board[target] != EMPTY or (kind == PAWN and target == s.passed) else ""
    if kind == PAWN:
        promotion = promotion_of(s, action)
        becomes = "" if promotion is None else f"={LETTERS[1 + promotion]}"
        return (COLUMNS[origin % SIDE] if takes else "") + takes + square_name(target) + becomes
    return LETTERS[1 + kind] + _told_apart(s, origin, target) + takes + square_name(target)


def _told_apart(s: Record, origin: int, target: int) -> str:
    """The column, the row or both of a piece, if another one of its kind may go to the same square."""
    others = [
        s.origin[index]
        for index in range(s.movable)
        if s.reach[index] >> target & 1 and s.origin[index] != origin
        if s.board[s.origin[index]] == s.board[origin]
    ]
    if not others:
        return ""
    if all(other % SIDE != origin % SIDE for other in others):
        return COLUMNS[origin % SIDE]
    if all(other // SIDE != origin // SIDE for other in others):
        return str(origin // SIDE + 1)
    return square_name(origin)


def read_move(s: Record, text: str, legal: Sequence[int]) -> int | None:
    """The one legal move that a text means, in algebraic notation or as two squares; None: there is no such."""
    text = text.strip()
    plain = UCI.fullmatch(text)
    if plain:
        wanted = (plain[1] + plain[2] + plain[3]).lower()
        for action in legal:
            if uci(s, action) == wanted:
                return action
        return None
    means = [action for action in legal if _is_meant(s, action, text)]
    return means[0] if len(means) == 1 else None


def _is_meant(s: Record, action: int, text: str) -> bool:
    origin, target = squares_of(s, action)
    kind = (s.board[origin] - 1) % KINDS
    castles = CASTLES.get(text.rstrip("+#!?").replace("0", "O").upper())
    if castles is not None:
        return kind == KING and target - origin == castles
    written = SAN.fullmatch(text)
    if written is None or LETTERS[1 + kind] != (written[1] or "P") or square_name(target) != written[4]:
        return False
    name, promotion = square_name(origin), promotion_of(s, action)
    becomes = LETTERS.index(written[5].upper()) - 1 if written[5] else QUEEN if promotion == QUEEN else None
    return (
        name[0] in written[2] + name[0] * (not written[2])
        and name[1] in (written[3] or name[1])
        and promotion == becomes
    )


def bytes_of(s: Record) -> Any:
    """A copy of a record's bytes."""
    return np.frombuffer(bytearray(s._row.tobytes()), np.uint8)
