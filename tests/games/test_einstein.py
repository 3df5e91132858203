"""EinStein würfelt nicht against its rules written down a second time, with stones in a dictionary."""

from __future__ import annotations

import itertools

import pytest

from ponderosa import CHANCE, check_game
from ponderosa.errors import SettingError
from ponderosa.games.einstein import LIT, ROLL
from tests.helpers import loaded, position, random_game

Stones = dict[tuple[str, int], tuple[int, int]]
"""Where each stone is, ("R", 3) for instance: column and row, both from 1 on, row 1 at the bottom."""
HOMES = {
    "R": {(1, 5), (2, 5), (3, 5), (1, 4), (2, 4), (1, 3)},
    "B": {(5, 1), (4, 1), (3, 1), (5, 2), (4, 2), (5, 3)},
}
GOALS = {"R": (5, 1), "B": (1, 5)}
STEPS = {"R": [(1, 0), (0, -1), (1, -1)], "B": [(-1, 0), (0, 1), (-1, 1)]}


def stones_of(state) -> Stones:
    cells = state.game.cells(state.record)
    return {
        (text[0], int(text[1])): (column + 1, 5 - row)
        for row, texts in enumerate(cells)
        for column, text in enumerate(texts)
        if text
    }


def movable(numbers: set[int], die: int) -> set[int]:
    if die in numbers:
        return {die}
    lower, higher = [n for n in numbers if n < die], [n for n in numbers if n > die]
    return ({max(lower)} if lower else set()) | ({min(higher)} if higher else set())


def name(place: tuple[int, int]) -> str:
    return f"{'abcde'[place[0] - 1]}{place[1]}"


def moves(stones: Stones, colour: str, die: int) -> dict[str, Stones]:
    """Every move as people write it, and the stones after it."""
    found = {}
    for number in movable({number for owner, number in stones if owner == colour}, die):
        column, row = stones[colour, number]
        for right, up in STEPS[colour]:
            target = column + right, row + up
            if set(target) <= {1, 2, 3, 4, 5}:
                after = {stone: place for stone, place in stones.items() if place != target}
                found[name((column, row)) + name(target)] = {**after, (colour, number): target}
    return found


def winner(stones: Stones) -> str | None:
    for colour, other in ("RB", "BR"):
        reached = any(stones.get((colour, number)) == GOALS[colour] for number in range(1, 7))
        if reached or not any(owner == other for owner, _ in stones):
            return colour
    return None


def with_stones(stones: Stones, die: int, player: int):
    """A state with these stones, and a die that shows this."""
    state = loaded("einstein:start=fixed").new_initial_state()
    record = state.record
    record.board[:], record.cell[:], record.left[:] = 0, -1, 0
    for (colour, number), (column, row) in stones.items():
        stone, cell = number + 6 * (colour == "B"), (5 - row) * 5 + column - 1
        record.board[cell], record.cell[stone - 1] = stone, cell
        record.left[colour == "B"] += 1
    record.player = player
    return state.child(ROLL + die - 1)


