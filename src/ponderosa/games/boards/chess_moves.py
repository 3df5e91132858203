"""Chess pieces on a board of sets: what they attack, how they move, which moves are legal. Start at survey.

A function here reads and writes the fields of `BOARD_FIELDS` in a state's record, those of `MOVE_FIELDS` only where it
says so, and knows no rule by which a game ends: games with other rules for the same pieces may use it.
"""

from __future__ import annotations

from typing import Any

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.compile.bits import count_all_bits, leading_zeros, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.chess_tables import (
    ACTION_OF,
    BETWEEN,
    BISHOP,
    BIT,
    BLACK_HASH,
    CASTLING_FREE,
    CASTLING_HASH,
    CASTLING_KING,
    CASTLING_PASSED,
    CASTLING_ROOK,
    COLUMN_HASH,
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
    PIECE_HASH,
    QUEEN,
    RAYS_DOWN,
    RAYS_UP,
    RIGHTS_KEPT,
    ROOK,
    SEVENTH_RANK,
    SIDE,
    SQUARES,
    THROUGH,
    UNDERPROMOTION_OF,
    UNDERPROMOTIONS,
)

MOST_PIECES = 16
"""Of a colour."""
TOP, BOTTOM = int(BIT[SQUARES - 1]), int(BIT[0])
"""The squares at which no ray goes on: where one is blocked by nothing, it is blocked there."""
SEEN_FROM_BELOW = SQUARES - SIDE
"""A square xor this is the same square as the other player sees it."""
PROMOTIONS = 1 + len(UNDERPROMOTIONS)

BOARD_FIELDS: list[Any] = [
    ("men", "i8", 2),  # the squares of each colour
    ("kinds", "i8", KINDS),  # and of each kind of piece
    ("hash", "i8"),  # of the position; whoever may take en passant changes it
    ("board", "i1", SQUARES),  # the piece on each square, as chess_tables.EMPTY says
    ("castling", "i1"),  # rights, a bit for each
    ("passed", "i1"),  # the square that a pawn has just passed and that a pawn may take; NOWHERE
    ("player", "i1"),
]
MOVE_FIELDS: list[Any] = [
    ("reach", "i8", MOST_PIECES),  # where each piece that can move may go
    ("choices", "i2"),  # legal moves in all
    ("origin", "i1", MOST_PIECES),  # where it stands
    ("movable", "i1"),  # how many such pieces there are
    ("usual", "i1"),  # how many come before the pawns that are about to promote
    ("checked", "i1"),  # whether the king is attacked
]


@inlined
def rook_reach(square: Int, occupied: Int) -> Any:
    """What a rook attacks, with the first piece in each direction."""
    up, right = RAYS_UP[square], RAYS_UP[SQUARES + square]
    down, left = RAYS_DOWN[square], RAYS_DOWN[SQUARES + square]
    return (
        (up ^ RAYS_UP[lowest_bit(up & occupied | TOP)])
        | (right ^ RAYS_UP[SQUARES + lowest_bit(right & occupied | TOP)])
        | (down ^ RAYS_DOWN[63 - leading_zeros(down & occupied | BOTTOM)])
        | (left ^ RAYS_DOWN[SQUARES + 63 - leading_zeros(left & occupied | BOTTOM)])
    )


@inlined
def bishop_reach(square: Int, occupied: Int) -> Any:
    """What a bishop attacks, with the first piece in each direction."""
    up, right = RAYS_UP[2 * SQUARES + square], RAYS_UP[3 * SQUARES + square]
    down, left = RAYS_DOWN[2 * SQUARES + square], RAYS_DOWN[3 * SQUARES + square]
    return (
        (up ^ RAYS_UP[2 * SQUARES + lowest_bit(up & occupied | TOP)])
        | (right ^ RAYS_UP[3 * SQUARES + lowest_bit(right & occupied | TOP)])
        | (down ^ RAYS_DOWN[2 * SQUARES + 63 - leading_zeros(down & occupied | BOTTOM)])
        | (left ^ RAYS_DOWN[3 * SQUARES + 63 - leading_zeros(left & occupied | BOTTOM)])
    )


