"""Sweeps: every combination is played, the figures are the arena's, a killed sweep repeats no game."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import PonderosaError
from ponderosa.arena.results.statistics import elo_of, score_of
from ponderosa.lab.sweeps.ranges import combinations, read_vary, with_settings
from ponderosa.lab.sweeps.sweep import mean_time, sweep
from ponderosa.registry import split_spec
from tests.cli.conftest import ponderosa  # noqa: F401  a fixture
from tests.helpers import PATIENCE, running, wait_until

pytest.importorskip("matplotlib")
polars = pytest.importorskip("polars")
pytest.importorskip("statsmodels")

GOOD = {
    "c=0.5:2.0:4": ["0.5", "1", "1.5", "2"],
    "rollouts=1,5": ["1", "5"],
    "n=2:5": ["2", "3", "4", "5"],
    "c=0.1:10:3:log": ["0.1", "1", "10"],
    "select=ucb1, thompson": ["ucb1", "thompson"],
    "c=1": ["1"],
}
BAD = {
    "c": "does not say what varies",
    "=1,2": "does not say what varies",
    "c=": "leaves a value empty",
    "c=1,,2": "leaves a value empty",
    "c=1,1": "a value twice",
    "c=2:1:4": "a range goes up",
    "c=0.5:2.0": "c=0.5:2.0:4",
    "c=0:1:1": "from 2 to 1,000 values",
    "c=0:1:2.5": "from 2 to 1,000 values",
    "c=0:1:9999": "from 2 to 1,000 values",
    "c=0:1:3:log": "more than 0",
    "c=a:b:3": "not a range",
    "c=1:2:3:4": "not a range",
    "c=nan:2:3": "not a range",
}


@pytest.mark.parametrize("text", GOOD)
def test_values_that_a_text_names(text):
    assert list(read_vary([text]).values()) == [GOOD[text]]


@pytest.mark.parametrize("text", BAD)
def test_texts_that_name_no_values_say_what_is_right(text):
    with pytest.raises(PonderosaError) as error:
        read_vary([text])
    assert BAD[text] in str(error.value)


def test_values_from_python_are_lists_ranges_and_texts():
    assert read_vary({"c": [0.5, 1], "solve": (True, False), "n": range(2), "e": "1:2:2"}) == {
        "c": ["0.5", "1"],
        "solve": ["true", "false"],
        "n": ["0", "1"],
        "e": ["1", "2"],
    }
    for wrong, words in (({}, "nothing is varied"), ({"c": 3}, "needs a list"), (["c=1", "c=2"], "varied twice")):
        with pytest.raises(PonderosaError, match=words):
            read_vary(wrong)


def test_every_combination_is_there_once():
    found = combinations({"a": ["1", "2"], "b": ["x", "y", "z"]})
    assert len(found) == 6 and found[1] == {"a": "1", "b": "y"}
    assert split_spec(with_settings("mcts:c=1,iterations=5", {"c": "2"})) == ("mcts", {"c": "2", "iterations": "5"})


@given(st.floats(-2000, 2000))
def test_scores_and_elo_are_each_others_inverse(elo):
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-3)


def test_the_time_of_a_move_is_the_ratio_of_the_sums():
    found = mean_time([(2, 1.0), (4, 3.0), (4, 1.0)])
    assert found is not None and found.value == 0.5 and found.low < 0.5 < found.high
    assert mean_time([]) is None


@pytest.fixture(scope="module")
def against_one(tmp_path_factory):
    store = tmp_path_factory.mktemp("sweep") / "games.db"
    settings: dict[str, Any] = {"openings": "random:1", "seed": 3, "concurrency": 1, "out": store}
    vary = {"iterations": [2, 60], "rollouts": [1, 2]}
    return sweep("tictactoe", "mcts", vary, "mcts:iterations=10", 12, **settings), settings, vary


def test_every_combination_plays_the_opponent_and_more_thought_wins_more(against_one):
    result, _, _ = against_one
    assert [point.settings for point in result.points] == combinations(
        {"iterations": ["2", "60"], "rollouts": ["1", "2"]}
    )
    assert result.league.tally.games == 4 * 12
    low, high = result.points[0].score, result.points[2].score
    assert low.value < high.value and low.low <= low.value <= low.high
    assert result.best.settings["iterations"] == "60" and result.best.agent.startswith("mcts:iterations=60")


def test_a_sweep_has_the_figures_of_the_arena(against_one):
    result, _, _ = against_one
    for number, point in enumerate(result.points, 1):
        estimate = result.league.tally.between(number, 0)
        assert point.score.games == estimate.games and point.score.value == estimate.score
        assert (point.elo.value, point.elo.low, point.elo.high) == (estimate.elo, estimate.low, estimate.high)
        assert point.score.low == pytest.approx(score_of(estimate.low))
        both = point.first.games * point.first.value + point.second.games * point.second.value
        assert both == pytest.approx(point.score.value * point.score.games)


def test_the_same_call_plays_nothing_again(against_one):
    result, settings, vary = against_one
    before = games_in(settings["out"])
    again = sweep("tictactoe", "mcts", vary, "mcts:iterations=10", 12, **settings)
    assert games_in(settings["out"]) == before and len(before) == 48
    assert [point.score for point in again.points] == [point.score for point in result.points]


@pytest.mark.slow
def test_among_each_other_ratings_are_around_zero(tmp_path):
    settings: dict[str, Any] = {"openings": "random:1", "concurrency": 1}
    result = sweep("tictactoe", "mcts", ["iterations=1,10,100"], games=10, **settings)
    assert sum(point.elo.value for point in result.points) == pytest.approx(0, abs=1e-6)
    assert result.between(0, 1).value + result.between(1, 0).value == pytest.approx(1)
    found = result.findings()
    assert {figure.name for figure in found.figures} == {"score", "seats", "time", "pairings"}
    assert "Ready to paste: mcts:iterations=" in found.summary


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "vary"), [("random", "seed=1,2"), pytest.param("mcts", "iterations=1,50", marks=pytest.mark.slow)]
)
def test_a_game_for_one_is_compared_by_score(agent, vary):
    result = sweep("samegame:rows=5,columns=4,colours=3", agent, [vary], games=6, concurrency=1)
    assert result.points[0].result is not None and result.league.tally.alone
    assert "mean result" in result.findings().tables[0].columns


@pytest.mark.slow
def test_the_command_writes_table_data_and_figures(ponderosa, tmp_path):  # noqa: F811
    out = tmp_path / "out"
    words = ["sweep", "tictactoe", "--agent", "mcts", "--vary", "iterations=1,20", "--vary", "rollouts=1,2"]
    ran = ponderosa(*words, "--against", "random", "--games", "4", "--out", str(out), "--concurrency", "1")
    assert ran.code == 0 and "Ready to paste: mcts:" in ran.out and "To go on after a stop: ponderosa sweep" in ran.err
    frame = polars.read_parquet(out / "data" / "sweep.parquet")
    assert frame["iterations"].to_list() == [1, 1, 20, 20] and frame["games"].sum() <= 16
    for figure, label in (("score", "score (%)"), ("seats", "score (%)"), ("time", "mean time of a move (ms)")):
        svg = (out / "figures" / f"{figure}.svg").read_text()
        assert label in svg and "95 % interval" in svg and "rollouts=2" in svg and ">iterations<" in svg
    assert json.loads((out / "report.json").read_text())["name"] == "sweep-tictactoe"
    ran = ponderosa(*words, "--against", "random", "--games", "4", "--out", str(out), "--json")
    assert ran.code == 0 and len(json.loads(ran.out)["rows"]) == 4


WRONG = {
    ("tictactoe", "mcts", "d=1,2"): "'d'",
    ("tictactoe", "random", "c=1,2"): "unknown parameter of agent random 'c'",
    ("tictactoe", "mcts", "c=2:1:3"): "a range goes up",
    ("tictactoe", "mcts", "c=1"): "nobody to play",
    ("tictactoe", "mcts", "rollouts=0,1"): "rollouts",
    ("tictactoe", "mctz", "c=1,2"): "did you mean 'mcts'",
    ("tiktactoe", "mcts", "c=1,2"): "did you mean 'tictactoe'",
    ("pig:players=3", "mcts", "c=1,2"): "games of one or two",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_swept_is_said(ponderosa, words, tmp_path):  # noqa: F811
    game, agent, vary = words
    folder = ["--out", str(tmp_path / "out"), "--concurrency", "1", "--games", "2"]
    ran = ponderosa("sweep", game, "--agent", agent, "--vary", vary, *folder)
    assert ran.code == 2 and WRONG[words] in ran.err


def games_in(store: Path) -> list[tuple[Any, ...]]:
    """Every stored game, with the moment at which it ended."""
    if not store.exists():
        return []
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        try:
            return connection.execute("SELECT event, number, ended, moves FROM games ORDER BY id").fetchall()
        except sqlite3.OperationalError:  # the tables are being made
            return []


GATE = """
import os, random, time

