"""Hex: join two opposite edges before the other joins the other two. Start at Hex."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import Game, rule
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.lines import returns_of

SMALLEST_SIDE, LARGEST_SIDE = 2, 19
ROOMS = 7, 11, LARGEST_SIDE
"""Boards with sides up to one of these, and over the one before, share their machine code."""
SWAP = "swap"
NAMES = ("Red", "Blue")
MARKS = ("X", "O")
COLOURS = ("#c92a2a", "#1c5fc4")

EMPTY = 0
STONE, NEAR, FAR = 1, 2, 4
"""What a point says of the first player: a stone is there, it is joined to the upper edge, to the lower one."""
BITS_A_PLAYER = 3
"""The second player's are so many bits higher: to the left edge, to the right one."""
EDGES = NEAR | FAR
WON = STONE | EDGES
SEEN = 1 << 2 * BITS_A_PLAYER
"""A mark of points that a search for bridges has been at; none has it when the search ends."""
AROUND = 6
"""Points beside a point."""
ALL_AROUND = (1 << AROUND) - 1


def stride_of(side: int) -> int:
    """Points in a row: the cells, and one of border at either end."""
    return side + 2


def points_of_cells() -> np.ndarray[Any, Any]:
    """The point of every cell, row * side + column, by the side of the board."""
    table = np.zeros((LARGEST_SIDE + 1, LARGEST_SIDE**2), np.int16)
    for side in range(1, LARGEST_SIDE + 1):
        rows, columns = np.divmod(np.arange(side * side), side)
        table[side, : side * side] = (rows + 1) * stride_of(side) + columns + 1
    return table


POINT_OF = points_of_cells()
NUMBERS = np.random.default_rng(6).integers(1, 2**62, 2 * LARGEST_SIDE**2, dtype=np.int64)
"""A random number for each player's stone on each cell (Zobrist 1970)."""