def attacked(s: Record, square: Int, defender: Int, attackers: Int, occupied: Int) -> Any:
    """Whether any of the attackers attacks a square of the defender, with these squares occupied."""
    queens = s.kinds[QUEEN]
    found = (
        KNIGHT_REACH[square] & s.kinds[KNIGHT]
        | KING_REACH[square] & s.kinds[KING]
        | PAWN_REACH[defender * SQUARES + square] & s.kinds[PAWN]
        | rook_reach(square, occupied) & (s.kinds[ROOK] | queens)
        | bishop_reach(square, occupied) & (s.kinds[BISHOP] | queens)
    )
    return found & attackers != 0


@inlined
def pawn_moves(s: Record, square: Int, colour: Int, occupied: Int) -> Any:
    """Where a pawn may go, pins and en passant aside."""
    forward = SIDE if colour == 0 else -SIDE
    reach = PAWN_REACH[colour * SQUARES + square] & s.men[1 - colour]
    if occupied & BIT[square + forward] == 0:
        reach |= BIT[square + forward]
        if HOME_RANK[colour] & BIT[square] != 0:
            reach |= BIT[square + 2 * forward] & ~occupied
    return reach


def place(s: Record, square: Int, piece: Int) -> None:
    """Put a piece on an empty square."""
    kind, black = (piece - 1) % KINDS, 1 if piece > KINDS else 0
    s.board[square] = piece
    s.kinds[kind] |= BIT[square]
    s.men[black] |= BIT[square]
    s.hash ^= PIECE_HASH[piece * SQUARES + square]


def lift(s: Record, square: Int) -> None:
    """Take the piece from a square."""
    piece = s.board[square]
    kind, black = (piece - 1) % KINDS, 1 if piece > KINDS else 0
    s.board[square] = EMPTY
    s.kinds[kind] ^= BIT[square]
    s.men[black] ^= BIT[square]
    s.hash ^= PIECE_HASH[piece * SQUARES + square]


@inlined
def carry(s: Record, origin: Int, target: Int, promotion: Int) -> Any:
    """Move a piece and pass the turn; a pawn on the last rank becomes a `promotion`.

    Says what the move was: 0 one that could be taken back, 1 one that gave up a right to castle, 2 a capture or one of
    a pawn.
    """
    player, piece, passed = s.player, s.board[origin], s.passed
    kind, forward = (piece - 1) % KINDS, SIDE if player == 0 else -SIDE
    lasting = 0
    s.passed = NOWHERE
    if s.board[target] != EMPTY:
        lift(s, target)
        lasting = 2
    lift(s, origin)
    if kind == PAWN:
        lasting = 2
        if target == passed:
            lift(s, target - forward)
        elif target - origin == 2 * forward:
            s.passed = origin + forward
        elif SEVENTH_RANK[player] & BIT[origin] != 0:
            piece += promotion
    place(s, target, piece)
    if s.castling != 0:
        if kind == KING and abs(target - origin) == 2:
            way = 2 * player + (1 if target < origin else 0)
            rook = s.board[CASTLING_ROOK[way]]
            lift(s, CASTLING_ROOK[way])
            place(s, CASTLING_PASSED[way], rook)
        rights = s.castling & RIGHTS_KEPT[origin] & RIGHTS_KEPT[target]
        if rights != s.castling:
            s.hash ^= CASTLING_HASH[s.castling] ^ CASTLING_HASH[rights]
            s.castling = rights
            lasting = max(lasting, 1)
    s.player = 1 - player
    s.hash ^= BLACK_HASH
    return lasting


