"""Training and memories in matches: who learns, from which games, and what the curve says."""

from __future__ import annotations

import csv
import io

import pytest

from ponderosa import PonderosaError, match, train
from ponderosa.arena.conditions import Conditions
from ponderosa.arena.planned import new_event
from ponderosa.arena.results.curve import Curve, Lesson, sparkline
from ponderosa.arena.running.venues import default_concurrency, memories_of, venue_for
from ponderosa.arena.training import opponents_of
from ponderosa.errors import ArenaError, SettingError
from tests.agents.test_memory import learned
from tests.helpers import loaded
from tests.small_games import FILE


@pytest.mark.parametrize(
    ("text", "opponents"),
    [
        ("blind,scripted,self", ("blind", "scripted", "self")),
        ("mcts:iterations=5,c=2,self", ("mcts:iterations=5,c=2", "self")),
        ("blind, ./mine.py:Mine:depth=3,width=2", ("blind", "./mine.py:Mine:depth=3,width=2")),
        (["blind", "mcts:c=1,seed=2"], ("blind", "mcts:c=1,seed=2")),
    ],
)
def test_opponents_may_stand_in_one_text(text, opponents):
    assert opponents_of(text) == opponents


def test_a_curve_has_every_game_once_and_opponents_take_turns_in_both_seats(tmp_path):
    told = []
    curve = train(
        loaded("tictactoe"), "mcts:iterations=10", "blind,scripted,self", 24, tmp_path / "a.memory", seed=4,
        watch=lambda curve: told.append(len(curve.lessons)),
    )  # fmt: skip
    assert told == list(range(1, 25)) and not curve.interrupted
    assert [lesson.game for lesson in curve.lessons] == told
    met = [(lesson.opponent, lesson.seat) for lesson in curve.lessons[:6]]
    assert met == [("blind", 0), ("blind", 1), ("scripted", 0), ("scripted", 1), ("self", 0), ("self", 0)]
    for points in (curve.points(), curve.points(1)):
        assert sum(point.wins + point.draws + point.losses for point in points) == 24
        assert all(point.low <= point.score <= point.high for point in points)
        assert sum(p.wins + p.draws / 2 for p in points) == sum(lesson.score for lesson in curve.lessons)
    rows = list(csv.DictReader(io.StringIO(curve.to_csv())))
    assert [float(row["score"]) for row in rows] == [lesson.score for lesson in curve.lessons]
    again = train("tictactoe", "mcts:iterations=10", "self", 2, tmp_path / "a.memory")
    assert (again.before, again.known, [lesson.game for lesson in again.lessons]) == (24, 26, [25, 26])
    assert learned(tmp_path / "a.memory") == 26


def test_whoever_watches_may_end_a_training(tmp_path):
    curve = train(
        "tictactoe", "mcts:iterations=10", "blind", 50, tmp_path / "a", watch=lambda curve: len(curve.lessons) < 3
    )
    assert len(curve.lessons) == 3 == learned(tmp_path / "a") and not curve.interrupted


@pytest.mark.parametrize("games", [1, 3, 4, 59, 100, 1000])
def test_no_stretch_of_a_curve_is_much_shorter_than_the_others(games):
    lessons = [Lesson(number + 1, "ab"[number // 2 % 2], number % 2, 0.5, 9) for number in range(games)]
    points = Curve("tictactoe", "mcts", ("a", "b"), "m", 0, 0, games, lessons).points()
    stretches = sorted({(point.begin, point.end) for point in points})
    assert [begin for begin, _ in stretches[1:]] == [end + 1 for _, end in stretches[:-1]]
    assert stretches[0][0] == 1 and stretches[-1][1] == games and len(stretches) <= 20
    lengths = [end - begin + 1 for begin, end in stretches]
    assert len(set(lengths[:-1])) <= 1 and min(lengths) == lengths[0]


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_a_curve_is_drawn(form):
    pytest.importorskip("matplotlib")
    lessons = [Lesson(number + 1, "bl$ind$", number % 2, number % 3 / 2, 9) for number in range(90)]
    picture = Curve("tictactoe", "mcts", ("bl$ind$",), "a", 0, 0, 90, lessons).figure(form)
    assert picture.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[form])


def test_a_curve_shows_itself_in_a_notebook_once_there_are_games():
    curve = Curve("tictactoe", "mcts", ("blind",), "x.memory", 0, 0, 8)
    assert curve._repr_svg_() is None
    curve.lessons += [Lesson(number, "blind", number % 2, 1.0, 5) for number in range(1, 9)]
    assert "<svg" in (curve._repr_svg_() or "")


def test_bars_go_from_the_least_to_the_most_and_small_differences_stay_small():
    assert sparkline([0.2, 0.54, 0.9]) == "▁▄█" and sparkline([0.5, 0.5]) == "▁▁" and sparkline([0.5, 0.51]) == "▁▁"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"memory": None}, "memory=FILE"),
        ({"agent": "mcts:memory=other"}, "leave one out"),
        ({"agent": "mcts:learn=false"}, "learn=false"),
        ({"agent": "blind"}, "memory"),
        ({"games": 0}, "from 1"),
        ({"against": ()}, "opponents"),
        ({"against": "blind,blind"}, "each once"),
        ({"against": "blond"}, "blind"),
        ({"game": "samegame"}, "two players"),
        ({"game": "rps"}, "open to all"),
    ],
)
def test_bad_trainings_are_refused_in_words(changes, words, tmp_path):
    usual = {"game": "tictactoe", "agent": "mcts:iterations=5", "against": "blind", "memory": tmp_path / "a.memory"}
    with pytest.raises(PonderosaError, match=words):
        train(**(usual | changes))
    assert not list(tmp_path.iterdir())


def test_an_opponent_that_breaks_the_rules_ends_the_training_and_what_was_learned_stays(tmp_path):
    bad = f"{FILE.parent / 'arena' / 'bad_agents.py'}:Cheats"
    with pytest.raises(ArenaError, match="illegal move"):
        train("tictactoe", "mcts:iterations=10", f"blind,{bad}", 20, tmp_path / "a.memory")
    assert learned(tmp_path / "a.memory") == 2


@pytest.mark.slow
def test_an_agent_with_a_memory_learns_from_the_games_of_a_match(tmp_path):
    file = tmp_path / "a.memory"
    result = match("tictactoe", f"mcts:iterations=10,memory={file}", "blind", 6)
    assert result.tally.games == 6 == learned(file)
    match("tictactoe", f"mcts:iterations=10,memory={file},learn=false", "blind", 4, concurrency=2)
    assert learned(file) == 6


def test_agents_that_learn_play_one_game_after_the_other(tmp_path):
    spec = f"mcts:iterations=10,memory={tmp_path / 'a.memory'}"
    event = new_event("tictactoe", (spec, "blind"))
    assert default_concurrency(event) == 1 and memories_of(event) == [tmp_path / "a.memory"]
    for settings in ({"concurrency": 2}, {"cluster": "local:2"}):
        with pytest.raises(SettingError, match="learn=false"), venue_for(event, Conditions(**settings)):
            pass
    with (
        pytest.raises(SettingError, match="learn=false"),
        venue_for(new_event("tictactoe", (spec, spec + ",c=2")), Conditions()),
    ):
        pass
    assert memories_of(new_event("tictactoe", (spec + ",learn=no", "blind"))) == []
