"""Tables of the chessboard as sets of squares: who attacks what from where. Start at KNIGHT_REACH.

Square 0 is a1, 7 is h1, 63 is h8. A set is a whole number of 64 bits with a sign: square 63 is the sign, and nothing
here adds, subtracts or shifts sets, so that machine code and plain Python agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

WHITE, BLACK = 0, 1
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
KINDS = 6
EMPTY = 0
"""What is on an empty square; a piece is 1 + its kind, and KINDS more if it is black."""
NOWHERE = -1
SIDE = 8
SQUARES = SIDE * SIDE

Table = npt.NDArray[np.int64]
Step = tuple[int, int]
"""How many rows up and columns to the right."""

RISING: tuple[Step, ...] = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Ways of rooks and bishops that lead to higher squares; the others are these turned round."""
KNIGHT_STEPS: tuple[Step, ...] = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS: tuple[Step, ...] = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def a_set(squares: Iterable[int]) -> int:
    """The set of these squares."""
    bits = sum(1 << square for square in squares)
    return bits - (1 << SQUARES) if bits >> (SQUARES - 1) else bits


def line(square: int, step: Step, longest: int = SIDE) -> list[int]:
    """The squares one step after the other from a square on, to the edge of the board."""
    row, column = divmod(square, SIDE)
    found = []
    for _ in range(longest):
        row, column = row + step[0], column + step[1]
        if not (0 <= row < SIDE and 0 <= column < SIDE):
            break
        found.append(row * SIDE + column)
    return found


def table(of: Callable[[int], Iterable[int]], count: int = SQUARES) -> Table:
    """A set for each number."""
    return np.array([a_set(of(number)) for number in range(count)], np.int64)


def _stepping(steps: Iterable[Step]) -> Table:
    steps = tuple(steps)
    return table(lambda square: [target for step in steps for target in line(square, step, 1)])


def _way_between(squares: int) -> Step | None:
    """The step by which a queen gets from one square to the other, of both as one number."""
    (row, column), (to_row, to_column) = divmod(squares // SQUARES, SIDE), divmod(squares % SQUARES, SIDE)
    down, right = to_row - row, to_column - column
    if (down, right) == (0, 0) or not (down == 0 or right == 0 or abs(down) == abs(right)):
        return None
    return (down > 0) - (down < 0), (right > 0) - (right < 0)


def _between(squares: int) -> list[int]:
    step, target = _way_between(squares), squares % SQUARES
    if step is None:
        return []
    way = line(squares // SQUARES, step)
    return way[: way.index(target)]


def _through(squares: int) -> list[int]:
    step, square = _way_between(squares), squares // SQUARES
    return [] if step is None else [square, *line(square, step), *line(square, (-step[0], -step[1]))]


BIT = table(lambda square: [square])
KNIGHT_REACH, KING_REACH = _stepping(KNIGHT_STEPS), _stepping(KING_STEPS)
PAWN_REACH = np.concatenate([_stepping([(1, -1), (1, 1)]), _stepping([(-1, -1), (-1, 1)])])
"""What a pawn attacks: at colour * SQUARES + square."""
RAYS_UP = np.concatenate([table(lambda square, step=step: line(square, step)) for step in RISING])  # type: ignore[misc]
RAYS_DOWN = np.concatenate(
    [table(lambda square, step=(-down, -right): line(square, step)) for down, right in RISING]  # type: ignore[misc]
)
"""All squares from one on in a direction, to the edge: at direction * SQUARES + square."""
BETWEEN, THROUGH = table(_between, SQUARES * SQUARES), table(_through, SQUARES * SQUARES)
"""What lies between two squares, and the whole line through them; nothing if a queen does not see one from the other.
At one * SQUARES + other."""
RANKS = table(lambda rank: range(rank * SIDE, (rank + 1) * SIDE), SIDE)
FILES = table(lambda column: range(column, SQUARES, SIDE), SIDE)
HOME_RANK, SEVENTH_RANK = RANKS[[1, 6]], RANKS[[6, 1]]
"""Where a colour's pawns begin, and from where they step onto the last rank."""
DARK_SQUARES = a_set(square for square in range(SQUARES) if (square // SIDE + square % SIDE) % 2 == 0)

CASTLINGS = "KQkq"
"""Rights to castle in the order of their bits, as FEN writes them."""
CASTLING_KING = np.array([6, 2, 62, 58])
CASTLING_ROOK = np.array([7, 0, 63, 56])
CASTLING_PASSED = np.array([5, 3, 61, 59])
"""Where the king goes, where the rook stands, and the square that the king passes, where the rook goes."""
CASTLING_FREE = np.array([a_set(squares) for squares in ((5, 6), (1, 2, 3), (61, 62), (57, 58, 59))])
KING_HOME = np.array([4, 60])
RIGHTS_KEPT = np.array(
    [
        sum(
            1 << right
            for right in range(len(CASTLINGS))
            if square not in (int(CASTLING_ROOK[right]), int(KING_HOME[right // 2]))
        )
        for square in range(SQUARES)
    ]
)
"""The rights that are left when a piece comes or goes on a square."""

_words = iter((np.random.SeedSequence(1970).generate_state(1024, np.uint64) >> np.uint64(1)).astype(np.int64))
"""A. L. Zobrist 1970, "A new hashing method with application for game playing": random numbers, always the same."""


def _drawn(count: int) -> Table:
    return np.array([next(_words) for _ in range(count)], np.int64)


PIECE_HASH = np.concatenate([np.zeros(SQUARES, np.int64), _drawn(2 * KINDS * SQUARES)])
"""At piece * SQUARES + square."""
CASTLING_HASH, COLUMN_HASH, CLOCK_HASH = _drawn(1 << len(CASTLINGS)), _drawn(SIDE), _drawn(128)
BLACK_HASH, SEEN_HASH = (int(word) for word in _drawn(2))

# An action is a way from one square to another as a queen or a knight goes, then an underpromotion; squares are as the
# player to move sees them, so that Black's actions have the numbers of White's mirrored ones.
_WAYS = [
    (square, target)
    for square in range(SQUARES)
    for target in range(SQUARES)
    if _way_between(square * SQUARES + target) or KNIGHT_REACH[square] & BIT[target]
]
UNDERPROMOTIONS = (KNIGHT, BISHOP, ROOK)
_PROMOTING = [
    (square, target)
    for square in range(6 * SIDE, 7 * SIDE)
    for target in range(square + SIDE - 1, square + SIDE + 2)
    if target // SIDE == SIDE - 1 and abs(target % SIDE - square % SIDE) <= 1
]
_ALL = [(*way, QUEEN) for way in _WAYS] + [(*way, kind) for way in _PROMOTING for kind in UNDERPROMOTIONS]
ACTIONS = len(_ALL)
"""How many numbers actions have: 1,792 ways and 66 underpromotions."""
ACTION_ORIGIN, ACTION_TARGET, ACTION_PROMOTION = (np.array([row[place] for row in _ALL]) for place in range(3))
ACTION_OF = np.full(SQUARES * SQUARES, NOWHERE, np.int64)
"""The action from one square to another, at one * SQUARES + other; to promote to a queen is nothing special."""
UNDERPROMOTION_OF = np.full(SQUARES * SQUARES, NOWHERE, np.int64)
"""The action that promotes to a knight; the other kinds follow it."""
for _number, (_square, _target, _kind) in enumerate(_ALL):
    _table = ACTION_OF if _kind == QUEEN else UNDERPROMOTION_OF
    if _table[_square * SQUARES + _target] == NOWHERE:
        _table[_square * SQUARES + _target] = _number
