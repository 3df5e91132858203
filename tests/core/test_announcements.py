"""What players get to know of each other's moves."""

from __future__ import annotations

from typing import Any

import pytest

from ponderosa.core.announcements import told
from tests.helpers import plain
from tests.small_games import BlindRow, HighCard, Pennies


def after(game: Any, *actions: int) -> Any:
    state = plain(game).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def test_a_card_is_told_to_the_one_who_gets_it() -> None:
    first = after(HighCard())
    assert told(first, [7], 0) == ["card7"]
    assert told(first, [7], 1) == [None]
    assert told(first, [7], None) == ["card7"]
    second = after(HighCard(), 7)
    assert told(second, [2], 0) == [None]
    assert told(second, [2], 1) == ["card2"]


def test_an_open_bet_is_told_to_all() -> None:
    for bet, name in ((0, "pass"), (1, "bet")):
        assert told(after(HighCard(), 7, 2), [bet], 1) == [name]


def test_a_hidden_mark_is_told_to_nobody_else() -> None:
    assert told(after(BlindRow()), [2], 0) == ["c"]
    assert told(after(BlindRow()), [2], 1) == [None]


@pytest.mark.parametrize("last", [2, 3])
def test_a_forced_hidden_move_is_not_given_away(last: int) -> None:
    """In the true state only some cells are left to the mover; the other player does not know which."""
    state = after(BlindRow(), 0, 1, 2)
    assert told(state, [last], 0) == [None]


def test_choices_at_once_are_told_together() -> None:
    assert told(after(Pennies()), [0, 1], 0) == ["tails", "heads"] == told(after(Pennies()), [0, 1], 1)
