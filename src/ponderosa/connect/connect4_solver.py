"""Connect Four solved: who wins from a position, by exhaustive search on bit boards. Start at Question.

One question is asked at a time, "does the attacker win, with so many stones on the board at most?", whose answer is yes
or no; a draw is a no. The search is the usual one: moves that lose at once are left out, those that make most threats
come first, and a table remembers answers, also those of the mirrored board (after Allis 1988, "A knowledge-based
approach of Connect-Four", and Tromp's solvers). A question can be left and taken up again, so that it is answered as
far as there is time.

A board is two numbers, one bit a cell: the stones of the player to move (`own`) and all stones (`mask`). A column has
`rows` bits and an empty one above them, so that shifts along a line do not run from one column into the next.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from ponderosa.compile.annotations import Bool, Int, Ints
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.rules import jit_enabled
from ponderosa.games.connect4 import Connect4

K = 4
MOST_BITS = 58
"""The most bits of a board that fit into an entry of the table."""
TABLE_LENGTH = 2**22
"""Answers remembered, of eight bytes each; every table is as long as a power of two."""

MIRRORED_STONES = 14
"""With more stones than these, hardly any position is also met as its mirror image."""
FEW_LEFT = 14
"""With no more cells left than these, the table is asked of a position itself, not of all that may follow it."""
MOST_LINES = 17
"""A cell lies on fewer lines of four."""
OPEN, NO, YES = 0, 1, 2
"""Answers: not known yet, the attacker does not win, the attacker wins."""
DEPTH, ANSWER, ATTACKER, STONES, LEFT = 0, 1, 2, 3, 4
"""Places in the registers: where the search is, the answer that it brings, 1 if the first mover is the attacker, the
most stones with which a win counts, and how many positions it did not need of those that it might search."""

BETTER_THAN_LATEST = 60
"""A win with n stones on the board is worth 60 - n to the winner, a loss as much less than nothing, a draw 0."""
WORTH_BITS, WORTH_SPAN = 7, 64
"""An entry of the table has the least and the most that a position is worth, in so many bits each, as distances from
the ends of a span; zeros say nothing."""


class Board(NamedTuple):
    """The shape of a board, as masks."""

    rows: int
    columns: int
    bottom: int
    """The lowest cell of every column."""
    full: int
    """Every cell."""
    lower: int
    """Cells 1, 3, 5 ... of every column from below: what is left to a player who is followed everywhere."""

    @classmethod
    def of(cls, rows: int, columns: int) -> Board:
        bottom = sum(1 << column * (rows + 1) for column in range(columns))
        return cls(
            rows, columns, bottom, bottom * ((1 << rows) - 1), bottom * sum(1 << row for row in range(0, rows, 2))
        )


class Stack(NamedTuple):
    """Where the search for an answer is: one place for every ply."""

    own: Ints
    mask: Ints
    wins: Ints
    """The cells, taken or not, that win for the player to move."""
    threats: Ints
    """The same for the other player."""
    moves: Ints
    """The moves to try, as bits, best first."""
    cells: Ints
    """The cells that win for the player who has made each move."""
    worth: Ints
    """What each move is worth as a first try."""
    listed: Ints
    tried: Ints
    registers: Ints


class Question:
    """Whether the attacker wins from a position, the mover being the attacker or not."""

    def __init__(self, board: Board, own: int, mask: int, attacks: bool, stones: int | None = None) -> None:
        """With `stones` on the board at most; None: with any number."""
        plies = board.rows * board.columns + 2
        line, lines = (plies,), (plies, board.columns)
        shapes = (line, line, line, line, lines, lines, lines, line, line, (5,))
        self._stack = Stack._make(np.zeros(shape, np.int64) for shape in shapes)
        self._board = board
        self._stack.own[0], self._stack.mask[0], self._stack.registers[ATTACKER] = own, mask, attacks
        self._stack.registers[STONES] = board.rows * board.columns if stones is None else stones
        self._stack.wins[0] = winning_cells(own, board.rows) & board.full
        self._stack.threats[0] = winning_cells(own ^ mask, board.rows) & board.full
        self.answer, self.positions = OPEN, 0

    def work(self, nodes: int, table: Ints) -> int:
        """Search `nodes` positions more; the answer, if it is found."""
        if self.answer == OPEN and nodes > 0:
            self.answer = int(_compiled_search(self._board)(self._stack, lines_through(self._board), table, nodes))
            self.positions += nodes - int(self._stack.registers[LEFT])
        return self.answer


def new_table(length: int = TABLE_LENGTH) -> Ints:
    """An empty table of answers; one serves all questions about boards of one shape."""
    return np.zeros(length, np.int64)


def fits(game: object) -> TypeGuard[Connect4]:
    """Whether a game is one that can be solved here."""
    return isinstance(game, Connect4) and game.k == K and (game.rows + 1) * game.cols <= MOST_BITS


def bits_of(game: Connect4, state: Any) -> tuple[int, int]:
    """The stones of the player to move and all stones, as bits."""
    stones, height = [0, 0], [0] * game.cols
    for ply, column in enumerate(state.history()):
        stones[ply % 2] |= 1 << column * (game.rows + 1) + height[column]
        height[column] += 1
    return stones[len(state.history()) % 2], stones[0] | stones[1]


@inlined
def aligned(stones: Int, rows: Int) -> Bool:
    """Whether four bits stand in a line: upwards, or along a shift of about one column."""
    pairs = stones & (stones >> 1)
    found = pairs & (pairs >> 2)
    for shift in range(rows, rows + 3):
        pairs = stones & (stones >> shift)
        found |= pairs & (pairs >> (2 * shift))
    return found != 0


@inlined
def winning_cells(stones: Int, rows: Int) -> Int:
    """The cells, taken or not, that make four in a line with three of these stones."""
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    for shift in range(rows, rows + 3):
        before = (stones << shift) & (stones << (2 * shift))
        behind = (stones >> shift) & (stones >> (2 * shift))
        cells |= before & ((stones << (3 * shift)) | (stones >> shift))
        cells |= behind & ((stones >> (3 * shift)) | (stones << shift))
    return cells


@inlined
def key_of(own: Int, mask: Int, board: Board) -> Int:
    """A number for a position, with few stones also for its mirror image: in every column a bit ends the stones."""
    key = own + mask + board.bottom
    if count_bits(mask) > MIRRORED_STONES:
        return key
    width = board.rows + 1
    column = (1 << width) - 1
    mirrored = key & 0
    for index in range(board.columns):
        mirrored |= ((key >> (index * width)) & column) << ((board.columns - 1 - index) * width)
    return min(key, mirrored)


@inlined
def place_of(table: Ints, key: Int) -> tuple[Int, Int]:
    """Where a position is in the table, and what tells it from all others that would be there.

    Boards that are alike lie close together, so that they are often at hand: the solver is quicker for it, though it
    looks at some more positions than with places drawn by lot.
    """
    spread = key ^ (key >> 18) ^ (key >> 29)
    return spread & (len(table) - 1), spread >> count_bits(len(table) - 1)


@inlined
def worth_of(table: Ints, key: Int, board: Board) -> tuple[Int, Int]:
    """The least and the most that a position is worth to its mover, as far as the table knows."""
    place, rest = place_of(table, key)
    entry = table[place]
    if entry >> (2 * WORTH_BITS) != rest:
        entry = entry & 0
    most = entry & (2 * WORTH_SPAN - 1)
    return ((entry >> WORTH_BITS) & (2 * WORTH_SPAN - 1)) - WORTH_SPAN, WORTH_SPAN - most


@inlined
def probe(table: Ints, key: Int, attacks: Bool, stones: Int, board: Board) -> Any:
    """The answer in the table, for a mover who is the attacker or not; OPEN when there is none."""
    least, most = worth_of(table, key, board)
    worth = BETTER_THAN_LATEST - stones
    if attacks:
        return YES if least >= worth else NO if most < worth else OPEN
    return YES if most <= -worth else NO if least > -worth else OPEN


@inlined
def store(table: Ints, key: Int, attacks: Bool, stones: Int, answer: Int, board: Board) -> None:
    """Keep an answer."""
    least, most = worth_of(table, key, board)
    worth = BETTER_THAN_LATEST - stones
    if attacks:
        if answer == YES:
            least = max(least, worth)
        else:
            most = min(most, worth - 1)
    elif answer == YES:
        most = min(most, -worth)
    else:
        least = max(least, 1 - worth)
    known = (least + WORTH_SPAN) << WORTH_BITS | (WORTH_SPAN - most)
    place, rest = place_of(table, key)
    table[place] = rest << (2 * WORTH_BITS) | known


@inlined
def safe_moves(mask: Int, threats: Int, board: Board) -> Int:
    """The moves after which the opponent, who wins on the cells `threats`, does not win at once."""
    possible = (mask + board.bottom) & board.full
    threats &= board.full ^ mask
    forced = threats & possible
    if forced & (forced - 1) != 0:
        return mask & 0
    return (forced if forced != 0 else possible) & ~(threats >> 1)


@inlined
def claimeven_cells(mask: Int, board: Board) -> Int:
    """The empty cells that the player to move may get from a defender who answers on top of every stone (claimeven).

    Where that is impossible, because a column is full, the defender plays into another column with an odd number of
    cells left; there is one if the cells left are even in number. So in columns with an even number of cells left the
    player gets only the lower of every two, and elsewhere perhaps all. For boards with an even number of rows.
    """
    empty = board.full ^ mask
    if count_bits(empty) % 2 != 0:
        return empty
    lowest_of_odd = (mask + board.bottom) & board.full & ~board.lower
    columns = mask & 0
    for row in range(1, board.rows, 2):
        columns |= (lowest_of_odd >> row) & board.bottom
    return (empty & board.lower) | ((columns << board.rows) - lowest_of_odd)


def immediate_answer(depth: Int, attacks: Bool, stones: Int, board: Board, stack: Stack) -> tuple[int, Int]:
    """The answer that a position shows without a search, and the moves that do not lose at once."""
    own, mask = stack.own[depth], stack.mask[depth]
    possible = (mask + board.bottom) & board.full
    left = stones - count_bits(mask) if attacks else stones - count_bits(mask) - 1  # from the attacker's next stone on
    if left <= 0:
        return NO, possible
    if stack.wins[depth] & possible != 0:
        return YES if attacks else NO, possible
    moves = safe_moves(mask, stack.threats[depth], board)
    if moves == 0 and possible != 0:
        return NO if attacks else YES, moves
    attacker = own if attacks else own ^ mask
    cells = claimeven_cells(mask, board) if attacks and board.rows % 2 == 0 else board.full ^ mask
    if left <= 2 or not aligned(attacker | cells, board.rows):
        return NO, moves
    return OPEN, moves


def list_moves(moves: Int, attacks: Bool, depth: Int, board: Board, stack: Stack, lines: Ints, table: Ints) -> Int:
    """List moves, those that make most winning cells first, among equals those on most lines; the answer, if known.

    While the table is likely to know what comes after a move, it is asked at once: one answer may be enough.
    """
    own, mask = stack.own[depth], stack.mask[depth]
    wanted, other = (YES, NO) if attacks else (NO, YES)
    stones = stack.registers[STONES]
    ask = count_bits(mask) < board.rows * board.columns - FEW_LEFT
    count = 0
    while moves != 0:
        move = moves & -moves
        moves ^= move
        known = probe(table, key_of(own ^ mask, mask | move, board), not attacks, stones, board) if ask else OPEN
        if known == wanted:
            return wanted
        if known == OPEN:
            cells = winning_cells(own | move, board.rows)
            worth = MOST_LINES * count_bits(cells & (board.full ^ mask)) + lines[lowest_bit(move)]
            place = count
            while place > 0 and stack.worth[depth, place - 1] < worth:
                stack.worth[depth, place] = stack.worth[depth, place - 1]
                stack.moves[depth, place] = stack.moves[depth, place - 1]
                stack.cells[depth, place] = stack.cells[depth, place - 1]
                place -= 1
            stack.worth[depth, place], stack.moves[depth, place], stack.cells[depth, place] = worth, move, cells
            count += 1
    stack.listed[depth], stack.tried[depth] = count, 0
    return OPEN if count > 0 else other


def search(board: Board, stack: Stack, lines: Ints, table: Ints, nodes: Int) -> Int:
    """Search `nodes` positions more; the answer to the question, or OPEN."""
    depth: Int = stack.registers[DEPTH]
    answer: Int = stack.registers[ANSWER]
    stones: Int = stack.registers[STONES]
    while nodes > 0:
        own, mask = stack.own[depth], stack.mask[depth]
        attacks = (stack.registers[ATTACKER] + depth) % 2 == 1
        if answer == OPEN:  # a position not looked at
            nodes -= 1
            answer, moves = immediate_answer(depth, attacks, stones, board, stack)
            if answer == OPEN:
                answer = probe(table, key_of(own, mask, board), attacks, stones, board)
            if answer == OPEN:
                answer = list_moves(moves, attacks, depth, board, stack, lines, table)
            deeper = answer == OPEN
        else:  # back from a move
            wanted = YES if attacks else NO
            deeper = answer != wanted and stack.tried[depth] < stack.listed[depth]
            if not deeper:
                store(table, key_of(own, mask, board), attacks, stones, answer, board)
        if deeper:
            tried = stack.tried[depth]
            stack.tried[depth] += 1
            stack.own[depth + 1], stack.mask[depth + 1] = own ^ mask, mask | stack.moves[depth, tried]
            stack.wins[depth + 1], stack.threats[depth + 1] = stack.threats[depth], stack.cells[depth, tried]
            depth += 1
            answer = OPEN
        elif depth == 0:
            stack.registers[LEFT] = nodes
            return answer
        else:
            depth -= 1
    stack.registers[DEPTH], stack.registers[ANSWER], stack.registers[LEFT] = depth, answer, nodes
    return OPEN


@functools.cache
def _compiled_search(board: Board) -> Any:
    """`search` for one board: its shape is part of the machine code."""

    def search_on(stack: Stack, lines: Ints, table: Ints, nodes: Int) -> Int:
        return search(board, stack, lines, table, nodes)

    if not jit_enabled():
        return search_on
    from ponderosa.compile.native import INT, INT_ROWS, INTS, compiled, named_type

    rows = dict.fromkeys(("moves", "cells", "worth"), INT_ROWS)
    stack = named_type(Stack, dict.fromkeys(Stack._fields, INTS) | rows)
    return compiled(search_on, INT(stack, INTS, INTS, INT), inline=True, error_model="numpy", _nrt=False)


@functools.cache
def lines_through(board: Board) -> Ints:
    """How many lines of four cells go through each cell, by its bit."""
    counts = np.zeros((board.rows + 1) * board.columns, np.int64)
    for row, column in itertools.product(range(board.rows), range(board.columns)):
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(row + step * up, column + step * right) for step in range(K)]
            if all(0 <= r < board.rows and 0 <= c < board.columns for r, c in line):
                for r, c in line:
                    counts[c * (board.rows + 1) + r] += 1
    return counts
