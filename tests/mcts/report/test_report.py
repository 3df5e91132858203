"""What a report says, and that front ends can take it as plain data."""

from __future__ import annotations

import json

import pytest

from ponderosa import Search, search
from tests.helpers import EXAMPLES, LookAlike, PlainNim, examples, loaded, position


@pytest.mark.parametrize("game", [*examples(), LookAlike(9), PlainNim()], ids=lambda game: str(game)[:14])
def test_a_report_is_plain_data(game):
    game = loaded(EXAMPLES[game]) if game in EXAMPLES else game
    report = Search(game).run(iterations=100)
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["best_name"] == report.best_name == plain["pv"][0]
    assert plain["iterations"] == report.iterations
    assert [entry["visits"] for entry in plain["actions"]] == [entry.visits for entry in report.actions]
    assert set(plain["actions"][0]) == {
        "action",
        "name",
        "visits",
        "value",
        "proven",
        "pv",
        "votes",
        "expected",
        "strategy",
        "equal_to",
        "bounds",
        "prior",
        "moves_left",
    }


def test_the_best_actions_line_is_the_reports_line():
    report = search(loaded("connect4").new_initial_state(), iterations=2_000)
    best = next(entry for entry in report.actions if entry.action == report.best_action)
    assert report.pv == best.pv
    assert report.value == best.value
    assert len(report.pv) > 3
    assert report.iterations_per_second == report.iterations / report.seconds


def test_values_are_for_the_player_to_move():
    """X wins at once in the first position, and O in the second.

    3  . . .     3  X . .
    2  X O .     2  . O .
    1  X O .     1  X O .
       a b c        a b c
    """
    for moves, player, best in (("a1 b1 a2 b2", 0, "a3"), ("a1 b1 a3 b2 c1", 1, "b3")):
        for solve in (True, False):
            report = search(position(loaded("tictactoe"), moves), iterations=3_000, solve=solve)
            assert (report.player, report.best_name) == (player, best)
            assert report.value > 0.95
            assert all(entry.value <= report.value for entry in report.actions if entry.visits and entry.name != best)


def test_what_is_proven_replaces_the_mean():
    report = search(position(loaded("tictactoe"), "a1 b1 a2 b2"), iterations=5_000)
    assert (report.value, report.proven, report.stopped) == (1.0, "win", "solved")
    lost = search(position(loaded("tictactoe"), "a1 b1 c3 a2 c1"), iterations=50_000)  # X threatens b2 and c2
    assert (lost.value, lost.proven) == (0.0, "loss")


def test_untried_actions_are_listed_without_a_value():
    report = Search(loaded("connect4")).run(iterations=3)
    tried, untried = report.actions[:3], report.actions[3:]
    assert [entry.visits for entry in tried] == [1, 1, 1]
    assert all((entry.visits, entry.value, entry.proven) == (0, None, None) for entry in untried)
    assert all(entry.pv == (entry.name,) for entry in untried)


def test_a_report_before_any_search_names_a_legal_action():
    report = Search(loaded("connect4")).report()
    assert report.best_action in range(7)
    assert (report.iterations, report.nodes, report.value, report.proven) == (0, 1, 0.5, None)
