"""Where the unseen men of a game of chess may stand: drawn at random so that they agree with what the referee said.

Start at draw_unseen. In a drawn position the unseen side stands as at first, less what was taken, and walks as many
random steps as it has made moves; then men are set elsewhere, or become others, one at a time, until every message of
the referee fits: checks, pawn tries, captures, tries that were refused. Sets of squares are those of chess_tables.
"""

from __future__ import annotations

from typing import Any

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.bits import count_all_bits, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.chess_board import too_little
from ponderosa.games.boards.chess_moves import (
    attacked,
    bishop_reach,
    lift,
    pawn_moves,
    pins_and_checks,
    place,
    rook_reach,
    survey,
)
from ponderosa.games.boards.chess_tables import (
    BISHOP,
    BIT,
    CASTLING_KING,
    CASTLING_ROOK,
    DARK_SQUARES,
    EMPTY,
    FILES,
    HOME_RANK,
    KINDS,
    KING,
    KING_HOME,
    KING_REACH,
    KNIGHT,
    KNIGHT_REACH,
    NOWHERE,
    PAWN,
    PAWN_REACH,
    QUEEN,
    RANKS,
    ROOK,
    SIDE,
    SQUARES,
)

BY_FILE, BY_RANK, BY_LONG_DIAGONAL, BY_SHORT_DIAGONAL, BY_KNIGHT = 1, 2, 4, 8, 16
"""Ways to give check, as the referee tells them: of a square's two diagonals one is always the longer."""
THIRD_RANK = RANKS[[2, 5]]
LAST_RANKS = int(RANKS[0] | RANKS[7])
LONGEST_WALK = 40
"""More random steps make no difference."""
DRAWS = 40
"""How many positions are begun before the best is taken that was found."""
CHANGES = 150
"""How many men are set elsewhere in each of them before the next is begun."""
FEW_MEN = 4
"""From so many men on, a player keeps in mind where the other's king may be."""
OTHER_KIND = 8
"""One change in so many is of what a man is."""
SOONEST_PROMOTION = 8
"""Nobody promotes a pawn in fewer moves of both from the start of a game."""
UPHILL = 40
"""One change in so many is kept although less fits after it."""


def draw_unseen(s: Record, player: Int, rng: Rng) -> None:
    """Set up the men that a player does not see; the fields of what is seen stay as they are."""
    for _ in range(DRAWS):
        take_unseen_away(s, player)
        if arrange(s, player, rng) == 0:
            break


def take_unseen_away(s: Record, player: Int) -> None:
    """Leave on the board what a player sees of it."""
    unseen = s.men[1 - player]
    while unseen != 0:
        square = lowest_bit(unseen)
        unseen ^= BIT[square]
        lift(s, square)
    s.castling &= 3 << 2 * player
    s.passed = NOWHERE
    if s.player == player:
        s.stepped = NOWHERE


def arrange(s: Record, player: Int, rng: Rng) -> Any:
    """Set up the unseen men, and say how many messages they contradict."""
    other = 1 - player
    spare = s.lost_pawns[player] + s.lost_pieces[player]  # captures by which pawns may have changed files
    stand_as_at_first(s, other, rng)
    spare = walk(s, other, spare, rng)
    go_to_lair(s, player, rng)
    held = hold_taker(s, player, spare, rng)
    wrong = contradictions(s, player)
    for _ in range(CHANGES):
        movable = s.men[other] & ~held
        if wrong == 0 or movable == 0:
            break
        square, stepped = one_square(movable, rng), s.stepped
        piece, target = s.board[square] + 0, square
        becomes = piece
        if below(rng, OTHER_KIND) == 0:
            becomes = other_kind(s, square, other, spare, rng)
        else:
            room = places_for(s, piece, square, spare)
            target = square if room == 0 else one_square(room, rng)
        if becomes == piece and target == square:
            continue
        lift(s, square)
        place(s, target, becomes)
        if s.player == player:
            s.stepped = step_to(s, target, stepped, rng)
        now = contradictions(s, player)
        if now <= wrong or below(rng, UPHILL) == 0:
            wrong = now
            if (piece - 1) % KINDS == PAWN:
                spare -= abs(target % SIDE - square % SIDE)
        else:
            lift(s, target)
            place(s, square, piece)
            s.stepped = stepped
    if wrong != 0:
        wrong = contradictions(s, player)
    return wrong


