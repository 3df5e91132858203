"""The brain as a program: `ponderosa engine gomocup` and `pbrain-ponderosa`."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from random import Random
from typing import Any

import pytest

from ponderosa.cli.commands.engine import pbrain
from ponderosa.cli.engines import thinker as thinkers
from ponderosa.cli.engines.gomocup import BoardThinker
from ponderosa.cli.engines.thinker import without_seconds
from ponderosa.core.budget import MOST_SECONDS
from ponderosa.errors import PonderosaError
from ponderosa.games.connect import Connect
from ponderosa.protocols.gomocup import Board
from tests.helpers import PATIENCE, running


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_a_real_search_ends_at_once() -> None:
    command = [sys.executable, "-m", "ponderosa", "engine", "gomocup"]
    pipe = subprocess.PIPE
    with running(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write("START 15\r\n")
        process.stdin.flush()
        assert process.stdout.readline() == "OK\n"
        process.stdin.write("INFO timeout_turn 600000000\r\nBEGIN\r\nEND\r\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert (process.stdout.read(), process.stderr.read()) == ("", "")


def run_pbrain(monkeypatch: pytest.MonkeyPatch, typed: str, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["pbrain-ponderosa", *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    with pytest.raises(SystemExit) as left:
        pbrain()
    return int(left.value.code or 0)


def test_any_agent_can_be_the_brain(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_pbrain(monkeypatch, "START 7\nTURN 3,3\n", "--agent", "random") == 0
    ok, cell = capsys.readouterr().out.splitlines()
    assert ok == "OK"
    assert Board(7, 7).read(cell) != Board(7, 7).read("3,3")


@pytest.mark.parametrize(
    ("spec", "seconds"),
    [
        ("strong", MOST_SECONDS),
        ("mcts", MOST_SECONDS),
        ("minimax", MOST_SECONDS),
        ("minimax:seconds=2", 2.0),
        ("perfect", None),
    ],
)
def test_only_a_text_that_says_so_shortens_the_time_of_the_manager(spec: str, seconds: float | None) -> None:
    assert without_seconds(spec, Connect(5, 5)).budget.seconds == seconds


def test_a_brain_that_searches_says_what_it_thinks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    four = "BOARD\n1,1,1\n2,1,1\n3,1,1\n4,1,1\n1,5,2\n2,5,2\n3,5,2\n5,1,2\nDONE\n"
    lines = f"START 7\nINFO timeout_turn 500\nINFO rule 1\n{four}END AT ONCE\n"
    assert run_pbrain(monkeypatch, lines, "--agent", "mcts:iterations=3000") == 0
    ok, message, cell, unknown = capsys.readouterr().out.splitlines()
    assert (ok, cell, unknown) == ("OK", "0,1", "UNKNOWN command END")
    assert "iterations, value 100.0 %" in message


def test_an_agent_that_does_not_exist_is_no_brain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_pbrain(monkeypatch, "ABOUT\n", "--agent", "mtcs") == 2
    out, err = capsys.readouterr()
    assert (out, "did you mean 'mcts'" in err) == ("", True)


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["level:easy", "rave:iterations=20"])
def test_levels_and_presets_are_brains_too(
    agent: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_pbrain(monkeypatch, "START 7\nTURN 3,3\n", "--agent", agent) == 0
    assert capsys.readouterr().out.startswith("OK")


def test_a_megabyte_of_noise_is_answered_line_by_line_and_the_brain_plays_on() -> None:
    """Bytes of all kinds, a line without end among them; then an ordinary game begins."""
    noise = Random(1).randbytes(2**20) + b"TURN " + b"9" * 2**18 + b"\n" + bytes(2**16) + b"\n"
    asked = b"START 10\nBEGIN\n" + noise + b"\nSTART 7\nTURN 3,3\n"
    command = [sys.executable, "-m", "ponderosa", "engine", "gomocup", "--agent", "random"]
    done = subprocess.run(command, input=asked, capture_output=True, timeout=PATIENCE)
    answers = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert answers[0] == "OK" and answers[-2] == "OK" and Board(7, 7).read(answers[-1]) >= 0
    assert all(answer.split(" ")[0] in ("UNKNOWN", "ERROR") for answer in answers[2:-2])
    assert max(map(len, answers)) < 500


def test_a_brain_plays_without_its_agent_until_that_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has never compiled anything: neither START nor a move waits longer than it may."""
    compiled = threading.Event()

    def made(spec: str, game: Any) -> Any:
        assert compiled.wait(PATIENCE)
        return without_seconds(spec, game)

    monkeypatch.setattr(thinkers, "without_seconds", made)
    thinker = BoardThinker("mcts:iterations=50", patience=0.0)
    state = thinker.new_state(7, 7, False)
    first = thinker.think(state, 0.1, None, lambda: False)
    assert "still compiling" in first.note and first.value is None
    state.apply_action(first.action)
    assert "still compiling" in thinker.think(state, PATIENCE, None, lambda: True).note  # END waits for nothing
    compiled.set()
    second = thinker.think(state, PATIENCE, None, lambda: False)
    assert "iterations" in second.note and second.action in state.legal_actions()


def test_what_goes_wrong_while_an_agent_is_made_is_told() -> None:
    with pytest.raises(PonderosaError, match="scripted plays"):
        BoardThinker("scripted", patience=PATIENCE).new_state(9, 10, False)


@pytest.mark.usefixtures("compiled")
def test_once_its_agent_is_made_the_rules_are_machine_code_again(monkeypatch: pytest.MonkeyPatch) -> None:
    may_be_made, make = threading.Event(), thinkers.without_seconds
    monkeypatch.setattr(
        thinkers, "without_seconds", lambda spec, game: make(spec, game) if may_be_made.wait(PATIENCE) else None
    )
    thinker = BoardThinker("mcts:iterations=20", patience=0.0)
    state = thinker.new_state(7, 7, False)
    plain, native = (type(state.game.build_rules(compiled).apply_action) for compiled in (False, True))
    assert plain is not native and type(state.game.rules.apply_action) is plain
    may_be_made.set()
    thinker.think(state, PATIENCE)
    assert type(state.game.rules.apply_action) is native
