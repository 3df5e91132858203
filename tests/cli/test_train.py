"""Learning on the command line: train, look into the memory, play with it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ponderosa.cli import main
from tests.agents.test_memory import learned
from tests.helpers import PATIENCE, running, wait_until


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A memory of ten games, which each test copies."""
    file = tmp_path_factory.mktemp("trained") / "ttt.memory"
    with pytest.raises(SystemExit) as left:
        main(
            [
                "train", "tictactoe", "--games", "10", "--against", "blind",
                "--agent", "mcts:iterations=20", "--memory", str(file),
            ]
        )  # fmt: skip
    assert not left.value.code
    return file


@pytest.fixture
def memory(trained, tmp_path):
    return Path(shutil.copy(trained, tmp_path))


def test_a_training_shows_its_curve_and_writes_its_files(ponderosa, memory, tmp_path):
    figure, table = tmp_path / "curve.svg", tmp_path / "curve.csv"
    ran = ponderosa(
        "train", "tictactoe", "--games", "8", "--against", "blind,scripted", "--agent", "mcts:iterations=20",
        "--memory", str(memory), "--figure", str(figure), "--csv", str(table), "--seed", "3",
    )  # fmt: skip
    assert ran.code == 0 and "knows 18 games" in ran.err
    assert "Against blind" in ran.out and "Against scripted" in ran.out and "seed 3" in ran.out and "at last" in ran.out
    assert figure.read_text().lstrip().startswith("<?xml") and len(table.read_text().splitlines()) == 9
    plain = json.loads(
        ponderosa(
            "train", "tictactoe", "--games", "2", "--memory", str(memory), "--agent", "mcts:iterations=20", "--json"
        ).out
    )
    assert (plain["before"], plain["wanted"], plain["interrupted"]) == (18, 2, False)
    assert sum(point["wins"] + point["draws"] + point["losses"] for point in plain["points"]) == 2


def test_a_memory_is_shown(ponderosa, memory):
    ran = ponderosa("memory", "show", str(memory), "--moves", "3")
    assert ran.code == 0
    for words in ("Game: tictactoe", "memory-1", "Games played: 10", "Positions:", "Visits", "Deepest known line"):
        assert words in ran.out
    plain = json.loads(ponderosa("memory", "show", str(memory), "--json").out)
    assert plain["games"] == 10 and sum(move["games"] for move in plain["moves"]) == 10


def test_games_in_the_terminal_are_learned_from(ponderosa, memory):
    agent = f"mcts:iterations=20,memory={memory}"
    ran = ponderosa("watch", "tictactoe", agent, "blind")
    assert ran.code == 0 and "knows 11 games now" in ran.err
    ran = ponderosa("play", "tictactoe", "--agent", agent, typed="b2\nquit\n")
    assert ran.code == 0 and learned(memory) == 11  # a game that was left has no result
    moves = " ".join(ran.moves.split()[:1])
    ran = ponderosa("play", "tictactoe", "--agent", agent, "--two-players", typed="a1\nb1\na2\nb2\na3\n")
    assert ran.code == 0 and "knows 12 games now" in ran.err and moves
    assert ponderosa("play", "tictactoe", "--agent", agent, "--moves", "a1 b1 a2 b2 a3").code == 0
    assert learned(memory) == 12  # looking at a finished game is not playing it


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("train", "tictactoe", "--memory", "{file}", "--figure", "curve.jpg"), ".svg"),
        (("train", "connect4", "--memory", "{file}"), "'tictactoe', not of 'connect4'"),
        (("train", "rps", "--memory", "{file}"), "open to all"),
        (("train", "tictactoe", "--memory", "{file}", "--against", "blond"), "blind"),
        (("train", "tictactoe", "--memory", "{file}", "--agent", "mcts:select=rave"), "select=ucb1"),
        (("memory", "show", "nowhere.memory"), "nowhere.memory"),
        (("memory", "show", __file__), "is not a memory"),
    ],
)
def test_what_cannot_be_is_said(ponderosa, memory, arguments, words):
    ran = ponderosa(*(argument.replace("{file}", str(memory)) for argument in arguments))
    assert ran.code in (1, 2) and words in " ".join(ran.err.split())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.usefixtures("compiled")
def test_ctrl_c_saves_what_was_learned_and_says_so(tmp_path):
    file = tmp_path / "a.memory"
    command = [sys.executable, "-m", "ponderosa", "train", "tictactoe", "--games", "1000000", "--against", "blind"]
    plain = {"stderr": subprocess.PIPE, "text": True, "env": {**os.environ, "NO_COLOR": "1"}}
    with running([*command, "--memory", str(file)], **plain) as process:
        wait_until(lambda: file.exists() or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert f"knows {learned(file):,} games" in said and "interrupted after" in said
