"""SameGame against its rules written down a second time, on lists of columns."""

from __future__ import annotations

import functools
from collections import Counter

import numpy as np
import pytest

from ponderosa import check_game, load_game
from ponderosa.core.rng import new_rng
from ponderosa.errors import SettingError
from tests.helpers import in_python, loaded, random_game

Columns = tuple[str, ...]
"""A board: what each column holds, from the bottom up; no column is empty."""
SPECS = [
    "samegame",
    pytest.param("samegame:seed=3,colours=2", marks=pytest.mark.slow),
    "samegame:rows=3,columns=9,colours=3,seed=8",
    pytest.param("samegame:rows=32", marks=pytest.mark.slow),
]


def columns_of(state) -> Columns:
    rows = state.game.cells(state.record)
    return tuple(filter(None, ("".join(column) for column in zip(*reversed(rows), strict=True))))


def blocks(board: Columns) -> list[set[tuple[int, int]]]:
    """Every block of two or more, as (column, row), in the order of their least cells."""
    left = {(column, row): colour for column, text in enumerate(board) for row, colour in enumerate(text)}
    found = []
    while left:
        first = min(left)
        block, frontier = {first}, [first]
        while frontier:
            column, row = frontier.pop()
            for near in ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)):
                if near not in block and left.get(near) == left[first]:
                    block.add(near)
                    frontier.append(near)
        for cell in block:
            del left[cell]
        if len(block) > 1:
            found.append(block)
    return found


def without(board: Columns, block: set[tuple[int, int]]) -> Columns:
    kept = (
        "".join(colour for row, colour in enumerate(text) if (column, row) not in block)
        for column, text in enumerate(board)
    )
    return tuple(filter(None, kept))


@functools.cache
def best_score(board: Columns) -> int:
    """The most that can be got, by trying everything."""
    if not board:
        return 1000
    return max(((len(block) - 2) ** 2 + best_score(without(board, block)) for block in blocks(board)), default=0)


def best_by_states(state, known: dict) -> float:
    if state.is_terminal():
        return state.returns()[0]
    if state not in known:
        known[state] = max(best_by_states(state.child(action), known) for action in state.legal_actions())
    return known[state]


def from_text(tmp_path, text: str):
    path = tmp_path / "board.txt"
    path.write_text(text)
    return load_game(f"samegame:board={path}")


@pytest.mark.parametrize("spec", SPECS)
def test_random_games_follow_the_rules(spec):
    game = in_python(spec)
    states = random_game(game, seed=1)
    score = 0
    for before, after, action in zip(states[:-1], states[1:], states[-1].history(), strict=True):
        board = columns_of(before)
        found = {min(block)[0] * (game.rows + 1) + min(block)[1]: block for block in blocks(board)}
        assert before.legal_actions() == sorted(found)
        assert columns_of(after) == without(board, found[action])
        score += (len(found[action]) - 2) ** 2 + (1000 if not columns_of(after) else 0)
        assert after.record.score == score
    assert blocks(columns_of(states[-1])) == []
    assert states[-1].returns() == [float(score)]
    assert score <= game.max_utility
    assert len(states) - 1 <= game.max_game_length


@pytest.mark.parametrize("seed", range(12))
def test_the_best_score_is_what_trying_everything_finds(seed):
    game = loaded(f"samegame:rows=4,columns=3,colours={2 + seed % 2},seed={seed}")
    state = game.new_initial_state()
    best = best_score(columns_of(state))
    assert best_by_states(state, {}) == best <= game.max_utility


def test_a_board_of_one_colour_gives_all_that_can_be_got():
    game = loaded("samegame:rows=6,columns=5,colours=1")
    (action,) = game.new_initial_state().legal_actions()
    after = game.new_initial_state().child(action)
    assert after.returns() == [28.0**2 + 1000] == [game.max_utility]
    assert after.is_terminal()