def add_reach(s: Record, square: Int, reach: Int) -> None:
    """Note where a piece may go."""
    if reach != 0:
        s.origin[s.movable] = square
        s.reach[s.movable] = reach
        s.movable += 1
        s.choices += count_all_bits(reach)


def survey(s: Record) -> None:
    """Fill in `MOVE_FIELDS`, all legal moves of the player to move; and forget a `passed` that nobody may take."""
    player = s.player
    own, other = s.men[player], s.men[1 - player]
    occupied = own | other
    king = lowest_bit(own & s.kinds[KING])
    s.movable = s.choices = 0
    pinned, checkers = pins_and_checks(s, king, player, other)
    s.checked = 1 if checkers != 0 else 0
    add_reach(s, king, king_moves(s, king, player, occupied))
    targets = ~own
    if checkers != 0:
        checker = lowest_bit(checkers)
        if checkers != BIT[checker]:
            s.usual, s.passed = s.movable, NOWHERE
            return  # out of a double check only the king goes
        targets = BETWEEN[king * SQUARES + checker] | checkers
    pieces = own & s.kinds[KNIGHT] & ~pinned
    while pieces != 0:
        square = lowest_bit(pieces)
        pieces ^= BIT[square]
        add_reach(s, square, KNIGHT_REACH[square] & targets)
    pieces = own & (s.kinds[BISHOP] | s.kinds[ROOK] | s.kinds[QUEEN])
    while pieces != 0:
        square = lowest_bit(pieces)
        pieces ^= BIT[square]
        piece, reach = (s.board[square] - 1) % KINDS, own & 0
        if piece != ROOK:
            reach = bishop_reach(square, occupied)
        if piece != BISHOP:
            reach |= rook_reach(square, occupied)
        if pinned & BIT[square] != 0:
            reach &= THROUGH[king * SQUARES + square]
        add_reach(s, square, reach & targets)
    takers = takers_in_passing(s, king, player, occupied)
    pawns = own & s.kinds[PAWN]
    pieces = pawns & ~SEVENTH_RANK[player]
    for last in range(2):
        if last:
            s.usual, pieces = s.movable, pawns & SEVENTH_RANK[player]
        while pieces != 0:
            square = lowest_bit(pieces)
            pieces ^= BIT[square]
            reach = pawn_moves(s, square, player, occupied) & targets
            if pinned & BIT[square] != 0:
                reach &= THROUGH[king * SQUARES + square]
            if takers & BIT[square] != 0:
                reach |= BIT[s.passed]
            add_reach(s, square, reach)
    for index in range(s.usual, s.movable):
        s.choices += (PROMOTIONS - 1) * count_all_bits(s.reach[index])


@inlined
def pins_and_checks(s: Record, king: Int, player: Int, other: Int) -> Any:
    """Which own pieces are pinned to the king, and which others attack it."""
    straight, slanting = s.kinds[ROOK] | s.kinds[QUEEN], s.kinds[BISHOP] | s.kinds[QUEEN]
    checkers = (KNIGHT_REACH[king] & s.kinds[KNIGHT] | PAWN_REACH[player * SQUARES + king] & s.kinds[PAWN]) & other
    pinned = checkers & 0
    snipers = (rook_reach(king, other) & straight | bishop_reach(king, other) & slanting) & other
    while snipers != 0:
        sniper = lowest_bit(snipers)
        snipers ^= BIT[sniper]
        between = BETWEEN[king * SQUARES + sniper] & s.men[player]
        if between == 0:
            checkers |= BIT[sniper]
        elif between == BIT[lowest_bit(between)]:
            pinned |= between
    return pinned, checkers


