"""Experiments: every registered one runs tiny, nothing that is done is done again, own ones are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ponderosa import PonderosaError
from ponderosa.arena.conditions import Conditions
from ponderosa.lab import experiments
from ponderosa.lab.experiment import Experiment, Step, Work, run_experiment
from ponderosa.lab.experiment_names import EXPERIMENTS, find
from ponderosa.lab.reports.report import Findings

pytest.importorskip("matplotlib")
pytest.importorskip("polars")

PARTS = ("What was asked", "What the original found", "What we found", "Do they agree?", "How it was done")
CALLS: list[int] = []


def counted(number: int) -> int:
    CALLS.append(number)
    return number * number


class Squares(Experiment):
    """Squares numbers, and may be stopped after some."""

    name, title, question = "squares", "Squares", "What are they?"

    def __init__(self, stop_at: int = 99) -> None:
        self.stop_at = stop_at

    def run(self, work: Work) -> Findings:
        found = []
        for number in range(work.pick(tiny=3, quick=5, full=9)):
            if number == self.stop_at:
                raise KeyboardInterrupt
            work.tell("squaring", number, 5)
            found.append(work.kept(counted, number=number))
        return Findings(f"They are {found}.")


@pytest.fixture(autouse=True)
def forget():
    CALLS.clear()


class Pairs(Experiment):
    """Counts the games that it would play."""

    name, title, question = "pairs", "Pairs", "How many?"

    def run(self, work: Work) -> Findings:
        return Findings(f"It plays {work.games(tiny=2, quick=40, full=400)} games.")


@pytest.mark.parametrize(
    ("games", "said", "word"), [(None, "plays 2 games", ""), (300, "plays 300 games", "--games 300")]
)
def test_a_number_of_games_is_asked_for_and_told(games: int | None, said: str, word: str, tmp_path: Path) -> None:
    text = (run_experiment(Pairs(), "tiny", tmp_path / "out", games=games).parent / "report.md").read_text()
    assert said in text and word in text
    assert ("--games" in text) == bool(word)


@pytest.mark.parametrize(
    ("name", "games", "words"), [("bandits", 4, "counts no games"), ("rollouts", 3, "even number")]
)
def test_games_that_cannot_be_asked_for_are_refused(name: str, games: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(PonderosaError, match=words):
        run_experiment(find(name), "tiny", tmp_path / "out", games=games)
    assert not (tmp_path / "out").exists()


USUAL = ("bandits", "rollouts")
"""One that counts and one that plays; the others are slow tests, and all are pretended in tests/lab/test_labels.py."""


@pytest.mark.parametrize(
    "name", [name if name in USUAL else pytest.param(name, marks=pytest.mark.slow) for name in EXPERIMENTS]
)
def test_every_experiment_runs_tiny_and_its_report_has_all_parts(name, tmp_path):
    page = run_experiment(find(name), "tiny", tmp_path / "out", concurrency=1)
    text = (page.parent / "report.md").read_text()
    assert all(f"## {part}" in text for part in PARTS)
    said = json.loads((page.parent / "report.json").read_text())
    assert said["name"] == name and said["question"]
    assert bool(said["original"]) == bool(said["claims"])  # where nobody has asked before, nothing is compared
    assert said["figures"] and said["tables"]
    assert all(claim["original"] and claim["ours"] for claim in said["claims"])
    for figure in said["figures"]:
        svg = (page.parent / "figures" / f"{figure['name']}.svg").read_text()
        assert "95 %" in svg, "a figure shows intervals and says which"


@pytest.mark.nightly
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs_quick(name, tmp_path):
    assert run_experiment(find(name), "quick", tmp_path / "out").is_file()


def test_no_experiment_was_forgotten():
    files = {path.stem for path in Path(experiments.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == {target.partition(":")[0].rpartition(".")[2] for target in EXPERIMENTS.values()}
    assert all(find(name).name == name for name in EXPERIMENTS)


def test_an_experiment_that_was_stopped_goes_on_where_it_was(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_experiment(Squares(stop_at=3), "quick", tmp_path)
    assert CALLS == [0, 1, 2] and not (tmp_path / "report.json").exists()
    page = run_experiment(Squares(), "quick", tmp_path)
    assert CALLS == [0, 1, 2, 3, 4] and "[0, 1, 4, 9, 16]" in page.read_text()
    run_experiment(Squares(), "full", tmp_path)
    assert list(range(9)) == CALLS, "what a smaller scale has done is not done again"


def test_an_edited_function_is_called_again(tmp_path):
    def edition(number):
        return number + 1

    one = edition

    def edition(number):
        return number + 2

    work = Work("tiny", tmp_path)
    assert (work.kept(one, number=1), work.kept(edition, number=1), work.kept(edition, number=2)) == (2, 3, 4)


def test_matches_and_tournaments_are_kept_in_the_folder(tmp_path):
    told: list[Step] = []
    work = Work("tiny", tmp_path, Conditions(concurrency=1), told.append)
    settings = {"openings": "random:1", "iterations": 5}
    first = work.match("tictactoe", "mcts", "random", 4, **settings)
    assert told[-1].done == told[-1].of == 4
    again = work.match("tictactoe", "mcts", "random", 4, **settings)
    assert [outcome.efforts for outcome in first.tally.counted] == [outcome.efforts for outcome in again.tally.counted]


def test_whoever_watches_is_told(tmp_path):
    told: list[Step] = []
    run_experiment(Squares(), "tiny", tmp_path, watch=told.append)
    assert [step.done for step in told] == [0, 1, 2]


def test_a_folder_with_another_report_is_left_alone(tmp_path):
    run_experiment(Squares(), "tiny", tmp_path)
    with pytest.raises(PonderosaError, match="'squares': name a new folder"):
        run_experiment(find("bandits"), "tiny", tmp_path)


def test_scales_and_names_that_do_not_exist():
    with pytest.raises(PonderosaError, match="tiny, quick, full"):
        run_experiment(Squares(), "huge")
    with pytest.raises(PonderosaError, match="did you mean 'bandits'"):
        find("bandit")


def test_an_experiment_that_returns_something_else_is_told_so(tmp_path):
    class Wrong(Squares):
        def run(self, work):
            return "done"

    with pytest.raises(PonderosaError, match="must return Findings, not str"):
        run_experiment(Wrong(), "tiny", tmp_path)


OWN = """
from ponderosa.lab.experiment import Experiment
from ponderosa.lab.reports.report import Findings

class Own(Experiment):
    name, title, question = "own", "Own", "Is it found?"

    def run(self, work):
        return Findings("Yes.")
"""


def test_an_experiment_of_ones_own_is_found_by_its_file(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN)
    assert "Yes." in run_experiment(find(str(file)), "tiny", tmp_path / "out").read_text()
    assert find(f"{file}:Own").question == "Is it found?"
    file.write_text(OWN.replace('"own", "Own", "Is it found?"', '"own", "Own", None'))
    with pytest.raises(PonderosaError, match="says its question"):
        find(str(file))
    with pytest.raises(PonderosaError, match="no file"):
        find(str(tmp_path / "nothing.py"))
