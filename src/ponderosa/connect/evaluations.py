"""The Connect family as alpha-beta sees it: what every empty cell is good for. Start at WeighedConnect.

k cells in a line are a window, and one without a stone of the other player is open. For each empty cell, direction and
player the state knows the fullest open window through the cell, and whether there are several such; that is the cell's
rank. A stone changes the ranks on its four lines only; a line is ranked as a whole, with one bit a cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Bool, Int, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.game import rule
from ponderosa.games.boards.line_board import end_move, take_cell
from ponderosa.games.boards.lines import LONGEST_SIDE, free_cells, place_stone, room_for
from ponderosa.games.connect import Connect

CELLS = LONGEST_SIDE * LONGEST_SIDE
HASHES = np.random.default_rng(20).integers(0, 2**63, 2 * CELLS)
"""A random number for each stone on each cell; those of all stones, xored, are a position's key."""

FULL = 1000.0
"""What a cell that completes a line is worth."""
FORK = 400
"""What a cell that makes more threats than can be stopped is worth beside them."""
WIN, LOSS = 0.99, -0.98
"""Static values of a win this turn, and of a loss in the next."""

RANKED = ("rank", "power", "standing", "total", "reached", "forks")
_ranked: dict[tuple[Any, ...], dict[str, Any]] = {}
"""The ranks of empty boards: to find them takes a third of a second in plain Python."""


