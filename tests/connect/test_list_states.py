"""The Connect family on Python lists plays the same game as the compiled one."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from ponderosa.connect.list_states import ListState
from ponderosa.games.connect import Connect
from tests.helpers import plain


@st.composite
def games(draw: st.DrawFn) -> Connect:
    """A small member of the family; two of the shapes are compiled."""
    m, n, k, p, q, exact = draw(
        st.sampled_from(
            [(3, 3, 3, 1, 1, 0), (5, 6, 3, 1, 1, 1), (6, 5, 4, 2, 1, 0), (6, 6, 4, 3, 2, 1), (1, 7, 3, 1, 1, 0)]
        )
    )
    game = Connect(m, n, k, p, q, bool(exact))
    return game if m * n in (9, 30) else plain(game)


@given(games(), st.integers(0, 10**6))
def test_a_random_game_is_the_same_at_every_move(game, seed):
    draw, compiled, lists = random.Random(seed), game.new_initial_state(), ListState(game)
    while not compiled.is_terminal():
        assert not lists.is_terminal()
        assert lists.legal_actions() == compiled.legal_actions()
        assert lists.current_player() == compiled.current_player()
        before = lists.clone()
        action = draw.choice(compiled.legal_actions())
        assert lists.action_to_string(action) == compiled.action_to_string(action)
        compiled.apply_action(action)
        lists.apply_action(action)
        assert before != lists and before.history() == lists.history()[:-1]
    assert lists.is_terminal() and lists.returns() == compiled.returns()
    assert lists == ListState.after(game, compiled.history()) and hash(lists) == hash(lists.clone())
    assert str(lists) == str(compiled)
