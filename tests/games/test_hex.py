"""Hex: against OpenSpiel's rules, first moves that win, the swap, bridges, and positions drawn as text."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from ponderosa import Search, check_game, observed
from ponderosa.compile.enabled import jit_enabled
from ponderosa.core.rng import new_rng
from ponderosa.errors import IllegalActionError, SettingError
from ponderosa.games.hex import SEEN, Hex
from tests.games.against_openspiel import play_both
from tests.helpers import loaded, position, random_game


@pytest.mark.parametrize(
    ("size", "games"),
    [(3, 40), (6, 10), (11, 4), *(pytest.param(size, 500, marks=pytest.mark.slow) for size in (4, 5, 7, 9, 11, 19))],
)
@pytest.mark.parametrize("swap", [False, True])
def test_random_games_are_those_of_openspiel(size, games, swap):
    game = loaded(f"hex:size={size},swap={str(swap).lower()}")
    assert play_both(game, f"hex(board_size={size},swap={swap})", games) > games * size


def drawn(state) -> list[str]:
    """The rows of a board drawn as text, without labels."""
    return ["".join(row.split()[1:]) for row in str(state).splitlines()[1 : state.game.size + 1]]


class PlainHex:
    """Who wins, found by trying everything; stones are the bits of two numbers."""

    def __init__(self, size: int) -> None:
        self.size, self.cells = size, range(size * size)
        self.whole = (1 << size * size) - 1

    def joined(self, stones: int, player: int) -> bool:
        """Whether stones join a player's edges."""
        cells = {divmod(cell, self.size) for cell in self.cells if stones >> cell & 1}
        waiting = [cell for cell in cells if cell[player] == 0]
        for row, column in waiting:  # which grows
            cells.discard((row, column))
            ways = ((0, -1), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1))
            near = {(row + down, column + right) for down, right in ways} & cells
            cells -= near
            waiting += near
        return any(cell[player] == self.size - 1 for cell in waiting)

    @functools.cache  # noqa: B019  forgotten with the test
    def wins(self, own: int, others: int, player: int) -> bool:
        """Whether the player to move wins."""
        if self.joined(others, 1 - player):
            return False
        free = [1 << cell for cell in self.cells if not (own | others) >> cell & 1]
        return any(not self.wins(others, own | cell, 1 - player) for cell in free)

    def first_moves(self) -> list[bool]:
        """Whether each first move wins."""
        return [not self.wins(0, 1 << cell, 1) for cell in self.cells]


WINNING = {
    2: ". W / W .",
    3: ". . W / W W W / W . .",
    4: ". . . W / . . W . / . W . . / W . . .",
    5: ". . . . W / . W W W W / . W W W . / W W W W . / W . . . .",
}
"""The first moves that win, row by row."""


def first_moves(size: int) -> list[bool]:
    return [letter == "W" for letter in WINNING[size].replace("/", "").split()]


@pytest.mark.parametrize("size", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_the_first_moves_that_win_are_those_found_by_trying_everything(size):
    assert PlainHex(size).first_moves() == first_moves(size)


TOO_LONG = pytest.mark.skipif(not jit_enabled(), reason="too long for plain Python")


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=TOO_LONG), pytest.param(5, marks=pytest.mark.slow)])
def test_the_solver_proves_which_first_moves_win(size):
    """A board turned by half is the same: the second half of the cells has nothing new."""
    game, half = loaded(f"hex:size={size},swap=false"), (size * size + 1) // 2
    settings = {"c": 0.3, "transpositions": True, "playout": "informed"} if size == 5 else {}
    proven = [
        Search(game, seed=1, **settings).run(game.new_initial_state().child(cell), iterations=20_000_000).proven
        for cell in range(half)
    ]
    assert first_moves(size) == first_moves(size)[::-1]
    assert proven == ["loss" if wins else "win" for wins in first_moves(size)[:half]]


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_bridges_from_edge_to_edge_promise_a_win_only_where_there_is_one(size):
    game, bounds, plain = loaded(f"hex:size={size},swap=false"), Hex.own_rules()["bounds"], PlainHex(size)
    promised, late = 0, 0
    for seed in range(100):
        for state in random_game(game, seed)[1:-1]:
            stones = [sum(1 << cell for cell in state.history()[first::2]) for first in (0, 1)]
            mover = state.to_move()
            wins = plain.wins(stones[mover], stones[1 - mover], mover)
            least, most = bounds(state.record)
            assert least == -1.0 and (most == 1.0 or not wins)
            promised += most == -1.0
            late += not wins
            assert state.record.points.max() < SEEN
    assert promised > 0.3 * late


