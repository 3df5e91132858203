"""People are told that something is compiled for them, and for how long."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ponderosa.cli.console import preparing
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.progress import compiling
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
def test_in_a_pipe_a_line_says_so_the_first_time_and_never_again(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ponderosa", "analyze", "tictactoe", "--iterations", "10"]
    folder = os.environ | {"PONDEROSA_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (
        subprocess.run(command, env=folder, capture_output=True, text=True, timeout=PATIENCE, check=True)
        for _ in range(2)
    )
    assert (
        len(re.findall(r"Compiling tictactoe, once, about \d+ s", first.stderr)) == 1
        and "Compiling" not in second.stderr
    )
