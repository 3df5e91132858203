"""Tuning: a planted optimum is found, noise and limits are minded, a killed tuning repeats no game."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ponderosa import PonderosaError
from ponderosa.arena.running.referee import Referee
from tests.cli.conftest import ponderosa  # noqa: F401  a fixture
from tests.lab.planted import TOP, Duel
from tests.lab.sweeps.test_sweep import games_in

pytest.importorskip("optuna")
pytest.importorskip("matplotlib")

from ponderosa.lab.tuning.hill import quick_enough
from ponderosa.lab.tuning.space import Param, Space
from ponderosa.lab.tuning.tune import TuneBudget, tune
from tests.helpers import PATIENCE, running, wait_until

FILE = str(Path(__file__).parents[1] / "planted.py")
GAME, AGENT = f"{FILE}:Duel", f"{FILE}:Planted"  # the game as an object is played in this process, which is quicker
QUICK: dict[str, Any] = {"count_repeats": True, "concurrency": 1, "validate": 20}

GOOD = {
    "c=0.1:3": Param("c", 0.1, 3.0),
    "rollouts=1:8": Param("rollouts", 1, 8, whole=True),
    "c=1.0:3": Param("c", 1.0, 3.0),
    "c=0.1:10:log": Param("c", 0.1, 10.0, log=True),
    "iterations=100:5000:log": Param("iterations", 100, 5000, whole=True, log=True),
    "select=ucb1, thompson": Param("select", choices=("ucb1", "thompson")),
}
BAD = {
    "c": "does not say",
    "c=1": "no choice",
    "c=1,1": "no choice",
    "c=3:1": "goes up",
    "c=1:1": "goes up",
    "c=a:b": "not a range",
    "c=1:2:3": "not a range",
    "c=0:3:log": "above 0",
    "c=-1:3:log": "above 0",
    "c=0:inf": "not a range",
}


@pytest.mark.parametrize("text", GOOD)
def test_ranges_and_choices_are_read(text):
    assert Param.read(text) == GOOD[text]


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_range_says_what_is(text):
    with pytest.raises(PonderosaError) as error:
        Param.read(text)
    assert BAD[text] in str(error.value)


@pytest.mark.parametrize("text", GOOD)
def test_every_share_of_a_range_is_a_value_in_it_and_back(text):
    param, space = GOOD[text], Space((GOOD[text],))
    for share in np.linspace(0, 1, 23):
        value = param.decode(float(share))
        if param.choices:
            assert value in param.choices
        else:
            assert param.low <= value <= param.high and isinstance(value, int if param.whole else float)
            assert param.decode(param.encode(value)[0]) == pytest.approx(value, rel=1e-3)
        assert param.distribution()._contains(param.distribution().to_internal_repr(value))
        assert all(0 <= part <= 1 for part in space.encode({param.name: value}))


def test_neighbours_are_in_the_space():
    space = Space(tuple(GOOD[text] for text in ("rollouts=1:8", "c=0.1:10:log", "select=ucb1, thompson")))
    random = np.random.default_rng(0)
    start = space.draw(random, 1)[0]
    near = space.near(start, random, 200)
    assert {entry["select"] for entry in near} == {"ucb1", "thompson"}
    assert all(1 <= entry["rollouts"] <= 8 and 0.1 <= entry["c"] <= 10 for entry in near)


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("500", TuneBudget(games=500)),
        ("90s", TuneBudget(seconds=90)),
        ("10m", TuneBudget(seconds=600)),
        ("0.5h", TuneBudget(seconds=1800)),
    ],
)
def test_budgets_are_games_or_times(text, budget):
    assert TuneBudget.read(text) == budget


@pytest.mark.parametrize("text", ["", "0", "3", "many", "-5", "1.5", "0s", "5d"])
def test_budgets_that_are_none(text):
    with pytest.raises(PonderosaError, match="500, 90s, 10m or 2h"):
        TuneBudget.read(text)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tune")
    return tune(Duel(), AGENT, ["c=0.1:3"], 500, out=folder, seed=1, **(QUICK | {"validate": 200})), folder


@pytest.mark.slow
def test_a_planted_optimum_is_found_within_a_tenth_in_500_games(found):
    result, folder = found
    print(f"\nc={result.values['c']:.3f}, planted {TOP}, {result.games} games, {len(result.trials)} trials")
    assert abs(result.values["c"] / TOP - 1) <= 0.1
    assert result.games <= 500 and result.games == len(games_in(folder / "games.db")) - 200
    assert result.agent == f"{AGENT}:c={result.settings['c']}"


@pytest.mark.slow
def test_the_best_is_measured_in_a_fresh_match(found):
    result, _ = found
    elo = result.validation.elo
    assert elo.games == 200 and elo.low < 96 < elo.high, "the default, c=0.8, is planted 96 Elo below the top"
    assert result.validation.event.agents == (result.agent, AGENT)
    assert "Elo (95 %:" in result.findings().summary and f"Ready to paste: {result.agent}" in result.findings().summary


@pytest.mark.slow
def test_trials_play_pairs_and_weak_ones_are_broken_off(found):
    result, _ = found
    assert {trial.games for trial in result.trials} == {4, 8}
    assert all(trial.games == 4 for trial in result.trials if trial.pruned and trial.games < 8)
    pruned = [trial.points / trial.games for trial in result.trials if trial.games == 4]
    kept = [trial.points / trial.games for trial in result.trials if trial.games == 8]
    assert pruned and np.mean(pruned) < np.mean(kept)


@pytest.mark.slow
def test_the_same_call_plays_nothing_again_and_a_larger_budget_adds(found, tmp_path):
    _, folder = found
    before = games_in(folder / "games.db")
    again = tune(Duel(), AGENT, ["c=0.1:3"], 500, out=folder, seed=1, **(QUICK | {"validate": 200}))
    assert games_in(folder / "games.db") == before and again.agent == found[0].agent
    with pytest.raises(PonderosaError, match="another tuning"):
        tune(Duel(), AGENT, ["c=0.2:3"], 500, out=folder, seed=1, **QUICK)


def test_choices_and_whole_numbers_are_tuned_too(tmp_path):
    result = tune(Duel(), f"{AGENT}:c=1.4", ["kind=plain,better", "seed=1:9"], 160, out=tmp_path, **QUICK)
    assert result.values["kind"] == "better" and isinstance(result.values["seed"], int)
    assert {figure.name for figure in result.findings().figures} == {"along-kind", "along-seed"}


def test_settings_whose_moves_are_too_slow_are_left_out(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr(Referee.__init__, "__defaults__", (*Referee.__init__.__defaults__[:-1], lambda: now[0]))
    result = tune(Duel(), AGENT, ["wait=0.001:0.2:log"], 64, max_move_seconds=0.05, out=tmp_path, **QUICK)
    assert result.values["wait"] <= 0.05 and result.slow <= 0.05
    assert any(not trial.feasible for trial in result.trials) and all(
        trial.feasible == (trial.slow <= 0.05) for trial in result.trials
    )
    assert "95 % of its moves took at most" in result.findings().summary


def test_a_limit_that_nothing_keeps_is_said(tmp_path):
    with pytest.raises(PonderosaError, match=r"moves within 0.001 s; the quickest, .*wait=0.0"):
        tune(Duel(), AGENT, ["wait=0.02:0.04"], 16, max_move_seconds=0.001, out=tmp_path, **QUICK)


def test_the_time_of_untried_settings_is_foreseen():
    from types import SimpleNamespace as Told

    space = Space.read(["iterations=10:1000:log"])
    slow = [
        Told(
            params={"iterations": n},
            user_attrs={"result": dict(games=1, points=1, played=1, slow=n / 100, faulty=False)},
        )
        for n in (10, 40, 160, 640)
    ]
    allowed = quick_enough(space, slow, [{"iterations": n} for n in (20, 290, 310, 900)], 3.0)  # type: ignore[arg-type]
    assert [entry["iterations"] for entry in allowed] == [20, 290]


@pytest.mark.slow
def test_a_game_for_one_is_tuned_by_its_score(tmp_path):
    settings: dict[str, Any] = {"out": tmp_path, "concurrency": 1, "validate": 10}
    result = tune("samegame:rows=5,columns=4,colours=3", "mcts:iterations=2", ["iterations=1:60:log"], 64, **settings)
    assert result.values["iterations"] > 2 and result.games <= 64


WRONG = {
    ("tictactoe", "mcts:iterations=5", "d=1:2"): "'d'",
    ("tictactoe", "random", "c=1:2"): "unknown parameter of agent random 'c'",
    ("tictactoe", "mcts:iterations=5", "c=2:1"): "a range goes up",
    ("tictactoe", "mcts:iterations=5,select=thompson", "c=1:2"): "'c' is no setting of the policies in use here",
    ("tictactoe", "mctz", "c=1:2"): "did you mean 'mcts'",
    ("pig:players=3", "mcts", "c=1:2"): "games of one or two",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_tuned_is_said(ponderosa, words, tmp_path):  # noqa: F811
    game, agent, param = words
    ran = ponderosa("tune", game, "--agent", agent, "--vary", param, "--out", str(tmp_path), "--budget", "16")
    assert ran.code == 2 and WRONG[words] in ran.err


@pytest.mark.slow
def test_the_command_prints_the_best_agent_and_writes_a_report(ponderosa, tmp_path):  # noqa: F811
    words = ["tune", GAME, "--agent", AGENT, "--vary", "c=0.1:3", "--budget", "48", "--count-repeats"]
    ran = ponderosa(*words, "--out", str(tmp_path / "out"), "--concurrency", "1")
    assert ran.code == 0 and f"Ready to paste: {AGENT}:c=" in ran.out and "fresh games" in ran.out
    svg = (tmp_path / "out" / "figures" / "along-c.svg").read_text()
    assert ">c<" in svg and "score against" in svg and "95 % interval of the model" in svg
    ran = ponderosa(*words, "--out", str(tmp_path / "out"), "--concurrency", "1", "--json")
    assert json.loads(ran.out)["agent"].startswith(AGENT)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_tuning_repeats_no_finished_game(tmp_path):
    words = ["tune", GAME, "--agent", AGENT, "--vary", "c=0.1:3", "--budget", "64", "--validate", "20"]
    command = [sys.executable, "-m", "ponderosa", *words, "--count-repeats", "--concurrency", "1", "--out"]
    straight = subprocess.run(
        [*command, str(tmp_path / "a"), "--json"], check=True, capture_output=True, timeout=PATIENCE
    )
    store = tmp_path / "b" / "games.db"
    for least in (5, 40):
        before = games_in(store)
        silent = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        with running([*command, str(tmp_path / "b")], **silent) as started:
            wait_until(lambda least=least: len(games_in(store)) >= least or started.poll() is not None)
            started.kill()
            started.wait()
        assert games_in(store)[: len(before)] == before
    before = games_in(store)
    ended = subprocess.run([*command, str(tmp_path / "b"), "--json"], check=True, capture_output=True, timeout=PATIENCE)
    after = games_in(store)
    assert after[: len(before)] == before and len({row[:2] for row in after}) == len(after)
    assert json.loads(ended.stdout)["agent"] == json.loads(straight.stdout)["agent"], "as if nothing had happened"
    assert [row[3] for row in sorted(after)] == [row[3] for row in sorted(games_in(tmp_path / "a" / "games.db"))]


def test_a_study_that_is_damaged_is_told_of(tmp_path):
    (tmp_path / "tune.db").write_bytes(b"not a database, but long enough to be looked at" * 99)
    with pytest.raises(PonderosaError, match=r"tune\.db cannot be used: .*; name a new folder"):
        tune(Duel(), AGENT, ["c=0.1:3"], 16, out=tmp_path, **QUICK)