@pytest.mark.parametrize("spec", ["einstein", "einstein:start=fixed"])
def test_random_games_follow_the_rules(spec):
    captures = 0
    for seed in range(10):
        states = random_game(loaded(spec), seed)
        for before, after, action in zip(states[:-1], states[1:], states[-1].history(), strict=True):
            stones, colour = stones_of(before), "RB"[before.record.player]
            assert before.record.laid < 12 or winner(stones) is None
            if before.record.laid < 12:
                colour = "RB"[before.record.laid // 6]
                assert {name(place) for place in HOMES[colour] - set(stones.values())} == {
                    before.action_to_string(outcome).split()[-1] for outcome in before.legal_actions()
                }
                assert before.chance_outcomes()[0][1] == pytest.approx(1 / len(before.legal_actions()))
                continue
            if before.to_move() == CHANCE:
                assert [before.action_to_string(outcome) for outcome in before.legal_actions()] == list("123456")
                assert stones_of(after) == stones
                continue
            expected = moves(stones, colour, before.record.die)
            assert {before.action_to_string(move) for move in before.legal_actions()} == set(expected)
            assert stones_of(after) == expected[before.action_to_string(action)]
            captures += len(stones_of(after)) < len(stones)
        assert {"R": [1.0, -1.0], "B": [-1.0, 1.0]}[winner(stones_of(states[-1]))] == states[-1].returns()
        assert len(states) - 1 <= loaded(spec).max_game_length
    assert captures > 20


def test_the_die_chooses_the_stone_or_the_next_higher_and_lower_of_those_that_are_left():
    """All sets of stones that may be left, and all faces; the stones stand where none is in another's way."""
    places = [(1, 5), (3, 5), (1, 3), (3, 3), (5, 3), (3, 1)]
    for count in range(1, 7):
        for left in itertools.combinations(range(1, 7), count):
            stones = {("R", number): places[number - 1] for number in left} | {("B", 1): (4, 1)}
            for die in range(1, 7):
                state = with_stones(stones, die, player=0)
                origins = {state.action_to_string(action)[:2] for action in state.legal_actions()}
                assert origins == {name(places[number - 1]) for number in movable(set(left), die)}


def test_as_many_turns_as_the_second_set_of_rules_counts():
    """Sequences of a roll, a move, a roll and a move from the fixed start."""

    def by_rules(stones: Stones, colour: str, turns: int) -> int:
        if turns == 0 or winner(stones):
            return 1
        other = {"R": "B", "B": "R"}[colour]
        return sum(
            by_rules(after, other, turns - 1) for die in range(1, 7) for after in moves(stones, colour, die).values()
        )

    def by_states(state, turns: int) -> int:
        if turns == 0 or state.is_terminal():
            return 1
        later = turns - (state.to_move() != CHANCE)
        return sum(by_states(state.child(action), later) for action in state.legal_actions())

    start = loaded("einstein:start=fixed").new_initial_state()
    assert by_states(start, 2) == by_rules(stones_of(start), "R", 2) == 324


def test_the_corner_wins():
    state = with_stones({("R", 2): (4, 2), ("B", 5): (5, 5)}, die=6, player=0)
    assert state.child(game_action(state, "d2e1")).returns() == [1.0, -1.0]
    state = with_stones({("R", 2): (4, 2), ("B", 5): (1, 4)}, die=1, player=1)
    assert state.child(game_action(state, "a4a5")).returns() == [-1.0, 1.0]


def test_the_last_stone_that_is_taken_wins_and_own_stones_may_be_taken():
    stones = {("R", 2): (3, 3), ("R", 4): (4, 2), ("B", 5): (3, 2)}
    state = with_stones(stones, die=2, player=0)
    assert state.child(game_action(state, "c3c2")).returns() == [1.0, -1.0]
    after = state.child(game_action(state, "c3d2"))
    assert not after.is_terminal()
    assert stones_of(after) == {("R", 2): (4, 2), ("B", 5): (3, 2)}


def game_action(state, text: str) -> int:
    return state.game.parse_action(text, state)


def test_a_move_is_the_cells_from_and_to_and_movable_stones_are_lit():
    state = with_stones({("R", 1): (2, 4), ("R", 6): (3, 5), ("B", 5): (5, 5)}, die=3, player=0)
    for action in state.legal_actions():
        cells = state.game.action_cells(state.record, action)
        assert "".join(name((column + 1, 5 - row)) for row, column in cells) == state.action_to_string(action)
    lit = [
        (row, column)
        for row, texts in enumerate(state.game.cells(state.record))
        for column, cell in enumerate(texts)
        if cell.fill == LIT
    ]
    assert lit == [(0, 2), (1, 1)]


def test_the_fixed_start_is_drawn():
    state = loaded("einstein:start=fixed").new_initial_state()
    assert str(state.child(ROLL + 3)).splitlines() == [
        "5  R1 R2 R3  .  .",
        "4  R4 R5  .  .  .",
        "3  R6  .  .  . B6",
        "2   .  .  . B5 B4",
        "1   .  . B3 B2 B1",
        "    a  b  c  d  e",
        "the die shows 4",
    ]
    assert position(loaded("einstein:start=fixed"), "4 a4b3 1").to_move() == 1


def test_a_mirrored_game_is_an_equal_one():
    (mirror,) = loaded("einstein").symmetries()
    for seed in range(10):
        played = random_game(loaded("einstein"), seed)[-1]
        image = loaded("einstein").new_initial_state()
        for action in played.history():
            image.apply_action(mirror[action])
        assert image.returns() == played.returns()
        assert stones_of(image) == {stone: (6 - row, 6 - column) for stone, (column, row) in stones_of(played).items()}


def test_promises_are_kept_and_nonsense_is_refused():
    assert check_game(loaded("einstein:start=fixed"), games=30) == []
    with pytest.raises(SettingError, match="start must be one of random, fixed, not 'here'"):
        loaded("einstein:start=here")
