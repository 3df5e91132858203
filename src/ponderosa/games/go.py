"""Go: surround more than the other does. Start at Go."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError
from ponderosa.games.boards.chains import (
    BLACK,
    CHAIN_SCRATCH,
    EMPTY,
    LARGEST_SIDE,
    NUMBERS,
    WHITE,
    area,
    chain_fields,
    is_eye,
    may_play,
    put_stone,
    set_up_chains,
)
from ponderosa.games.boards.go_playouts import urgent_point
from ponderosa.games.boards.lines import board_symmetries, returns_of
from ponderosa.games.boards.repetition import place_of

SMALLEST_SIDE = 5
ROOMS = 9, 13, LARGEST_SIDE
"""Boards with sides up to one of these, and over the one before, share their machine code."""
TURNS_A_POINT = 3
"""After so many turns for each point of the board a game ends, unless max_moves says otherwise."""
COLUMNS = "ABCDEFGHJKLMNOPQRST"
PASS = "pass"
STONES = Cell(""), Cell("X", stone="black"), Cell("O", stone="white")
SLOPE = 6.0
"""So many points ahead, a player wins nearly three times as often as not."""


class Go(Game):
    """Surround more than the other does: stones without a liberty are taken, stones and surrounded points count.

    Area scoring by Tromp and Taylor: what stands on the board at the end is alive. No move may make a position that
    was there before (positional superko), nor leave the own chain without a liberty. Two passes end the game, or
    max_moves turns (0: three for each point). The action of a cell is row * size + column, row 0 at the bottom;
    size * size is to pass.
    """

    name = "go"
    label = "Go"
    board = "crossings"
    scratch = (*CHAIN_SCRATCH, "last")

    def __init__(self, size: int = 9, komi: float = 7.5, max_moves: int = 0) -> None:
        if not SMALLEST_SIDE <= size <= LARGEST_SIDE:
            raise SettingError(f"go boards have sides from {SMALLEST_SIDE} to {LARGEST_SIDE}, not {size}")
        if not (abs(komi) <= size * size and 2 * komi == int(2 * komi)):
            raise SettingError(f"komi is a whole or half number from -{size * size} to {size * size}, not {komi}")
        room = next(side for side in ROOMS if side >= size)
        most = TURNS_A_POINT * room * room
        if not 0 <= max_moves <= most:
            raise SettingError(f"max_moves on this board is from 1 to {most}, or 0 for three a point, not {max_moves}")
        self.size, self.komi = size, komi
        self.max_game_length = max_moves or TURNS_A_POINT * size * size
        self.max_actions = size * size + 1
        self.observation_shape = size, size, 5
        self.dtype = np.dtype(
            [
                *chain_fields(room),
                ("seen", "i8", 1 << (most * 4 // 3).bit_length()),  # a hash table of the positions that were there
                ("last", "i2"),  # the point of the last stone; 0: the last one has passed
                ("moves", "i2"),  # turns that the game still has
                ("margin", "i2"),  # twice the points by which Black won, komi taken off; 0 before the end
                ("komi", "i2"),  # twice the komi
                ("side", "i1"),
                ("player", "i1"),
                ("passes", "i1"),  # in a row, just now
            ]
        )

    def setup(self, s: Record) -> None:
        set_up_chains(s, self.size)
        s.side, s.komi, s.moves = self.size, int(2 * self.komi), self.max_game_length
        remember(s, s.hash)

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        count = 0
        for index in range(s.left):
            point = np.int64(s.empty[index])
            if may_play(s, point):
                actions[count] = s.cell_of[point]
                count += 1
        actions[count] = pass_of(s)
        return count + 1

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        while True:
            index = below(rng, s.left + 1)
            if index == s.left:
                return pass_of(s)
            point = np.int64(s.empty[index])
            if may_play(s, point):
                return np.int64(s.cell_of[point])

    @rule
    def playout_action(s: Record, rng: Rng) -> Any:
        """An answer to the last stone, else any move but those that fill an own eye; a pass when there is none."""
        if s.last != 0:
            point = urgent_point(s, rng)
            if point != 0:
                return np.int64(s.cell_of[point])
        first = below(rng, s.left)
        for step in range(s.left):
            index = first + step
            point = np.int64(s.empty[index if index < s.left else index - s.left])
            if not is_eye(s, point, s.player + 1) and may_play(s, point):
                return np.int64(s.cell_of[point])
        return pass_of(s)

    @rule
    def candidates(s: Record, actions: Actions) -> Any:
        """All moves but those that fill an own eye."""
        count, eyes = 0, 0
        for index in range(s.left):
            point = np.int64(s.empty[index])
            if is_eye(s, point, s.player + 1):
                eyes += 1
            elif may_play(s, point):
                actions[count] = s.cell_of[point]
                count += 1
        actions[count] = pass_of(s)
        return -(count + 1) if eyes else count + 1

    @rule
    def apply_action(s: Record, a: Int) -> None:
        s.moves -= 1
        if a == pass_of(s):
            s.passes += 1
            s.last = 0
        else:
            s.passes = 0
            s.last = s.point_of[a]
            put_stone(s, np.int64(s.last), np.int64(s.player) + 1)
            remember(s, s.hash)
        s.player = 1 - s.player
        if over(s):
            s.margin = 2 * area(s) - s.komi

    @rule
    def is_terminal(s: Record) -> Any:
        return over(s)

    @rule
    def returns(s: Record) -> Any:
        return returns_of(BLACK if s.margin > 0 else WHITE if s.margin < 0 else 0)

    @rule
    def evaluate(s: Record) -> Any:
        lead = np.tanh((area(s) - 0.5 * s.komi) / (2.0 * SLOPE))
        return lead, -lead

    @rule
    def key(s: Record) -> Any:
        """Of the stones, the player to move, whether the other has passed, and which points may not be played."""
        found = s.hash ^ (s.player + 2 * s.passes)
        for index in range(s.left):
            point = np.int64(s.empty[index])
            if not may_play(s, point):
                found ^= NUMBERS[2 * point] ^ NUMBERS[2 * point + 1]
        return found

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """Own stones, the other's, free points that may not be played; White to move; the other has passed."""
        for cell in range(s.side * s.side):
            row = cell // s.side
            point = np.int64(s.point_of[cell])
            if s.board[point] == EMPTY:
                planes[row, cell - row * s.side, 2] = not may_play(s, point)
            else:
                planes[row, cell - row * s.side, (s.board[point] - 1) ^ s.player] = 1.0
        planes[:, :, 3] = s.player
        planes[:, :, 4] = s.passes

    def action_to_string(self, s: Record, a: int) -> str:
        return PASS if a == self.size * self.size else f"{COLUMNS[a % self.size]}{a // self.size + 1}"

    def cells(self, s: Record) -> list[list[str]]:
        stones = s.board[s.point_of[: self.size * self.size]].reshape(self.size, self.size).tolist()
        return [[STONES[stone] for stone in row] for row in reversed(stones)]

    def cell_actions(self, s: Record) -> list[list[int]]:
        return [[row * self.size + column for column in range(self.size)] for row in reversed(range(self.size))]

    def forget_passes(self, s: Record) -> None:
        """Let the game go on as if nobody had passed just now."""
        s.passes = s.margin = 0

    def ending(self, s: Record) -> str:
        lead = abs(int(s.margin)) / 2
        return f"{lead:g} point{'s' * (lead != 1)} ahead" if lead else "as many points"

    def symmetries(self) -> list[list[int]]:
        return [[*cells, self.size * self.size] for cells in board_symmetries(self.size, self.size)]

    def row_labels(self) -> list[str]:
        return [str(row) for row in range(self.size, 0, -1)]

    def column_labels(self) -> list[str]:
        return [*COLUMNS[: self.size]]

    def player_name(self, player: int) -> str:
        return ("Black", "White")[player]


@inlined
def pass_of(s: Record) -> Any:
    """The action that is to pass."""
    return np.int64(s.side) * s.side


@inlined
def over(s: Record) -> Any:
    """Whether nobody moves any more."""
    return s.passes == 2 or s.moves == 0


@inlined
def remember(s: Record, position: Int) -> None:
    """Note that a position was there."""
    s.seen[place_of(s, position)] = position
