"""Many games at once: each goes as its game would alone."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import load_game
from ponderosa.core.turns import CHANCE
from ponderosa.learning import tables as tables_module
from ponderosa.learning.tables import Tables
from tests.helpers import Nim


def legal_at(tables):
    """A legal action at each table, the first one."""
    game, room = tables.game, np.zeros(tables.game.max_actions, np.int32)
    found = []
    for state in tables.rows.states:
        assert game.rules.legal_actions(state, room) > 0
        found.append(room[0])
    return np.array(found)


@pytest.mark.parametrize("spec", ["tictactoe", pytest.param("einstein", marks=pytest.mark.slow)])
def test_somebody_is_to_move_at_every_table_at_all_times(spec):
    tables = Tables(load_game(spec), 8, openings=6)
    tables.begin([1])
    ended = 0
    for _ in range(60):
        for state, mover in zip(tables.rows.states, tables.rows.movers, strict=True):
            assert not tables.game.rules.is_terminal(state)
            assert mover == tables.game.rules.current_player(state) != CHANCE
        tables.play(legal_at(tables))
        ended += int(tables.over.sum())
        assert np.allclose(tables.results[tables.over].sum(axis=1), 1.0)
    assert ended > 0


def test_a_game_goes_as_its_moves_say_and_a_new_one_begins_when_it_ends():
    tables = Tables(Nim((2, 1)), 1)
    tables.begin([3])
    state = tables.game.new_initial_state()
    for action in (1, 2):  # one stone of the first heap, then two, which are more than there are in a legal game
        if action in state.legal_actions():
            state.apply_action(action)
            tables.play(np.array([action]))
            assert not tables.over[0]
            assert tables.records[0] == np.array(state.data).view(tables.game.dtype)[0]
    while not state.is_terminal():
        action = state.legal_actions()[0]
        state.apply_action(action)
        tables.play(np.array([action]))
    assert tables.over[0] and tables.rows.lengths[0] == 0
    assert tables.results[0].tolist() == [(value + 1) / 2 for value in state.returns()]


def test_openings_are_mostly_short_and_the_same_seed_gives_the_same_ones():
    games = [Tables(load_game("connect4"), 200, openings=20) for _ in range(2)]
    for tables in games:
        tables.begin([5, 1])
    lengths = games[0].rows.lengths
    assert np.array_equal(games[0].rows.states, games[1].rows.states)
    assert lengths.max() <= 21 and 0 < np.median(lengths) < 8


def test_a_game_that_is_too_long_is_a_draw():
    game = load_game("tictactoe")
    game.max_game_length = 2
    tables = Tables(game, 1)
    tables.begin([1])
    tables.play(np.array([0]))
    assert not tables.over[0]
    tables.play(np.array([1]))
    assert tables.over[0] and tables.results[0].tolist() == [0.5, 0.5]


def test_games_go_as_they_would_when_several_cores_play_them(monkeypatch):
    found = []
    for size in (512, 3):
        monkeypatch.setattr(tables_module, "PIECE", size)
        tables = Tables(load_game("tictactoe"), 10, openings=4)
        tables.begin([2])
        for turn in range(12):
            tables.seed([3, turn])
            tables.play(legal_at(tables))
        found.append(tables.rows._replace(actions=0))
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))
