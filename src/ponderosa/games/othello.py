"""Othello: enclose the other's discs and turn them over; whoever has more in the end wins. Start at Othello."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.bits import count_all_bits
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import Game, rule
from ponderosa.core.rng import Rng
from ponderosa.errors import SettingError
from ponderosa.games.boards.bitboard import ONE, ZERO, board_of, cell_bit, is_set, key_of_boards, list_bits, random_bit
from ponderosa.games.boards.lines import board_symmetries

SIZES = (4, 6, 8)
NAMES = ("Black", "White")
MARKS = ("X", "O")
FELT = "#3f8f5f"
CORNER, BESIDE, MOBILITY = 0.9, 0.4, 0.1
"""By how much a corner, a disc diagonally beside an empty one, and a move to choose from change the odds to win: their
logarithm, roughly."""


class Othello(Game):
    """Place a disc so that it encloses discs of the other colour in a line, and turn these over; who cannot, passes.

    When neither can move, whoever has more discs wins.
    """

    name = "othello"
    label = "Othello"
    colours = ("black", "white")
    scratch = ("moves",)
    dtype = np.dtype(
        [
            ("discs", "u8", 2),  # of each player, a bit a cell: row * size + column
            ("moves", "u8"),  # where the player to move may place a disc
            ("cells", "u8"),  # the whole board
            ("inner", "u8"),  # without its first and last column: lines to the side end there
            ("corners", "u8"),
            ("size", "i1"),
            ("player", "i1"),
            ("over", "i1"),
        ]
    )

    def __init__(self, size: int = 8) -> None:
        if size not in SIZES:
            raise SettingError(f"othello: size must be one of {', '.join(map(str, SIZES))}, not {size}")
        self.size = size
        self.max_actions = size * size - 3
        self.max_game_length = 2 * (size * size - 4)  # a pass between any two discs
        self.observation_shape = size, size, 3

    def setup(self, s: Record) -> None:
        size, half = self.size, self.size // 2
        last = size - 1
        s.size = size
        s.cells = board_of(range(size * size))
        s.inner = board_of(cell for cell in range(size * size) if 0 < cell % size < last)
        s.corners = board_of((0, last, last * size, last * size + last))
        s.discs[0] = board_of(((half - 1) * size + half, half * size + half - 1))
        s.discs[1] = board_of(((half - 1) * size + half - 1, half * size + half))
        s.moves = moves_of(s, 0)

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        if s.moves == 0:
            actions[0] = passing(s)
            return 1
        return list_bits(np.uint64(s.moves), actions, 0)

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return passing(s) if s.moves == 0 else random_bit(np.uint64(s.moves), rng)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        mover, other = np.int64(s.player), 1 - np.int64(s.player)
        if a != passing(s):
            turned = turned_by(s, mover, cell_bit(a))
            s.discs[mover] = np.uint64(s.discs[mover]) | turned | cell_bit(a)
            s.discs[other] = np.uint64(s.discs[other]) ^ turned
        s.player = other
        s.moves = moves_of(s, other)
        if s.moves == 0 and moves_of(s, mover) == ZERO:
            s.over = 1

    @rule
    def is_terminal(s: Record) -> Any:
        return s.over != 0

    @rule
    def returns(s: Record) -> Any:
        lead = count_all_bits(s.discs[0]) - count_all_bits(s.discs[1])
        if lead == 0:
            return 0.0, 0.0
        return (1.0, -1.0) if lead > 0 else (-1.0, 1.0)

    @rule
    def evaluate(s: Record) -> Any:
        odds = CORNER * lead_in(s, np.uint64(s.corners)) - BESIDE * lead_in(s, beside_empty_corners(s))
        odds += MOBILITY * (count_all_bits(moves_of(s, 0)) - count_all_bits(moves_of(s, 1)))
        worth = 2.0 / (1.0 + np.exp(-odds)) - 1.0
        return worth, -worth

    @rule
    def prior(s: Record, a: Int) -> Any:
        if a == passing(s):
            return 0.0
        row, column = a // s.size, a % s.size
        nearer, farther = min(row, s.size - 1 - row), min(column, s.size - 1 - column)
        if nearer > farther:
            nearer, farther = farther, nearer
        if nearer == 0:
            return 3.0 if farther == 0 else -1.0 if farther == 1 else 0.5
        return -2.0 if farther == 1 else 0.0  # the cell beside the corner gives it away

    @rule
    def key(s: Record) -> Any:
        return key_of_boards(np.uint64(s.discs[0]), np.uint64(s.discs[1]), s.player)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """A plane for one's own discs, one for the other's, one for the cells where a disc may be placed."""
        for cell in range(np.int64(s.size) * s.size):
            row, column = cell // s.size, cell % s.size
            planes[row, column, 0] = is_set(s.discs[s.player], cell)
            planes[row, column, 1] = is_set(s.discs[1 - s.player], cell)
            planes[row, column, 2] = is_set(s.moves, cell)

    def action_to_string(self, s: Record, a: int) -> str:
        return "pass" if a == self.size**2 else f"{chr(ord('a') + a % self.size)}{a // self.size + 1}"

    def cells(self, s: Record) -> list[list[str]]:
        def shown(cell: int) -> Cell:
            for mark, name, discs in zip(MARKS, NAMES, s.discs, strict=True):
                if int(discs) >> cell & 1:
                    return Cell(mark, fill=FELT, stone=name.lower())
            return Cell(fill=FELT)

        return [[shown(row * self.size + column) for column in range(self.size)] for row in range(self.size)]

    def cell_actions(self, s: Record) -> list[list[int | None]]:
        rows = [range(row * self.size, (row + 1) * self.size) for row in range(self.size)]
        return [[cell if int(s.moves) >> cell & 1 else None for cell in row] for row in rows]

    def row_labels(self) -> list[str]:
        return [str(row + 1) for row in range(self.size)]

    def column_labels(self) -> list[str]:
        return [chr(ord("a") + column) for column in range(self.size)]

    def ending(self, s: Record) -> str:
        black, white = (int(discs).bit_count() for discs in s.discs)
        return f"{black} : {white} discs"

    def player_name(self, player: int) -> str:
        return NAMES[player]

    def symmetries(self) -> list[list[int]]:
        """Those of the eight that leave the four discs of the start as they are."""
        images = board_symmetries(self.size, self.size)
        start = (self.size // 2 - 1) * (self.size + 1)
        same = (start, start + self.size + 1)
        return [[*image, self.size**2] for image in images if image[start] in same]


@inlined
def passing(s: Record) -> Any:
    """The action of a player who cannot place a disc."""
    return np.int64(s.size) * s.size


@inlined
def run_up(start: Any, through: Any, step: Any) -> Any:
    """The cells of `through` that are in a row from a cell of `start` on, towards higher ones: six at most."""
    run = through & (start << step)
    for _ in range(5):
        run |= through & (run << step)
    return run


@inlined
def run_down(start: Any, through: Any, step: Any) -> Any:
    """The same towards lower ones."""
    run = through & (start >> step)
    for _ in range(5):
        run |= through & (run >> step)
    return run


@inlined
def moves_of(s: Record, player: Int) -> Any:
    """The empty cells where a disc of a player would enclose others."""
    own, others = np.uint64(s.discs[player]), np.uint64(s.discs[1 - player])
    inner, size = others & np.uint64(s.inner), np.uint64(s.size)
    ends = run_up(own, others, size) << size | run_down(own, others, size) >> size
    for step in (ONE, size - ONE, size + ONE):
        ends |= run_up(own, inner, step) << step | run_down(own, inner, step) >> step
    return ends & np.uint64(s.cells) & ~(own | others)


@inlined
def turned_by(s: Record, player: Int, disc: Any) -> Any:
    """The discs that a player's new one encloses."""
    own, others = np.uint64(s.discs[player]), np.uint64(s.discs[1 - player])
    inner, size = others & np.uint64(s.inner), np.uint64(s.size)
    turned = ZERO
    for step in (size, ONE, size - ONE, size + ONE):
        through = others if step == size else inner
        run = run_up(disc, through, step)
        turned |= run if (run << step) & own != ZERO else ZERO
        run = run_down(disc, through, step)
        turned |= run if (run >> step) & own != ZERO else ZERO
    return turned


@inlined
def lead_in(s: Record, cells: Any) -> Any:
    """How many discs more the first player has in some cells."""
    return count_all_bits(np.uint64(s.discs[0]) & cells) - count_all_bits(np.uint64(s.discs[1]) & cells)


@inlined
def beside_empty_corners(s: Record) -> Any:
    """The inner cells diagonally beside the corners that are empty."""
    size, inner = np.uint64(s.size), np.uint64(s.inner)
    empty = np.uint64(s.corners) & ~(np.uint64(s.discs[0]) | np.uint64(s.discs[1]))
    near = empty << (size + ONE) | empty << (size - ONE) | empty >> (size + ONE) | empty >> (size - ONE)
    return near & inner & (inner << size) & (inner >> size)
