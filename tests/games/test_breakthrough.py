"""Breakthrough: against OpenSpiel's rules, counts of positions, who wins on small boards, positions drawn as text."""

from __future__ import annotations

import functools
from collections import Counter

import pytest

from ponderosa import Search, check_game, observed
from ponderosa.core.rng import new_rng
from ponderosa.errors import SettingError
from ponderosa.games.breakthrough import Breakthrough
from tests.games.against_openspiel import play_both
from tests.helpers import loaded, position, random_game


@pytest.mark.parametrize(
    ("rows", "columns", "games"),
    [(8, 8, 20), (5, 4, 40), (6, 3, 20), *(pytest.param(rows, 8, 2000, marks=pytest.mark.slow) for rows in (4, 7, 8))],
)
def test_random_games_are_those_of_openspiel(rows, columns, games):
    """There Black begins, from above."""

    def seen_from_below(state, action: int) -> str:
        text = state.action_to_string(action)
        start, target = (f"{text[at]}{rows + 1 - int(text[at + 1])}" for at in (0, 2))
        return f"{start}{'x' if text.endswith('*') else ''}{target}"

    game = loaded(f"breakthrough:rows={rows},columns={columns}")
    assert play_both(game, f"breakthrough(rows={rows},columns={columns})", games, seen_from_below) > 5 * games


def drawn(text: str, player: int = 0):
    """A state with the pieces of a drawing, top row first."""
    lines = [line.split() for line in reversed(text.strip().splitlines())]
    state = loaded(f"breakthrough:rows={len(lines)},columns={len(lines[0])}").new_initial_state()
    cells = [mark for line in lines for mark in line]
    for number, mark in enumerate("WB"):
        state.record.pieces[number] = sum(1 << cell for cell, found in enumerate(cells) if found == mark)
    state.record.player = player
    return state


def names(state) -> set[str]:
    return {state.action_to_string(action) for action in state.legal_actions()}


def test_pieces_go_straight_or_diagonally_and_take_diagonally_only():
    state = drawn("""
        B . . B
        . B . .
        W W . .
        . . W .
    """)
    assert names(state) == {"a2a3", "a2xb3", "b2a3", "b2c3", "c1c2", "c1d2"}
    state.record.player = 1
    assert names(state) == {"a4a3", "b3c2", "b3xa2", "d4d3", "d4c3"}


def test_who_reaches_the_last_row_wins():
    state = drawn("""
        B B .
        . W .
        . . .
    """)
    for action in state.legal_actions():
        after = state.child(action)
        assert after.is_terminal() and after.returns() == [1.0, -1.0]
    assert names(state) == {"b2xa3", "b2c3"}


def test_who_has_no_pieces_left_loses():
    state = drawn("""
        . . .
        . B .
        W . W
        . . .
    """, player=0)  # fmt: skip
    assert Breakthrough.own_rules()["winning_action"](state.record) in state.legal_actions()
    after = state.child(state.game.parse_action("a2xb3", state))
    assert after.is_terminal() and after.returns() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("B . . / W . . / . . W", 1.0, 1.0),  # a step to go
        ("B . . / . . . / B . . / . . W", -1.0, -1.0),  # nobody can take it
        ("B . B / . . . / B . . / W W W", -1.0, 1.0),
        ("B . B / . . . / B B . / W W W", -1.0, -1.0),  # only one can be taken
        (". . . / B . . / . W . / . . .", -1.0, 1.0),
    ],
)
def test_a_piece_before_its_goal_is_known_to_win(text, least, most):
    assert Breakthrough.own_rules()["bounds"](drawn(text.replace("/", "\n")).record) == (least, most)


@functools.cache
def worth(state) -> float:
    """What the player to move gets, found by trying everything."""
    mover, after = state.to_move(), [state.child(action) for action in state.legal_actions()]
    return max(next_.returns()[mover] if next_.is_terminal() else -worth(next_) for next_ in after)


@pytest.mark.parametrize(
    "spec", ["rows=4,columns=3", "rows=5,columns=2", pytest.param("rows=5,columns=3", marks=pytest.mark.slow)]
)
def test_what_is_certain_of_a_position_is_what_trying_everything_finds(spec):
    game, bounds, found = loaded(f"breakthrough:{spec}"), Breakthrough.own_rules()["bounds"], Counter()
    for seed in range(30):
        for state in random_game(game, seed)[:-1]:
            least, most = bounds(state.record)
            assert least <= worth(state) <= most
            found[least, most] += 1
    assert min(found[1.0, 1.0], found[-1.0, -1.0], found[-1.0, 1.0]) > 0
    proven = "win" if worth(game.new_initial_state()) > 0 else "loss"
    assert Search(game, seed=1).run(iterations=1_000_000).proven == proven


def test_an_informed_playout_wins_or_takes_the_piece_that_would():
    rng = new_rng(1)
    rule = Breakthrough.own_rules()["playout_action"]
    state = drawn("B . . . / . . W . / . B . . / W W W W".replace("/", "\n"))
    assert {state.action_to_string(rule(state.record, rng)) for _ in range(30)} == {"c3b4", "c3d4"}
    state = drawn("B . . . / . . . . / . B . . / W W W W".replace("/", "\n"))
    assert {state.action_to_string(rule(state.record, rng)) for _ in range(60)} == {"a1xb2", "c1xb2"}


def test_the_static_value_is_even_at_the_start_and_counts_what_is_ahead():
    rule = Breakthrough.own_rules()["evaluate"]
    assert rule(loaded("breakthrough").new_initial_state().record) == pytest.approx((0.0, 0.0))
    assert rule(position(loaded("breakthrough"), "a2a3").record)[0] > 0


def test_a_network_sees_pieces_by_whose_they_are():
    state = position(loaded("breakthrough"), "a2a3")
    seen = observed(state.game, state.data.view(state.game.dtype))[0]
    assert seen[:2, :, 0].all() and seen[5, 0, 1] == 1 and seen[6, 0, 1] == 0 and seen[:, :, 2].all()


def test_sizes_are_checked_and_promises_kept():
    assert check_game(loaded("breakthrough:rows=5,columns=4"), games=20) == []
    with pytest.raises(SettingError, match="columns must be a whole number from 2 to 8, not 9"):
        loaded("breakthrough:columns=9")