def one_square(squares: Int, rng: Rng) -> Any:
    """A random square of a set; there must be one."""
    for _ in range(below(rng, count_all_bits(squares))):
        squares ^= BIT[lowest_bit(squares)]
    return lowest_bit(squares)


def stand_as_at_first(s: Record, other: Int, rng: Rng) -> None:
    """Put the men of a side where they began, but for those that were taken and those whose square is occupied."""
    pawns = pieces = fallen = s.men[0] & 0
    for square in range(SQUARES):
        piece = s.start[square]
        if piece != EMPTY and (piece > KINDS) == other:
            if (piece - 1) % KINDS == PAWN:
                pawns |= BIT[square]
            elif (piece - 1) % KINDS != KING:
                pieces |= BIT[square]
            else:
                fallen |= BIT[square]
    standing = fallen
    fallen = s.men[0] & 0
    for column in range(SIDE):
        if s.fallen[other] >> column & 1:
            fallen |= FILES[column] & pawns
    for number in range(s.lost_pawns[other] + s.lost_pieces[other]):
        if number < s.lost_pawns[other]:
            taken = BIT[one_square(fallen if fallen != 0 else pawns, rng)]
        else:
            taken = BIT[one_square(pieces if pieces != 0 else pawns, rng)]
        fallen &= ~taken
        pawns &= ~taken
        pieces &= ~taken
    standing |= pawns | pieces
    displaced = standing & s.men[1 - other]
    standing ^= displaced
    while standing != 0:
        square = lowest_bit(standing)
        standing ^= BIT[square]
        place(s, square, s.start[square])
    while displaced != 0:
        square = lowest_bit(displaced)
        displaced ^= BIT[square]
        piece = s.start[square]
        room = places_for(s, piece, square, 0)
        if room == 0:
            room = places_for(s, piece, square, SIDE)
        if room == 0:
            room = ~(s.men[0] | s.men[1] | LAST_RANKS)
        place(s, one_square(room, rng), piece)


def places_for(s: Record, piece: Int, square: Int, spare: Int) -> Any:
    """The free squares where a man of this side and kind may stand as well; of a pawn, `spare` captures may be used."""
    free = ~(s.men[0] | s.men[1])
    kind = (piece - 1) % KINDS
    if kind == PAWN:
        files, column = FILES[square % SIDE], square % SIDE
        if spare > 0:
            beside = files & 0
            if column > 0:
                beside |= FILES[column - 1]
            if column < SIDE - 1:
                beside |= FILES[column + 1]
            files |= beside & ~HOME_RANK[1 if piece > KINDS else 0]
        return free & files & ~LAST_RANKS
    if kind == BISHOP:
        return free & (DARK_SQUARES if DARK_SQUARES & BIT[square] != 0 else ~DARK_SQUARES)
    if kind == KING and free & s.lair[0 if piece > KINDS else 1] != 0:
        return free & s.lair[0 if piece > KINDS else 1]
    return free


def go_to_lair(s: Record, player: Int, rng: Rng) -> None:
    """Put the unseen king where it may be."""
    king = lowest_bit(s.men[1 - player] & s.kinds[KING])
    if s.lair[player] & BIT[king] == 0:
        piece = s.board[king] + 0
        target = one_square(places_for(s, piece, king, 0), rng)
        lift(s, king)
        place(s, target, piece)


