"""bench, check and warmup."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ponderosa import registry
from ponderosa.compile.cache import cache_folder
from ponderosa.core.rules import jit_enabled
from ponderosa.mcts.policies import fitting
from ponderosa.mcts.tree.node import NODE
from ponderosa.registry import GAMES, load_game
from ponderosa.system.interrupts import interrupts_waiting
from tests.cli.conftest import Run
from tests.helpers import EXAMPLES


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_bench_measures_every_game(ponderosa: Run) -> None:
    rows = json.loads(ponderosa("bench", "--seconds", "0.02", "--json").out)
    assert [row["game"] for row in rows] == list(GAMES)
    assert all(row["iterations"] > 0 and row["nodes"] > 0 and row["iterations_per_second"] > 0 for row in rows)
    assert {row["bytes_per_node"] for row in rows if row["game"] in EXAMPLES} == {NODE.itemsize}


def test_bench_of_some_games_is_a_table(ponderosa: Run) -> None:
    ran = ponderosa("bench", "tictactoe", "connect4:rows=5", "--seconds", "0.02")
    assert (ran.code, ran.err) == (0, "")
    assert all(text in ran.out for text in ("tictactoe", "connect4:rows=5", "Iterations/s", "Bytes a node"))
    assert "gomoku" not in ran.out


def test_bench_notices_a_bad_name_before_it_measures(ponderosa: Run) -> None:
    ran = ponderosa("bench", "tictactoe", "gomuko", "--seconds", "60")
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize("game", ["tictactoe", "connect4:rows=4,cols=5,k=3"])
def test_check_says_that_all_promises_were_kept(ponderosa: Run, game: str) -> None:
    ran = ponderosa("check", game, "--games", "10", "--seed", "2")
    assert ran.code == 0
    assert ran.out == f"{game} kept all its promises in 10 random games.\n"


def test_check_prints_each_problem_on_its_own_line(ponderosa: Run, nim: str) -> None:
    ran = ponderosa("check", f"{nim}:Broken", "--games", "30")
    assert ran.code == 1
    problems = ran.out.splitlines()
    assert len(problems) >= 1
    assert "returns gives -7.0, outside the declared range -1 .. 1" in problems[0]


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    "few", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["two policies", "all policies"]
)
def test_warmup_compiles_and_says_where_it_is_kept(ponderosa: Run, monkeypatch: pytest.MonkeyPatch, few: bool) -> None:
    monkeypatch.setattr(registry, "GAMES", {"tictactoe": GAMES["tictactoe"]})
    if few:
        monkeypatch.setattr(fitting, "fitting_policies", lambda *_: [("select", "ucb1"), ("playout", "random")])
    ran = ponderosa("warmup")
    assert ran.code == 0
    assert ran.out.startswith("2 searches are ready after") if few else "searches are ready after" in ran.out
    assert f"kept in {cache_folder()}" in " ".join(ran.out.split())


def test_warmup_has_nothing_to_do_without_the_compiler(ponderosa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert "Nothing to compile" in ponderosa("warmup").out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("ponderosa swe", "sweep"),
        ("ponderosa play tictac", "tictactoe"),
        ("ponderosa match tictactoe minim", "minimax"),
        ("ponderosa play go --agent scri", "scripted"),
    ],
)
def test_a_shell_completes_commands_games_and_agents(words: str, offered: str) -> None:
    asked = {"_PONDEROSA_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    said = subprocess.run(
        [sys.executable, "-m", "ponderosa"], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == [offered]


def test_completion_is_installed_for_a_shell(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ponderosa", "--install-completion", "bash"]
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    subprocess.run(command, env={**os.environ, **home}, capture_output=True, check=True)
    assert "_PONDEROSA_COMPLETE" in (tmp_path / ".bash_completions" / "ponderosa.sh").read_text()


def test_an_interrupt_waits_for_the_end_of_the_work() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts_waiting():
        signal.raise_signal(signal.SIGINT)
        done.append("work")
    assert done == ["work"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_does_not_wait() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts_waiting():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the second interrupt came too late")


def test_a_command_that_is_interrupted_exits_with_130(ponderosa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ponderosa.core.checks.check_game.check_game", press)
    ran = ponderosa("check", "tictactoe")
    assert (ran.code, ran.out) == (130, "")
    assert "interrupted" in ran.err


def test_a_new_game_runs_and_passes_its_tests(ponderosa: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = ponderosa("new", "four_stones")
    assert ran.code == 0 and "ponderosa play ./four_stones.py:FourStones" in ran.out
    assert ponderosa("check", "./four_stones.py:FourStones", "--games", "5").code == 0
    played = ponderosa("play", "./four_stones.py:FourStones", "--agent", "random:seed=1", typed="a1\nq\n")
    assert played.moves.split()[0] == "a1"
    monkeypatch.syspath_prepend(tmp_path)
    tests = runpy.run_path(str(tmp_path / "test_four_stones.py"))
    for name in [name for name in tests if name.startswith("test_")]:
        tests[name]()
    begun = load_game("./four_stones.py:FourStones")
    assert begun.people_call_it() == "Four stones"
    state = begun.new_initial_state()
    assert str(state).splitlines()[0] == "4  . . . ." and ">.<" not in state._repr_svg_()
    state.apply_action("a1")
    assert '<text class="mark p0"' in (state._repr_svg_() or "")  # in the first player's colour
    again = ponderosa("new", "four_stones")
    assert again.code == 2 and "is there already" in again.err


def test_bench_counts_sequences_of_moves(ponderosa: Run) -> None:
    ran = ponderosa("bench", "tictactoe", "--perft", "5")
    assert ran.code == 0 and "15,120" in ran.out and "1,440 won, 0 drawn, 0 lost" in ran.out
    (found,) = json.loads(ponderosa("bench", "tictactoe", "--perft", "2", "--json").out)
    assert found["sequences"] == [1, 9, 72] and found["a_second"] > 0
    for wrong in ((), ("tictactoe", "--rules"), ("tictactoe", "--device", "cpu")):
        ran = ponderosa("bench", *wrong, "--perft", "2")
        assert (ran.code, "bench --perft 4 GAME" in ran.err) == (2, True)