class Hex(Game):
    """Join your two edges with a chain of stones: Red the upper and the lower one, Blue the left and the right one.

    There is no draw. With `swap`, the second player may take over the first stone instead of placing one: it changes
    its colour and goes to the other side of the long diagonal, where it is worth as much to Blue as it was to Red.
    """

    name = "hex"
    label = "Hex"
    board = "hexagons"
    colours = COLOURS
    scratch = ("free", "place", "last")

    def __init__(self, size: int = 11, swap: bool = True) -> None:
        check_number("size", size, SMALLEST_SIDE, LARGEST_SIDE, whole=True)
        self.size, self.swap = size, swap
        room = next(side for side in ROOMS if side >= size)
        self.max_actions = self.max_game_length = size * size + 1 if swap else size * size
        self.observation_shape = size, size, 4
        self.dtype = np.dtype(
            [
                ("points", "i1", stride_of(room) ** 2),
                ("free", "i2", room * room),  # the first `left` are the cells that are free
                ("place", "i2", room * room),  # where each cell stands in free
                ("left", "i2"),
                ("last", "i2"),  # the point of the stone placed last, or 0
                ("side", "i1"),
                ("player", "i1"),
                ("swap", "i1"),  # whether the second player may take over the first stone
                ("winner", "i1"),  # the player's number plus one
            ]
        )

    def setup(self, s: Record) -> None:
        side, stride = self.size, stride_of(self.size)
        s.side, s.left, s.swap = side, side * side, self.swap
        s.free[: s.left] = s.place[: s.left] = np.arange(side * side)
        board = s.points[: stride * stride].reshape(stride, stride)
        board[0], board[-1] = NEAR, FAR  # the border is joined to its edge, and no stone
        board[1:-1, 0], board[1:-1, -1] = NEAR << BITS_A_PLAYER, FAR << BITS_A_PLAYER
        board[0, -1] |= FAR << BITS_A_PLAYER  # the obtuse corners are both players'
        board[-1, 0] |= NEAR << BITS_A_PLAYER

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        for index in range(s.left):
            actions[index] = s.free[index]
        if may_swap(s):
            actions[s.left] = swapping(s)
            return s.left + 1
        return s.left

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        index = below(rng, s.left + may_swap(s))
        return swapping(s) if index == s.left else np.int64(s.free[index])

    @rule
    def playout_action(s: Record, rng: Rng) -> Any:
        """Save a bridge that the last stone broke into; any cell when there is none."""
        if s.last != 0:
            found = breached(s, np.int64(s.last), np.int64(s.player))
            if found != 0:
                for _ in range(below(rng, count_bits(found))):
                    found &= found - 1
                return cell_of(s, around(s, np.int64(s.last))[lowest_bit(found)])
        return np.int64(s.free[below(rng, s.left)])

    @rule
    def winning_action(s: Record) -> Any:
        for index in range(s.left):
            cell = np.int64(s.free[index])
            if marks_around(s, point_of(s, cell), np.int64(s.player)) == WON:
                return cell
        return -1

    @rule
    def apply_action(s: Record, a: Int) -> None:
        if a == swapping(s):
            take_over(s)
        else:
            place_stone(s, np.int64(a), np.int64(s.player))
        s.player = 1 - s.player

    @rule
    def is_terminal(s: Record) -> Any:
        return s.winner != 0

    @rule
    def returns(s: Record) -> Any:
        return returns_of(s.winner)

    @rule
    def bounds(s: Record) -> Any:
        """Whoever has just bridged the way from edge to edge has won, because every breach can be answered."""
        bridged = s.last != 0 and bridges_edges(s, np.int64(s.last), 1 - np.int64(s.player))
        lost = bridged and not may_swap(s)
        return -1.0, -1.0 if lost else 1.0

    @rule
    def key(s: Record) -> Any:
        found = np.int64(s.player)
        for cell in range(np.int64(s.side) * s.side):
            marks = s.points[point_of(s, cell)]
            if marks != EMPTY:
                found ^= NUMBERS[2 * cell + (marks >= STONE << BITS_A_PLAYER)]
        return found

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """Own stones, the other's; whether Blue is to move, and may swap."""
        for cell in range(np.int64(s.side) * s.side):
            marks = s.points[point_of(s, cell)]
            if marks != EMPTY:
                row = cell // s.side
                planes[row, cell - row * s.side, (marks >= STONE << BITS_A_PLAYER) ^ s.player] = 1.0
        planes[:, :, 2] = s.player
        planes[:, :, 3] = may_swap(s)

    def action_to_string(self, s: Record, a: int) -> str:
        return SWAP if a == self.size**2 else f"{chr(ord('a') + a % self.size)}{a // self.size + 1}"

    def cells(self, s: Record) -> list[list[str]]:
        return [[shown(marks) for marks in row] for row in self.marks_of(s)]

    def cell_actions(self, s: Record) -> list[list[int]]:
        return [[row * self.size + column for column in range(self.size)] for row in range(self.size)]

    def winning_cells(self, s: Record) -> list[tuple[int, int]]:
        """A shortest chain of the winner from edge to edge."""
        if s.winner == 0:
            return []
        own = STONE << BITS_A_PLAYER * (int(s.winner) - 1)
        stones = {
            (row, column)
            for row, line in enumerate(self.marks_of(s))
            for column, marks in enumerate(line)
            if marks & own
        }
        return shortest_chain(stones, self.size, along=int(s.winner) - 1)

    def marks_of(self, s: Record) -> list[list[int]]:
        """What each cell's point says."""
        marks: list[list[int]] = s.points[POINT_OF[self.size, : self.size**2]].reshape(self.size, self.size).tolist()
        return marks

    def symmetries(self) -> list[list[int]]:
        """The board turned by half."""
        return [[*reversed(range(self.size**2)), *([self.size**2] if self.swap else [])]]

    def row_labels(self) -> list[str]:
        return [str(row + 1) for row in range(self.size)]

    def column_labels(self) -> list[str]:
        return [chr(ord("a") + column) for column in range(self.size)]

    def ending(self, s: Record) -> str:
        return "a chain from edge to edge"

    def player_name(self, player: int) -> str:
        return NAMES[player]

    def draw(self, s: Record) -> str:
        """Every row half a cell further to the right than the one above."""
        lines = ["   " + " ".join(self.column_labels())]
        for row, cells in enumerate(self.cells(s)):
            lines.append(" " * row + f"{row + 1:>2} " + " ".join(text or "." for text in cells))
        return "\n".join(lines)


@inlined
def swapping(s: Record) -> Any:
    """The action that takes over the first stone."""
    return np.int64(s.side) * s.side


@inlined
def may_swap(s: Record) -> Any:
    """Whether the player to move may take over the first stone."""
    return s.swap != 0 and s.player == 1 and s.left == swapping(s) - 1


@inlined
def point_of(s: Record, cell: Int) -> Any:
    """Where a cell is on the board with its border."""
    return np.int64(POINT_OF[s.side, cell])


@inlined
def cell_of(s: Record, point: Int) -> Any:
    """The cell of a point."""
    row = point // (s.side + 2)
    return point - 2 * row - s.side - 1


@inlined
def around(s: Record, point: Int) -> Any:
    """The six points beside a point, clockwise: each is also beside the next one."""
    stride = np.int64(s.side) + 2
    return point - 1, point - stride, point - stride + 1, point + 1, point + stride, point + stride - 1


@inlined
def marks_around(s: Record, point: Int, player: Int) -> Any:
    """What a player's stone on a point would be joined to by those around it."""
    together = np.int64(0)
    for other in around(s, point):
        together |= s.points[other]
    return STONE | (together >> BITS_A_PLAYER * player) & EDGES


