"""Exact counts that everybody agrees on: positions, games and move sequences by ply."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from ponderosa import Game, rule
from ponderosa.core.checks.perft import perft
from ponderosa.errors import GameError, SettingError
from tests.helpers import GOLDEN, PlainNim, loaded

COUNTS = json.loads((GOLDEN / "counts.json").read_text())


@pytest.mark.parametrize("name", COUNTS)
def test_there_are_as_many_move_sequences_as_everybody_counts(name):
    expected = COUNTS[name]["sequences"]
    assert list(perft(loaded(name), len(expected) - 1).sequences) == expected


def test_tictactoe_has_255168_games():
    found, expected = perft(loaded("tictactoe"), 9), COUNTS["tictactoe"]
    assert found.wins + found.draws + found.losses == expected["games"]
    assert (found.wins, found.draws, found.losses) == (
        expected["first_player_wins"],
        expected["draws"],
        expected["second_player_wins"],
    )


def test_tictactoe_has_5478_reachable_states():
    frontier = {loaded("tictactoe").new_initial_state()}
    seen = set(frontier)
    while frontier:
        frontier = {state.child(action) for state in frontier for action in state.legal_actions()}
        seen |= frontier
    assert len(seen) == COUNTS["tictactoe"]["states"]


@pytest.mark.parametrize(("name", "depth"), [("tictactoe", 4), ("checkers", 3), ("connect:m=3,n=3,k=3,p=2", 3)])
def test_python_counts_what_machine_code_counts(name, depth, monkeypatch):
    fast = perft(loaded(name), depth)
    monkeypatch.setattr("ponderosa.core.checks.perft.jit_enabled", lambda: False)
    slow = perft(loaded(name), depth)
    assert dataclasses.replace(slow, seconds=fast.seconds) == fast


def test_games_in_plain_python_are_counted_too():
    assert perft(PlainNim(), 2).sequences == (1, 7, 6 + 6 + 5 + 6 + 5 + 4 + 3)


@pytest.mark.parametrize("name", ["pig", "rps"])
def test_dice_and_choices_at_once_have_no_sequences(name):
    with pytest.raises(SettingError, match="one after the other"):
        perft(loaded(name), 2)


class Unending(Game):
    """The first player goes on and on."""

    name = "unending"
    dtype = np.dtype([("actions", "i4")])
    max_actions, max_game_length = 1, 1000

    @rule
    def current_player(s):
        return 0

    @rule
    def legal_actions(s):
        yield 0

    @rule
    def apply_action(s, a):
        s.actions += 1

    @rule
    def is_terminal(s):
        return s.actions == 1000

    @rule
    def returns(s):
        return 0.0, 0.0


@pytest.mark.slow
def test_moves_without_end_are_refused():
    with pytest.raises(GameError, match="more than"):
        perft(Unending(), 2)
