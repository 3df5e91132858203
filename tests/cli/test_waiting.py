"""People are told that something is compiled for them, and for how long."""

from __future__ import annotations

import json
import math
import mmap
import os
import queue
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ponderosa.arena.event import Event
from ponderosa.arena.running.blackboard import EMPTY
from ponderosa.arena.running.supervisor import Process
from ponderosa.cli.console import preparing
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.progress import compiling, listening
from ponderosa.compile.waiting import LATE, told_of_compiling
from tests.helpers import PATIENCE

PARTS = ["copy", "is_terminal", "apply_action", "random_action", "play", "select", "choose", "grow_at", "more", "more"]


def test_a_bar_grows_and_the_whole_time_is_guessed_from_what_is_done():
    now, said = [0.0], []
    with told_of_compiling(said.append, lambda: now[0]):
        for part in PARTS:
            with compiling(part):
                now[0] += 1.0
    lengths = [str(far).count("━") for far in said]
    assert lengths == sorted(lengths) and lengths[0] == 0 and lengths[-1] <= 20 * LATE
    assert "about" not in str(said[0]) and str(said[-1]).endswith(" s in all")


def test_where_nothing_can_be_drawn_a_line_a_game_says_how_long_it_takes(capsys):
    for game in ("chess", "chess", "go"):
        with preparing(game):
            for part in PARTS:
                with compiling(part):
                    time.sleep(0.001)
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(", once, about ")[0] for line in told] == ["Compiling chess", "Compiling go"]


@pytest.mark.slow
@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    "words",
    [
        "analyze tictactoe --iterations 10",
        "check tictactoe --games 5",
        "match tictactoe mcts:iterations=5 random --games 2 --no-store",
        "sweep tictactoe --agent mcts:iterations=5 --vary c=0.5,2.0 --games 2 --out swept",
    ],
)
def test_in_a_pipe_a_line_says_so_the_first_time_and_never_again(tmp_path: Path, words: str) -> None:
    command = [sys.executable, "-m", "ponderosa", *words.replace("swept", str(tmp_path / "swept")).split()]
    folder = os.environ | {"PONDEROSA_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (
        subprocess.run(command, env=folder, capture_output=True, text=True, timeout=PATIENCE, check=True)
        for _ in range(2)
    )
    assert (
        len(re.findall(r"Compiling tictactoe, once, about \d+ s", first.stderr)) == 1
        and "Compiling" not in second.stderr
    )


def test_what_a_process_of_a_match_compiles_is_told_before_its_first_game():
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    for line in ({"compiling": "is_terminal"}, {"compiling": "play"}, {"forfeit": [0.0, 1.0]}):
        lines.put(json.dumps(line).encode())
    process, heard = Process.__new__(Process), []
    process.event = Event("tictactoe", ("random", "random"))
    process._lines, process._board = lines, mmap.mmap(-1, len(EMPTY))
    with listening(heard.append):
        assert process._first_answer(math.inf) == {"forfeit": [0.0, 1.0]}
    assert heard == ["is_terminal", "play"]