@pytest.mark.parametrize("rule", ["random_action", "playout_action"])
def test_blocks_are_drawn_evenly(rule):
    """All blocks, however large; those of the spared colour hardly ever. Within five standard deviations."""
    game, rng = loaded("samegame:rows=6,columns=6,colours=3,seed=2"), new_rng(5)
    state, actions = game.new_initial_state(), np.zeros(game.max_actions, np.int32)
    spared = state.record.spared if rule == "playout_action" else 0
    allowed = [action for action in state.legal_actions() if state.record.board[action + game.rows + 1] != spared]
    drawn = Counter(int(getattr(game.rules, rule)(state.data, rng, actions)) for _ in range(4_000))
    usual = sum(drawn[action] for action in allowed)
    assert usual == 4_000 if not spared else 3_800 < usual <= 4_000
    expected = usual / len(allowed)
    assert all(abs(drawn[action] - expected) < 5 * expected**0.5 for action in allowed)


def test_the_spared_colour_is_the_most_frequent_and_taken_when_nothing_else_is_left(tmp_path):
    game = from_text(tmp_path, "AAB\nABA\n")
    state = game.new_initial_state()
    assert game.symbols[state.record.spared - 1] == "A"
    actions = np.zeros(game.max_actions, np.int32)
    assert [game.rules.playout_action(state.data, new_rng(1), actions)] == state.legal_actions()


def test_boards_follow_from_the_seed():
    boards = {seed: columns_of(loaded(f"samegame:seed={seed}").new_initial_state()) for seed in range(5)}
    assert len(set(boards.values())) == 5
    assert columns_of(load_game("samegame:seed=4").new_initial_state()) == boards[4]
    assert boards[0][0] == "CECBDDBCECACDCD"
    counts = Counter("".join(boards[0]))
    assert sorted(counts) == list("ABCDE")
    assert all(25 <= count <= 65 for count in counts.values())


def test_a_board_is_read_from_a_file_and_what_hangs_in_the_air_falls(tmp_path):
    game = from_text(tmp_path, "r . g\n. . g\n\nr . b\nb . .\n")
    state = game.new_initial_state()
    assert columns_of(state) == ("brr", "bgg")
    assert (game.rows, game.columns, game.max_utility) == (4, 3, 1000.0)
    assert str(state) == "4  . . .\n3  r g .\n2  r g .\n1  b b .\n   a b c\nscore: 0"
    for action in ("a2", "b2", "a1"):
        state.apply_action(game.parse_action(action, state))
    assert state.returns() == [1000.0]
    assert check_game(game, games=20) == []


def test_a_click_anywhere_in_a_block_means_the_block(tmp_path):
    game = from_text(tmp_path, "AAB\nBAC\n")
    state = game.new_initial_state()
    assert game.cell_actions(state.record) == [[1, 1, None], [None, 1, None]]
    assert state.legal_actions() == [1]
    assert state.action_to_string(1) == "a2"


def test_a_board_without_a_block_is_over_at_once(tmp_path):
    state = from_text(tmp_path, "AB\nBA\n").new_initial_state()
    assert state.is_terminal()
    assert state.returns() == [0.0]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param("samegame", marks=pytest.mark.slow),
        *SPECS[1:],
        "samegame:rows=1,columns=32",
        "samegame:colours=26,rows=8,columns=8",
    ],
)
def test_all_boards_keep_their_promises(spec):
    game = load_game(spec)
    assert check_game(loaded(spec) if game.rows * game.columns > 100 else in_python(spec), games=2) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("rows=0", "samegame boards have 1 to 32 rows and columns, not 0 x 15"),
        ("columns=33", "samegame boards have 1 to 32 rows and columns, not 15 x 33"),
        ("colours=27", "samegame has 1 to 26 colours, not 27"),
        ("seed=-1", "seed must be 0 or more, not -1"),
        ("board=no/such/file", "the board 'no/such/file' cannot be read"),
    ],
)
def test_settings_that_make_no_game_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        loaded(f"samegame:{settings}")


@pytest.mark.parametrize("text", ["", "...\n...\n", "AB\nABC\n", "A-\n-A\n", "A" * 33, "A\n" * 33])
def test_a_file_that_is_no_board_is_refused(tmp_path, text):
    with pytest.raises(SettingError, match=r"is no board; write a line a row|samegame boards have 1 to 32"):
        from_text(tmp_path, text)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "board.txt"
    path.write_bytes(bytes(range(128, 256)))
    with pytest.raises(SettingError, match="cannot be read"):
        load_game(f"samegame:board={path}")
