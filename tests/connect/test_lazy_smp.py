"""Threads that share a table: what they find is what one finds, and none is left behind."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from ponderosa import load_agent, load_game
from ponderosa.connect.shapes.player import ShapePlayer
from ponderosa.core.budget import Budget
from ponderosa.errors import SettingError
from tests.helpers import position

GOMOKU = load_game("gomoku")
CROSSING = "g10 l10 g9 l7 i8 e6 j8 g6"
"""Two twos that cross: a win by fours and threes."""


def moves_of(names):
    return [int(move) for move in position(GOMOKU, names).history()]


def test_three_threads_find_a_win_and_all_their_positions_count():
    shape_player = ShapePlayer(GOMOKU, table=2**16, threads=3)
    thought = shape_player.think(moves_of(CROSSING), Budget(iterations=2_000_000))
    assert (thought.value, thought.stopped) == (1.0, "depth")
    assert thought.positions > int(shape_player.record.nodes)


@pytest.mark.parametrize("ends", ["by itself", "by its watcher", "by an interrupt"])
def test_no_thread_is_left_behind(ends):
    def watch(thought):
        if ends == "by an interrupt":
            raise KeyboardInterrupt
        return ends == "by itself"

    before = threading.active_count()
    thought = ShapePlayer(GOMOKU, table=2**16, threads=3).think(
        moves_of("h8 i9"), Budget(iterations=20_000), watch=watch
    )
    assert threading.active_count() == before
    assert {"iterations": "by itself", "progress": "by its watcher", "interrupted": "by an interrupt"}[
        thought.stopped
    ] == ends


def test_an_entry_that_two_threads_wrote_together_is_not_believed():
    moves, budget = moves_of("h8 i9 h9 h10"), Budget(iterations=20_000)
    mixed, fresh = (ShapePlayer(GOMOKU, table=2**12) for _ in range(2))
    mixed.think(moves, budget)
    mixed.table[:, 1] = np.roll(mixed.table[:, 1], 1)
    for shape_player in (mixed, fresh):
        shape_player.record.history[:] = 0
        shape_player.record.generation = 5
    assert mixed.think(moves, budget) == fresh.think(moves, budget)


def test_the_agent_takes_a_number_of_threads_and_tells_it():
    agent = load_agent("strong:iterations=5000,threads=2", GOMOKU)
    agent.step(position(GOMOKU, "h8 i9"))
    assert agent.last_report.threads == 2
    with pytest.raises(SettingError, match="threads must be a whole number from 1 to 256, not 0"):
        load_agent("strong:threads=0", GOMOKU)
