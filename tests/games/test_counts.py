"""Exact counts that everybody agrees on: positions, games and move sequences by ply."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numba import types

from ponderosa.compile.native import compiled
from tests.helpers import GOLDEN, loaded

FURTHER = 24
"""A move that goes on, as jumps do in checkers, is several actions: in one line of play, at most so many are more."""
COUNTS = json.loads((GOLDEN / "counts.json").read_text())


def perft(game, depth: int) -> tuple[list[int], dict[float, int]]:
    """Move sequences of each length up to depth, and the finished games among them by the first player's score.

    Actions of a player who then goes on are one move together.
    """
    rules = game.rules

    def count(states, actions, values, sequences, finished):
        deepest = len(sequences) - 1
        total, tried, moves = np.zeros((3, len(states)), np.int64)
        total[0] = rules.legal_actions(states[0], actions[0])
        sequences[0], ply = 1, 0
        while ply >= 0:
            if tried[ply] == total[ply]:
                ply -= 1
                continue
            tried[ply] += 1
            after = states[ply + 1]
            rules.copy(after, states[ply])
            rules.apply_action(after, actions[ply, tried[ply] - 1])
            moved = rules.current_player(after) != rules.current_player(states[ply])
            moves[ply + 1] = moves[ply] + moved
            sequences[moves[ply + 1]] += moved
            if rules.is_terminal(after):
                rules.scores(after, values)
                finished[int(2 * values[0])] += 1
            elif moves[ply + 1] < deepest:
                ply += 1
                total[ply], tried[ply] = rules.legal_actions(after, actions[ply]), 0

    states = np.zeros((depth + 1 + FURTHER, game.dtype.itemsize), np.uint8)
    states[0] = game.new_initial_state().data
    actions = np.zeros((len(states), game.max_actions), np.int32)
    sequences, finished = np.zeros(depth + 1, np.int64), np.zeros(3, np.int64)
    numbers = types.int64[::1]
    signature = types.void(types.uint8[:, ::1], types.int32[:, ::1], types.float64[::1], numbers, numbers)
    compiled(count, signature)(states, actions, np.zeros(2), sequences, finished)
    return sequences.tolist(), dict(zip((0.0, 0.5, 1.0), finished.tolist(), strict=True))


@pytest.mark.parametrize("name", COUNTS)
def test_there_are_as_many_move_sequences_as_everybody_counts(name):
    expected = COUNTS[name]["sequences"]
    assert perft(loaded(name), len(expected) - 1)[0] == expected


def test_tictactoe_has_255168_games():
    _, finished = perft(loaded("tictactoe"), 9)
    expected = COUNTS["tictactoe"]
    assert sum(finished.values()) == expected["games"]
    assert finished == {
        1.0: expected["first_player_wins"],
        0.5: expected["draws"],
        0.0: expected["second_player_wins"],
    }


def test_tictactoe_has_5478_reachable_states():
    frontier = {loaded("tictactoe").new_initial_state()}
    seen = set(frontier)
    while frontier:
        frontier = {state.child(action) for state in frontier for action in state.legal_actions()}
        seen |= frontier
    assert len(seen) == COUNTS["tictactoe"]["states"]
