"""Connect Four and the Connect family against a plain scan of the board."""

from __future__ import annotations

import itertools
import random

import pytest

from ponderosa import Search, check_game
from tests.helpers import Exact, loaded, position

SPECS = [
    "tictactoe",
    "tictactoe:n=5,k=4",
    "connect:m=5,n=4,k=3,p=2,q=1",
    "connect:m=7,n=9,k=4,exact=true",
    "connect:m=1,n=12,k=4",
    "connect:m=12,n=1,k=4,p=3,q=2",
    "connect:m=20,n=32,k=3,q=3",
    "gomoku",
    "gomoku:exact=true",
    "connect6",
    "connect4",
    "connect4:rows=9,cols=4,k=3",
    "connect4:rows=4,cols=17,k=5",
    "connect4:rows=1,cols=8,k=3",
    "connect4:rows=4,cols=5,k=4,early_draw=true",
]
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def runs(board: list[list[str]], mark: str) -> set[int]:
    """The lengths of all unbroken lines of a mark, each counted from where it begins."""
    found, at = (
        set(),
        {(row, column) for row, line in enumerate(board) for column, cell in enumerate(line) if cell == mark},
    )
    for (row, column), (down, right) in itertools.product(at, DIRECTIONS):
        if (row - down, column - right) not in at:
            length = 1
            while (row + length * down, column + length * right) in at:
                length += 1
            found.add(length)
    return found


def wins(game, board: list[list[str]], mark: str) -> bool:
    lengths = runs(board, mark)
    return game.k in lengths if getattr(game, "exact", False) else max(lengths, default=0) >= game.k


def could_win(game, board: list[list[str]], mark: str) -> bool:
    """Whether a line of k cells is free of the other's stones."""
    return max(runs([["." if cell in ("", mark) else cell for cell in row] for row in board], "."), default=0) >= game.k


@pytest.mark.parametrize("spec", SPECS)
def test_random_games_end_when_a_scan_of_the_board_says_so(spec):
    game, draw = loaded(spec), random.Random(spec)
    for _ in range(12 if game.max_game_length < 100 else 2):
        state = game.new_initial_state()
        while not state.is_terminal():
            board = game.cells(state.record)
            assert not wins(game, board, "X")
            assert not wins(game, board, "O")
            assert any("" in row for row in board)
            mark = "XO"[state.current_player()]
            action = draw.choice(state.legal_actions())
            empty = [(row, column) for row, line in enumerate(board) for column, cell in enumerate(line) if cell == ""]
            state.apply_action(action)
            after = game.cells(state.record)
            (changed,) = [cell for cell in empty if after[cell[0]][cell[1]] != ""]
            assert after[changed[0]][changed[1]] == mark
            assert game.cell_actions(state.record)[changed[0]][changed[1]] == action
        board, won = game.cells(state.record), state.returns()
        assert (
            won
            == {(True, False): [1.0, -1.0], (False, True): [-1.0, 1.0], (False, False): [0.0, 0.0]}[
                wins(game, board, "X"), wins(game, board, "O")
            ]
        )
        full = not any("" in row for row in board)
        assert won[0] or full or (spec.endswith("early_draw=true") and not any(could_win(game, board, m) for m in "XO"))


@pytest.mark.parametrize("spec", [spec for spec in SPECS if loaded(spec).max_actions < 100])
def test_every_board_keeps_its_promises(spec):
    assert check_game(loaded(spec), games=30) == []


@pytest.mark.parametrize("spec", ["connect:p=2,q=1", "connect:p=1,q=3", "connect:p=3,q=2", "connect6", "gomoku"])
def test_players_place_q_stones_and_then_p_a_turn(spec):
    game = loaded(spec)
    state, expected = game.new_initial_state(), [0] * game.q + [1] * game.p + [0] * game.p + [1] * game.p
    movers = []
    for action in range(len(expected)):
        movers.append(state.current_player())
        state.apply_action(action * 31 % (game.m * game.n))
    assert movers == expected


def test_an_exact_line_wins_and_a_longer_one_does_not():
    """X has a1 b1 . d1 e1: c1 makes five, which wins; with f1 it makes six."""
    for spec, six_wins in (("gomoku", True), ("gomoku:exact=true", False)):
        five = position(loaded(spec), "a1 a15 b1 c15 d1 e15 e1 g15 c1")
        assert five.returns() == [1.0, -1.0]
        six = position(loaded(spec), "a1 a15 b1 c15 d1 e15 e1 g15 f1 i15 c1")
        assert six.is_terminal() == six_wins


