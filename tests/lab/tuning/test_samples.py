"""A tuning that an earlier version began goes on in its folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("optuna")

from ponderosa.arena.conditions import Conditions
from ponderosa.arena.results.store import Store
from ponderosa.errors import SettingError
from ponderosa.lab.sweeps.sweep import folder_of_sweep
from ponderosa.lab.tuning.tune import make_plan, tune

SAMPLE = Path(__file__).parents[2] / "samples" / "arena_tuning"
PLAN = ("tictactoe", "mcts:iterations=10", ["c=0.1:3"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "tuning"))


def test_an_old_tuning_of_the_same_budget_finds_the_same_and_plays_nothing(folder: Path) -> None:
    result = tune(*PLAN, 16, out=folder, openings="random:2", seed=4, validate=2)
    assert [trial.games for trial in result.trials] == [8, 8] and result.games == 16
    assert result.agent == "mcts:iterations=10,c=2.342"
    with Store(folder / "games.db", readonly=True) as store:
        assert [event.games for event in store.events()] == [2, 16]


def test_other_conditions_are_another_tuning(folder: Path) -> None:
    with pytest.raises(SettingError, match="another tuning"):
        tune(*PLAN, 16, out=folder, openings="random:3", seed=4, validate=2)


def test_folders_of_tunings_and_sweeps_keep_their_names() -> None:
    assert make_plan(*PLAN).folder().name == "tune-tictactoe-6e985ac2"
    given = Conditions(openings="random:2", iterations=50, seconds=0.5, count_repeats=True, seed=9)
    plan = make_plan("connect4", "mcts", ["c=0.1:3", "rollouts=1:8"], "random", given, 0.2)
    assert plan.folder().name == "tune-connect4-32ff5984"
    swept = Conditions(openings="random:2", seed=3)
    folder = folder_of_sweep(None, "tictactoe", "mcts:iterations=10", {"c": ["1", "2"]}, "random", swept)
    assert folder.name == "sweep-tictactoe-a01e757a"


def test_only_what_decides_the_games_makes_it_another_tuning() -> None:
    usual = make_plan(*PLAN).key
    assert make_plan(*PLAN, conditions=Conditions(concurrency=2, memory=3.0, strict=True)).key == usual
    assert make_plan(*PLAN, conditions=Conditions(tolerance=1.0)).key != usual
