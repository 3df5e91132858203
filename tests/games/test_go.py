"""Go on positions drawn as text, against its rules written down a second time, and against OpenSpiel's."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import load_game, observed
from ponderosa.core.checks.perft import perft
from ponderosa.core.rng import new_rng
from ponderosa.errors import IllegalActionError, SettingError
from ponderosa.games.boards.chains import is_eye, put_stone
from ponderosa.games.boards.go_playouts import SHAPE_TABLE
from ponderosa.games.go import Go, remember
from tests.helpers import loaded, position

Point = tuple[int, int]
Stones = dict[Point, int]
"""Whose stone is where, by row and column from the lowest left."""


class PlainGo:
    """Go by the book: stones in a dictionary, chains found anew at every question, every position remembered."""

    def __init__(self, size: int) -> None:
        self.points = [(row, column) for row in range(size) for column in range(size)]
        self.stones: Stones = {}
        self.player, self.before = 0, {frozenset()}

    def beside(self, point: Point) -> list[Point]:
        row, column = point
        return [other for other in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
                if other in self.points]  # fmt: skip

    def region(self, stones: Stones, point: Point) -> tuple[set[Point], set[Point]]:
        """The points that are connected with one and have the same on them, and the other points beside them."""
        inside, border, waiting = {point}, set(), [point]
        while waiting:
            for other in self.beside(waiting.pop()):
                if stones.get(other) != stones.get(point):
                    border.add(other)
                elif other not in inside:
                    inside.add(other)
                    waiting.append(other)
        return inside, border

    def after(self, point: Point) -> Stones | None:
        """The stones after a move, or None if it is not legal."""
        if point in self.stones:
            return None
        stones = {**self.stones, point: self.player}
        for other in [*self.beside(point), point]:
            if other in stones and (stones[other] != self.player or other == point):
                chain, border = self.region(stones, other)
                if all(place in stones for place in border):
                    if other == point:
                        return None
                    stones = {place: stone for place, stone in stones.items() if place not in chain}
        return None if frozenset(stones.items()) in self.before else stones

    def legal(self) -> list[Point]:
        return [point for point in self.points if self.after(point) is not None]

    def play(self, point: Point | None) -> None:
        if point is not None:
            self.stones = self.after(point)
            self.before = self.before | {frozenset(self.stones.items())}
        self.player = 1 - self.player

    def area(self) -> int:
        """Black's points less White's."""
        balance = 0
        for point in self.points:
            owners = {self.stones[point]} if point in self.stones else {
                self.stones[other] for other in self.region(self.stones, point)[1]
            }  # fmt: skip
            balance += (owners == {0}) - (owners == {1})
        return balance


def drawn(text: str, player: int = 0, komi: float = 0.5):
    """A state with the stones of a drawing, top row first: X is Black's."""
    rows = [line.split() for line in reversed(text.strip().splitlines())]
    state = load_game(f"go:size={len(rows)},komi={komi}").new_initial_state()
    record = state.record
    for row, marks in enumerate(rows):
        for column, mark in enumerate(marks):
            if mark != ".":
                put_stone(record, int(record.point_of[row * len(rows) + column]), 1 + (mark == "O"))
    remember(record, record.hash)
    record.player = player
    return state


def picture(state) -> str:
    return "\n".join(" ".join(cell or "." for cell in row) for row in state.game.cells(state.record))


def play(state, *names: str):
    for name in names:
        state.apply_action(state.game.parse_action(name, state))
    return state


def may_play(state, name: str) -> bool:
    return name in [state.action_to_string(action) for action in state.legal_actions()]


def lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize(("size", "games"), [(5, 20), (6, 4)])
def test_random_games_go_as_the_rules_say(size, games):
    repetitions = 0
    rng = random.Random(size)
    for _ in range(games):
        state, plain = load_game(f"go:size={size}").new_initial_state(), PlainGo(size)
        while not state.is_terminal():
            legal = plain.legal()
            assert sorted(state.legal_actions()) == [*sorted(row * size + column for row, column in legal), size**2]
            plain.before, before = {frozenset()}, plain.before
            repetitions += len(plain.legal()) != len(legal)
            plain.before = before
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            plain.play(None if action == size**2 else divmod(action, size))
        assert state.returns()[0] == (1.0 if plain.area() > 7.5 else -1.0)
    assert size > 5 or repetitions > 0  # positions in which a point was forbidden by what was there before


def moves_of(plain: PlainGo, passes: int, depth: int) -> int:
    """Move sequences of a length; two passes end a game."""
    if depth == 0 or passes == 2:
        return int(depth == 0)
    count = 0
    for point in [*plain.legal(), None]:
        after = PlainGo.__new__(PlainGo)
        after.points, after.stones, after.player, after.before = vars(plain).values()
        after.play(point)
        count += moves_of(after, 0 if point else passes + 1, depth - 1)
    return count


def test_there_are_as_many_move_sequences_as_counted_by_the_book():
    assert list(perft(loaded("go:size=5"), 3).sequences) == [moves_of(PlainGo(5), 0, depth) for depth in range(4)]