def test_who_may_swap_wins_on_a_small_board():
    assert Search(loaded("hex:size=3"), seed=1).run(iterations=100_000).proven == "loss"


def test_the_first_stone_can_be_taken_over_once():
    game = loaded("hex:size=4")
    state = position(game, "b1")
    assert state.action_to_string(state.legal_actions()[-1]) == "swap"
    state = position(game, "b1 swap")
    assert drawn(state) == ["....", "O...", "....", "...."] and state.to_move() == 0
    assert len(state.legal_actions()) == 15 and "swap" not in names(state)
    assert "swap" not in names(position(game, "b1 c1 d4"))
    with pytest.raises(IllegalActionError):
        position(loaded("hex:size=4,swap=false"), "b1 swap")


def names(state) -> list[str]:
    return [state.action_to_string(action) for action in state.legal_actions()]


def test_edges_joined_by_a_chain_win():
    state = position(loaded("hex:size=4,swap=false"), "c1 a1 b2 b1 b3 d4")
    assert not state.is_terminal()
    assert drawn(state) == ["OOX.", ".X..", ".X..", "...O"]
    assert Hex.own_rules()["winning_action"](state.record) in (12, 13)  # a4, b4
    state = state.child(12)
    assert state.is_terminal() and state.returns() == [1.0, -1.0]
    assert state.game.winning_cells(state.record) == [(3, 0), (2, 1), (1, 1), (0, 2)]


def test_blue_wins_from_left_to_right():
    state = position(loaded("hex:size=3"), "c3 a3 a1 b2 b1 c1")
    assert drawn(state) == ["XXO", ".O.", "O.X"]
    assert state.returns() == [-1.0, 1.0]
    assert state.game.winning_cells(state.record) == [(0, 2), (1, 1), (2, 0)]


@pytest.mark.parametrize(
    ("moves", "saves"),
    [
        ("b2 a1 c3 b3", {"c2"}),  # two stones with two free cells between them
        ("b2 a1 c3 c2", {"b3"}),
        ("c4 e1 d2 d3", {"c3"}),
        ("c4 a1 a2 b5", {"c5"}),  # a stone and the edge
        ("a1 b2 e5 c1", {"b1"}),  # no bridge of Red's: any cell
    ],
)
def test_a_broken_bridge_is_saved_in_informed_playouts(moves, saves):
    state = position(loaded("hex:size=5,swap=false"), moves)
    rng, actions = new_rng(1), np.zeros(25, np.int32)
    found = {state.action_to_string(int(state.game.rules.playout_action(state.data, rng, actions))) for _ in range(200)}
    assert found == saves or (saves == {"b1"} and len(found) == 21)


def test_equal_positions_have_one_key():
    game, key = loaded("hex:size=5"), Hex.own_rules()["key"]
    keys = [key(position(game, moves).record) for moves in ("a1 b2 c3 d4", "c3 d4 a1 b2", "c3 b2 a1", "a1 c3 b2 d4")]
    assert keys[0] == keys[1] and len(set(keys)) == 3


def test_a_network_sees_stones_by_whose_they_are():
    state = position(loaded("hex:size=4"), "b1")
    seen = observed(state.game, state.data.view(state.game.dtype))[0]
    assert seen[0, 1, 1] == 1 and seen[:, :, :2].sum() == 1 and (seen[:, :, 2:] == 1).all()


def test_sizes_are_checked_and_promises_kept():
    assert check_game(loaded("hex:size=5"), games=20) == []
    with pytest.raises(SettingError, match="size must be a whole number from 2 to 19, not 20"):
        loaded("hex:size=20")
