"""Experiments as TOML files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ponderosa import PonderosaError
from ponderosa.lab.experiment import run_experiment
from ponderosa.lab.experiment_names import find

pytest.importorskip("matplotlib")
pytest.importorskip("polars")
pytest.importorskip("statsmodels")

FILE = """
name = "more-thought"
question = "Does more thought help?"
game = "tictactoe"
agent = "mcts"
against = "random"
openings = "random:1"
games = { tiny = 4, quick = 40 }

[vary]
iterations = [1, 50]
"""
WRONG = {
    ('name = "more-thought"\n', ""): "write name =",
    ('agent = "mcts"', ""): "write agent =",
    ("iterations = [1, 50]", "iterations = 3"): "needs a list",
    ("[vary]\niterations = [1, 50]", ""): "[vary]",
    ("tiny = 4", "small = 4"): "a whole number, or {",
    ('against = "random"', "agains = 3"): "did you mean 'against'",
    ('game = "tictactoe"', "game = 3"): "game must be text",
    ('"more-thought"', '"../more"'): "name of a file",
    ("[vary]", "[vary"): "is not TOML",
}


def test_a_file_is_an_experiment(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(FILE)
    page = run_experiment(find(str(file)), "tiny", tmp_path / "out", concurrency=1)
    text = page.read_text()
    assert "Does more thought help?" in text and "Nobody has asked before." in text
    assert (page.parent / "figures" / "score.svg").is_file() and (page.parent / "games.db").is_file()


@pytest.mark.parametrize("change", WRONG)
def test_a_wrong_file_says_what_is_right(tmp_path, change):
    file = tmp_path / "mine.toml"
    assert change[0] in FILE
    file.write_text(FILE.replace(*change))
    with pytest.raises(PonderosaError) as error:
        find(str(file))
    assert WRONG[change] in str(error.value)


def test_a_missing_file_is_said():
    with pytest.raises(PonderosaError, match="cannot be read"):
        find("nothing.toml")


def test_the_file_in_the_docs_is_an_experiment(tmp_path, monkeypatch):
    docs = Path(__file__).parents[2] / "docs"
    nim = next(text for text in (docs / "add-a-game.md").read_text().split("```") if "class Nim" in text)
    (tmp_path / "nim.py").write_text(nim.partition("\n")[2].partition("\nassert")[0])
    said = next(text for text in (docs / "experiments.md").read_text().split("```") if 'name = "nim-rollouts"' in text)
    (tmp_path / "nim-rollouts.toml").write_text(said.partition("\n")[2])
    monkeypatch.chdir(tmp_path)
    page = run_experiment(find("nim-rollouts.toml"), "tiny", concurrency=1)
    assert page == Path("ponderosa-lab/nim-rollouts-tiny/report.html") and "Nim stronger?" in page.read_text()
