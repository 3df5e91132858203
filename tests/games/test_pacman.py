"""Pac-Man against a plain reading of the maze."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import PonderosaError, check_game, load_game
from ponderosa.games.pacman import MAZES, MOST_CELLS
from tests.helpers import in_python, loaded, others_slow

SPECS = ["pacman", "pacman:ghosts=1", "pacman:maze=medium,ghosts=4", "pacman:ghosts=3,turns=7"]
BY_NAME = {"stay": (0, 0), "up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
Place = tuple[int, int]


class Twin:
    """The same game on the drawing itself."""

    def __init__(self, maze: str, ghosts: int) -> None:
        rows = MAZES[maze].split()
        drawn = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}
        where = {mark: place for place, mark in drawn.items()}
        self.walls = {place for place, mark in drawn.items() if mark == "#"}
        self.pills = {place for place, mark in drawn.items() if mark == "."}
        self.number = len(self.pills)
        self.at: list[Place] = [where[mark] for mark in "P1234"[: 1 + ghosts]]
        self.caught_by: set[int] = set()

    def after(self, player: int, move: str) -> Place:
        (row, column), (down, right) = self.at[player], BY_NAME[move]
        return row + down, column + right

    def moves(self, player: int) -> list[str]:
        return [move for move in BY_NAME if self.after(player, move) not in self.walls]

    def play(self, moves: list[str]) -> None:
        before, self.at = self.at, [self.after(player, move) for player, move in enumerate(moves)]
        for ghost in range(1, len(self.at)):
            met = self.at[ghost] == self.at[0]
            passed = self.at[ghost] == before[0] and self.at[0] == before[ghost]
            if met or passed:
                self.caught_by.add(ghost)
        if not self.caught_by:
            self.pills.discard(self.at[0])

    def returns(self) -> list[float]:
        eaten = (self.number - len(self.pills)) / self.number
        if self.caught_by:
            return [eaten / 2 - 1] + [1.0 if ghost in self.caught_by else 0.5 for ghost in range(1, len(self.at))]
        return [1.0 if not self.pills else eaten / 2] + [-eaten] * (len(self.at) - 1)


@pytest.mark.parametrize("spec", SPECS)
@given(seed=st.integers(0, 10**6), shy=st.booleans())
@settings(max_examples=12)
def test_random_games_are_those_of_the_drawing(spec, seed, shy):
    """With shy ghosts, who stay where they are, games last longer."""
    game, draw = in_python(spec), random.Random(seed)
    state, twin, turns = game.new_initial_state(), Twin(game.maze, game.ghosts), 0
    while not state.is_terminal():
        assert not twin.caught_by and twin.pills and turns < game.turns
        choices = [[state.action_to_string(a) for a in state.legal_actions(p)] for p in range(game.players)]
        assert choices == [twin.moves(player) for player in range(game.players)]
        moves = ["stay" if shy and player else draw.choice(names) for player, names in enumerate(choices)]
        state.apply_actions([list(BY_NAME).index(move) for move in moves])
        twin.play(moves)
        turns += 1
        drawn = game.cells(state.record)
        shown = {mark: (r, c) for r, row in enumerate(drawn) for c, mark in enumerate(row)}
        assert shown.get("P", twin.at[0]) == twin.at[0] and ("P" in shown) == (twin.at[0] not in twin.at[1:])
        people = set(twin.at)
        pills = {(r, c) for r, row in enumerate(drawn) for c, mark in enumerate(row) if mark == "."}
        assert pills == twin.pills - people
    assert twin.caught_by or not twin.pills or turns == game.turns
    assert state.returns() == pytest.approx(twin.returns())


def played(game: Any, *turns: str) -> Any:
    """A game after turns in which each player's move is named by its first letter."""
    state = game.new_initial_state()
    for turn in turns:
        state.apply_actions(["surdl".index(letter) for letter in turn])
    return state


def test_who_changes_places_with_pacman_catches_him():
    """The third ghost comes straight down to Pac-Man, who goes up."""
    game = in_python("pacman:ghosts=3")
    face_to_face = played(game, "sssd", "sssd", "sssd")
    assert str(face_to_face).splitlines()[4:6] == ["# . # # 3 # # . #", "# . . . P . . . #"]
    changed = face_to_face.clone()
    changed.apply_actions([1, 0, 0, 3])
    assert changed.is_terminal()
    assert changed.returns() == [-1.0, 0.5, 0.5, 1.0]
    beside = face_to_face.clone()
    beside.apply_actions([2, 0, 0, 3])
    assert not beside.is_terminal()


def test_two_who_catch_him_together_both_get_all():
    game = in_python("pacman:ghosts=3")
    state = played(game, "sddd", "sddd", "sddd", "sdds", "srls", "srls")
    state.apply_actions(["surdl".index(letter) for letter in "srls"])
    assert state.returns() == [-1.0, 1.0, 1.0, 0.5]


def test_all_pills_are_worth_more_than_anything_else():
    """Ghosts stay at home, and Pac-Man walks through every corridor but theirs."""
    game = in_python("pacman:ghosts=1,turns=200")
    state, twin = game.new_initial_state(), Twin("small", 1)
    while not state.is_terminal():
        move = first_step(twin)
        twin.play([move, "stay"])
        state.apply_actions([list(BY_NAME).index(move), 0])
    assert state.returns() == [1.0, -1.0]
    assert state.record.left > 0


def first_step(twin: Twin) -> str:
    """The first move of a shortest way to a pill that does not lead over a ghost."""
    ways: list[tuple[Place, str]] = [(twin.at[0], "")]
    seen = {twin.at[0], *twin.at[1:]}
    for (row, column), first in ways:
        if (row, column) in twin.pills:
            return first
        for move, (down, right) in BY_NAME.items():
            place = row + down, column + right
            if place not in seen and place not in twin.walls:
                seen.add(place)
                ways.append((place, first or move))
    raise AssertionError("no pill can be reached")


@pytest.mark.parametrize("maze", MAZES)
def test_a_maze_is_closed_and_every_cell_can_be_reached(maze):
    twin = Twin(maze, 4)
    rows = MAZES[maze].split()
    assert len({len(row) for row in rows}) == 1
    assert all(set(line) == {"#"} for line in (rows[0], rows[-1], [r[0] for r in rows], [r[-1] for r in rows]))
    reached = [twin.at[0]]
    for row, column in reached:
        for down, right in BY_NAME.values():
            place = row + down, column + right
            if place not in twin.walls and place not in reached:
                reached.append(place)
    assert set(reached) == twin.pills | set(twin.at)
    assert len(reached) <= MOST_CELLS


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pacman:ghosts=0", "pacman has 1 to 4 ghosts, not 0"),
        ("pacman:ghosts=5", "pacman has 1 to 4 ghosts, not 5"),
        ("pacman:maze=smal", "unknown maze of pacman 'smal'; did you mean 'small'"),
        ("pacman:turns=0", "turns must be 1 to 1000, not 0"),
        ("pacman:turns=1001", "turns must be 1 to 1000, not 1001"),
    ],
)
def test_settings_that_make_no_sense_are_refused(spec, message):
    with pytest.raises(PonderosaError, match=message):
        load_game(spec)


def test_players_are_named():
    assert [loaded("pacman").player_name(player) for player in range(3)] == ["Pac-Man", "ghost 1", "ghost 2"]


@pytest.mark.parametrize("spec", others_slow(SPECS, [spec for spec in SPECS if "medium" not in spec]))
def test_it_keeps_its_promises(spec):
    assert check_game(in_python(spec), games=3) == []
