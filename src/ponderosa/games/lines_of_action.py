"""Lines of Action: bring all pieces together. Start at LinesOfAction."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.bits import count_all_bits, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import Game, rule
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.bitboard import ONE, ZERO, board_of, cell_bit, is_set
from ponderosa.games.boards.lines import board_symmetries, returns_of
from ponderosa.games.boards.repetition import place_of

SIDE = 8
CELLS = SIDE * SIDE
PIECES = 12
WAYS = 8
STEPS = (1, 7, 8, 9, -1, -7, -8, -9)
"""To the right, up to the left, up, up to the right, and back; an action is cell * WAYS + way."""
LINES = 4
MOST_MOVES = 1000
SHORT_TABLE, LONG_TABLE = 512, 2048
DRAWN = 3
"""Of winner: nobody."""
NAMES = ("Black", "White")
LETTERS = ("X", "O")
COLOURS = ("#1a1a1a", "#ffffff")
CLOSENESS, TAKING = 0.25, 0.2
"""What a step nearer to the middle of the own pieces adds to the logarithm of the odds, and what taking one does."""


def moved(cell: int, step: int) -> int:
    """The cell a step further, or -1 if that is no cell of the board."""
    target = cell + step
    beside = abs(target % SIDE - cell % SIDE) <= 1  # or the step went round an edge
    return target if beside and 0 <= target < CELLS else -1


def cells_on(cell: int, way: int) -> list[int]:
    """The cells on a way from one, nearest first."""
    found = []
    while (cell := moved(cell, STEPS[way])) >= 0:
        found.append(cell)
    return found


REACH = np.array([[len(cells_on(cell, way)) for way in range(WAYS)] for cell in range(CELLS)], np.int8)
"""How many cells there are on each way from a cell."""
LINE = np.array(
    [
        [board_of([cell, *cells_on(cell, line), *cells_on(cell, line + LINES)]) for line in range(LINES)]
        for cell in range(CELLS)
    ],
    np.uint64,
)
"""The row, the diagonals and the column of each cell."""
STEP = np.array(STEPS)
NUMBERS = np.random.default_rng(8).integers(1, 2**62, 2 * CELLS, dtype=np.int64)
"""A random number for each player's piece on each cell (Zobrist 1970)."""
NOT_FIRST = np.uint64(board_of(cell for cell in range(CELLS) if cell % SIDE > 0))
NOT_LAST = np.uint64(board_of(cell for cell in range(CELLS) if cell % SIDE < SIDE - 1))


