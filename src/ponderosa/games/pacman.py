"""Pac-Man in a small maze: he eats pills, ghosts hunt him, all move at once. Start at Pacman."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.compile.bits import count_bits
from ponderosa.core.cell import Cell
from ponderosa.core.game import SIMULTANEOUS, Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError, unknown

MAZES = {
    "small": """
#########
#1..3..2#
#.##.##.#
#4......#
#.##.##.#
#...P...#
#########
""",
    "medium": """
#############
#1...#3#...2#
#.##.#.#.##.#
#.....4.....#
#.##.###.##.#
#...........#
#.##.###.##.#
#.....P.....#
#############
""",
}
"""A wall #, a pill ., and where Pac-Man P and the ghosts start; at most 62 cells without a wall."""
MOST_GHOSTS = 4
MOST_CELLS = 62
MOST_TURNS = 1000
MOVES = ("stay", "up", "right", "down", "left")
DIRECTIONS = ((0, 0), (-1, 0), (0, 1), (1, 0), (0, -1))
WALL = -1
WALL_FILL, FLOOR_FILL = "#2b3fbf", "#0d1018"
"""The maze as pictures show it."""
PACMAN = 0


def read_maze(text: str) -> dict[tuple[int, int], str]:
    """Row and column of every cell without a wall, in order, and what stands there."""
    rows = text.strip().splitlines()
    return {(row, column): c for row, line in enumerate(rows) for column, c in enumerate(line) if c != "#"}


def steps_of(maze: dict[tuple[int, int], str]) -> Any:
    """For every cell and move, by number, the cell that it leads to, or WALL."""
    numbers = {place: number for number, place in enumerate(maze)}
    steps = np.full((MOST_CELLS, len(MOVES)), WALL, np.int8)
    for (row, column), number in numbers.items():
        for move, (down, right) in enumerate(DIRECTIONS):
            steps[number, move] = numbers.get((row + down, column + right), WALL)
    return steps


STEPS = np.array([steps_of(read_maze(text)) for text in MAZES.values()])


class Pacman(Game):
    """Pac-Man eats pills in a maze, ghosts hunt him, all move at once; who changes places with him catches him too.

    Pac-Man gets 1 for all pills, else half of the share that he ate, and 1 less when he is caught. The ghost that
    catches him gets 1 and the other ghosts half of it; if he gets away, each loses the share of pills that he ate. He
    gets away by eating all, or after this many `turns`: twice as many as the maze has cells, unless it is said.
    """

    name = "pacman"
    label = "Pac-Man"
    colours = ("#ffd60a", "#ff4d4d", "#ff9ff3", "#48dbfb", "#ff9f43")
    simultaneous = True
    players = 3
    max_actions = len(MOVES)

    def __init__(self, maze: str = "small", ghosts: int = 2, turns: int | None = None) -> None:
        if maze not in MAZES:
            raise unknown("maze of pacman", maze, MAZES)
        if not 1 <= ghosts <= MOST_GHOSTS:
            raise SettingError(f"pacman has 1 to {MOST_GHOSTS} ghosts, not {ghosts}")
        self.places = read_maze(MAZES[maze])
        self.turns = 2 * len(self.places) if turns is None else turns
        if not 1 <= self.turns <= MOST_TURNS:
            raise SettingError(f"pacman: turns must be 1 to {MOST_TURNS}, not {turns}")
        self.maze, self.ghosts, self.players = maze, ghosts, 1 + ghosts
        self.max_game_length = self.turns * self.players
        self.dtype = np.dtype(
            [
                ("pills", "i8"),  # the cells that have one, one bit each
                ("at", "i1", 1 + MOST_GHOSTS),  # the cell of everybody, Pac-Man first
                ("players", "i1"),
                ("catchers", "i1"),  # the players who have caught him, one bit each
                ("all_pills", "i1"),  # how many there were
                ("maze", "i1"),
                ("left", "i2"),  # turns to play
            ]
        )

    def setup(self, s: Record) -> None:
        inhabitants = list(self.places.values())
        s.players = self.players
        s.at[: self.players] = [inhabitants.index(name) for name in "P1234"[: self.players]]
        s.pills = sum(1 << cell for cell, name in enumerate(inhabitants) if name == ".")
        s.all_pills = inhabitants.count(".")
        s.maze = list(MAZES).index(self.maze)
        s.left = self.turns

    @rule
    def current_player(s: Record) -> Any:
        return SIMULTANEOUS

    @rule
    def legal_actions(s: Record, player: Int, actions: Actions) -> Any:
        count = 0
        for move in range(len(MOVES)):
            if STEPS[s.maze, s.at[player], move] != WALL:
                actions[count] = move
                count += 1
        return count

    @rule
    def random_action(s: Record, player: Int, rng: Rng) -> Any:
        move = below(rng, len(MOVES))
        while STEPS[s.maze, s.at[player], move] == WALL:
            move = below(rng, len(MOVES))
        return move

    @rule
    def apply_actions(s: Record, actions: Actions) -> None:
        before = s.at[PACMAN]
        now = STEPS[s.maze, before, actions[PACMAN]]
        for ghost in range(1, s.players):
            there = STEPS[s.maze, s.at[ghost], actions[ghost]]
            if there == now or (there == before and s.at[ghost] == now):
                s.catchers |= 1 << ghost
            s.at[ghost] = there
        s.at[PACMAN] = now
        s.left -= 1
        if s.catchers == 0:
            s.pills &= ~(np.int64(1) << now)

    @rule
    def is_terminal(s: Record) -> Any:
        return s.catchers != 0 or s.pills == 0 or s.left == 0

    @rule
    def returns(s: Record) -> Any:
        eaten = 1.0 - count_bits(s.pills) / s.all_pills
        scores = np.full(s.players, -eaten)
        scores[PACMAN] = 1.0 if s.pills == 0 else eaten / 2
        if s.catchers != 0:
            scores[PACMAN] -= 1.0
            for ghost in range(1, s.players):
                scores[ghost] = 1.0 if s.catchers >> ghost & 1 else 0.5
        return scores

    def action_to_string(self, s: Record, a: int) -> str:
        return MOVES[a]

    def cells(self, s: Record) -> list[list[str]]:
        wall, floor = Cell("#", fill=WALL_FILL, sign=" "), Cell(" ", fill=FLOOR_FILL)
        rows: list[list[str]] = [
            [wall if c == "#" else floor for c in line] for line in MAZES[self.maze].strip().splitlines()
        ]
        for cell, (row, column) in enumerate(self.places):
            if s.pills >> cell & 1:
                rows[row][column] = Cell(".", fill=FLOOR_FILL, sign="•", ink="#ffe3a8")
            for player in range(self.players):  # a ghost that has caught him stands over him
                if s.at[player] == cell:
                    name, sign = "P1234"[player], "" if player == PACMAN else str(player)
                    rows[row][column] = Cell(name, fill=FLOOR_FILL, stone=self.colours[player], sign=sign)
        return rows

    def ending(self, s: Record) -> str:
        if s.catchers:
            return f"{self.player_name(PACMAN)} is caught"
        return "the time is over" if s.pills else "all pills are eaten"

    def player_name(self, player: int) -> str:
        return f"ghost {player}" if player else "Pac-Man"
