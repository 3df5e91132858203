"""The arena of the page without a browser: what may be asked for, what is read, and the match in the background."""

from __future__ import annotations

import sqlite3
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import match, tournament
from ponderosa.errors import LimitError, PonderosaError, SettingError
from ponderosa.web.drawing.figures import Interval, draw_intervals, draw_score
from ponderosa.web.drawing.results import conditions, event_list, game_list, result_parts
from ponderosa.web.model.arena import Arena, Wish, row_number
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.limits import Limits
from tests.helpers import PATIENCE
from tests.web.browser import wait_for

WISH = Wish("tictactoe", "random", "random:seed=5", games=4)
LIMITS = Limits(max_seconds=2, max_games=500)


def arena_at(folder: Path, **named: list[str]) -> Arena:
    return Arena(folder / "games.db", Catalogue(**named), LIMITS)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """A file with a match and a tournament."""
    arena = arena_at(tmp_path_factory.mktemp("played"))
    match("tictactoe", "mcts:iterations=30", "random", games=6, openings="random:2", out=arena.path, concurrency=1)
    agents = ["mcts:iterations=30", "mcts:iterations=5", "random"]
    tournament("tictactoe", agents, games=4, openings="random:1", out=arena.path, concurrency=1)
    return arena


def test_without_a_file_there_is_nothing_and_none_is_made(tmp_path):
    arena = arena_at(tmp_path)
    assert arena.events() == [] and not arena.path.exists()
    with pytest.raises(PonderosaError, match="ponderosa match"):
        arena.page(1)


@pytest.mark.slow
def test_events_are_listed_with_their_games(played):
    league, duel = played.events()
    assert (league.event.kind, league.games, league.wanted) == ("round robin", 12, 12)
    assert (duel.event.kind, duel.games, duel.wanted) == ("match", 6, 6)
    words = event_list([league, duel], running=league.id)
    assert "6 of 6" in words and words.count("finished") == 1 and words.count("running</b>") == 1


def test_a_match_shows_its_table_its_elo_and_figures(played):
    page = played.page(1)
    shown = result_parts(page.result)
    assert "Elo difference" in shown and shown.count("<svg") == 2
    lines = page.result.tally.lines
    as_first = f"{lines[0].wins[0]} / {lines[0].draws[0]} / {lines[0].losses[0]}"
    assert f"<td>mcts:iterations=30</td><td>{as_first}</td>" in shown
    assert len(page.games) == 6 and game_list(page.games).count("replay") == 6


def test_a_tournament_shows_ratings_and_a_crosstable(played):
    pytest.importorskip("statsmodels")
    shown = result_parts(played.page(2).result)
    assert shown.count('class="interval"') == 3 and "Score against" in shown and "95 %" in shown


def test_every_game_is_replayed_to_its_stored_end(played):
    for game in played.page(1).games:
        replay = played.replay(game.id)
        session = replay.session
        assert session.plies == game.plies == len(replay.curves[0]) - 1
        returns = session.states[-1].returns()
        assert [(value + 1) / 2 for value in returns] == list(game.scores)
        searched = [told for told in replay.stored["thoughts"] if told[2:]]
        assert sum(value is not None for curve in replay.curves for value in curve) >= len(searched) > 0


def test_what_agents_thought_is_shown_from_the_first_players_side(played):
    replay = played.replay(played.page(1).games[0].id)
    first = next(index for index, told in enumerate(replay.stored["thoughts"]) if told[2:])
    seat, value = replay.stored["thoughts"][first][0], replay.stored["thoughts"][first][4]
    assert replay.curves[seat][replay.stored["opening"] + first] == pytest.approx(value if seat == 0 else 1 - value)


def test_a_file_of_games_loads_no_program(tmp_path, nim_file):
    arena = arena_at(tmp_path)
    spec = f"{nim_file}:Nim"
    match(spec, "random", "random:seed=1", games=2, out=arena.path, concurrency=1)
    with pytest.raises(SettingError, match="start the server with it"):
        arena.replay(1)
    assert arena_at(tmp_path, own_games=[spec]).replay(1).session.finished


def test_games_are_called_as_people_call_them(played):
    label = played.catalogue.label
    for shown in (event_list(played.events(), None, label), conditions(played.page(1).stored, None, label)):
        assert '<span title="tictactoe">Tic-tac-toe</span>' in shown
    assert conditions(played.page(1).stored, None, lambda spec: "<i>").count("&lt;i&gt;") == 1


def test_names_of_a_file_are_escaped(tmp_path):
    arena = arena_at(tmp_path)
    names = ["<script>a</script>", "<b>"]
    tournament("tictactoe", ["random", "random:seed=1"], games=2, names=names, out=arena.path, concurrency=1)
    page = arena.page(1)
    shown = event_list(arena.events(), None) + result_parts(page.result) + game_list(page.games)
    assert "<script" not in shown and "<b>" not in shown and "&lt;script&gt;" in shown