@pytest.mark.slow
def test_openspiel_agrees_in_random_games():
    """It ends a game in which a position repeats as a draw, where here the move is not legal."""
    pyspiel = pytest.importorskip("pyspiel")
    rng = random.Random(1)
    for size, games in ((5, 100), (9, 60), (13, 6), (19, 2)):
        theirs = pyspiel.load_game(f"go(board_size={size})")
        ours = load_game(f"go:size={size},max_moves={2 * size * size}")
        for _ in range(games):
            state, other = ours.new_initial_state(), theirs.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                assert set(legal) <= set(other.legal_actions())
                for repeating in set(other.legal_actions()) - set(legal):
                    assert other.child(repeating).is_terminal() and other.child(repeating).returns() == [0, 0]
                action = rng.choice(legal)
                state.apply_action(action)
                other.apply_action(action)
            assert other.is_terminal() and state.returns() == other.returns()


def test_a_chain_without_a_liberty_is_taken():
    state = drawn("""
        . X X . .
        X O O X .
        . X . X .
        . . X . .
        O . . . .
    """)
    assert picture(play(state, "C3")) == lines("""
        . X X . .
        X . . X .
        . X X X .
        . . X . .
        O . . . .
    """)
    assert picture(play(state, "E5", "B1", "D5", "A2")) == lines("""
        . X X O O
        X . . X .
        . X X X .
        X . X . .
        . X . . .
    """)


def test_one_stone_takes_several_chains_at_once():
    state = drawn("""
        . . . . .
        . . X . .
        . X O X .
        X O . O X
        . X . X .
    """)
    assert picture(play(state, "C1", "A5", "C2")) == lines("""
        O . . . .
        . . X . .
        . X . X .
        X . X . X
        . X X X .
    """)


def test_a_stone_or_chain_may_not_take_its_own_last_liberty():
    state = drawn("""
        . O . O .
        O O . O O
        . . . . .
        O O O . .
        X X . O .
    """)
    for name in ("A5", "E5", "C1"):
        assert not may_play(state, name)
    assert may_play(state, "C5")
    with pytest.raises(IllegalActionError):
        play(state, "C1")
    play(state, "C4")
    assert may_play(state, "A5") and may_play(state, "C1")  # White's own eyes


def test_a_stone_without_a_liberty_may_be_put_where_it_takes_others():
    state = drawn("""
        . . . . .
        . . . . .
        O O . . .
        X X O . .
        . X O . .
    """, player=1)  # fmt: skip
    assert picture(play(state, "A1")) == lines("""
        . . . . .
        . . . . .
        O O . . .
        . . O . .
        O . O . .
    """)


KO = """
    . . . . .
    . X O . .
    X . X O .
    . X O . .
    . . . . .
"""


def test_a_ko_is_taken_back_only_after_a_move_elsewhere():
    state = play(drawn(KO, player=1), "B3")
    assert not may_play(state, "C3")
    play(state, "E5", "E1")
    assert may_play(state, "C3")
    play(state, "C3")
    assert not may_play(state, "B3")


def test_two_stones_sent_and_one_returned_may_not_repeat_the_position():
    """No rule about the stone that was just taken forbids B1, only the position that was there before."""
    state = drawn("""
        . . . . .
        . . . . .
        O O . . .
        O X X X .
        . O . X .
    """, player=1)  # fmt: skip
    play(state, "C1", "A1")
    assert lines(picture(state)).splitlines()[-1] == "X . . X ."
    assert not may_play(state, "B1")
    play(state, "E5", "E4")
    assert may_play(state, "B1")


def test_a_snapback_takes_more_than_was_given():
    state = drawn("""
        . . . . .
        . . . . .
        X X X . .
        O O O X .
        . . O X .
    """)
    play(state, "B1", "A1")
    assert lines(picture(state)).splitlines()[-1] == "O . O X ."
    assert lines(picture(play(state, "B1"))).splitlines()[-2:] == [". . . X .", ". X . X ."]


SEKI = """
    . X X O O .
    X X X O O O
    X . X O . O
    X X X O O O
    X O . X O O
    X O . X O O
"""


@pytest.mark.parametrize(("player", "left"), [(0, "X O O . O O"), (1, "X . X X O O")])
def test_in_a_seki_whoever_moves_first_loses_the_chain(player, left):
    state = play(drawn(SEKI, player), "C1", "C2")
    assert lines(picture(state)).splitlines()[4] == left


@pytest.mark.parametrize(("komi", "first"), [(-2.5, 1.0), (-2, 0.0), (-1.5, -1.0)])
def test_a_seki_counts_for_nobody_and_a_tie_is_a_draw(komi, first):
    """Black has 16 points and White 18."""
    state = play(drawn(SEKI, komi=komi), "pass", "pass")
    assert state.returns() == [first, -first]


