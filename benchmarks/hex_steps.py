"""What made Hex fast, step by step: the rules as one writes them first, and with one idea more each. Start at main.

    pip install ".[bench]" && python benchmarks/hex_steps.py

Every row is a search of the empty 11x11 board without proofs, beside OpenSpiel's C++ bot, in processor time of one
thread. The last row is the game that comes with the package.
"""

from __future__ import annotations

import time

import numpy as np
from rounds import compare
from versus_openspiel import cpp_bot, ours

from ponderosa import Game, below, load_game, rule

SIDE = 11
CELLS = SIDE * SIDE
NEAR_BY = ((0, -1), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1))


class First(Game):
    """As one writes it: the board is searched for a chain from edge to edge whenever somebody asks for the end."""

    max_actions = max_game_length = CELLS
    dtype = np.dtype([("cells", "i1", (SIDE, SIDE)), ("player", "i1")])

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        for row in range(SIDE):
            for column in range(SIDE):
                if s.cells[row, column] == 0:
                    yield row * SIDE + column

    @rule
    def apply_action(s, a):
        s.cells[a // SIDE, a % SIDE] = s.player + 1
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return joins(s, 0) or joins(s, 1)

    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)


def joins(s, player):
    """Whether a player's stones join the player's edges."""
    seen, waiting, count = np.zeros(CELLS, np.bool_), np.zeros(CELLS, np.int64), 0
    for index in range(SIDE):
        cell = index if player == 0 else index * SIDE
        if s.cells[cell // SIDE, cell % SIDE] == player + 1:
            seen[cell], waiting[count] = True, cell
            count += 1
    while count > 0:
        count -= 1
        row, column = waiting[count] // SIDE, waiting[count] % SIDE
        if (row if player == 0 else column) == SIDE - 1:
            return True
        for down, right in NEAR_BY:
            below_, beside = row + down, column + right
            if 0 <= below_ < SIDE and 0 <= beside < SIDE and s.cells[below_, beside] == player + 1:
                cell = below_ * SIDE + beside
                if not seen[cell]:
                    seen[cell], waiting[count] = True, cell
                    count += 1
    return False


class OnlyTheMover(First):
    """Only who has just moved can have won."""

    @rule
    def is_terminal(s):
        return joins(s, 1 - s.player)


class KeptWinner(First):
    """The winner is found when a stone is placed, from that stone on, and kept."""

    dtype = np.dtype([("cells", "i1", (SIDE, SIDE)), ("player", "i1"), ("over", "i1")])

    @rule
    def apply_action(s, a):
        s.cells[a // SIDE, a % SIDE] = s.player + 1
        s.over = joined_from(s, a, s.player)
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.over != 0


def joined_from(s, a, player):
    """Whether the chain of a stone touches both edges."""
    seen, waiting, count = np.zeros(CELLS, np.bool_), np.zeros(CELLS, np.int64), 1
    seen[a], waiting[0] = True, a
    near, far = False, False
    while count > 0:
        count -= 1
        row, column = waiting[count] // SIDE, waiting[count] % SIDE
        place = row if player == 0 else column
        near |= place == 0
        far |= place == SIDE - 1
        for down, right in NEAR_BY:
            below_, beside = row + down, column + right
            if 0 <= below_ < SIDE and 0 <= beside < SIDE and s.cells[below_, beside] == player + 1:
                cell = below_ * SIDE + beside
                if not seen[cell]:
                    seen[cell], waiting[count] = True, cell
                    count += 1
    return near and far


class FreeCells(KeptWinner):
    """A list of the free cells: a random move is one draw, and the last of the list takes its place."""

    scratch = ("free", "place")
    dtype = np.dtype([*KeptWinner.dtype.descr, ("free", "i2", CELLS), ("place", "i2", CELLS), ("left", "i2")])

    def setup(self, s):
        s.free[:] = s.place[:] = np.arange(CELLS)
        s.left = CELLS

    @rule
    def legal_actions(s, actions):
        for index in range(s.left):
            actions[index] = s.free[index]
        return s.left

    @rule
    def random_action(s, rng):
        return s.free[below(rng, s.left)]

    @rule
    def apply_action(s, a):
        take(s, a)
        s.cells[a // SIDE, a % SIDE] = s.player + 1
        s.over = joined_from(s, a, s.player)
        s.player = 1 - s.player


def take(s, a):
    """Take a cell out of the list of the free ones."""
    s.left -= 1
    moved = s.free[s.left]
    s.free[s.place[a]] = moved
    s.place[moved] = s.place[a]


class MarkedEdges(FreeCells):
    """Stones know which edges they are joined to: a chain is gone through only when it learns of one."""

    dtype = np.dtype([*FreeCells.dtype.descr, ("edges", "i1", (SIDE, SIDE))])

    @rule
    def apply_action(s, a):
        take(s, a)
        row, column = a // SIDE, a % SIDE
        s.cells[row, column] = s.player + 1
        place = row if s.player == 0 else column
        marks = (place == 0) * 1 | (place == SIDE - 1) * 2
        for down, right in NEAR_BY:
            below_, beside = row + down, column + right
            if 0 <= below_ < SIDE and 0 <= beside < SIDE and s.cells[below_, beside] == s.player + 1:
                marks |= s.edges[below_, beside]
        s.over = marks == 3
        if marks in (1, 2):
            spread(s, a, marks)
        s.player = 1 - s.player


def spread(s, a, marks):
    """Tell a stone's chain which edge it is joined to."""
    waiting, count = np.zeros(CELLS, np.int64), 1
    waiting[0] = a
    s.edges[a // SIDE, a % SIDE] = marks
    while count > 0:
        count -= 1
        row, column = waiting[count] // SIDE, waiting[count] % SIDE
        for down, right in NEAR_BY:
            below_, beside = row + down, column + right
            joined = 0 <= below_ < SIDE and 0 <= beside < SIDE and s.cells[below_, beside] == s.cells[row, column]
            if joined and s.edges[below_, beside] == 0:
                s.edges[below_, beside] = marks
                waiting[count] = below_ * SIDE + beside
                count += 1


STEPS = [
    ("the board is searched whenever the end is asked for", First()),
    ("only for who has just moved", OnlyTheMover()),
    ("once, when a stone is placed, from that stone on", KeptWinner()),
    ("a list of free cells, and `random_action`", FreeCells()),
    ("stones know the edges that they are joined to", MarkedEdges()),
    ("a border, all in one byte a point, no branches (`games/hex.py`)", load_game("hex:swap=false")),
]


def main() -> None:
    """Print the table."""
    print("| step | iterations/s | against OpenSpiel |\n| --- | ---: | ---: |")
    for title, game in STEPS:
        result = compare(ours(game, 5_000), cpp_bot("hex(board_size=11)", 1_000), time.process_time)
        print(f"| {title} | {result.ours:,.0f} | {result.ratio:.1f} |", flush=True)


if __name__ == "__main__":
    main()
