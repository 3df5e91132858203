"""The strong agent for Connect Four."""

from __future__ import annotations

import itertools

import pytest

from ponderosa import PonderosaError
from ponderosa.agents.connect.connect4 import StrongConnectFour
from tests.helpers import Exact, loaded, position, random_position, untimed

LARGER = "connect4:rows=7,cols=7"
"""No openings of this board are known, and the solver needs very long for them."""


def late_position(game, seed):
    """A random position with 11 cells left, of one of the rare games that last so long."""
    tries = (random_position(game, 1000 * seed + attempt, 31) for attempt in itertools.count())
    return next(state for state in tries if len(state.history()) == 31)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_it_keeps_the_value_of_every_late_position(seed):
    game, exact = loaded("connect4"), Exact()
    state = late_position(game, seed)
    agent = StrongConnectFour(game, iterations=20_000)
    assert agent.step(state) in exact.best_actions(state)
    assert agent.last_report.stopped == "solved"
    value = max(exact.action_values(state).values())
    assert agent.last_report.proven == {1.0: "win", 0.0: "draw", -1.0: "loss"}[value]


@pytest.mark.slow
def test_it_plays_a_whole_game_and_keeps_its_tree():
    game = loaded("connect4")
    agent, state = StrongConnectFour(game, iterations=4000), game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(agent.step(state))  # it plays both sides
    assert len(state.history()) >= 7


@pytest.mark.slow
def test_iterations_give_the_same_answer_always():
    game = loaded(LARGER)
    state = position(game, "4 4 3 5")
    first, second = (StrongConnectFour(game, iterations=3000, seed=5) for _ in range(2))
    assert first.step(state) == second.step(state)
    assert untimed(first.last_report) == untimed(second.last_report)
    assert first.last_report.iterations == 3001  # one to begin with


@pytest.mark.slow
def test_it_ends_with_the_time_and_by_its_progress():
    game = loaded(LARGER)
    agent = StrongConnectFour(game, seconds=0.2)
    agent.step(game.new_initial_state())
    assert agent.last_report.stopped == "seconds" and agent.last_report.seconds >= 0.2
    told = []
    agent = StrongConnectFour(game, iterations=100_000)
    agent.step(game.new_initial_state(), progress=lambda report: bool(told.append(report)))
    assert (agent.last_report.stopped, len(told)) == ("progress", 1)


@pytest.mark.slow
def test_a_search_on_threads_learns_too():
    game = loaded("connect4")
    state = late_position(game, 3)
    agent = StrongConnectFour(game, iterations=4000, threads=2)
    assert agent.step(state) in Exact().best_actions(state)


def test_an_opening_is_known_at_once():
    game = loaded("connect4")
    agent = StrongConnectFour(game, iterations=1000)
    assert agent.step(game.new_initial_state()) == 3  # the middle column, which alone wins (Allis 1988)
    assert (agent.last_report.proven, agent.last_report.stopped) == ("win", "solved")
    assert agent.last_report.actions[0].moves_left == 41


def test_boards_that_cannot_be_solved_are_searched():
    game = loaded("connect4:k=5")
    agent = StrongConnectFour(game, iterations=500)
    agent.step(game.new_initial_state())
    assert agent.last_report.iterations == 500


@pytest.mark.parametrize(("spec", "playout"), [("connect4", "epsilon"), ("connect4:rows=4,cols=5", "decisive")])
def test_static_values_are_asked_only_where_they_were_fitted(spec, playout):
    assert StrongConnectFour(loaded(spec)).search.policies.playout.name == playout


def test_without_proofs_it_only_searches():
    game = loaded("connect4")
    agent = StrongConnectFour(game, iterations=500, solve=False)
    agent.step(game.new_initial_state())
    assert agent.last_report.proven is None


def test_other_games_are_refused():
    with pytest.raises(PonderosaError, match="plays connect4"):
        StrongConnectFour(loaded("gomoku"))
