"""Breakthrough: bring one piece to the other side of the board. Start at Breakthrough."""

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
from ponderosa.games.boards.bitboard import ONE, ZERO, board_of, cell_bit, is_set, key_of_boards, random_bit
from ponderosa.games.boards.lines import board_symmetries, returns_of

LARGEST_SIDE = 8
TWO_ROWS_FROM = 6
"""On boards of so many rows and more the pieces of a player fill two of them, on smaller ones one."""
WAYS = 3
LEFT, AHEAD, RIGHT = range(WAYS)
"""An action is cell * WAYS + way; left and right are those of the board."""
NAMES = ("White", "Black")
LETTERS = ("W", "B")
PAWN, WHITE_INK, BLACK_INK = "♟", "#ffffff", "#1a1a1a"
PIECE_WORTH, ROW_WORTH = 0.35, 0.04
"""What they add to the logarithm of the odds to win, roughly: a piece, and the square of its rows from home."""
TAKING, LEAVING_HOME, ROW_AHEAD = 1.5, -1.0, 0.15
"""How promising it is to take a piece, to leave the first row, and, for every row it has advanced, to move a piece."""


class Breakthrough(Game):
    """Move a piece one step straight or diagonally forward; only diagonally it takes. Who reaches the last row wins.

    Who has no pieces left loses. There is no draw.
    """

    name = "breakthrough"
    label = "Breakthrough"
    board = "chequered"
    colours = (WHITE_INK, BLACK_INK)
    dtype = np.dtype(
        [
            ("pieces", "u8", 2),  # of each player, a bit a cell: row * columns + column, the first row lowest
            ("left", "u8"),  # the cells that are not in the first column
            ("right", "u8"),  # not in the last one
            ("goals", "u8", 2),  # each player's last row
            ("columns", "i1"),
            ("player", "i1"),
            ("winner", "i1"),  # the player's number plus one
        ]
    )

    def __init__(self, rows: int = 8, columns: int = 8) -> None:
        check_number("rows", rows, 3, LARGEST_SIDE, whole=True)
        check_number("columns", columns, 2, LARGEST_SIDE, whole=True)
        self.rows, self.columns = rows, columns
        self.full = 2 if rows >= TWO_ROWS_FROM else 1
        self.max_actions = WAYS * self.full * columns
        # no piece but the last one makes the last of its steps
        self.max_game_length = 2 * columns * sum(rows - 2 - row for row in range(self.full)) + 1
        self.observation_shape = rows, columns, 3

    def setup(self, s: Record) -> None:
        cells, full = self.rows * self.columns, self.full * self.columns
        s.columns = self.columns
        s.left = board_of(cell for cell in range(cells) if cell % self.columns > 0)
        s.right = board_of(cell for cell in range(cells) if cell % self.columns < self.columns - 1)
        s.pieces[0], s.pieces[1] = board_of(range(full)), board_of(range(cells - full, cells))
        s.goals[0], s.goals[1] = board_of(range(cells - self.columns, cells)), board_of(range(self.columns))

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        count = 0
        for way in range(WAYS):
            movers = movers_of(s, np.int64(s.player), way)
            while movers != ZERO:
                actions[count] = lowest_bit(movers) * WAYS + way
                movers &= movers - ONE
                count += 1
        return count

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return random_move(s, rng)

    @rule
    def playout_action(s: Record, rng: Rng) -> Any:
        """Win, or else take a piece that would; any move when there is neither."""
        player = np.int64(s.player)
        target = np.uint64(s.goals[player])
        if one_step_away(s, player) == ZERO:
            target = one_step_away(s, 1 - player)
        if target != ZERO:
            first = RIGHT * below(rng, 2)
            for way in (first, RIGHT - first):
                movers = movers_of(s, player, way) & origins(s, player, way, target)
                if movers != ZERO:
                    return random_bit(movers, rng) * WAYS + way
        return random_move(s, rng)

    @rule
    def winning_action(s: Record) -> Any:
        player = np.int64(s.player)
        target, others = np.uint64(s.goals[player]), np.uint64(s.pieces[1 - player])
        if others & (others - ONE) == ZERO:
            target |= others
        for way in range(WAYS):
            movers = movers_of(s, player, way) & origins(s, player, way, target)
            if movers != ZERO:
                return lowest_bit(movers) * WAYS + way
        return -1

    @rule
    def apply_action(s: Record, a: Int) -> None:
        player = np.int64(s.player)
        start = cell_bit(a // WAYS)
        target = targets(s, player, a % WAYS, start)
        s.pieces[player] ^= start | target
        s.pieces[1 - player] &= ~target
        if target & np.uint64(s.goals[player]) != ZERO or s.pieces[1 - player] == ZERO:
            s.winner = player + 1
        s.player = 1 - player

    @rule
    def is_terminal(s: Record) -> Any:
        return s.winner != 0

    @rule
    def returns(s: Record) -> Any:
        return returns_of(s.winner)

    @rule
    def bounds(s: Record) -> Any:
        """One step before its goal a piece wins, unless the other player does so first or takes it."""
        player = np.int64(s.player)
        if one_step_away(s, player) != ZERO:
            return 1.0, 1.0
        own, threats = np.uint64(s.pieces[player]), one_step_away(s, 1 - player)
        taken = threats & (targets(s, player, LEFT, own) | targets(s, player, RIGHT, own))
        lost = threats != ZERO and (taken == ZERO or threats & (threats - ONE) != ZERO)
        return -1.0, -1.0 if lost else 1.0

    @rule
    def evaluate(s: Record) -> Any:
        worth = 2.0 / (1.0 + np.exp(worth_of(s, 1) - worth_of(s, 0))) - 1.0
        return worth, -worth

    @rule
    def prior(s: Record, a: Int) -> Any:
        player = np.int64(s.player)
        start = cell_bit(a // WAYS)
        worth = ROW_AHEAD * rows_from_home(s, player, a // WAYS)
        if targets(s, player, a % WAYS, start) & np.uint64(s.pieces[1 - player]) != ZERO:
            worth += TAKING
        if start & np.uint64(s.goals[1 - player]) != ZERO:
            worth += LEAVING_HOME
        return worth

    @rule
    def key(s: Record) -> Any:
        return key_of_boards(np.uint64(s.pieces[0]), np.uint64(s.pieces[1]), s.player)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """Own pieces, the other's, and whether Black is to move; the highest row comes first."""
        rows = planes.shape[0]
        for cell in range(rows * s.columns):
            row, column = cell // s.columns, cell % s.columns
            planes[rows - 1 - row, column, 0] = is_set(s.pieces[s.player], cell)
            planes[rows - 1 - row, column, 1] = is_set(s.pieces[1 - s.player], cell)
        planes[:, :, 2] = s.player

    def action_to_string(self, s: Record, a: int) -> str:
        start, target = self.cells_of(s, a)
        takes = int(s.pieces[1 - s.player]) >> target & 1
        return f"{self.cell_name(start)}{'x' if takes else ''}{self.cell_name(target)}"

    def cells_of(self, s: Record, a: int) -> tuple[int, int]:
        """From where to where a move leads."""
        start, way = divmod(a, WAYS)
        return start, start + (1 - 2 * int(s.player)) * self.columns + way - AHEAD

    def cell_name(self, cell: int) -> str:
        return f"{chr(ord('a') + cell % self.columns)}{cell // self.columns + 1}"

    def cells(self, s: Record) -> list[list[str]]:
        def shown(cell: int) -> Cell:
            for letter, ink, pieces in zip(LETTERS, self.colours, s.pieces, strict=True):
                if int(pieces) >> cell & 1:
                    return Cell(letter, sign=PAWN, ink=ink)
            return Cell()

        rows = [range(row * self.columns, (row + 1) * self.columns) for row in reversed(range(self.rows))]
        return [[shown(cell) for cell in row] for row in rows]

    def action_cells(self, s: Record, a: int) -> list[tuple[int, int]]:
        return [(self.rows - 1 - cell // self.columns, cell % self.columns) for cell in self.cells_of(s, a)]

    def symmetries(self) -> list[list[int]]:
        """Left and right exchanged."""
        cells = board_symmetries(self.rows, self.columns)[0]
        return [[cells[cell] * WAYS + WAYS - 1 - way for cell in range(len(cells)) for way in range(WAYS)]]

    def row_labels(self) -> list[str]:
        return [str(row) for row in range(self.rows, 0, -1)]

    def column_labels(self) -> list[str]:
        return [chr(ord("a") + column) for column in range(self.columns)]

    def ending(self, s: Record) -> str:
        return "a piece in the last row" if s.pieces[2 - s.winner] else "all pieces taken"

    def player_name(self, player: int) -> str:
        return NAMES[player]


@inlined
def targets(s: Record, player: Int, way: Int, cells: Any) -> Any:
    """Where pieces of a player on these cells come to on a way, whatever is there."""
    if way != AHEAD:
        cells &= np.uint64(s.left) if way == LEFT else np.uint64(s.right)
    return cells << np.uint64(s.columns + way - 1) if player == 0 else cells >> np.uint64(s.columns + 1 - way)


@inlined
def origins(s: Record, player: Int, way: Int, cells: Any) -> Any:
    """From where a way leads to these cells."""
    if player == 0:
        cells = cells >> np.uint64(s.columns + way - 1)
    else:
        cells = cells << np.uint64(s.columns + 1 - way)
    return cells if way == AHEAD else cells & (np.uint64(s.left) if way == LEFT else np.uint64(s.right))


@inlined
def movers_of(s: Record, player: Int, way: Int) -> Any:
    """The pieces of a player that can go on a way."""
    own = np.uint64(s.pieces[player])
    blocking = own | np.uint64(s.pieces[1 - player]) if way == AHEAD else own
    return own & origins(s, player, way, ~blocking)


@inlined
def one_step_away(s: Record, player: Int) -> Any:
    """The pieces of a player that stand one step before their goal."""
    return np.uint64(s.pieces[player]) & origins(s, player, AHEAD, np.uint64(s.goals[player]))


@inlined
def random_move(s: Record, rng: Rng) -> Any:
    """One of the moves of the player to move."""
    player = np.int64(s.player)
    left, ahead, right = movers_of(s, player, LEFT), movers_of(s, player, AHEAD), movers_of(s, player, RIGHT)
    first, second = count_all_bits(left), count_all_bits(ahead)
    index = below(rng, first + second + count_all_bits(right))
    way, movers = LEFT, left
    if index >= first + second:
        way, movers, index = RIGHT, right, index - first - second
    elif index >= first:
        way, movers, index = AHEAD, ahead, index - first
    for _ in range(index):
        movers &= movers - ONE
    return lowest_bit(movers) * WAYS + way


@inlined
def rows_from_home(s: Record, player: Int, cell: Int) -> Any:
    """How many rows a piece on a cell has advanced."""
    row = cell // s.columns
    last = lowest_bit(s.goals[0]) // s.columns
    return row if player == 0 else last - row


def worth_of(s: Record, player: Int) -> Any:
    """What a player's pieces add to the logarithm of the odds to win."""
    worth = 0.0
    pieces: Any = np.uint64(s.pieces[player])
    while pieces != ZERO:
        rows = rows_from_home(s, player, lowest_bit(pieces))
        worth += PIECE_WORTH + ROW_WORTH * rows * rows
        pieces &= pieces - ONE
    return worth
