"""Equal games are recognised however the board is turned, in every game that declares symmetries."""

from __future__ import annotations

import functools
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import load_game, match
from ponderosa.arena.results.equal_games import Canon
from tests.helpers import EVERY_GAME, plain


@functools.cache
def loaded(spec: str) -> Any:
    """A game whose rules need not be compiled."""
    return plain(load_game(spec))


BOARDS = [*EVERY_GAME.values(), "connect:m=4,n=4,k=3", "connect4:rows=4,cols=5,k=3"]
LIKE_OTHERS = ("gomoku", "connect6", "connect:m=4,n=4,k=3", "connect4:rows=4,cols=5,k=3")
"""Other boards of games that are there anyway."""


def each(specs: list[str]) -> list[Any]:
    return [pytest.param(spec, marks=pytest.mark.slow) if spec in LIKE_OTHERS else spec for spec in specs]


DECLARING = [spec for spec in BOARDS if loaded(spec).symmetries()]


def random_game(game: Any, seed: int, most: int = 60) -> list[Any]:
    chance, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal() and len(state.history()) < most:
        state.apply_action(chance.choice(state.legal_actions()))
    return list(state.history())


def replayed(game: Any, moves: list[Any]) -> Any:
    state = game.new_initial_state()
    for move in moves:
        assert not state.is_terminal()
        state.apply_action(move)  # raises when it is not legal
    return state


@pytest.mark.slow
@pytest.mark.parametrize("spec", each(DECLARING))
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_a_turned_game_is_legal_and_ends_the_same(spec: str, seed: int) -> None:
    game = loaded(spec)
    moves = random_game(game, seed)
    state = replayed(game, moves)
    for table in game.symmetries():
        assert sorted(table) == list(range(len(table)))
        turned = replayed(game, [table[move] for move in moves])
        assert turned.is_terminal() == state.is_terminal() and turned.returns() == state.returns()


@pytest.mark.parametrize("spec", each(DECLARING))
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_a_turned_game_is_recognised_and_a_changed_one_is_not(spec: str, seed: int) -> None:
    game = loaded(spec)
    canon, moves = Canon(game), random_game(game, seed)
    assert {canon.of([table[move] for move in moves]) for table in game.symmetries()} == {canon.of(moves)}
    assert canon.of(moves[:-1]) != canon.of(moves)


@pytest.mark.parametrize("spec", each([spec for spec in DECLARING if loaded(spec).shifts()]))
@given(seed=st.integers(0, 10**6), data=st.data())
def test_a_game_that_is_moved_aside_is_recognised_and_ends_the_same(spec: str, seed: int, data: Any) -> None:
    game = loaded(spec)
    rows, columns = game.shifts()
    moves = random_game(game, seed, 3)
    down = data.draw(st.integers(0, rows - 1 - max(move // columns for move in moves)))
    right = data.draw(st.integers(0, columns - 1 - max(move % columns for move in moves)))
    aside = [move + down * columns + right for move in moves]
    assert replayed(game, aside).is_terminal() == replayed(game, moves).is_terminal()
    assert Canon(game).of(aside) == Canon(game).of(moves)


def test_every_game_of_tictactoe_has_just_eight_equal_ones() -> None:
    """Games that end with the 5th or 6th move: an axis has three cells, so no image of a game is the game itself."""
    canon = Canon(NoShifts())
    lines = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
    ended: dict[int, list[list[int]]] = {5: [], 6: []}

    def play(moves: list[int]) -> None:
        mine = set(moves[(len(moves) - 1) % 2 :: 2])
        if any(line <= mine for line in lines):
            ended[len(moves)].append(moves)
        elif len(moves) < 6:
            for cell in set(range(9)) - set(moves):
                play([*moves, cell])

    play([])
    assert {length: len(games) for length, games in ended.items()} == {5: 1440, 6: 5328}
    assert {length: len({canon.of(game) for game in games}) for length, games in ended.items()} == {
        5: 1440 // 8,
        6: 5328 // 8,
    }


class NoShifts:
    """Tic-tac-toe that cannot be moved aside."""

    chance = False

    def symmetries(self) -> Any:
        return loaded("tictactoe").symmetries()

    def shifts(self) -> None:
        return None


@pytest.mark.slow
def test_repeated_games_are_counted_once_and_reported(tmp_path: Path) -> None:
    agents = ("mcts:iterations=20,seed=1", "mcts:iterations=10,seed=1")
    result = match("tictactoe", *agents, 20, out=tmp_path / "games.db")
    assert result.tally.games == 20 and len(result.tally.counted) == 2 and result.tally.repeats == 18
    assert "18 of 20 games were played before and are counted once" in result.table()
    everything = match("tictactoe", *agents, 20, out=tmp_path / "games.db", count_repeats=True)
    assert len(everything.tally.counted) == 20


def test_turned_openings_of_equal_agents_are_recognised(tmp_path: Path) -> None:
    """Two agents that always take the first legal cell, from an opening and from its mirror image."""

    class Mirror:
        def __init__(self, game: Any) -> None:
            pass

        def step(self, state: Any) -> Any:
            left = state.history()[0] % 3 == 0
            order = [0, 3, 6, 1, 4, 7, 2, 5, 8] if left else [2, 5, 8, 1, 4, 7, 0, 3, 6]
            return next(cell for cell in order if cell in state.legal_actions())

    openings = tmp_path / "openings.txt"
    openings.write_text("# two mirror images\na1 b2\nc1 b2\n")
    result = match("tictactoe", Mirror, "random:seed=3", 4, openings=str(openings), out=tmp_path / "g.db")
    assert result.tally.games == 4
    same = match("tictactoe", Mirror, Mirror, 4, openings=str(openings), out=tmp_path / "g.db")
    assert same.tally.repeats == 2
