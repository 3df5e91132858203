"""Moves without machine code: wins are taken, and wins of the opponent stopped."""

from __future__ import annotations

import pytest

from ponderosa import load_game
from ponderosa.agents.connect.uncompiled import quick_move
from ponderosa.core.notation import position
from tests.helpers import random_game


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("h8 a1 h9 a2 h10 a3 h11 b1", {"h7", "h12"}),  # four in a row: win
        ("h8 a1 h9 c5 h10 e9 h11", {"h7", "h12"}),  # the other has four: stop one end
        ("", {"h8"}),
    ],
)
def test_wins_and_blocks(moves, expected):
    game = load_game("gomoku")
    state = position(game, moves)
    assert state.action_to_string(quick_move(game, state.history())) in expected


@pytest.mark.parametrize("seed", range(4))
def test_every_move_is_legal(seed):
    game = load_game("connect:m=7,n=6,k=5,p=1,q=1")
    for state in random_game(game, seed)[:30:3]:
        if not state.is_terminal():
            assert quick_move(game, state.history()) in state.legal_actions()
