"""What the search thinks of a position, as a table, as JSON, and in files."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from ponderosa.connect.shapes.player import ShapePlayer
from ponderosa.mcts.report.report import Report
from tests.cli.conftest import Run
from tests.helpers import PATIENCE, running, wait_until


def as_json(run: Run, *arguments: str) -> dict[str, Any]:
    ran = run("analyze", *arguments, "--json")
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_a_table_of_every_move(ponderosa: Run) -> None:
    ran = ponderosa("analyze", "connect4", "--moves", "4 4", "--iterations", "200")
    assert (ran.code, ran.err) == (0, "")
    assert ". . . O . . .\n. . . X . . .\n1 2 3 4 5 6 7\nX to move" in ran.out
    assert "200 iterations in" in ran.out
    rows = [line.split() for line in ran.out.splitlines() if " % " in line]
    assert sorted(row[0] for row in rows) == list("1234567")
    assert sum(int(row[1]) for row in rows) == 200


def test_a_forced_win_is_found_and_proven(ponderosa: Run) -> None:
    ran = ponderosa("analyze", "connect4", "--moves", "4 1 4 1 4 2", "--iterations", "200")
    assert "Best: 4 (a proven win)" in ran.out
    assert "100.0 %   win" in ran.out


def test_json_has_all_there_is_to_know(ponderosa: Run) -> None:
    found = as_json(ponderosa, "tictactoe", "--moves", "b2,a1", "--iterations", "100", "--seed", "5")
    assert (found["game"], found["moves"], found["iterations"], found["seed"]) == ("tictactoe", ["b2", "a1"], 100, 5)
    assert {"best", "value", "nodes", "seconds", "proven"} <= found.keys()
    assert len(found["actions"]) == 7
    for action in found["actions"]:
        assert {"action", "name", "visits", "value", "proven", "pv"} <= action.keys()
    assert found["best"] in [action["name"] for action in found["actions"]]


def test_actions_of_any_kind_become_json(ponderosa: Run, nim: str) -> None:
    found = as_json(ponderosa, f"{nim}:Nim", "--iterations", "50")
    assert found["actions"][0]["action"] in ([0, 1], [1, 1], [1, 2])


def test_the_same_seed_gives_the_same_answer(ponderosa: Run) -> None:
    one, other, third = (
        as_json(ponderosa, "connect4", "--iterations", "200", "--seed", seed)["actions"] for seed in "776"
    )
    assert one == other
    assert one != third


def test_options_win_over_the_agent(ponderosa: Run) -> None:
    agent = "mcts:iterations=50,seed=3,select=greedy"
    assert as_json(ponderosa, "connect4", "--agent", agent)["iterations"] == 50
    assert as_json(ponderosa, "connect4", "--agent", agent)["seed"] == 3
    found = as_json(ponderosa, "connect4", "--agent", agent, "--iterations", "70", "--seed", "4")
    assert (found["iterations"], found["seed"], found["stopped"]) == (70, 4, "iterations")
    timed = as_json(ponderosa, "connect4", "--agent", agent, "--seconds", "0.05")
    assert timed["stopped"] == "seconds"


def test_whichever_limit_comes_first_ends_it(ponderosa: Run) -> None:
    limits = ("--seconds", "60", "--iterations", "50")
    assert as_json(ponderosa, "connect4", *limits)["stopped"] == "iterations"


def test_a_saved_tree_goes_on(ponderosa: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "four.npz")
    saved = ponderosa("analyze", "connect4", "--moves", "4 4", "--iterations", "150", "--save", file, "--json")
    assert saved.code == 0
    assert sum(action["visits"] for action in json.loads(saved.out)["actions"]) == 150
    found = as_json(ponderosa, "connect4", "--tree", file, "--iterations", "50")
    assert found["moves"] == ["4", "4"]
    assert found["iterations"] == 50
    assert sum(action["visits"] for action in found["actions"]) == 200


def test_a_tree_that_goes_on_is_the_tree_of_one_long_search(ponderosa: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "four.npz")
    ponderosa("analyze", "connect4", "--iterations", "100", "--save", file)
    ponderosa("analyze", "connect4", "--iterations", "60", "--tree", file, "--save", file)
    in_pieces = as_json(ponderosa, "connect4", "--iterations", "40", "--tree", file)
    at_once = as_json(ponderosa, "connect4", "--iterations", "200")
    assert in_pieces["actions"] == at_once["actions"]


def test_a_tree_and_moves_must_agree(ponderosa: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "four.npz")
    ponderosa("analyze", "connect4", "--moves", "1 2 3", "--iterations", "50", "--save", file)
    same = as_json(ponderosa, "connect4", "--moves", "3 2 1", "--tree", file, "--iterations", "50")
    assert sum(action["visits"] for action in same["actions"]) == 100
    for moves in ("1 2", ""):
        ran = ponderosa("analyze", "connect4", "--moves", moves, "--tree", file, "--iterations", "50")
        assert ran.code == 2
        assert f"--moves says {moves!r}" in ran.err
        assert "after '1 2 3'" in ran.err


def test_a_tree_goes_on_with_other_policies_and_another_seed(ponderosa: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "four.npz")
    ponderosa("analyze", "connect4", "--iterations", "100", "--save", file)
    agent = "mcts:iterations=50,select=greedy,solve=false"
    found = as_json(ponderosa, "connect4", "--tree", file, "--agent", agent, "--seed", "9")
    assert (found["seed"], found["iterations"]) == (9, 50)


def test_an_interrupted_search_still_answers(ponderosa: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(search: Any, state: Any, budget: Any, tell: Any) -> Report:
        def press(report: Report) -> None:
            raise KeyboardInterrupt

        report: Report = search.run(state, seconds=60, progress=press)
        return report

    monkeypatch.setattr("ponderosa.cli.commands.analyze._run", interrupted)
    ran = ponderosa("analyze", "connect4", "--json", "--save", str(tmp_path / "four.npz"))
    assert ran.code == 130
    assert json.loads(ran.out)["stopped"] == "interrupted"
    assert (tmp_path / "four.npz").exists()


def test_a_tree_that_cannot_be_saved_is_noticed_before_the_search(ponderosa: Run, nim: str, tmp_path: Path) -> None:
    ran = ponderosa("analyze", "connect4", "--seconds", "60", "--save", str(tmp_path / "no" / "four.npz"))
    assert (ran.code, ran.out) == (1, "")
    assert "there is no folder" in ran.err
    ran = ponderosa("analyze", f"{nim}:Nim", "--seconds", "60", "--save", str(tmp_path / "nim.npz"))
    assert (ran.code, ran.out) == (2, "")
    assert "no dtype" in ran.err


def test_long_lists_of_moves_are_cut(ponderosa: Run) -> None:
    assert "and 205 more, visited less" in ponderosa("analyze", "gomoku", "--iterations", "50").out


def test_threads_vote_and_their_trees_are_not_saved(ponderosa: Run, tmp_path: Path) -> None:
    out = ponderosa("analyze", "tictactoe", "--agent", "mcts:threads=2,parallel=vote,iterations=200").out
    assert "Votes" in out and "on 2 threads" in out
    run = ponderosa("analyze", "tictactoe", "--agent", "mcts:threads=2", "--save", str(tmp_path / "t.npz"))
    assert run.code == 2 and "one thread" in run.err


@pytest.mark.parametrize("agent", ["clever", "voting:threads=2", "slow"])
def test_agents_with_a_view_of_their_own_analyze_too(ponderosa: Run, tmp_path: Path, agent: str) -> None:
    board = "connect:m=5,n=6,k=4"  # machine code that other tests need, too
    ran = ponderosa("analyze", board, "--moves", "a1 b2", "--agent", agent, "--iterations", "50", "--json")
    assert json.loads(ran.out)["moves"] == ["a1", "b2"]
    if agent == "slow":
        run = ponderosa("analyze", "tictactoe", "--agent", agent, "--save", str(tmp_path / "t.npz"))
        assert run.code == 2 and "cannot be saved" in run.err


@pytest.mark.parametrize("agent", ["strong:iterations=3000", "minimax:positions=3000", "perfect"])
def test_agents_without_a_tree_say_what_they_think(ponderosa: Run, agent: str) -> None:
    moves = ("--moves", "a1 b2 c3")
    found = as_json(ponderosa, "connect:m=3,n=4,k=3", *moves, "--agent", agent)
    best = found["actions"][0]
    assert (found["moves"], best["name"], best["pv"][0]) == (["a1", "b2", "c3"], found["best"], found["best"])
    assert "the most that they can be" in ponderosa("analyze", "connect:m=3,n=4,k=3", *moves, "--agent", agent).out


def test_what_has_no_tree_or_no_thoughts_is_refused_in_words(ponderosa: Run, tmp_path: Path) -> None:
    ran = ponderosa("analyze", "tictactoe", "--agent", "minimax", "--save", str(tmp_path / "tree.npz"))
    assert ran.code == 2 and "minimax has no tree: leave --save out, or take mcts" in ran.err
    ran = ponderosa("analyze", "tictactoe", "--agent", "random")
    assert ran.code == 2 and "does not say why; take mcts" in ran.err


def test_ctrl_c_shows_what_an_agent_without_a_tree_has_found(ponderosa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    search, slices = ShapePlayer._search, itertools.count()

    def interrupted(self: ShapePlayer, *arguments: Any) -> None:
        if next(slices) > 0:
            raise KeyboardInterrupt
        search(self, *arguments)

    monkeypatch.setattr(ShapePlayer, "_search", interrupted)
    ran = ponderosa("analyze", "gomoku", "--moves", "h8 i9", "--agent", "strong:seconds=60", "--json")
    found = json.loads(ran.out)
    assert (ran.code, found["stopped"], found["actions"][0]["name"]) == (130, "interrupted", found["best"])


def test_strong_at_connect_four_is_asked_itself_and_not_its_tree(ponderosa: Run, tmp_path: Path) -> None:
    ran = ponderosa("analyze", "connect4", "--agent", "strong", "--save", str(tmp_path / "tree.npz"))
    assert ran.code == 2 and "strong has no tree" in ran.err


# --- pictures and traces ---


@pytest.mark.parametrize("game", ["tictactoe", "pig:target=30", "kuhn_poker", "rps"])
def test_the_tree_is_drawn(ponderosa: Run, tmp_path: Path, game: str) -> None:
    more = ["--moves", "queen king"] if game == "kuhn_poker" else []
    for name in ("tree.svg", "tree.dot", "tree.GV"):
        file = tmp_path / name
        ran = ponderosa("analyze", game, *more, "--iterations", "100", "--graph", str(file), "--depth", "2")
        assert (ran.code, ran.err) == (0, f"{file} is written\n")
    assert ElementTree.parse(tmp_path / "tree.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "tree.dot").read_text() == (tmp_path / "tree.GV").read_text()
    assert (tmp_path / "tree.dot").read_text().count(" -> n") > 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["tree.GV", "tree.dot", "tree.svg"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--graph", "tree.png"], "--graph writes .svg"),
        (["--graph", "tree"], "--graph writes .svg"),
        (["--graph", "none/tree.svg"], "there is no folder"),
        (["--graph", "tree.svg", "--agent", "mcts:threads=2"], "leave threads out"),
        (["--trace", "steps.jsonl"], "say --iterations"),
        (["--trace", "steps.jsonl", "--iterations", "1000001"], "at most 1000000"),
        (["--trace", "none/steps.jsonl", "--iterations", "10"], "there is no folder"),
        (["--trace", ".", "--iterations", "10"], "cannot write"),
    ],
)
def test_what_cannot_be_drawn_or_told_is_said_before_the_search(
    ponderosa: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = ponderosa("analyze", "tictactoe", *options)
    assert ran.code in (1, 2) and words in ran.err and ran.out == ""
    assert not list(tmp_path.iterdir())


def test_every_iteration_is_a_line(ponderosa: Run, tmp_path: Path) -> None:
    file = tmp_path / "steps.jsonl"
    ran = ponderosa("analyze", "connect4", "--iterations", "50", "--trace", str(file), "--json")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    visits = {entry["name"]: entry["visits"] for entry in json.loads(ran.out)["actions"]}
    assert len(lines) == 50 == sum(visits.values())
    assert {name: sum(line["moves"][0]["move"] == name for line in lines) for name in visits} == visits


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_leaves_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "steps.jsonl"
    command = [sys.executable, "-m", "ponderosa", "analyze", "connect4", "--iterations", "1000000"]
    with running([*command, "--trace", str(file), "--json"], stdout=subprocess.PIPE, text=True) as process:
        wait_until(lambda: process.poll() is not None or (file.exists() and file.stat().st_size > 10_000))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert process.returncode == 130
    assert [line["iteration"] for line in lines] == list(range(1, json.loads(out)["iterations"] + 1))
