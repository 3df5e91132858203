"""Blind tic-tac-toe: neither sees where the other plays. Start at BlindTicTacToe."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.game import Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.lines import MARKS, board_symmetries, in_a_row, returns_of, winning_cells
from ponderosa.games.boards.sets import one_of, some_of

SIDE = 3
SQUARES = SIDE * SIDE
BOARD = 2**SQUARES - 1
ROWS = (0b000000111, 0b000111000, 0b111000000)
COLUMNS = (0b001001001, 0b010010010, 0b100100100)
DIAGONALS = (0b100010001, 0b001010100)
WINS = np.array([any(marks & line == line for line in ROWS + COLUMNS + DIAGONALS) for marks in range(BOARD + 1)])
"""Whether marks, one bit a square, have a line."""
MOST_DRAWS = 1000
"""A position without a line is found long before: at least one of 20 placings has none."""


class BlindTicTacToe(Game):
    """Three in a row, and neither sees the other's marks; a square that is taken is refused, and one chooses again.

    Who is refused knows the square from then on; the other does not notice. When the game is over, all is shown.
    The action of a square is row * 3 + column, row 0 at the bottom.
    """

    name = "blind_tictactoe"
    label = "Blind tic-tac-toe"
    hidden = True
    max_game_length = 17  # nine marks, and each may be refused four squares
    max_actions = SQUARES
    dtype = np.dtype(
        [
            ("marks", "i2", 2),  # the squares of each player, one bit each
            ("found", "i2", 2),  # the squares of the other that each player was refused
            ("placed", "i1"),  # marks of both: as they take turns, everybody knows how many are whose
            ("player", "i1"),
            ("winner", "i1"),  # player + 1; 0: nobody yet
        ]
    )

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        squares, count = worth_trying(s), 0
        while squares != 0:
            actions[count] = lowest_bit(squares)
            squares &= squares - 1
            count += 1
        return count

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return one_of(worth_trying(s), rng)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        player, square = s.player, 1 << a
        if s.marks[1 - player] & square:
            s.found[player] |= square
            return
        s.marks[player] |= square
        s.placed += 1
        s.player = 1 - player
        if WINS[s.marks[player]]:
            s.winner = player + 1

    @rule
    def is_terminal(s: Record) -> Any:
        return is_over(s)

    @rule
    def returns(s: Record) -> Any:
        return returns_of(s.winner)

    @rule
    def conceal(s: Record, player: Int) -> None:
        if not is_over(s):
            s.marks[1 - player] = s.found[player]
            s.found[1 - player] = 0

    @rule
    def determinize(s: Record, player: Int, rng: Rng) -> None:
        if not is_over(s):
            other = 1 - player
            count = (s.placed + player) // 2  # the first player has placed one more, or as many
            s.marks[other] = placing(s.marks[player], s.found[player], count, rng)
            refused = refusals(count + (s.player == other), other, rng)
            s.found[other] = some_of(s.marks[player], refused, rng)

    def action_to_string(self, s: Record, a: int) -> str:
        return "abc"[a % SIDE] + str(a // SIDE + 1)

    def cells(self, s: Record) -> list[list[str]]:
        return [[mark_on(s, square) for square in row] for row in self.cell_actions(s)]

    def cell_actions(self, s: Record) -> list[list[int]]:
        return [[row * SIDE + column for column in range(SIDE)] for row in reversed(range(SIDE))]

    def winning_cells(self, s: Record) -> list[tuple[int, int]]:
        return winning_cells(self.cells(s), MARKS[s.winner - 1], SIDE, False) if s.winner else []

    def ending(self, s: Record) -> str:
        return in_a_row(3) if s.winner else "the board is full"

    def symmetries(self) -> list[list[int]]:
        return board_symmetries(SIDE, SIDE)

    def row_labels(self) -> list[str]:
        return ["3", "2", "1"]

    def column_labels(self) -> list[str]:
        return ["a", "b", "c"]

    def player_name(self, player: int) -> str:
        return MARKS[player]


def mark_on(s: Record, square: int) -> str:
    """What stands on a square."""
    return next((MARKS[player] for player in range(2) if s.marks[player] >> square & 1), "")


@inlined
def is_over(s: Record) -> Any:
    return s.winner != 0 or s.placed == SQUARES


@inlined
def worth_trying(s: Record) -> Any:
    """The squares that the player to move does not know to be taken."""
    return BOARD & ~(s.marks[s.player] | s.found[s.player])


def placing(own: Int, found: Int, count: Int, rng: Rng) -> Any:
    """Random marks of the other, those found among them, that fit beside one's own and have no line."""
    unknown = BOARD & ~(own | found)
    marks = found | some_of(unknown, count - count_bits(found), rng)
    for _ in range(MOST_DRAWS):
        if not WINS[marks]:
            break
        marks = found | some_of(unknown, count - count_bits(found), rng)
    return marks


def refusals(turns: Int, player: Int, rng: Rng) -> Any:
    """How often a player who tries squares at random has been refused in so many turns."""
    found = 0
    for turn in range(turns):
        unknown, free = turn + player - found, SQUARES - 2 * turn - player
        while unknown > 0 and below(rng, unknown + free) < unknown:
            found += 1
            unknown -= 1
    return found