def test_an_exact_line_beside_a_longer_one_wins():
    """The last stone makes six in a row and five in a column."""
    moves = "a1 a15 b1 c15 d1 e15 e1 g15 f1 i15 c2 k15 c3 m15 c4 o15 c5 a13 c1"
    assert position(loaded("gomoku:exact=true"), moves).returns() == [1.0, -1.0]


def test_a_full_column_is_closed():
    state = position(loaded("connect4"), "3 3 3 3 3 3")
    assert state.legal_actions() == [0, 1, 3, 4, 5, 6]
    assert str(state) == "\n".join(
        [
            ". . O . . . .",
            ". . X . . . .",
            ". . O . . . .",
            ". . X . . . .",
            ". . O . . . .",
            ". . X . . . .",
            "1 2 3 4 5 6 7",
        ]
    )


def test_a_board_is_drawn_with_its_labels():
    assert str(position(loaded("tictactoe"), "a1 b2 c3")) == "3  . . X\n2  . O .\n1  X . .\n   a b c"
    assert str(position(loaded("connect:m=2,n=28,k=3"), "ab1 aa2 z2")).splitlines()[-1].endswith("y  z aa ab")


def test_early_draws_end_the_game_and_change_no_result():
    plain, early = loaded("connect4:rows=4,cols=5"), loaded("connect4:rows=4,cols=5,early_draw=true")
    shorter = 0
    for seed in range(200):
        draw, states = random.Random(seed), [plain.new_initial_state(), early.new_initial_state()]
        while not states[0].is_terminal():
            action = draw.choice(states[0].legal_actions())
            states[0].apply_action(action)
            if not states[1].is_terminal():
                states[1].apply_action(action)
        assert states[1].is_terminal()
        assert states[0].returns() == states[1].returns()
        shorter += len(states[1].history()) < len(states[0].history())
    assert shorter > 20


def test_a_search_finds_the_same_with_early_draws_on():
    for moves in ("", "3 3 3", "1 2 3 4 5"):
        reports = [
            Search(loaded(spec)).run(position(loaded(spec), moves), iterations=3_000)
            for spec in ("connect4:rows=4,cols=5", "connect4:rows=4,cols=5,early_draw=true")
        ]
        assert reports[0].actions == reports[1].actions


@pytest.mark.parametrize("spec", ["tictactoe", "connect4:rows=3,cols=4,k=3", "connect:m=3,n=4,k=3,exact=true"])
def test_what_the_bounds_promise_is_true(spec):
    game, exact = loaded(spec), Exact()
    own, narrowed = game.own_rules()["bounds"], 0
    for seed in range(300):
        draw, state = random.Random(seed), game.new_initial_state()
        while not state.is_terminal():
            low, high = own(state.record)
            if len(state.history()) >= 3:
                value = exact.value(state) * (1 if state.current_player() == 0 else -1)
                assert low <= value <= high
                narrowed += (low, high) != (-1.0, 1.0)
            state.apply_action(draw.choice(state.legal_actions()))
    assert narrowed > 10


@pytest.mark.parametrize("spec", SPECS)
def test_the_winning_cells_are_the_winner_s_and_lie_on_lines_of_k(spec):
    game, won = loaded(spec), 0
    for seed in range(20):
        draw, state = random.Random(seed), game.new_initial_state()
        while not state.is_terminal():
            assert not game.winning_cells(state.record)
            state.apply_action(draw.choice(state.legal_actions()))
        cells, marked = game.cells(state.record), game.winning_cells(state.record)
        if max(state.returns()) == 0:
            assert not marked
            continue
        won += 1
        mark = game.player_name(state.returns().index(1.0))
        assert len(marked) >= game.k and {cells[row][column] for row, column in marked} == {mark}
        for row, column in marked:
            runs = [
                sum((row + step * down, column + step * right) in marked for step in range(-32, 33))
                for down, right in DIRECTIONS
            ]
            assert max(runs) >= game.k
    assert won or spec in ("connect4:rows=1,cols=8,k=3", "connect:m=1,n=12,k=4")
