"""Connect Four and the Connect family against a plain scan of the board."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from numba.core.event import install_recorder

from ponderosa import PonderosaError, Search, check_game, load_agent, load_game
from ponderosa.connect.evaluations import WeighedConnect
from ponderosa.connect.informed import InformedConnect
from ponderosa.connect.tactical import TacticalConnect
from ponderosa.errors import SettingError
from ponderosa.games.connect import Connect
from tests.helpers import Exact, in_python, loaded, others_slow, position

COMPILED = {
    "tictactoe",
    "connect:m=5,n=6,k=3,p=2,q=1",
    "connect:m=6,n=5,k=4,exact=true",
    "connect:m=6,n=5,k=3,players=3",
    "gomoku",
    "connect4",
    "connect4:rows=4,cols=5,k=4,early_draw=true",
}
"""These boards are compiled, the others are played as plain Python."""
LONG = {
    "connect:m=7,n=9,k=4,exact=true",
    "connect:m=20,n=32,k=3,q=3",
    "connect:m=7,n=8,k=4,p=2,q=1,exact=true,players=4",
    "connect6",
    "gomoku:exact=true",
    "connect4:rows=4,cols=17,k=5",
}
"""Large boards, whose rules smaller ones have too."""
SPECS = [
    "tictactoe",
    "tictactoe:n=5,k=4",
    "connect:m=5,n=6,k=3,p=2,q=1",
    "connect:m=6,n=5,k=4,exact=true",
    "connect:m=7,n=9,k=4,exact=true",
    "connect:m=1,n=12,k=4",
    "connect:m=12,n=1,k=4,p=3,q=2",
    "connect:m=20,n=32,k=3,q=3",
    "connect:m=6,n=5,k=3,players=3",
    "connect:m=7,n=8,k=4,p=2,q=1,exact=true,players=4",
    "connect:m=5,n=5,k=3,players=6",
    "gomoku",
    "gomoku:exact=true",
    "connect6",
    "connect4",
    "connect4:rows=9,cols=4,k=3",
    "connect4:rows=4,cols=17,k=5",
    "connect4:rows=1,cols=8,k=3",
    "connect4:rows=4,cols=5,k=4,early_draw=true",
]
QUICK = others_slow(SPECS, [spec for spec in SPECS if spec not in LONG])
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def board_of(spec: str):
    """A game of SPECS at the speed it is tested at."""
    return loaded(spec) if spec in COMPILED else in_python(spec)


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


@pytest.mark.slow
@pytest.mark.parametrize("spec", QUICK)
def test_random_games_end_when_a_scan_of_the_board_says_so(spec):
    game, draw = board_of(spec), random.Random(spec)
    marks = "XOABCD"[: game.players]
    for _ in range(12 if game.max_game_length < 100 else 2):
        state = game.new_initial_state()
        while not state.is_terminal():
            board = game.cells(state.record)
            assert not any(wins(game, board, mark) for mark in marks)
            assert any("" in row for row in board)
            mark = marks[state.current_player()]
            action = draw.choice(state.legal_actions())
            empty = [(row, column) for row, line in enumerate(board) for column, cell in enumerate(line) if cell == ""]
            state.apply_action(action)
            after = game.cells(state.record)
            (changed,) = [cell for cell in empty if after[cell[0]][cell[1]] != ""]
            assert after[changed[0]][changed[1]] == mark
            assert game.cell_actions(state.record)[changed[0]][changed[1]] == action
        board, won = game.cells(state.record), state.returns()
        winners = [mark for mark in marks if wins(game, board, mark)]
        assert len(winners) <= 1
        assert won == [(1.0 if mark in winners else -1.0) if winners else 0.0 for mark in marks]
        full = not any("" in row for row in board)
        assert won[0] or full or (spec.endswith("early_draw=true") and not any(could_win(game, board, m) for m in "XO"))


@pytest.mark.slow
@pytest.mark.parametrize("spec", [spec for spec in QUICK if board_of(*spec.values).max_actions < 100])
def test_every_board_keeps_its_promises(spec):
    assert check_game(board_of(spec), games=15 if spec in COMPILED else 2) == []


@pytest.mark.parametrize(
    "spec",
    ["connect:p=2,q=1", "connect:p=1,q=3", "connect:p=3,q=2", "connect6", "gomoku", "connect:p=2,q=1,players=5"],
)
def test_players_place_q_stones_and_then_p_a_turn(spec):
    game = board_of(spec)
    turns = [player for player in [*range(game.players)] * 2 for _ in range(game.p)]
    state, expected = game.new_initial_state(), [0] * game.q + turns[game.p :]
    movers = []
    for action in range(len(expected)):
        movers.append(state.current_player())
        state.apply_action(action * 31 % (game.m * game.n))
    assert movers == expected


@pytest.mark.parametrize(
    ("board", "others"),
    [
        ("connect:m=5,n=6,k=3,p=2,q=1", ("connect:m=8,n=2,k=4,exact=true", "tictactoe:n=7")),
        ("connect4", ("connect4:rows=4,cols=5", "connect4:rows=8,cols=8,k=5,early_draw=true")),
        pytest.param(
            "samegame:rows=6,columns=6",
            ("samegame:rows=5,columns=8,colours=3", "samegame:rows=6,columns=6,seed=3"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_boards_of_about_the_same_size_share_their_machine_code(board, others):
    Search(load_game(board)).run(iterations=10)
    with install_recorder("numba:compile") as compilations:
        for spec in others:
            Search(load_game(spec)).run(iterations=10)
    assert not compilations.buffer
    assert all(load_game(spec).dtype == load_game(board).dtype for spec in others)


def test_an_exact_line_wins_and_a_longer_one_does_not():
    """X has a1 b1 . d1 e1: c1 makes five, which wins; with f1 it makes six."""
    for spec, six_wins in (("gomoku", True), ("gomoku:exact=true", False)):
        five = position(board_of(spec), "a1 a15 b1 c15 d1 e15 e1 g15 c1")
        assert five.returns() == [1.0, -1.0]
        six = position(board_of(spec), "a1 a15 b1 c15 d1 e15 e1 g15 f1 i15 c1")
        assert six.is_terminal() == six_wins


def test_an_exact_line_beside_a_longer_one_wins():
    """The last stone makes six in a row and five in a column."""
    moves = "a1 a15 b1 c15 d1 e15 e1 g15 f1 i15 c2 k15 c3 m15 c4 o15 c5 a13 c1"
    assert position(board_of("gomoku:exact=true"), moves).returns() == [1.0, -1.0]


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
    assert str(position(board_of("connect:m=2,n=28,k=3"), "ab1 aa2 z2")).splitlines()[-1].endswith("y  z aa ab")


def test_early_draws_end_the_game_and_change_no_result():
    usual, early = loaded("connect4:rows=4,cols=5"), loaded("connect4:rows=4,cols=5,early_draw=true")
    shorter = 0
    for seed in range(200):
        draw, states = random.Random(seed), [usual.new_initial_state(), early.new_initial_state()]
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
    game, exact = board_of(spec), Exact()
    own, narrowed = game.own_rules()["bounds"], 0
    for seed in range(300):
        draw, state = random.Random(seed), game.new_initial_state()
        while not state.is_terminal():
            low, high = own(state.record)
            if len(state.history()) >= 3 and (low, high) != (-1.0, 1.0):
                value = exact.value(state) * (1 if state.current_player() == 0 else -1)
                assert low <= value <= high
                narrowed += 1
            state.apply_action(draw.choice(state.legal_actions()))
    assert narrowed > 10


@pytest.mark.parametrize("spec", QUICK)
def test_the_winning_cells_are_the_winner_s_and_lie_on_lines_of_k(spec):
    game, won = board_of(spec), 0
    for seed in range(20 if game.max_actions < 100 else 5):
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


@pytest.mark.parametrize(("m", "n", "games"), [(2, 3, 456), (1, 6, 600)])
def test_three_players_have_as_many_games_as_trying_everything_counts(m, n, games):
    """Two in a row on six cells: who wins how many of all games."""
    neighbours = {a: {b for b in range(6) if max(abs(a // n - b // n), abs(a % n - b % n)) == 1} for a in range(6)}

    def by_sets(owned: tuple[frozenset[int], ...], free: frozenset[int], player: int) -> Counter:
        counted = Counter()
        for cell in free:
            mine = owned[player]
            if neighbours[cell] & mine:
                counted[tuple(1.0 if other == player else -1.0 for other in range(3))] += 1
            elif len(free) == 1:
                counted[0.0, 0.0, 0.0] += 1
            else:
                after = (*owned[:player], mine | {cell}, *owned[player + 1 :])
                counted += by_sets(after, free - {cell}, (player + 1) % 3)
        return counted

    def by_states(state) -> Counter:
        if state.is_terminal():
            return Counter([tuple(state.returns())])
        return sum((by_states(state.child(action)) for action in state.legal_actions()), Counter())

    found = by_states(board_of(f"connect:m={m},n={n},k=2,players=3").new_initial_state())
    assert found == by_sets((frozenset(),) * 3, frozenset(range(6)), 0)
    assert found.total() == games


def test_a_game_of_many_is_loaded_by_its_name_and_is_no_game_of_two():
    game = loaded("connect:m=6,n=5,k=3,players=3")
    assert (game.spec, game.players) == ("connect:m=6,n=5,k=3,players=3", 3)
    assert "bounds" not in game.own_rules()
    assert "bounds" in Connect().own_rules()
    assert str(position(game, "a1 b2 c3 d4")).splitlines()[2] == "4  . . . X ."
    report = Search(game, seed=1).run(position(game, "a1 a3 e5 c2 c4 e4 b5 d1"), iterations=2_000)
    assert report.best_name == "e3"  # three in a column for the third player, who is to move


@pytest.mark.parametrize("players", [0, 1, 7])
def test_there_are_two_to_six_players(players):
    with pytest.raises(SettingError, match=f"connect is for 2 to 6 players, not {players}"):
        Connect(players=players)


class Mine(Connect):
    """A game of one's own that says nothing of players."""

    name = "mine"


@pytest.mark.parametrize(
    "agent",
    ["slow", "medium", "fast", "clever", "lazy", "voting", "minimax", "perfect", "scripted", "engine:cmd=sh"],
)
def test_agents_for_two_players_say_so(agent):
    with pytest.raises(PonderosaError, match=r"two players|tictactoe with three rows"):
        load_agent(agent, loaded("connect:m=3,n=3,k=3,players=3"))


@pytest.mark.parametrize("twin", [InformedConnect, TacticalConnect, WeighedConnect])
def test_twins_are_for_two_players_and_say_so(twin):
    with pytest.raises(SettingError, match=r"is for two players, and connect:players=3 has 3: take mcts"):
        twin.of(Connect(players=3))
    with pytest.raises(SettingError, match="mine is for two players, not 3"):
        Mine(players=3)