def place_stone(s: Record, cell: Int, player: Int) -> None:
    """Put a stone on a free cell; stones that it joins to an edge learn of it, each of them once in a game."""
    point = point_of(s, cell)
    take_cell(s, cell)
    s.last = point
    shift = BITS_A_PLAYER * player
    marks = marks_around(s, point, player)
    s.points[point] = marks << shift
    if marks == WON:
        s.winner = player + 1
    elif marks != STONE:
        tell(s, point, STONE << shift, marks << shift)


@inlined
def take_cell(s: Record, cell: Int) -> None:
    """Take a cell out of the list of free ones: the last of the list moves into its place."""
    s.left -= 1
    moved = s.free[s.left]
    s.free[s.place[cell]] = moved
    s.place[moved] = s.place[cell]


def tell(s: Record, point: Int, unjoined: Int, marks: Int) -> None:
    """Give the marks of a stone to those joined to it that have none; the list of free cells has room for them."""
    waiting = np.int64(s.left)
    while True:
        for other in around(s, point):
            if s.points[other] == unjoined:
                s.points[other] = marks
                s.free[waiting] = other
                waiting += 1
        if waiting == s.left:
            break
        waiting -= 1
        point = np.int64(s.free[waiting])


def take_over(s: Record) -> None:
    """The only stone becomes the other player's, on the other side of the long diagonal."""
    cell = np.int64(0)
    while s.points[point_of(s, cell)] == EMPTY:
        cell += 1
    s.points[point_of(s, cell)] = EMPTY
    s.free[s.left] = cell
    s.place[cell] = s.left
    s.left += 1
    row = cell // s.side
    place_stone(s, (cell - row * s.side) * s.side + row, 1)
    s.last = 0


@inlined
def breached(s: Record, point: Int, player: Int) -> Any:
    """Where, of the points around one that the other has just taken, a stone saves a bridge: a bit for each.

    Two stones with two free points between them are joined, as long as a stone on one is answered on the other.
    """
    own, free, bit = np.int64(0), np.int64(0), np.int64(1)
    for other in around(s, point):
        marks = np.int64(s.points[other])
        free |= bit * (marks == EMPTY)
        own |= bit * ((marks >> BITS_A_PLAYER * player) & WON != 0)
        bit <<= 1
    before = (own << 1 | own >> AROUND - 1) & ALL_AROUND
    behind = (own >> 1 | own << AROUND - 1) & ALL_AROUND
    return free & before & behind


def bridges_edges(s: Record, point: Int, player: Int) -> Any:
    """Whether a player's stone is joined to both edges by stones beside each other and by bridges.

    No free point serves two bridges, so that every breach can be answered. Stones join first what is beside them, then
    what they bridge to; the list of free cells has room for them.
    """
    shift = BITS_A_PLAYER * player
    stone, edges = STONE << shift, EDGES << shift
    joining, bridging, end = np.int64(s.left), np.int64(s.left), np.int64(s.left) + 1
    found = see(s, point, joining)
    while bridging < end and found & edges != edges:
        if joining < end:
            point = np.int64(s.free[joining])
            joining += 1
            for other in around(s, point):
                if s.points[other] & (stone | SEEN) == stone:
                    found |= see(s, other, end)
                    end += 1
        else:
            point = np.int64(s.free[bridging])
            bridging += 1
            before = point + s.side + 1  # the last of those around it
            for other in around(s, point):
                target = before + other - point  # beside both
                reached = np.int64(s.points[target])
                if s.points[before] == EMPTY and s.points[other] == EMPTY:
                    if reached & (stone | SEEN) == stone:
                        found |= see(s, target, end)
                        end += 1
                        s.points[before] = s.points[other] = SEEN
                    elif reached & stone == 0 and reached & edges & ~found != 0:
                        found |= reached
                        s.points[before] = s.points[other] = SEEN
                before = other
    for index in range(s.points.size):
        s.points[index] &= SEEN - 1
    return found & edges == edges


@inlined
def see(s: Record, point: Int, place: Int) -> Any:
    """Mark a stone as seen and keep it in the list; what it says."""
    marks = np.int64(s.points[point])
    s.points[point] |= SEEN
    s.free[place] = point
    return marks


def shown(marks: int) -> str:
    """A stone in text and in pictures."""
    if marks == EMPTY:
        return Cell("")
    player = marks >= STONE << BITS_A_PLAYER
    return Cell(MARKS[player], stone=COLOURS[player])


def shortest_chain(stones: set[tuple[int, int]], size: int, along: int) -> list[tuple[int, int]]:
    """The fewest stones that join two edges: those at either end of the rows (0) or columns (1)."""
    before: dict[tuple[int, int], tuple[int, int] | None] = {cell: None for cell in stones if cell[along] == 0}
    for cell in (waiting := list(before)):  # which grows
        if cell[along] == size - 1:
            chain = [cell]
            while (back := before[chain[-1]]) is not None:
                chain.append(back)
            return chain
        row, column = cell
        for down, right in ((0, -1), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1)):
            other = row + down, column + right
            if other in stones and other not in before:
                before[other] = cell
                waiting.append(other)
    return []