@inlined
def king_moves(s: Record, king: Int, player: Int, occupied: Int) -> Any:
    """Where the king may go, by castling too."""
    other = s.men[1 - player]
    reach = KING_REACH[king] & ~s.men[player]
    targets, without = reach, occupied ^ BIT[king]
    while targets != 0:
        square = lowest_bit(targets)
        targets ^= BIT[square]
        if attacked(s, square, player, other, without):
            reach ^= BIT[square]
        elif s.checked == 0 and s.castling & 3 << 2 * player != 0:
            for way in range(2 * player, 2 * player + 2):  # the king passes where it might stop
                open_way = square == CASTLING_PASSED[way] and CASTLING_FREE[way] & occupied == 0
                if open_way and s.castling >> way & 1 != 0:
                    beyond = CASTLING_KING[way]
                    if not attacked(s, beyond, player, other, without):
                        reach |= BIT[beyond]
    return reach


@inlined
def takers_in_passing(s: Record, king: Int, player: Int, occupied: Int) -> Any:
    """The pawns that may take en passant; the position's hash tells whether there are any."""
    takers = occupied & 0
    if s.passed == NOWHERE:
        return takers
    taken = s.passed - (SIDE if player == 0 else -SIDE)
    pawns = PAWN_REACH[(1 - player) * SQUARES + s.passed] & s.men[player] & s.kinds[PAWN]
    while pawns != 0:
        square = lowest_bit(pawns)
        pawns ^= BIT[square]
        after = occupied ^ BIT[square] ^ BIT[taken] | BIT[s.passed]
        if not attacked(s, king, player, s.men[1 - player] ^ BIT[taken], after):
            takers |= BIT[square]
    if takers == 0:
        s.passed = NOWHERE
    return takers


@inlined
def fill_actions(s: Record, actions: Actions) -> Any:
    """The numbers of all legal moves, and how many they are."""
    count, turned = 0, SEEN_FROM_BELOW * s.player
    for index in range(s.movable):
        reach, place_from = s.reach[index], (s.origin[index] ^ turned) * SQUARES
        while reach != 0:
            square = lowest_bit(reach)
            reach ^= BIT[square]
            way = place_from + (square ^ turned)
            actions[count] = ACTION_OF[way]
            count += 1
            if index >= s.usual:
                for kind in range(PROMOTIONS - 1):
                    actions[count] = UNDERPROMOTION_OF[way] + kind
                    count += 1
    return count


def fill_noisy(s: Record, actions: Actions) -> Any:
    """The numbers of all captures, and of moves that promote to a queen, and how many they are."""
    count, turned = 0, SEEN_FROM_BELOW * s.player
    other, pawns = s.men[1 - s.player], s.men[s.player] & s.kinds[PAWN]
    for index in range(s.movable):
        reach, square = s.reach[index], s.origin[index]
        if index < s.usual:
            passing = BIT[s.passed] if s.passed != NOWHERE and pawns & BIT[square] != 0 else 0
            reach &= other | passing
        while reach != 0:
            target = lowest_bit(reach)
            reach ^= BIT[target]
            actions[count] = ACTION_OF[(square ^ turned) * SQUARES + (target ^ turned)]
            count += 1
    return count


@inlined
def one_action(s: Record, rng: Rng) -> Any:
    """The number of a random legal move."""
    left, index = below(rng, s.choices), 0
    while True:
        ways = count_all_bits(s.reach[index])
        if index >= s.usual:
            ways *= PROMOTIONS
        if left < ways:
            break
        left -= ways
        index += 1
    kind = -1
    if index >= s.usual:
        kind = left % PROMOTIONS - 1
        left //= PROMOTIONS
    reach = s.reach[index]
    for _ in range(left):
        reach ^= BIT[lowest_bit(reach)]
    turned = SEEN_FROM_BELOW * s.player
    way = (s.origin[index] ^ turned) * SQUARES + (lowest_bit(reach) ^ turned)
    return ACTION_OF[way] if kind < 0 else UNDERPROMOTION_OF[way] + kind


def passing_hash(s: Record) -> Any:
    """What belongs to the hash while a pawn may be taken en passant."""
    return COLUMN_HASH[s.passed % SIDE] if s.passed != NOWHERE else 0
