"""Tournaments: who meets whom, files, standings, and what is written."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from collections import Counter
from pathlib import Path

import pytest

from ponderosa import PonderosaError, match, tournament
from ponderosa.arena.event import Event
from ponderosa.arena.results.store import Store
from ponderosa.arena.results.stored import stored_result
from ponderosa.arena.schedule import climb, fixtures, games_a_round, ladder_round
from tests.cli.conftest import Run, nim, ponderosa  # noqa: F401  fixtures

FOUR = ("a", "b", "c", "d")


def first_round(kind: str, players: int = 2) -> list[tuple[int, ...]]:
    event = Event("x", FOUR, kind)
    games = fixtures(event, players)
    return [next(games).seats for _ in range(games_a_round(event, players))]


def test_in_a_round_robin_everybody_meets_everybody_in_both_seats() -> None:
    assert Counter(first_round("round robin")) == {(a, b): 1 for a in range(4) for b in range(4) if a != b}


def test_in_a_gauntlet_the_first_meets_all_others() -> None:
    seats = first_round("gauntlet")
    assert len(seats) == 6 and all(0 in pair for pair in seats)


def test_three_players_sit_in_every_seat_equally_often() -> None:
    seats = first_round("round robin", 3)
    assert len(seats) == 4 * 3
    for seat in range(3):
        assert set(Counter(table[seat] for table in seats).values()) == {3}


def test_all_pairings_of_a_round_have_the_same_opening() -> None:
    event = Event("x", FOUR, "round robin")
    games = [game for game, _ in zip(fixtures(event, 2), range(24), strict=False)]
    assert {game.opening for game in games[:12]} == {0} and {game.opening for game in games[12:]} == {1}
    assert [game.number for game in games] == list(range(24))
    assert all(first.group == second.group for first, second in zip(games[::2], games[1::2], strict=True))


def test_on_a_ladder_neighbours_meet_and_the_better_one_climbs() -> None:
    event = Event("x", FOUR, "ladder", steps=4)
    rungs = [0, 1, 2, 3]
    games = ladder_round(event, 0, rungs)
    assert {frozenset(game.seats) for game in games} == {frozenset((0, 1)), frozenset((2, 3))}
    climb(0, rungs, [1.0, 3.0, 2.0, 2.0])
    assert rungs == [1, 0, 2, 3]  # a tie leaves them where they are
    after = ladder_round(event, 1, rungs)
    assert {frozenset(game.seats) for game in after} == {frozenset((0, 2))}
    numbers = [game.number for game in games + after]
    assert len(set(numbers)) == len(numbers)


def test_the_strongest_agent_ends_on_top_of_a_ladder(tmp_path: Path) -> None:
    agents = ["random", "random:seed=2", "mcts:iterations=150"]
    result = tournament("tictactoe", agents, 4, kind="ladder", openings="random:1", out=tmp_path / "l.db")
    assert result.ladder[0] == 2
    again = tournament("tictactoe", agents, 4, kind="ladder", openings="random:1", out=tmp_path / "l.db")
    assert again.ladder == result.ladder and again.tally.games == result.tally.games
    with Store(tmp_path / "l.db", readonly=True) as store:
        stored = stored_result(store, 1)
    assert stored.table() == result.table() and stored.to_dict() == result.to_dict()


FILE = """
game = "tictactoe"
kind = "round robin"
games = 4
openings = "random:1"
agents = ["random", "mcts:iterations=80", {name = "<b>weak</b> $x$", agent = "mcts:iterations=10"}]
"""


def test_a_file_gives_tables_json_csv_and_a_page(ponderosa: Run, tmp_path: Path) -> None:  # noqa: F811
    file, out = tmp_path / "t.toml", str(tmp_path / "t.db")
    file.write_text(FILE)
    html, table = tmp_path / "t.html", tmp_path / "t.csv"
    ran = ponderosa("tournament", str(file), "--out", out, "--html", str(html), "--csv", str(table))
    assert ran.code == 0
    assert "mcts:iterations=80" in ran.out and "Score against" in ran.out and "Bradley-Terry" in ran.out
    page = html.read_text()
    assert page.count("<svg") == 2 and "<b>weak</b>" not in page and "&lt;b&gt;weak" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://creativecommons", "").replace(
        "http://purl.org", ""
    ).replace("https://matplotlib.org", "")
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 3 and {row["rank"] for row in rows} == {"1", "2", "3"}
    figures = json.loads(ponderosa("tournament", str(file), "--out", out, "--json").out)
    assert figures["games"] == 12
    assert json.loads(ponderosa("games-db", "result", "1", "--store", out, "--json").out) == figures
    assert figures["crosstable"][0][0] is None and figures["crosstable"][0][1]["score"] <= 1
    assert {row["name"] for row in figures["standings"]} == {"random", "mcts:iterations=80", "<b>weak</b> $x$"}


def test_a_game_of_three_has_a_tournament(nim: str, tmp_path: Path) -> None:  # noqa: F811
    agents = ["random", "mcts:iterations=30", "random:seed=5"]
    result = tournament(f"{nim}:Three", agents, 3, out=tmp_path / "three.db", openings="random:1")
    assert result.tally.games == 3
    with Store(tmp_path / "three.db", readonly=True) as store:
        assert all(len(game.agents) == 3 and sum(game.scores) == pytest.approx(1.5) for game in store.games())
    assert "openskill" in result.table()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("game = ", "is not TOML"),
        ("", "has no 'game'"),
        ('game = "connect4"', "has no 'agents'"),
        ('game = "conect4"\nagents = ["random", "mcts"]', "did you mean 'connect4'"),
        ('game = "connect4"\nagents = ["random", "mtcs"]', "did you mean 'mcts'"),
        ('game = "connect4"\nagents = ["random"]', "at least as many agents"),
        ('game = "connect4"\nagents = ["random", 5]', "an agent is"),
        ('game = "connect4"\nagents = ["random", "random"]', "same name"),
        ('game = "connect4"\nagents = ["random", "mcts"]\ngame_count = 5', "unknown setting"),
        ('game = "connect4"\nagents = ["random", "mcts"]\ngames = "5"', "must be a whole number"),
        ('game = "connect4"\nagents = ["random", "mcts"]\ngames = 0', "at least 1"),
        ('game = "connect4"\nagents = ["random", "mcts"]\nkind = "swiss"', "kind is one of"),
        ('game = "connect4"\nagents = ["random", "mcts"]\nopenings = "random:x"', "random:PLIES"),
        ('game = "connect4"\nagents = ["random", "mcts:wrong=1"]', "unknown"),
        ('game = "connect4"\nagents = ["random", "clever"]', "plays the Connect family"),
    ],
)
def test_a_bad_file_gets_a_clear_error(ponderosa: Run, tmp_path: Path, text: str, words: str) -> None:  # noqa: F811
    file = tmp_path / "t.toml"
    file.write_text(text)
    ran = ponderosa("tournament", str(file), "--out", str(tmp_path / "t.db"))
    assert ran.code in (1, 2) and ran.out == ""
    assert words in " ".join(ran.err.split())


def test_a_file_that_is_not_there_gets_a_clear_error(ponderosa: Run, tmp_path: Path) -> None:  # noqa: F811
    assert "cannot be read" in ponderosa("tournament", str(tmp_path / "none.toml")).err


def test_a_match_is_not_for_three(nim: str, ponderosa: Run) -> None:  # noqa: F811
    with pytest.raises(PonderosaError, match="3 players; a match is for two"):
        match(f"{nim}:Three", "random", "random", 2)
    assert ponderosa("match", f"{nim}:Three", "random", "random").code == 2


@pytest.mark.slow
def test_without_the_extra_packages_there_are_standings_but_no_ratings(
    monkeypatch: pytest.MonkeyPatch,
    ponderosa: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    file = tmp_path / "t.toml"
    file.write_text(FILE)
    monkeypatch.setitem(sys.modules, "statsmodels.api", None)  # importing it fails
    ran = ponderosa("tournament", str(file), "--games", "2", "--out", str(tmp_path / "t.db"))
    assert ran.code == 0 and 'pip install "ponderosa[arena]"' in ran.out and "Score against" in ran.out
    monkeypatch.setattr("ponderosa.arena.results.html.find_spec", lambda name: None)
    page = ponderosa("tournament", str(file), "--html", str(tmp_path / "t.html"))
    assert page.code == 1 and 'pip install "ponderosa[arena]"' in page.err


@pytest.mark.slow
def test_games_of_different_versions_are_told(tmp_path: Path) -> None:
    path = tmp_path / "g.db"
    match("tictactoe", "random", "random:seed=1", 2, out=path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE games SET version = '0.0.1'")
    assert "different versions" in match("tictactoe", "random", "random:seed=1", 4, out=path).table()
