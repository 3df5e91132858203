"""Thousands of questions of the solver of Connect Four answered at once, on a CUDA card. Start at Crowd.

A thread of the card searches for one answer, with the function that processors run too, and all share one table. They
are interrupted every few seconds, so that the host can look at what is found and put the next questions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ponderosa.connect.connect4_solver import (
    ATTACKER,
    BETTER_THAN_LATEST,
    NO,
    OPEN,
    STONES,
    YES,
    Board,
    Stack,
    lines_through,
    search,
    winning_cells,
)

FIRST_NODES, SECONDS = 2000, 4.0
"""So many positions every thread searches at first; then so many that all need about these seconds."""
NOBODY = -1


class Crowd:
    """Exact worths of many positions with equally many stones.

    Of every position two questions are asked at once, whether the one and whether the other player wins; when one does,
    the fewest stones with which that is certain are found by bisection.
    """

    def __init__(self, board: Board, keys: list[int], places: list[tuple[int, int]], driver: Any) -> None:
        self._board, self._driver, self._keys = board, driver, keys
        own, mask = (np.array(column, np.int64) for column in zip(*places, strict=True))
        count, cells = len(keys), board.rows * board.columns
        self._own, self._mask = own, mask
        self._present = int(mask[0]).bit_count()
        self._winner = np.full(count, NOBODY)
        """Who wins: 0 the player to move, 1 the other."""
        self._least, self._most = np.zeros((2, count), np.int64)
        """Of the one who wins: pairs of stones that are not enough, and that are."""
        self.asked = np.zeros((count, 2), bool)
        self.answers = np.full((count, 2), OPEN)
        self._solved = np.zeros(count, bool)
        for side in (0, 1):
            self._ask(np.arange(count), side, np.full(count, cells))

    def _ask(self, places: Any, side: Any, stones: Any) -> None:
        """Put a question for each of these positions: whether a side wins with so many stones."""
        side = np.broadcast_to(side, places.shape)
        self.asked[places, side], self.answers[places, side] = True, OPEN
        own, mask, rows = self._own[places], self._mask[places], self._board.rows
        self._driver.begin(
            places * 2 + side,
            own,
            mask,
            winning_cells(own, rows) & self._board.full,
            winning_cells(own ^ mask, rows) & self._board.full,
            1 - side,
            stones,
        )

    def solve(self, until: float, clock: Callable[[], float] = time.monotonic) -> Iterator[tuple[int, int]]:
        """Keys and worths, as they are found; what is open at that time stays so."""
        nodes = FIRST_NODES
        while not self._solved.all() and clock() < until:
            begin = clock()
            slots = np.flatnonzero(self.asked & (self.answers == OPEN))
            self.answers.reshape(-1)[slots] = self._driver.work(slots, nodes)
            spent = clock() - begin
            nodes = int(nodes * min(2.0, max(0.5, SECONDS / spent)))
            for place, worth in self._look():
                yield self._keys[place], worth
            print(f"\n{len(slots):,} questions, {nodes:,} positions each, {spent:.1f} s  ", end="", flush=True)

    def _look(self) -> Iterator[tuple[int, int]]:
        """Go through the answers, and ask on."""
        nobody = ~self._solved & (self._winner == NOBODY)
        drawn = np.flatnonzero(nobody & (self.answers == NO).all(1))
        self._solved[drawn] = True
        yield from ((int(place), 0) for place in drawn)
        for side in (0, 1):
            counted = np.flatnonzero(~self._solved & (self._winner == side) & (self.answers[:, side] != OPEN))
            middle, enough = (self._least[counted] + self._most[counted]) // 2, self.answers[counted, side] == YES
            self._most[counted] = np.where(enough, middle, self._most[counted])
            self._least[counted] = np.where(enough, self._least[counted], middle)
            won = np.flatnonzero(nobody & (self.answers[:, side] == YES))
            self._winner[won], self._least[won], self._most[won] = side, -1, self._pairs(side)
            told = np.concatenate([counted, won])
            self.asked[told] = False
            yield from self._halve(told)

    def _pairs(self, side: int) -> int:
        """How many times two stones more than the fewest a win of a side may take."""
        return (self._board.rows * self._board.columns - self._present - 1 - side) // 2

    def _halve(self, places: Any) -> Iterator[tuple[int, int]]:
        """Ask for the middle of what is possible, or say what is certain."""
        least, most, winner = self._least[places], self._most[places], self._winner[places]
        open_yet = most - least > 1
        asked = places[open_yet]
        if len(asked) > 0:
            self._ask(asked, winner[open_yet], self._stones((least + most)[open_yet] // 2, winner[open_yet]))
        certain = ~open_yet
        self._solved[places[certain]] = True
        worths = BETTER_THAN_LATEST - self._stones(most[certain], winner[certain])
        for place, worth, side in zip(places[certain], worths, winner[certain], strict=True):
            yield int(place), int(worth if side == 0 else -worth)

    def _stones(self, pairs: Any, side: Any) -> Any:
        return self._present + 1 + side + 2 * pairs


def new_stacks(board: Board, count: int) -> Stack:
    """Room for so many searches."""
    plies = board.rows * board.columns + 2
    line, lines = (count, plies), (count, plies, board.columns)
    return Stack._make(
        np.zeros(shape, np.int64) for shape in (line, line, line, line, lines, lines, lines, line, line, (count, 5))
    )


class Processor:
    """Answers one question after the other: what the card does, to be tried without one."""

    def __init__(self, board: Board, count: int, length: int) -> None:
        self._stacks, self._board = new_stacks(board, count), board
        self._table = np.zeros(length, np.int64)

    def begin(self, slots: Any, own: Any, mask: Any, wins: Any, threats: Any, attacks: Any, stones: Any) -> None:
        stacks = self._stacks
        stacks.own[slots, 0], stacks.mask[slots, 0], stacks.wins[slots, 0] = own, mask, wins
        stacks.threats[slots, 0], stacks.registers[slots] = threats, 0
        stacks.registers[slots, ATTACKER], stacks.registers[slots, STONES] = attacks, stones

    def work(self, slots: Any, nodes: int) -> Any:
        lines = lines_through(self._board)
        found = [
            search(self._board, Stack._make(each[slot] for each in self._stacks), lines, self._table, nodes)
            for slot in slots
        ]
        return np.array(found)


class Card:
    """Answers all questions at once, a thread each."""

    def __init__(self, board: Board, count: int, length: int) -> None:
        from ponderosa.compile import cuda_code

        self._code = cuda_code
        empty = new_stacks(board, 1)
        array = cuda_code.card.device_array
        self._stacks = Stack._make(array((count, *each.shape[1:]), each.dtype) for each in empty)
        self._table = array((length,), np.int64)
        cuda_code.zero(self._table)
        self._lines = cuda_code.card.to_device(lines_through(board))
        self._begin = cuda_code.kernel(beginning())
        self._work = cuda_code.kernel(working(board))

    def begin(self, slots: Any, *given: Any) -> None:
        sent = [self._code.card.to_device(np.ascontiguousarray(each, np.int64)) for each in (slots, *given)]
        self._code.launch(self._begin, len(slots), self._stacks, *sent)

    def work(self, slots: Any, nodes: int) -> Any:
        places = self._code.card.to_device(slots)
        answers = self._code.card.device_array(len(slots), np.int64)
        self._code.launch(self._work, len(slots), self._stacks, self._lines, self._table, places, answers, nodes)
        return answers.copy_to_host()


def beginning() -> Callable[..., None]:
    """The kernel that puts questions."""
    from ponderosa.compile.cuda_code import card

    attacker, most = ATTACKER, STONES

    def kernel(
        stacks: Stack, slots: Any, own: Any, mask: Any, wins: Any, threats: Any, attacks: Any, stones: Any
    ) -> None:
        place = card.grid(1)
        if place < len(slots):
            slot = slots[place]
            stacks.own[slot, 0], stacks.mask[slot, 0] = own[place], mask[place]
            stacks.wins[slot, 0], stacks.threats[slot, 0] = wins[place], threats[place]
            for register in range(5):
                stacks.registers[slot, register] = 0
            stacks.registers[slot, attacker], stacks.registers[slot, most] = attacks[place], stones[place]

    return kernel


def working(board: Board) -> Callable[..., None]:
    """The kernel that searches: `search`, as processors run it."""
    from ponderosa.compile.cuda import device_function
    from ponderosa.compile.cuda_code import card

    function = device_function(searching(board))

    def kernel(stacks: Stack, lines: Any, table: Any, slots: Any, answers: Any, nodes: int) -> None:
        place = card.grid(1)
        if place < len(slots):
            answers[place] = function(stacks, slots[place], lines, table, nodes)

    return kernel


def searching(board: Board) -> Callable[..., Any]:
    """`search` on a board whose shape is part of the code."""

    def search_at(stacks: Stack, slot: int, lines: Any, table: Any, nodes: int) -> Any:
        stack = Stack(
            stacks.own[slot],
            stacks.mask[slot],
            stacks.wins[slot],
            stacks.threats[slot],
            stacks.moves[slot],
            stacks.cells[slot],
            stacks.worth[slot],
            stacks.listed[slot],
            stacks.tried[slot],
            stacks.registers[slot],
        )
        return search(board, stack, lines, table, nodes)

    return search_at
