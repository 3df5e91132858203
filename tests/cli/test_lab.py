"""`ponderosa lab` on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ponderosa.lab.experiment_names import EXPERIMENTS
from tests.cli.conftest import Run

pytest.importorskip("matplotlib")
pytest.importorskip("polars")


def test_all_experiments_are_listed(ponderosa: Run) -> None:
    listed = json.loads(ponderosa("lab", "list", "--json").out)
    assert [entry["name"] for entry in listed] == list(EXPERIMENTS)
    assert all(name in ponderosa("lab", "list").out for name in EXPERIMENTS)


def test_an_experiment_ends_in_a_report(ponderosa: Run, tmp_path: Path) -> None:
    ran = ponderosa("lab", "run", "bandits", "--scale", "tiny", "--out", str(tmp_path))
    assert ran.code == 0 and "## Do they agree?" in ran.out
    assert "UCB1, one good arm: 2 of 15" in ran.err and str(tmp_path / "report.html") in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bandid"], "did you mean 'bandits'"),
        (["bandits", "--scale", "huge"], "tiny, quick, full"),
        (["./nothing.py:Mine"], "no file"),
        (["nothing.toml"], "cannot be read"),
    ],
)
def test_nonsense_is_answered_in_words(ponderosa: Run, words: list[str], said: str) -> None:
    ran = ponderosa("lab", "run", *words)
    assert ran.code == 2 and said in ran.err


@pytest.mark.slow
def test_ctrl_c_says_so_and_the_same_command_goes_on(
    ponderosa: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ponderosa.lab.experiments import bandits

    calls: list[str] = []
    real = bandits.regrets

    def stopping(rule: str, *rest: object) -> object:
        calls.append(rule)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(rule, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(bandits, "regrets", stopping)
    words = ("lab", "run", "bandits", "--scale", "tiny", "--out", str(tmp_path))
    ran = ponderosa(*words)
    assert ran.code == 130 and "interrupted" in ran.err and len(list((tmp_path / "steps").iterdir())) == 3
    assert ponderosa(*words).code == 0
    whole = (len(bandits.ARMS) + 1) * len(bandits.RULES)  # every machine, and how often a rule goes astray
    assert len(calls) == 4 + whole - 3, "the three that were done were not done again"


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (["lab", "run", "bandits", "--scale", "tiny"], "polars"),
        (["sweep", "tictactoe", "--agent", "mcts", "--vary", "c=1,2"], "matplotlib"),
        (["tune", "tictactoe", "--agent", "mcts", "--param", "c=0.1:3"], "optuna"),
    ],
)
def test_a_missing_package_is_said_before_anything_is_played(
    ponderosa: Run, words: list[str], package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    ran = ponderosa(*words)
    assert ran.code == 1 and 'pip install "ponderosa[lab]"' in ran.err
    assert not list(tmp_path.rglob("*.db"))
