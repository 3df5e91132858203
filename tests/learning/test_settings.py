"""What is set when nothing is said: by what random games show, and by the device."""

from __future__ import annotations

import pytest

from ponderosa import load_game
from ponderosa.learning.settings import LearnSettings, Probe, longest_opening, settled


@pytest.mark.parametrize(
    ("choices", "length", "plies"),
    [(7, 22, 19.8), (21, 61, 23.2), (49, 43, 7.0), (225, 109, 6.0), (2, 3, 2.7)],
    ids=["connect4", "othello", "hex 7x7", "gomoku", "a short game"],
)
def test_openings_are_shorter_where_there_is_more_to_choose_from(choices, length, plies):
    assert longest_opening(Probe(choices, choices, length)) == pytest.approx(plies, abs=0.1)


def test_a_card_plays_more_games_at_once_on_small_boards_and_its_window_fits_into_memory():
    small, large = (settled(LearnSettings(), load_game(name), "cuda") for name in ("tictactoe", "gomoku"))
    assert small.tables > large.tables and small.window > large.window >= 500_000
    assert large.window * load_game("gomoku").dtype.itemsize < 3e9
    assert None not in settled(LearnSettings(), load_game("tictactoe"), "cpu").told().values()


def test_what_is_given_stays():
    given = LearnSettings(tables=5, openings=1.0, averaging=0.5, window=77)
    found = settled(given, load_game("tictactoe"), "cpu")
    assert (found.tables, found.openings, found.averaging, found.window) == (5, 1.0, 0.5, 77)