class WeighedConnect(Connect):
    """A Connect game whose states rank every empty cell for both players."""

    name = "weighed"
    scratch: tuple[str, ...] = (
        *Connect.scratch, "key", "rank", "power", "standing", "total", "reached", "forks", "weights", "centre"
    )  # fmt: skip

    def __init__(self, m: int = 15, n: int = 15, k: int = 5, p: int = 1, q: int = 1, exact: bool = False) -> None:
        super().__init__(m, n, k, p, q, exact)
        assert self.dtype is not None
        side = room_for(m, n)
        cells = side * side
        self.dtype = np.dtype(
            [
                *self.dtype.descr,
                ("key", "i8"),
                ("rank", "u1", 2 * cells * 4),  # a player's cell in a direction: 2 * stones with this one + several
                ("power", "i2", 2 * cells),  # what the cell is good for, all directions together
                ("standing", "u1", 2 * cells),  # 2 * the most stones in a window with this one + whether it is a fork
                ("total", "i4", 2),  # the sum of a player's powers
                ("reached", "i2", 2 * (side + 1)),  # how many cells of a player make windows of each number of stones
                ("forks", "i2", 2),  # how many cells of a player make several threats at once
                ("weights", "i4", 2 * side + 2),  # what a rank is worth
                ("centre", "i1", cells),  # nearness to the middle decides among equals
            ]
        )

    @classmethod
    def own_rules(cls) -> dict[str, Any]:
        unused = ("bounds", "winning_action")  # alpha-beta asks for neither: nobody waits until they are compiled
        return {name: function for name, function in super().own_rules().items() if name not in unused}

    def setup(self, s: Record) -> None:
        super().setup(s)
        s.weights[: 2 * self.k + 2] = rank_weights(self.k, self.p)
        rows, columns = np.divmod(np.arange(self.m * self.n), self.n)
        away = np.maximum(abs(2 * rows - self.m + 1), abs(2 * columns - self.n + 1))
        s.centre[: len(away)] = np.maximum(0, 8 - away // 2)
        s.reached[0] = s.reached[self.k + 1] = self.m * self.n
        facts = (self.m, self.n, self.k, self.p, self.exact)
        if facts not in _ranked:
            for row in range(self.m):
                for column in range(self.n):
                    if row in (0, self.m - 1) or column in (0, self.n - 1):  # every line begins at the border
                        rank_around(s, row, column, LONGEST_SIDE)
            _ranked[facts] = {name: np.array(getattr(s, name)) for name in RANKED}
        for name, values in _ranked[facts].items():
            getattr(s, name)[:] = values

    @rule
    def apply_action(s: Record, a: Int) -> None:
        take_cell(s, a)
        row = s.row[a]
        column = a - row * s.columns
        s.key ^= HASHES[s.player * CELLS + a]
        forget_cell(s, a)
        if place_stone(s, row, column, s.player):
            s.winner = s.player + 1
        else:
            rank_around(s, row, column, s.k + s.exact)
        end_move(s)

    @rule
    def is_terminal(s: Record) -> Any:
        """Also when nobody can fill a window any more: all that can follow is a draw."""
        return s.winner != 0 or s.left == 0 or (s.total[0] == 0 and s.total[1] == 0)

    @rule
    def candidates(s: Record, actions: Actions) -> Any:
        """A stone that wins this turn; else those that stop the opponent's next turn from winning; else all."""
        count = urgent_cells(s, actions)
        if count > 0:
            return count
        for index in range(s.left):
            actions[index] = s.empty[index]
        return s.left

    @rule
    def prior(s: Record, a: Int) -> Any:
        """What the cell is good for to either player."""
        return float(worth_of(s, a))

    @rule
    def key(s: Record) -> Any:
        return s.key


class ThreatsConnect(WeighedConnect):
    """Static values from threats: cells that build several lines at once, and whose turn it is."""

    name = "threats"

    @rule
    def evaluate(s: Record) -> Any:
        return both(s, threats_value(s))


class SequencesConnect(WeighedConnect):
    """Static values from sequences: the sum of the squares of a player's stones in open windows."""

    name = "sequences"
    scratch: tuple[str, ...] = (*WeighedConnect.scratch, "squares")

    def __init__(self, m: int = 15, n: int = 15, k: int = 5, p: int = 1, q: int = 1, exact: bool = False) -> None:
        super().__init__(m, n, k, p, q, exact)
        assert self.dtype is not None
        self.dtype = np.dtype([*self.dtype.descr, ("squares", "i4", 2)])

    @rule
    def apply_action(s: Record, a: Int) -> None:
        take_cell(s, a)
        row = s.row[a]
        column = a - row * s.columns
        s.key ^= HASHES[s.player * CELLS + a]
        forget_cell(s, a)
        count_squares(s, row, column, s.player)
        if place_stone(s, row, column, s.player):
            s.winner = s.player + 1
        else:
            rank_around(s, row, column, s.k + s.exact)
        end_move(s)

    @rule
    def evaluate(s: Record) -> Any:
        if wins_with(s, s.player, s.stones):
            return both(s, WIN)
        own, other = float(s.squares[s.player]), float(s.squares[1 - s.player])
        return both(s, 0.9 * (own - other) / (own + other + 10.0))


EVALUATIONS: dict[str, type[WeighedConnect]] = {"threats": ThreatsConnect, "sequences": SequencesConnect}
"""The evaluations by name."""


def rank_weights(k: int, p: int) -> list[int]:
    """What each rank is worth: some times as much for every stone more, and if there are several such windows.

    The numbers did best in matches of this evaluation against itself and `sequences`.
    """
    a_stone, several = (4.0, 2.5) if p == 1 else (3.0, 2.0)
    weights = [0.0, 0.0]
    for missing in range(k - 1, -1, -1):
        alone = FULL / a_stone**missing
        weights += [alone, alone * (several if missing > 0 else 1.0)]
    return [0, 0] + [max(1, round(weight)) for weight in weights[2:]]


@inlined
def both(s: Record, value: float) -> tuple[float, float]:
    """A value for the player to move, as one a player."""
    return (value, -value) if s.player == 0 else (-value, value)


def worth_of(s: Record, cell: Int) -> Any:
    """What a cell is good for to either player; nearness to the middle decides among equals."""
    cells = s.rows * s.columns
    return 16 * s.power[s.player * cells + cell] + 14 * s.power[(1 - s.player) * cells + cell] + s.centre[cell]


def urgent_cells(s: Record, actions: Actions) -> Int:
    """List a stone that wins this turn, else those that stop the opponent's next turn from winning; 0 if none must."""
    for stones in range(1, s.stones + 1):
        if wins_with(s, s.player, stones):
            return cells_within(s, s.player, stones, actions, 1)
    if wins_with(s, 1 - s.player, s.p):
        return cells_within(s, 1 - s.player, s.p, actions, s.left)
    return 0


@inlined
def wins_with(s: Record, player: Int, stones: Int) -> Bool:
    """Whether a player can fill a window with this number of stones."""
    found = 0
    for missing in range(stones):
        found += s.reached[player * (s.k + 1) + s.k - missing]
    return found > 0


def cells_within(s: Record, player: Int, stones: Int, actions: Actions, most: Int) -> Int:
    """List the empty cells of windows that a player can fill with `stones` stones, up to `most`; returns how many."""
    cells, count = s.rows * s.columns, 0
    for index in range(s.left):
        action = s.empty[index]
        if s.standing[player * cells + action] // 2 > s.k - stones:
            actions[count] = action
            count += 1
            if count == most:
                return count
    return count


def threats_value(s: Record) -> float:
    """What a position is worth to the player to move."""
    other = 1 - s.player
    if wins_with(s, s.player, s.stones):
        return WIN
    pressed = wins_with(s, other, s.p)
    if pressed and s.p == 1 and s.reached[other * (s.k + 1) + s.k] > 1:
        return LOSS
    mine, theirs = 1.25 * float(s.total[s.player]), float(s.total[other])
    if s.forks[s.player] > 0 and not pressed:
        mine += 4000.0
    if s.forks[other] > 0:
        theirs += 1500.0
    return 0.95 * (mine - theirs) / (mine + theirs + 1000.0)


def forget_cell(s: Record, cell: Int) -> None:
    """A cell that is taken is good for nothing."""
    for player in range(2):
        place = (player * s.rows * s.columns + cell) * 4
        for direction in range(4):
            s.rank[place + direction] = 0
        weigh_cell(s, player, cell)


def rank_around(s: Record, row: Int, column: Int, reach: Int) -> None:
    """Rank the empty cells again that are less than `reach` away in a line."""
    for both_players in range(8):
        rank_line(s, both_players // 4, both_players % 4, row, column, reach)


@inlined
def line_through(s: Record, direction: Int, row: Int, column: Int) -> tuple[Int, Int, Int, Int]:
    """The line of a direction through a cell: its number, its first and last bit, the cell's bit."""
    last_row, last_column = s.rows - 1, s.columns - 1
    if direction == 0:
        return row, 0, last_column, column
    if direction == 1:
        return column, 0, last_row, row
    if direction == 2:
        line = row - column + last_column
        return line, max(0, last_column - line), min(last_column, last_row + last_column - line), column
    line = row + column
    return line, max(0, line - last_row), min(last_column, line), column


def rank_line(s: Record, player: Int, direction: Int, row: Int, column: Int, reach: Int) -> None:
    """Rank the cells of one line through a cell.

    Every number is a set of bits, one a cell: `ones` .. `sixteens` are the digits of how many own stones are in the
    window that begins there.
    """
    line, first, last, bit = line_through(s, direction, row, column)
    mine = np.int64(s.lines[(player * 4 + direction) * s.span + line])
    theirs = np.int64(s.lines[((1 - player) * 4 + direction) * s.span + line])
    free = free_cells(theirs, first, last)
    ones = twos = fours = eights = sixteens = np.int64(0)
    starts = np.int64(-1)
    for shift in range(s.k):
        starts &= free >> shift
        carry = mine >> shift
        ones, carry = ones ^ carry, ones & carry
        twos, carry = twos ^ carry, twos & carry
        fours, carry = fours ^ carry, fours & carry
        eights, carry = eights ^ carry, eights & carry
        sixteens ^= carry
    if s.exact != 0:
        starts &= ~(mine << 1) & ~(mine >> s.k)
    low, high = max(first, bit - reach + 1), min(last, bit + reach - 1)
    step = 1 if direction == 0 else s.columns + direction - 1 if direction < 3 else 1 - s.columns
    cell = row * s.columns + column + (low - bit) * step
    empty = free & ~mine & free_cells(0, low, high)
    for stones in range(s.k - 1, -2, -1):
        begin = starts & (ones if stones & 1 else ~ones) & (twos if stones & 2 else ~twos)
        begin &= (fours if stones & 4 else ~fours) & (eights if stones & 8 else ~eights)
        begin &= sixteens if stones & 16 else ~sixteens
        once = several = np.int64(0)
        if stones < 0:
            once = empty  # in no open window
        elif begin != 0:
            for shift in range(s.k):
                several |= once & (begin << shift)
                once |= begin << shift
        if once & empty != 0:
            set_ranks(s, player, direction, (once & empty) >> low, several >> low, 2 * stones + 2, cell, step)
            empty &= ~once


@inlined
def set_ranks(
    s: Record, player: Int, direction: Int, among: Int, several: Int, rank: Int, cell: Int, step: Int
) -> None:
    """Give cells their rank in a direction; bit b stands for the cell + b * step."""
    while among != 0:
        if among & 1:
            place = (player * s.rows * s.columns + cell) * 4 + direction
            if s.rank[place] != rank + (several & 1):
                s.rank[place] = rank + (several & 1)
                weigh_cell(s, player, cell)
        among >>= 1
        several >>= 1
        cell += step


def weigh_cell(s: Record, player: Int, cell: Int) -> None:
    """Sum up what a cell is good for, after one of its ranks has changed."""
    here = player * s.rows * s.columns + cell
    power, best, threats = 0, 0, 0
    for place in range(4 * here, 4 * here + 4):
        rank = s.rank[place]
        power += s.weights[rank]
        best = max(best, rank // 2)
        missing = s.k - rank // 2
        if missing <= s.p:
            threats += 1 + rank % 2
        elif s.p == 1 and missing == 2:
            threats += rank % 2
    fork = 1 if threats > s.p else 0  # more than the opponent can stop in a turn
    power += fork * FORK
    count = player * (s.k + 1)
    s.reached[count + s.standing[here] // 2] -= 1
    s.forks[player] -= s.standing[here] % 2
    s.total[player] += power - s.power[here]
    s.reached[count + best] += 1
    s.forks[player] += fork
    s.standing[here] = 2 * best + fork
    s.power[here] = power


def count_squares(s: Record, row: Int, column: Int, player: Int) -> None:
    """What a stone that is about to be placed changes in the sums of squares.

    (stones + 1)^2 - stones^2 more in a window that is open to the player; what the other had, in one that closes.
    """
    for direction in range(4):
        line, first, last, bit = line_through(s, direction, row, column)
        mine = np.int64(s.lines[(player * 4 + direction) * s.span + line])
        theirs = np.int64(s.lines[((1 - player) * 4 + direction) * s.span + line])
        for start in range(max(first, bit - s.k + 1), min(bit, last - s.k + 1) + 1):
            own, other = np.int64(0), np.int64(0)
            for place in range(start, start + s.k):
                own += mine >> place & 1
                other += theirs >> place & 1
            if other == 0:
                s.squares[player] += 2 * own + 1
            if own == 0:
                s.squares[1 - player] -= other * other
