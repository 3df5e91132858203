"""Near cells in playouts and threes that must be stopped, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Search
from ponderosa.connect.near import NearConnect, any_near, ends_of_threes, is_near
from ponderosa.core.checks.check_game import check_game
from ponderosa.core.rng import new_rng

pytestmark = pytest.mark.slow

BOARDS = [(7, 7, 5), (6, 9, 4), (9, 5, 5)]


def stones_of(game: NearConnect, state) -> dict[int, int]:
    """The owner of every stone, by cell."""
    return {action: ply % 2 for ply, action in enumerate(state.history())}


@st.composite
def played(draw):
    m, n, k = draw(st.sampled_from(BOARDS))
    game = NearConnect(m, n, k, near=draw(st.integers(1, 2)), forced=False)
    state = game.new_initial_state()
    for _ in range(draw(st.integers(0, 20))):
        if state.is_terminal():
            break
        state.apply_action(draw(st.sampled_from(sorted(state.legal_actions()))))
    return game, state


def close(game: NearConnect, owner: dict[int, int]) -> set[int]:
    """Empty cells within the distance of a stone, one by one."""
    n = game.n
    return {
        cell
        for cell in range(game.m * n)
        if cell not in owner and any(max(abs(cell // n - at // n), abs(cell % n - at % n)) <= game.near for at in owner)
    }


@settings(max_examples=15)
@given(played(), st.integers(0, 1000))
def test_playouts_draw_cells_near_to_stones_and_all_of_them(found, seed):
    game, state = found
    if state.is_terminal():
        return
    owner = stones_of(game, state)
    wanted = close(game, owner) or set(state.legal_actions())
    for cell in state.legal_actions():
        assert bool(is_near(state.record, cell)) == (cell in close(game, owner))
    rng = new_rng(seed)
    assert {int(any_near(state.record, rng)) for _ in range(5)} <= wanted


def test_every_near_cell_is_drawn_sooner_or_later():
    game = NearConnect(7, 7, 5)
    state = game.new_initial_state()
    state.apply_action(24)
    rng = new_rng(1)
    assert {int(any_near(state.record, rng)) for _ in range(200)} == {16, 17, 18, 23, 25, 30, 31, 32}


@given(played())
def test_the_ends_of_open_threes_are_found(found):
    game, state = found
    if state.is_terminal():
        return
    owner, opponent = stones_of(game, state), 1 - state.current_player()
    wanted = set()
    for row in range(game.m):
        for column in range(game.n):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + step * down, column + step * right) for step in range(game.k)]
                if all(0 <= r < game.m and 0 <= c < game.n for r, c in cells):
                    line = [r * game.n + c for r, c in cells]
                    if all(owner.get(cell) == opponent for cell in line[1:-1]) and not {line[0], line[-1]} & set(owner):
                        wanted |= {line[0], line[-1]}
    actions = np.zeros(game.m * game.n, np.int32)
    assert set(actions[: ends_of_threes(state.record, actions)].tolist()) == wanted


def position(moves: str, **settings):
    game = NearConnect(**settings)
    state = game.new_initial_state()
    for move in moves.split():
        state.apply_action(game.parse_action(move, state))
    return game, state


@pytest.mark.parametrize(
    ("moves", "tried"),
    [
        ("h8 a1 h9 a2 h10", {"h7", "h11"}),
        ("h8 h7 h9 a2 h10", None),  # one end is taken
        ("h8 a1 h9 a2 h10 a3 o1 a4", {"a5"}),  # a four comes first
    ],
)
def test_a_three_is_stopped_at_its_ends(moves, tried):
    game, state = position(moves)
    tree = Search(game, solve=False).run(state, iterations=300)
    found = {each.name for each in tree.actions if each.visits}
    assert found == tried if tried is not None else len(found) > 4


def test_without_the_rule_every_near_cell_is_tried():
    game, state = position("h8 a1 h9 a2 h10", threes=False)
    tree = Search(game, solve=False).run(state, iterations=300)
    assert sum(each.visits > 0 for each in tree.actions) > 10


def test_the_twin_keeps_the_promises_of_a_game():
    assert check_game(NearConnect(6, 6, 4), games=20) == []
