"""Guesses at the hidden part, searched as open games."""

from __future__ import annotations

import pytest

from ponderosa import PonderosaError, load_agent
from tests.helpers import loaded
from tests.plain_python import plain_and_compiled  # noqa: F401


def test_it_knows_no_more_than_it_is_shown_and_repeats_itself():
    game = loaded("kuhn_poker")
    found = []
    for other in (0, 2):
        state = game.new_initial_state()
        for action in (1, other, 0, 1):  # the queen against the jack or the king, a pass, a bet
            state.apply_action(action)
        agent = load_agent("determinized:iterations=400,worlds=8", game)
        agent.reset(5)
        found.append(agent.step(state.observation(0)))
    assert found[0] == found[1]


def test_it_takes_the_king_to_the_end():
    game = loaded("kuhn_poker")
    state = game.new_initial_state()
    for action in (2, 0, 0, 1):
        state.apply_action(action)
    assert load_agent("determinized:iterations=200", game).step(state.observation(0)) == 1


def test_the_open_twin_hides_nothing():
    game = loaded("blind_tictactoe").open_twin()
    assert (game.hidden, game.viewed) == (False, False)
    state = game.new_initial_state()
    state.apply_action(4)
    assert state.observation(1) == state


@pytest.mark.parametrize(("spec", "game"), [("determinized", "tictactoe"), ("determinized:worlds=0", "kuhn_poker")])
def test_what_does_not_fit_is_refused(spec, game):
    with pytest.raises(PonderosaError):
        load_agent(spec, loaded(game))