def test_another_programs_file_is_an_error_in_words(tmp_path):
    arena = arena_at(tmp_path)
    with sqlite3.connect(arena.path) as other:
        other.execute("CREATE TABLE mine (x)")
    with pytest.raises(PonderosaError, match="another program"):
        arena.events()


@pytest.mark.parametrize(
    "change",
    [
        {"game": "./other.py:Nim"},
        {"game": ""},
        {"game": None},
        {"game": "nosuch"},
        {"first": "engine:cmd=sh"},
        {"first": "./mine.py:Mine"},
        {"second": "person"},
        {"second": "nosuch"},
        {"first": "mcts:seconds=3"},
        {"first": "mcts:seconds=nan"},
        {"first": "mcts:c=nan"},
        {"first": "mcts:iterations=-1"},
        {"first": "mcts:nosuch=1"},
        {"iterations": 0},
        {"seconds": 0},
        {"first": "mcts:max_nodes=99999999999999"},
        {"games": 502},
        {"games": 0},
        {"games": None},
        {"games": 3.5},
        {"plies": "../etc/passwd"},
        {"plies": 101},
        {"plies": -1},
        {"seconds": 2.1},
        {"seconds": inf},
        {"iterations": -5},
        {"iterations": [1]},
        {"seed": -1},
        {"seed": True},
    ],
)
def test_what_is_not_granted_is_refused_in_words(tmp_path, change):
    arena = arena_at(tmp_path)
    arena.checked(WISH)
    with pytest.raises(PonderosaError):
        arena.start(replace(WISH, **change))
    assert not arena.path.exists() and arena.contest.running is None


def test_agents_of_the_command_line_may_play(tmp_path):
    own = 'engine:cmd="pbrain-other"'
    planned = arena_at(tmp_path, own_agents=[own]).checked(replace(WISH, game="gomoku", first=own, games=3, plies=2))
    event = planned.event
    assert event.agents[0] == own and planned.games == 4 and event.openings == "random:2"
    assert event.timeout == LIMITS.max_seconds


@given(st.text())
def test_any_address_is_a_number_or_none(text):
    assert row_number(text) >= 0


def test_a_match_runs_to_its_end_and_is_the_same_as_anywhere(tmp_path):
    arena = arena_at(tmp_path)
    number = arena.start(WISH)
    wait_for(lambda: arena.contest.running is None, PATIENCE)
    assert arena.contest.trouble == ""
    assert arena.page(number).stored.games == 4
    alone = match("tictactoe", "random", "random:seed=5", games=4, concurrency=1, timeout=LIMITS.max_seconds)
    assert [row["score"] for row in alone.rows()] == [row["score"] for row in arena.page(number).result.rows()]


@pytest.mark.slow
def test_one_match_at_a_time_that_can_be_stopped_and_goes_on(tmp_path):
    arena = arena_at(tmp_path)
    long = replace(WISH, first="mcts", iterations=20_000, games=500)
    number = arena.start(long)
    with pytest.raises(LimitError, match="one at a time"):
        arena.start(WISH)
    wait_for(lambda: arena.page(number).stored.games > 0, PATIENCE)
    arena.contest.stop(seconds=PATIENCE)
    assert arena.contest.running is None and "goes on" in arena.contest.trouble
    kept = arena.page(number).stored.games
    assert 0 < kept < 500
    assert arena.start(long) == number
    arena.contest.close()
    assert arena.contest.running is None and arena.page(number).stored.games >= kept
    with pytest.raises(LimitError):
        arena.start(WISH)


@pytest.mark.slow
def test_an_agent_that_cannot_be_made_ends_the_match_with_the_reason(tmp_path):
    arena = arena_at(tmp_path)
    planned = arena.checked(WISH)
    event = replace(planned.event, agents=("mcts:nosuch=1", planned.event.agents[1]))
    arena.contest.start(replace(planned, event=event))
    wait_for(lambda: arena.contest.running is None, PATIENCE)
    assert "nosuch" in arena.contest.trouble


@given(st.lists(st.tuples(st.floats(), st.floats(), st.floats()), min_size=1, max_size=4))
def test_intervals_are_drawn_whatever_they_are(values):
    finite = [tuple(0.0 if v != v else max(min(v, 1e9), -1e9) if abs(v) != inf else v for v in row) for row in values]
    picture = ElementTree.fromstring(draw_intervals([Interval("<a>", *row) for row in finite], "Elo"))
    assert [element.get("class") for element in picture.iter()].count("interval") == len(values)


def test_a_score_of_many_games_is_drawn_with_few_points():
    drawn = draw_score([1.0, 0.0] * 5_000, "<a>")
    line = next(element for element in ElementTree.fromstring(drawn).iter() if element.get("class") == "curve")
    assert len((line.get("points") or "").split()) < 500 and "<a>" not in drawn