class LinesOfAction(Game):
    """Move as many cells as there are pieces on the line, of both players; who joins all pieces into one group wins.

    A piece goes along its row, column or diagonal. It jumps over own pieces, not over others, and takes one where it
    lands. Who joins both players' pieces at once wins; who cannot move loses; a position that was there before is a
    draw, and so is a game of `max_moves` turns.
    """

    name = "lines_of_action"
    label = "Lines of Action"
    board = "chequered"
    colours = COLOURS
    max_actions = PIECES * WAYS
    observation_shape = SIDE, SIDE, 3

    def __init__(self, max_moves: int = 200) -> None:
        check_number("max_moves", max_moves, 1, MOST_MOVES, whole=True)
        self.max_game_length = max_moves
        self.dtype = np.dtype(
            [
                ("pieces", "u8", 2),  # of each player, a bit a cell: row * 8 + column, row 1 lowest
                ("hash", "i8"),
                # a hash table of the positions that were there
                ("seen", "i8", SHORT_TABLE if 2 * max_moves < SHORT_TABLE else LONG_TABLE),
                ("moves", "i2"),  # turns that the game still has
                ("player", "i1"),
                ("winner", "i1"),  # the player's number plus one, or DRAWN
            ]
        )

    def setup(self, s: Record) -> None:
        s.moves = self.max_game_length
        for index in range(1, SIDE - 1):
            for player, cells in enumerate(((index, CELLS - SIDE + index), (index * SIDE, index * SIDE + SIDE - 1))):
                for cell in cells:
                    s.pieces[player] |= cell_bit(cell)
                    s.hash ^= NUMBERS[2 * cell + player]
        s.seen[place_of(s, s.hash)] = s.hash

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        count = 0
        left: Any = np.uint64(s.pieces[s.player])
        while left != ZERO:
            cell = lowest_bit(left)
            for way in range(WAYS):
                if may_go(s, cell, way):
                    actions[count] = cell * WAYS + way
                    count += 1
            left &= left - ONE
        return count

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return random_move(s, rng)

    @rule
    def playout_action(s: Record, rng: Rng) -> Any:
        """Of two random moves the one that leads nearer to the middle of the board."""
        one, other = random_move(s, rng), random_move(s, rng)
        return one if gain_of(s, one) >= gain_of(s, other) else other

    @rule
    def apply_action(s: Record, a: Int) -> None:
        player = np.int64(s.player)
        other = 1 - player
        start = a // WAYS
        target = target_of(s, start, a % WAYS)
        s.pieces[player] ^= cell_bit(start) | cell_bit(target)
        s.hash ^= NUMBERS[2 * start + player] ^ NUMBERS[2 * target + player]
        takes = is_set(s.pieces[other], target)
        if takes:
            s.pieces[other] ^= cell_bit(target)
            s.hash ^= NUMBERS[2 * target + other]
        s.moves -= 1
        s.player = other
        if in_one_group(np.uint64(s.pieces[player])):
            s.winner = player + 1
        elif takes and in_one_group(np.uint64(s.pieces[other])):
            s.winner = other + 1
        else:
            place = place_of(s, s.hash)
            if s.moves == 0 or s.seen[place] != 0:
                s.winner = DRAWN
            elif not can_move(s):
                s.winner = player + 1
            s.seen[place] = s.hash

    @rule
    def is_terminal(s: Record) -> Any:
        return s.winner != 0

    @rule
    def returns(s: Record) -> Any:
        return returns_of(s.winner % DRAWN)

    @rule
    def evaluate(s: Record) -> Any:
        odds = CLOSENESS * (scatter(np.uint64(s.pieces[1])) - scatter(np.uint64(s.pieces[0])))
        worth = 2.0 / (1.0 + np.exp(-odds)) - 1.0
        return worth, -worth

    @rule
    def prior(s: Record, a: Int) -> Any:
        target = target_of(s, a // WAYS, a % WAYS)
        after = np.uint64(s.pieces[s.player]) ^ (cell_bit(a // WAYS) | cell_bit(target))
        closer = scatter(np.uint64(s.pieces[s.player])) - scatter(after)
        return CLOSENESS * closer + (TAKING if is_set(s.pieces[1 - s.player], target) else 0.0)

    @rule
    def key(s: Record) -> Any:
        """Of the pieces, the player to move and the turns left; which positions were there before is left out."""
        return s.hash ^ (np.int64(s.winner) + 4 * s.player + 8 * s.moves)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """Own pieces, the other's, and whether White is to move; the highest row comes first."""
        for cell in range(CELLS):
            row, column = SIDE - 1 - cell // SIDE, cell % SIDE
            planes[row, column, 0] = is_set(s.pieces[s.player], cell)
            planes[row, column, 1] = is_set(s.pieces[1 - s.player], cell)
        planes[:, :, 2] = s.player

    def action_to_string(self, s: Record, a: int) -> str:
        start, target = a // WAYS, int(target_of(s, a // WAYS, a % WAYS))
        takes = int(s.pieces[1 - s.player]) >> target & 1
        return f"{cell_name(start)}{'x' if takes else '-'}{cell_name(target)}"

    def cells(self, s: Record) -> list[list[str]]:
        def shown(cell: int) -> Cell:
            for letter, colour, pieces in zip(LETTERS, COLOURS, s.pieces, strict=True):
                if int(pieces) >> cell & 1:
                    return Cell(letter, stone=colour)
            return Cell()

        return [[shown(row * SIDE + column) for column in range(SIDE)] for row in reversed(range(SIDE))]

    def action_cells(self, s: Record, a: int) -> list[tuple[int, int]]:
        both = a // WAYS, int(target_of(s, a // WAYS, a % WAYS))
        return [(SIDE - 1 - cell // SIDE, cell % SIDE) for cell in both]

    def symmetries(self) -> list[list[int]]:
        """The board mirrored left to right, top to bottom, and both: turned by a quarter, the colours would change."""

        def way_in(image: list[int], way: int) -> int:
            middle = 3 * SIDE + 3
            return STEPS.index(image[middle + STEPS[way]] - image[middle])

        images = board_symmetries(SIDE, SIDE)[:3]
        return [
            [image[cell] * WAYS + way_in(image, way) for cell in range(CELLS) for way in range(WAYS)]
            for image in images
        ]

    def row_labels(self) -> list[str]:
        return [str(row) for row in range(SIDE, 0, -1)]

    def column_labels(self) -> list[str]:
        return [chr(ord("a") + column) for column in range(SIDE)]

    def ending(self, s: Record) -> str:
        if s.winner == DRAWN:
            return "a position came again" if s.moves else "too many turns"
        return "all pieces in one group" if in_one_group(np.uint64(s.pieces[s.winner - 1])) else "no move left"

    def player_name(self, player: int) -> str:
        return NAMES[player]


def cell_name(cell: int) -> str:
    """a1 is at the bottom left."""
    return f"{chr(ord('a') + cell % SIDE)}{cell // SIDE + 1}"


@inlined
def pieces_along(s: Record, cell: Int, way: Int) -> Any:
    """How many pieces are on a line through a cell: so many cells a piece there goes."""
    return count_all_bits((np.uint64(s.pieces[0]) | np.uint64(s.pieces[1])) & LINE[cell, way % LINES])


@inlined
def target_of(s: Record, cell: Int, way: Int) -> Any:
    """Where a piece goes on a way."""
    return cell + pieces_along(s, cell, way) * STEP[way]


@inlined
def may_go(s: Record, cell: Int, way: Int) -> Any:
    """Whether a piece of the player to move may go on a way: not off the board, over others, or onto own ones."""
    far = pieces_along(s, cell, way)
    if far > REACH[cell, way]:
        return False
    target = cell + far * STEP[way]
    low, high = (cell, target) if cell < target else (target, cell)
    between = LINE[cell, way % LINES] & (cell_bit(high) - ONE) & ~(cell_bit(low) | (cell_bit(low) - ONE))
    own, others = np.uint64(s.pieces[s.player]), np.uint64(s.pieces[1 - s.player])
    return others & between == ZERO and own & cell_bit(target) == ZERO


@inlined
def random_move(s: Record, rng: Rng) -> Any:
    """A piece and a way are drawn until the piece may go: every move is equally likely."""
    own: Any = np.uint64(s.pieces[s.player])
    count = WAYS * count_all_bits(own)
    while True:
        drawn = below(rng, count)
        left = own
        for _ in range(drawn // WAYS):
            left &= left - ONE
        cell = lowest_bit(left)
        if may_go(s, cell, drawn % WAYS):
            return cell * WAYS + drawn % WAYS


def can_move(s: Record) -> Any:
    """Whether the player to move has a move."""
    left: Any = np.uint64(s.pieces[s.player])
    while left != ZERO:
        for way in range(WAYS):
            if may_go(s, lowest_bit(left), way):
                return True
        left &= left - ONE
    return False


@inlined
def in_one_group(pieces: Any) -> Any:
    """Whether pieces beside each other, diagonally too, join all of them: a group grows from the first one."""
    group, grown = ZERO, pieces & (~pieces + ONE)
    while grown != group:
        group = grown
        wide = group | (group & NOT_LAST) << ONE | (group & NOT_FIRST) >> ONE
        grown = (wide | wide << np.uint64(SIDE) | wide >> np.uint64(SIDE)) & pieces
    return group == pieces


@inlined
def from_middle(cell: Int) -> Any:
    """Twice the distance of a cell from the middle of the board."""
    up: Any = abs(2 * (cell // SIDE) - SIDE + 1)
    across: Any = abs(2 * (cell % SIDE) - SIDE + 1)
    return max(up, across)


@inlined
def gain_of(s: Record, a: Int) -> Any:
    """How much nearer to the middle of the board a move leads."""
    return from_middle(a // WAYS) - from_middle(target_of(s, a // WAYS, a % WAYS))


def scatter(pieces: Any) -> Any:
    """How far some pieces are from their middle, in the mean of rows and columns."""
    rows, columns, count, left = 0.0, 0.0, count_all_bits(pieces), pieces
    while left != ZERO:
        rows += lowest_bit(left) // SIDE
        columns += lowest_bit(left) % SIDE
        left &= left - ONE
    rows, columns, far, left = rows / count, columns / count, 0.0, pieces
    while left != ZERO:
        far += abs(lowest_bit(left) // SIDE - rows) + abs(lowest_bit(left) % SIDE - columns)
        left &= left - ONE
    return far / count