@pytest.mark.parametrize(
    ("text", "eyes"),
    [
        (". X . . .\nX X . . .\n. . . . .\n. . . . .\n. . . . .", ["A5"]),
        (". X . . .\nX O . . .\n. . . . .\n. . . . .\n. . . . .", []),
        (". . . . .\n. X X X .\n. X . X .\n. X X X .\n. . . . .", ["C3"]),
        (". . . . .\n. O X X .\n. X . X .\n. X X X .\n. . . . .", ["C3"]),
        (". . . . .\n. O X X .\n. X . X .\n. X X O .\n. . . . .", []),
    ],
)
def test_playouts_know_an_eye_by_its_corners(text, eyes):
    record = drawn(text).record
    found = [cell for cell in range(25) if record.board[record.point_of[cell]] == 0
             and is_eye(record, int(record.point_of[cell]), 1)]  # fmt: skip
    assert ["ABCDE"[cell % 5] + str(cell // 5 + 1) for cell in found] == eyes


def answers(state, tries=30):
    """What informed playouts play at once."""
    game, rng, actions = state.game, new_rng(1), np.zeros(26, np.int32)
    return {game.action_to_string(None, int(game.rules.playout_action(state.data, rng, actions))) for _ in range(tries)}


@pytest.mark.parametrize(
    ("text", "move", "expected"),
    [
        (". O . . .\n. . . . .\n. . . . .\n. . . . .\n. . . . .", "A5", {"A4"}),  # the last stone is taken
        (". . . . .\n. . X . .\n. X O . .\n. . . . .\n. . . . .", "D3", {"C2"}),  # the chain that it attacks is saved
    ],
)
def test_an_informed_playout_takes_and_saves_beside_the_last_stone(text, move, expected):
    assert answers(play(drawn(text), move)) == expected


@pytest.mark.parametrize(
    "text",
    [
        ". O X O .\n. . O . .\n. . . . .\n. . . . .\n. . . . .",  # what can be taken elsewhere is left to chance
        "X . . . .\nO . . . .\n. . . . .\n. . . . .\n. . . . .",
    ],
)
def test_an_informed_playout_plays_anywhere_when_the_last_stone_asks_for_nothing(text):
    assert len(answers(play(drawn(text), "E1"))) > 5
    assert len(answers(play(drawn(text), "pass"))) > 5


def test_an_informed_playout_answers_with_a_shape():
    state = drawn("""
        . . . . .
        . . . . .
        . . O . .
        . . . . .
        . . . . .
    """)
    play(state, "B3")
    assert answers(state) == {"B2", "B4", "C2", "C4"}  # hanes around the two stones


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_shapes_are_the_same_from_every_side_and_for_both_colours(around):
    square = np.insert(around, 4, 0).reshape(3, 3)
    swapped = np.choose(square, (0, 2, 1, 3))
    same = [np.rot90(each, turn) for each in (square, square.T, swapped) for turn in range(4)]
    numbers = [sum(int(stone) << 2 * place for place, stone in enumerate(np.delete(each, 4))) for each in same]
    assert len({bool(SHAPE_TABLE[number]) for number in numbers}) == 1


def test_an_informed_playout_ends_by_passes_when_only_eyes_are_left():
    game, rng, actions = loaded("go"), new_rng(1), np.zeros(82, np.int32)
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(int(game.rules.playout_action(state.data, rng, actions)))
        assert state.history()[-2:] == [81, 81] and len(state.history()) < game.max_game_length
        left = [row.count("") for row in game.cells(state.record)]
        assert 0 < sum(left) < 30


def test_moves_are_written_as_players_write_them():
    game = loaded("go")
    state = position(game, "C3 j9 PASS A1")
    assert [game.action_to_string(None, action) for action in state.history()] == ["C3", "J9", "pass", "A1"]
    assert game.column_labels() == [*"ABCDEFGHJ"] and game.row_labels()[0] == "9"
    assert game.cells(state.record)[8][0].stone == "white"
    with pytest.raises(IllegalActionError):
        position(game, "I3")


def test_equal_positions_have_one_key_and_a_ko_another():
    game, key = loaded("go:size=5"), Go.own_rules()["key"]
    keys = [key(position(game, moves).record) for moves in ("A1 B2 C3", "C3 B2 A1", "A1 B2 C3 pass")]
    assert keys[0] == keys[1] != keys[2]
    taken = play(drawn(KO, player=1), "B3")
    later = drawn(picture(taken))
    assert picture(later) == picture(taken) and later.current_player() == taken.current_player()
    assert key(later.record) != key(taken.record)


def test_a_network_sees_stones_by_whose_they_are():
    state = position(loaded("go:size=5"), "A1 B2 C3")
    seen = observed(state.game, state.data.view(state.game.dtype))[0]
    assert seen.shape == (5, 5, 5)
    assert seen[1, 1, 0] == 1 and seen[0, 0, 1] == seen[2, 2, 1] == 1 and seen[:, :, :2].sum() == 3
    assert (seen[:, :, 3] == 1).all() and not seen[:, :, 4].any()


@pytest.mark.parametrize("settings", ["size=4", "size=20", "komi=0.3", "komi=100", "max_moves=-1", "max_moves=9999"])
def test_boards_that_nobody_plays_on_are_refused(settings):
    with pytest.raises(SettingError, match=r"from|komi"):
        load_game(f"go:{settings}")
