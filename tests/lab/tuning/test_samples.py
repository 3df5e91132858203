"""A tuning that an earlier version began goes on in its folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("optuna")

from ponderosa.arena.results.store import Store
from ponderosa.errors import SettingError
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


def test_the_folder_of_a_tuning_keeps_its_name() -> None:
    assert make_plan(*PLAN).folder().name == "tune-tictactoe-6e985ac2"