def other_kind(s: Record, square: Int, other: Int, spare: Int, rng: Rng) -> Any:
    """Another piece that a man may be, as nobody says which pieces were taken and what a pawn has become."""
    piece, wanted = s.board[square] + 0, below(rng, KING)
    kind, pawns = (piece - 1) % KINDS, s.men[other] & s.kinds[PAWN]
    if kind in (KING, wanted) or (kind == PAWN and s.plies < SOONEST_PROMOTION):
        return piece
    if wanted == PAWN:
        known = FILES[square % SIDE] & pawns != 0 or s.fallen[other] >> square % SIDE & 1
        if LAST_RANKS & BIT[square] != 0 or (known and spare <= 0):
            return piece
    pawns_at_first = men = 0
    for place_at_first in range(SQUARES):
        if s.start[place_at_first] == 1 + PAWN + KINDS * other:
            pawns_at_first += 1
        elif s.start[place_at_first] == 1 + wanted + KINDS * other:
            men += 1
    promoted = pawns_at_first - s.lost_pawns[other] - count_all_bits(pawns) + (kind == PAWN)
    if promoted > 0 or count_all_bits(s.men[other] & s.kinds[wanted]) < men:
        return 1 + wanted + KINDS * other
    return piece


def walk(s: Record, other: Int, spare: Int, rng: Rng) -> Any:
    """Random steps of the unseen men, as many as that side has moved; says how many captures no pawn has used."""
    began = s.player ^ (s.plies & 1)
    for _ in range(min((s.plies + (1 if began == other else 0)) // 2, LONGEST_WALK)):
        square, occupied = one_square(s.men[other], rng), s.men[0] | s.men[1]
        piece = s.board[square]
        kind = (piece - 1) % KINDS
        reach = occupied & 0
        if kind == PAWN:
            reach = pawn_moves(s, square, other, occupied)
            if spare > 0 and below(rng, 3) == 0:
                reach = PAWN_REACH[other * SQUARES + square]
        elif kind == KNIGHT:
            reach = KNIGHT_REACH[square]
        elif kind == KING:
            reach = KING_REACH[square]
        if kind in (BISHOP, QUEEN):
            reach |= bishop_reach(square, occupied)
        if kind in (ROOK, QUEEN):
            reach |= rook_reach(square, occupied)
        reach &= ~occupied
        if reach == 0:
            continue
        target = one_square(reach, rng)
        if kind == PAWN:
            spare -= abs(target % SIDE - square % SIDE)
            if LAST_RANKS & BIT[target] != 0:
                piece += QUEEN
        lift(s, square)
        place(s, target, piece)
    return spare


def hold_taker(s: Record, player: Int, spare: Int, rng: Rng) -> Any:
    """If the unseen side has just taken something, put one of its men there, which must stay; says where."""
    if s.taken == NOWHERE or s.player != player:
        return s.men[0] & 0
    there = BIT[s.taken]
    if s.board[s.taken] != EMPTY:
        return there
    for last in range(2):
        left = s.men[1 - player]
        while left != 0:
            square = one_square(left, rng)
            left ^= BIT[square]
            piece = s.board[square]
            if places_for(s, piece, square, spare) & there != 0 or (last and (piece - 1) % KINDS != PAWN):
                lift(s, square)
                place(s, s.taken, piece)
                return there
    return there


def step_to(s: Record, target: Int, stepped: Int, rng: Rng) -> Any:
    """The square that the last move's double step of a pawn has passed, once a man was set on `target`."""
    other = 1 - s.player
    forward = SIDE if other == 0 else -SIDE
    square = target - forward
    pawn = 1 + PAWN + KINDS * other
    if s.taken == NOWHERE and s.board[target] == pawn and THIRD_RANK[other] & BIT[square] != 0:
        stepped = square if below(rng, 2) == 0 else stepped
    if stepped == NOWHERE or s.board[stepped + forward] != pawn:
        return NOWHERE
    return stepped if s.board[stepped] == EMPTY and s.board[stepped - forward] == EMPTY else NOWHERE


def contradictions(s: Record, player: Int) -> Any:
    """How many messages of the referee the position on the board contradicts; it is surveyed for its moves then."""
    mover = s.player
    king = lowest_bit(s.men[1 - mover] & s.kinds[KING])
    wrong = 0
    if attacked(s, king, 1 - mover, s.men[mover], s.men[0] | s.men[1]):
        wrong += 4
    s.passed = s.stepped
    s.castling = s.castling & 3 << 2 * player | rights_left(s) & 3 << 2 * (1 - player)
    survey(s)
    if s.choices == 0:
        wrong += 4
    if too_little(s):
        wrong += 4
    wrong += count_all_bits(ways_of_check(s) ^ s.checks) + abs(pawn_tries_of(s) - s.pawn_tries)
    for index in range(s.movable):
        wrong += count_all_bits(s.reach[index] & s.refused[s.origin[index]])
    return wrong


def follow_kings(s: Record) -> None:
    """Note where each may think the other's king to be, once the move is made and the checks are announced."""
    for player in range(2):
        own, others = s.men[player], count_all_bits(s.men[1 - player])
        if others > FEW_MEN:
            s.lair[player] = ~(s.men[0] & 0)
            continue
        attacks = sure_attacks(s, player, others == 1)
        if player == s.player:  # the other has moved, its king by a step at most
            lair = s.lair[player]
            wider = lair
            while lair != 0:
                square = lowest_bit(lair)
                lair ^= BIT[square]
                wider |= KING_REACH[square]
            for way in range(2 * (1 - player), 2 * (1 - player) + 2):
                if s.rights >> way & 1 and s.lair[player] & BIT[KING_HOME[1 - player]] != 0:
                    wider |= BIT[CASTLING_KING[way]]
            s.lair[player] = wider & ~own & ~attacks
        elif s.checks == 0:
            s.lair[player] &= ~own & ~attacks
        elif others == 1:
            s.lair[player] &= attacks


def sure_attacks(s: Record, player: Int, alone: Any) -> Any:
    """What a player's men attack, whatever stands unseen between; all that they do if the other's king is alone."""
    own = s.men[player]
    men, found = own, own & 0
    while men != 0:
        square = lowest_bit(men)
        men ^= BIT[square]
        kind = (s.board[square] - 1) % KINDS
        if kind == PAWN:
            found |= PAWN_REACH[player * SQUARES + square]
        elif kind == KNIGHT:
            found |= KNIGHT_REACH[square]
        elif kind == KING:
            found |= KING_REACH[square]
        else:
            reach = own & 0
            if kind != ROOK:
                reach |= bishop_reach(square, own)
            if kind != BISHOP:
                reach |= rook_reach(square, own)
            found |= reach if alone else reach & KING_REACH[square]
    return found


def rights_left(s: Record) -> Any:
    """The rights to castle of which king and rook stand where they began."""
    rights = 0
    for way in range(4):
        black = KINDS * (way // 2)
        king, rook = s.board[KING_HOME[way // 2]], s.board[CASTLING_ROOK[way]]
        if s.rights >> way & 1 and king == 1 + KING + black and rook == 1 + ROOK + black:
            rights |= 1 << way
    return rights


def ways_of_check(s: Record) -> Any:
    """From where the king of the player to move is attacked, as the referee tells it."""
    if s.checked == 0:
        return 0
    king, ways = lowest_bit(s.men[s.player] & s.kinds[KING]), 0
    _, checkers = pins_and_checks(s, king, s.player, s.men[1 - s.player])
    while checkers != 0:
        square = lowest_bit(checkers)
        checkers ^= BIT[square]
        ways |= way_between(king, square)
    return ways


@inlined
def way_between(king: Any, square: Any) -> Any:
    down, right = square // SIDE - king // SIDE, square % SIDE - king % SIDE
    if right == 0:
        return BY_FILE
    if down == 0:
        return BY_RANK
    if abs(down) != abs(right):
        return BY_KNIGHT
    rising = SIDE - abs(king // SIDE - king % SIDE)  # how long the diagonal is on which both grow
    falling = SIDE - abs(king // SIDE + king % SIDE - (SIDE - 1))
    return BY_LONG_DIAGONAL if (rising > falling) == (down == right) else BY_SHORT_DIAGONAL


def pawn_tries_of(s: Record) -> Any:
    """How many captures by pawns there are, of the moves that were surveyed."""
    other, found = s.men[1 - s.player], 0
    pawns = s.men[s.player] & s.kinds[PAWN]
    for index in range(s.movable):
        if pawns & BIT[s.origin[index]] != 0:
            reach = s.reach[index]
            found += count_all_bits(reach & other)
            if s.passed != NOWHERE and reach & BIT[s.passed] & PAWN_REACH[s.player * SQUARES + s.origin[index]] != 0:
                found += 1
    return found