class Gate:
    'Plays at random. With a folder in GATE: so slowly that games are handed out one by one, and six games at most.'

    def __init__(self, game, seed=0):
        self.random, self.folder = random.Random(seed), os.environ.get("GATE")

    def step(self, state):
        if self.folder:
            number = len(os.listdir(self.folder))
            open(os.path.join(self.folder, str(number)), "w").close()
            time.sleep(0.6 if number < 6 else 3600)
            self.folder = None
        return self.random.choice(state.legal_actions())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_sweep_repeats_no_finished_game(tmp_path):
    out, gate, begun = tmp_path / "out", tmp_path / "gate.py", tmp_path / "begun"
    gate.write_text(GATE)
    begun.mkdir()
    words = ["sweep", "tictactoe", "--agent", "mcts", "--vary", "iterations=50,100", "--against", f"{gate}:Gate"]
    command = [sys.executable, "-m", "ponderosa", *words, "--games", "60", "--openings", "random:2", "--out", str(out)]
    silent = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    with running([*command, "--concurrency", "1"], env=os.environ | {"GATE": str(begun)}, **silent) as started:
        wait_until(lambda: len(games_in(out / "games.db")) >= 5 or started.poll() is not None)
        started.kill()
        started.wait()
    before = games_in(out / "games.db")
    assert 5 <= len(before) < 120 and not (out / "report.json").exists()
    subprocess.run([*command, "--concurrency", "2"], check=True, capture_output=True, timeout=PATIENCE)
    after = games_in(out / "games.db")
    assert after[: len(before)] == before, "what was finished is there as it was"
    assert len({row[:2] for row in after}) == len(after) == 120
