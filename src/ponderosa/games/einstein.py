"""EinStein würfelt nicht: a race of numbered stones, and the die says which one moves. Start at Einstein."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import CHANCE, Game, rule
from ponderosa.errors import SettingError

SIDE = 5
CELLS = SIDE * SIDE
STONES = 6
HOME = (0, 1, 2, 5, 6, 10)
"""The first player's cells at the start; the second player's are opposite, CELLS - 1 less these."""
NO_CELL = -1
ROLL = CELLS
"""The outcome of a die that shows one; two is the next, and so on. Outcomes before it are cells."""
MOVE = ROLL + STONES
"""Actions are MOVE + cell * WAYS + way."""
WAYS = 3
ALONG, ACROSS, BOTH = range(WAYS)
NAMES = ("Red", "Blue")
FILL, LIT = "#efe3c8", "#ffd24a"
"""A cell as pictures show it, and one with a stone that the die lets move."""
STARTS = ("random", "fixed")


class Einstein(Game):
    """Move the stone that the die shows towards the opposite corner; who reaches it, or takes all stones, wins.

    Stones go one step along their row, their column or the diagonal, and take what stands there, friend or foe. If the
    stone is gone, the next higher or the next lower one moves. With `start=random`, chance lays out the stones.
    """

    name = "einstein"
    label = "EinStein würfelt nicht"
    colours = ("#c92a2a", "#1d4ed8")
    chance = True
    dtype = np.dtype(
        [
            ("board", "i1", CELLS),  # row by row from the top left: the stone, 1 to 12, or 0
            ("cell", "i1", 2 * STONES),  # where each stone is; NO_CELL: nowhere
            ("left", "i1", 2),  # stones of each player
            ("laid", "i1"),  # how many stones were laid out
            ("die", "i1"),  # what it shows, 1 to 6; 0: it is to be rolled
            ("player", "i1"),
            ("winner", "i1"),  # player + 1; 0: nobody yet
        ]
    )
    max_actions = 2 * WAYS
    observation_shape = (SIDE, SIDE, 2 * STONES + 2)
    # a stone that has not won has made no more than 7 of the 8 steps to the corner; the six begin 8 steps on
    max_game_length = 2 * STONES + 2 * 2 * (7 * STONES - 8) + 2

    def __init__(self, start: str = "random") -> None:
        if start not in STARTS:
            raise SettingError(f"einstein: start must be one of {', '.join(STARTS)}, not {start!r}")
        self.start = start

    def setup(self, s: Record) -> None:
        s.cell[:] = NO_CELL
        if self.start == "fixed":
            for stone in range(2 * STONES):
                lay(s, HOME[stone] if stone < STONES else CELLS - 1 - HOME[stone - STONES])

    @rule
    def current_player(s: Record) -> Any:
        return CHANCE if s.die == 0 else s.player

    @rule
    def chance_outcomes(s: Record) -> Any:
        if s.laid < 2 * STONES:
            for index in range(STONES):
                cell = HOME[index] if s.laid < STONES else CELLS - 1 - HOME[index]
                if s.board[cell] == 0:
                    yield cell, 1.0 / (STONES - s.laid % STONES)
        else:
            for face in range(STONES):
                yield ROLL + face, 1.0 / STONES

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        lower, higher = movable(s)
        count = add_moves(s, lower, actions, 0)
        return count if lower == higher else add_moves(s, higher, actions, count)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        if s.laid < 2 * STONES:
            lay(s, a)
        elif s.die == 0:
            s.die = a - ROLL + 1
        else:
            cell = (a - MOVE) // WAYS
            move(s, cell, cell + step(s.player, (a - MOVE) % WAYS))

    @rule
    def is_terminal(s: Record) -> Any:
        return s.winner != 0

    @rule
    def returns(s: Record) -> Any:
        return (1.0, -1.0) if s.winner == 1 else (-1.0, 1.0)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """A plane for each stone, one's own first, one for the stones that the die lets move, and one for who moves."""
        for cell in range(CELLS):
            if s.board[cell] != 0:
                stone = (s.board[cell] - 1 + s.player * STONES) % (2 * STONES)
                planes[cell // SIDE, cell % SIDE, stone] = 1.0
        if s.die != 0:
            for stone in movable(s):
                planes[s.cell[stone] // SIDE, s.cell[stone] % SIDE, 2 * STONES] = 1.0
        planes[:, :, 2 * STONES + 1] = s.player

    def action_to_string(self, s: Record, a: int) -> str:
        cell = (a - MOVE) // WAYS
        return f"{cell_name(cell)}{cell_name(cell + step(s.player, (a - MOVE) % WAYS))}"

    def outcome_to_string(self, s: Record, outcome: int) -> str:
        return str(outcome - ROLL + 1) if outcome >= ROLL else f"{stone_name(s.laid + 1)} at {cell_name(outcome)}"

    def ending(self, s: Record) -> str:
        return "a stone in the far corner" if s.left[2 - s.winner] else "all stones taken"

    def player_name(self, player: int) -> str:
        return NAMES[player]

    def cells(self, s: Record) -> list[list[str]]:
        lit = {int(s.cell[stone]) for stone in movable(s)} if s.die and not s.winner else set()

        def shown(cell: int) -> Cell:
            stone, fill = int(s.board[cell]), LIT if cell in lit else FILL
            if stone == 0:
                return Cell(fill=fill)
            name = stone_name(stone)
            return Cell(name, fill=fill, stone=self.colours[(stone - 1) // STONES], sign=name[1])

        return [[shown(row * SIDE + column) for column in range(SIDE)] for row in range(SIDE)]

    def action_cells(self, s: Record, a: int) -> list[tuple[int, int]]:
        if a < MOVE:  # what chance shows
            return []
        cell = (a - MOVE) // WAYS
        return [divmod(cell, SIDE), divmod(cell + step(s.player, (a - MOVE) % WAYS), SIDE)]

    def row_labels(self) -> list[str]:
        return [str(row) for row in range(SIDE, 0, -1)]

    def column_labels(self) -> list[str]:
        return [chr(ord("a") + column) for column in range(SIDE)]

    def draw(self, s: Record) -> str:
        return super().draw(s) + (f"\nthe die shows {s.die}" if s.die and not s.winner else "")

    def symmetries(self) -> list[list[int]]:
        """The board mirrored at the diagonal between the corners; a fixed start is not its own image."""
        if self.start == "fixed":
            return []
        cells = [cell % SIDE * SIDE + cell // SIDE for cell in range(CELLS)]
        moves = [MOVE + cells[cell] * WAYS + way for cell in range(CELLS) for way in (ACROSS, ALONG, BOTH)]
        return [[*cells, *range(ROLL, MOVE), *moves]]


@inlined
def step(player: Int, way: Int) -> Any:
    """From a cell to the next one on the way."""
    forward = 1 if way == ALONG else SIDE if way == ACROSS else SIDE + 1
    return forward if player == 0 else -forward


def lay(s: Record, cell: Int) -> None:
    """Lay out the next stone."""
    s.cell[s.laid] = cell
    s.laid += 1
    s.board[cell] = s.laid
    s.left[0 if s.laid <= STONES else 1] += 1


@inlined
def movable(s: Record) -> Any:
    """The one or two stones that the die lets move, as places in `cell`: the lower one and the higher one."""
    first = s.player * STONES
    lower = higher = first + s.die - 1
    if s.cell[lower] != NO_CELL:
        return lower, higher
    while lower >= first and s.cell[lower] == NO_CELL:
        lower -= 1
    while higher < first + STONES and s.cell[higher] == NO_CELL:
        higher += 1
    if lower < first:
        return higher, higher
    return lower, lower if higher == first + STONES else higher


@inlined
def add_moves(s: Record, stone: Int, actions: Actions, count: Int) -> Any:
    """Add a stone's moves to a list that has so many; how many it has then."""
    cell = np.int64(s.cell[stone])
    edge = SIDE - 1 if s.player == 0 else 0
    along, across = cell % SIDE != edge, cell // SIDE != edge
    for way in range(WAYS):
        if (along or way == ACROSS) and (across or way == ALONG):
            actions[count] = MOVE + cell * WAYS + way
            count += 1
    return count


@inlined
def move(s: Record, cell: Int, target: Int) -> None:
    """Move a stone, take what stands there, and see who has won."""
    taken, stone = s.board[target], s.board[cell]
    if taken != 0:
        s.cell[taken - 1] = NO_CELL
        s.left[0 if taken <= STONES else 1] -= 1
    s.board[cell], s.board[target], s.cell[stone - 1] = 0, stone, target
    if target == (CELLS - 1 if s.player == 0 else 0) or s.left[1 - s.player] == 0:
        s.winner = s.player + 1
    s.player, s.die = 1 - s.player, 0


def cell_name(cell: int) -> str:
    """a1 is at the bottom left."""
    return f"{chr(ord('a') + cell % SIDE)}{SIDE - cell // SIDE}"


def stone_name(stone: int) -> str:
    """R1 to R6 and B1 to B6."""
    return f"{NAMES[(stone - 1) // STONES][0]}{(stone - 1) % STONES + 1}"
