"""Moves and results in words."""

from __future__ import annotations

import random

import pytest

from ponderosa.core.notation import in_a_row, move_names, position, result
from ponderosa.errors import IllegalActionError
from tests.helpers import EVERY_GAME, PlainNim, all_but_large, in_python


@pytest.mark.parametrize("name", all_but_large())
def test_a_game_written_down_is_read_back(name):
    game = in_python(EVERY_GAME[name])
    for seed in range(3):
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
        position(in_python("connect4"), "4 9")


def test_a_result_names_the_winner():
    assert result(position(in_python("tictactoe"), "a1 a2 b1 b2 c1"), ["Ada", "Bob"]) == "Ada wins."
