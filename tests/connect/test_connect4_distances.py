"""Connect Four to the end: results and lengths held against exhaustive search of the game's own rules."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa.agents.connect.connect4_perfect import shared_table
from ponderosa.connect.connect4_distances import Distances, Outcome, exact_worth
from ponderosa.connect.connect4_solver import BETTER_THAN_LATEST, Board, aligned, new_table
from ponderosa.errors import GameError, SettingError
from ponderosa.registry import load_agent
from ponderosa.web.views.watch_view import EXACT
from tests.helpers import loaded, position, random_position

SMALL = ["connect4:rows=5,cols=4", "connect4:rows=4,cols=5", "connect4"]
LEFT = 9
"""So many cells are left to exhaustive search in Python, at most."""
TABLES = {spec: new_table(2**20) for spec in SMALL}
"""Kept between examples: what one position leaves must not mislead another."""


def worth_by_rules(state):
    """60 less the stones at the end for a win, as much below zero for a loss, to the player to move."""
    if state.is_terminal():
        lost = any(state.returns())  # whoever is to move has lost
        return len(state.history()) - BETTER_THAN_LATEST if lost else 0
    return max(-worth_by_rules(state.child(action)) for action in state.legal_actions())


def worth_of(outcome):
    return {1.0: 1, 0.5: 0, 0.0: -1}[outcome.value] * (BETTER_THAN_LATEST - outcome.stones)


def solved(game, state, table):
    found = Distances(game, state, table)
    while found.open:
        found.work()
    return found


@given(st.sampled_from(SMALL), st.integers(0, 10**6), st.integers(1, LEFT))
@settings(max_examples=60)
def test_every_result_and_length_is_that_of_exhaustive_search(spec, seed, left):
    game = loaded(spec)
    state = random_position(game, seed, game.max_game_length - left)
    if state.is_terminal() or game.max_game_length - len(state.history()) > LEFT:
        return  # the game was over long before
    found = solved(game, state, TABLES[spec])
    for action in state.legal_actions():
        outcome, after = found.outcome(action), state.child(action)
        assert worth_of(outcome) == -worth_by_rules(after)
        if outcome.value == 0.5:
            assert outcome.stones == game.max_game_length


@given(st.sampled_from(SMALL), st.integers(0, 10**6), st.integers(1, LEFT), st.integers(1, 40))
@settings(max_examples=60)
def test_a_column_that_is_certain_to_be_best_is_that_of_exhaustive_search(spec, seed, left, slice_):
    game = loaded(spec)
    state = random_position(game, seed, game.max_game_length - left)
    if state.is_terminal() or game.max_game_length - len(state.history()) > LEFT:
        return
    found = Distances(game, state, new_table(2**10), slice_)
    while found.best is None:
        found.decide()
    assert -worth_by_rules(state.child(found.best)) == worth_by_rules(state) == worth_of(found.outcome(found.best))
    while found.open:
        found.work()
    assert all(worth_of(found.outcome(each)) == -worth_by_rules(state.child(each)) for each in state.legal_actions())


def test_moves_are_sorted_by_the_speed_of_wins_then_draws_then_what_is_open_then_slow_losses():
    order = [
        Outcome(1.0, 9), Outcome(1.0, 41), Outcome(1.0), Outcome(0.5, 42),
        Outcome(), Outcome(0.0), Outcome(0.0, 42), Outcome(0.0, 10),
    ]  # fmt: skip
    assert sorted(order, key=lambda outcome: -outcome.worth) == order


def test_the_perfect_player_takes_the_fastest_win_and_the_slowest_loss():
    game = loaded("connect4")
    agent = load_agent("perfect", game)
    wins = position(game, "4 4 4 4 4 4 1 1 1 1 1 2 2 2 2 2 3 3 3")
    assert str(wins.action_to_string(agent.step(wins))) in "36"
    report = agent.last_report
    assert report.proven == "win" and report.stopped == "solved"
    left = {entry.name: (entry.proven, entry.moves_left) for entry in report.actions}
    assert left == {
        "3": ("win", 23), "6": ("win", 23), "5": ("draw", 23), "1": ("loss", 20), "2": ("loss", 20), "7": ("loss", 20),
    }  # fmt: skip
    end = wins
    for played in range(23):
        assert not end.is_terminal(), played
        end = end.child(agent.step(end))
    assert end.is_terminal() and end.returns()[wins.current_player()] == 1.0


def test_it_knows_every_column_where_that_is_asked_and_the_page_asks_for_it():
    game = loaded("connect4")
    state = position(game, "4 4 4 4 4 4 1 1 1 1 1 2 2 2")
    agent = load_agent(EXACT, game)
    agent.step(state)
    assert EXACT == "perfect:every=true" and all(entry.moves_left for entry in agent.last_report.actions)
    with pytest.raises(SettingError, match="for Connect Four"):
        load_agent("perfect:every=true", loaded("tictactoe"))


def test_the_perfect_player_says_when_it_had_not_enough_positions_and_tells_what_it_knows_meanwhile():
    game = loaded("connect4")
    state = position(game, "4 3 4 4 4 2 5 6 6 3")
    with pytest.raises(GameError, match="allow more"):
        load_agent("perfect:positions=100", game).step(state)
    agent = load_agent("perfect", game)
    agent.think(state, lambda report: False)
    assert agent.last_report.stopped in ("progress", "solved")


@pytest.mark.slow
def test_lengths_agree_with_plain_alpha_beta_on_whole_boards():
    """A search of its own: recursive, with other questions, another order and another table."""
    generator = random.Random(3)
    for rows, columns in ((4, 4), (5, 4), (3, 6)):
        board, known = Board.of(rows, columns), {}
        table = new_table(2**20)
        for _ in range(30):
            own = mask = 0
            for _ in range(generator.randrange(2, rows * columns - 6)):
                columns_left = [c for c in range(columns) if not mask >> (c * (rows + 1) + rows - 1) & 1]
                column = generator.choice(columns_left)
                after = mask | (mask + (1 << column * (rows + 1)))
                if aligned(own | (after ^ mask), rows):
                    break
                own, mask = own ^ mask, after
            assert exact_worth(board, own, mask, table) == plainly(board, own, mask, known)


def plainly(board, own, mask, known):
    if mask == board.full:
        return 0
    if (own, mask) not in known:
        best = -BETTER_THAN_LATEST
        for column in range(board.columns):
            after = mask | (mask + (1 << column * (board.rows + 1)))
            if after == mask or after & ~board.full:
                continue
            if aligned(own | (after ^ mask), board.rows):
                best = max(best, BETTER_THAN_LATEST - mask.bit_count() - 1)
            else:
                best = max(best, -plainly(board, own ^ mask, after, known))
        known[own, mask] = best
    return known[own, mask]


def test_a_table_of_answers_is_shared_by_agents():
    game = loaded("connect4")
    first, second = load_agent("perfect", game), load_agent("perfect", game)
    state = position(game, "4 4 4 4 4 4 1 1 1 1 1 2 2 2")
    shared_table(game.rows, game.cols)[:] = 0  # other tests may have solved it
    first.step(state)
    second.step(state)
    assert second.last_report.actions[0].name == first.last_report.actions[0].name
    assert second.last_report.iterations < first.last_report.iterations
    assert isinstance(new_table(8), np.ndarray)
