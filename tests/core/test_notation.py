"""Moves and results in words."""

from __future__ import annotations

import random

import pytest

from ponderosa.core.notation import in_a_row, move_names, position, result
from ponderosa.errors import IllegalActionError
from tests.helpers import EVERY_GAME, PlainNim, loaded


@pytest.mark.parametrize("spec", EVERY_GAME.values())
def test_a_game_written_down_is_read_back(spec):
    game = loaded(spec)
    for seed in range(5):
        draw, state = random.Random(seed), game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
        assert position(game, in_a_row(move_names(state))).history() == state.history()


def test_moves_with_spaces_are_read_back():
    state = position(PlainNim(), "1 from 0, 2 from 1")
    assert state.history() == [(0, 1), (1, 2)]
    assert in_a_row(move_names(state)) == "1 from 0, 2 from 1"


def test_an_illegal_move_is_named_by_its_number():
    with pytest.raises(IllegalActionError, match="move 2: '9' is not a legal action here; legal: 1, 2"):
        position(loaded("connect4"), "4 9")


def test_a_result_names_the_winner():
    assert result(position(loaded("tictactoe"), "a1 a2 b1 b2 c1"), ["Ada", "Bob"]) == "Ada wins."
