"""Agents that want to falsify a match cannot, and what is the game's fault is not put down to them."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path
from typing import Any

import pytest

from ponderosa import PonderosaError, match
from ponderosa.arena.event import Event
from ponderosa.arena.results.store import Store
from ponderosa.arena.running.judge import CRASH, FINISHED, Judge
from ponderosa.arena.running.referee import Referee
from ponderosa.errors import EngineError, GameError
from ponderosa.registry import load_game
from tests.arena.test_fair_play import bad
from tests.arena.test_match import moves_in
from tests.arena.test_robust import assert_nothing_left
from tests.helpers import plain, running, wait_until

GAMES = Path(__file__).parent / "bad_games.py"
BOARD = "connect:m=4,n=4,k=4"
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def broken(name: str, **settings: int) -> str:
    return f"{GAMES}:{name}:" + ",".join(f"{key}={value}" for key, value in settings.items())


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    path = tmp_path_factory.mktemp("foul") / "games.db"
    match(BOARD, bad("Good"), bad("Good") + ":seed=1", 2, out=path)
    return played(path)


def played(path: Path) -> list[Any]:
    """The moves, the scores and the reason of each game."""
    return [game[2:5] for game in moves_in(path)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "ChangesTheRules",
        pytest.param("Forges", marks=linux),
        pytest.param("Scribbles", marks=[linux, pytest.mark.slow]),
        pytest.param(
            "Forks",
            marks=[pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="copies processes")],
        ),
        pytest.param("Boasts", marks=pytest.mark.slow),
    ],
)
def test_what_an_agent_does_in_its_own_process_changes_no_game(
    name: str, honest: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PONDEROSA_LISTENER", str(os.getpid()))
    result = match(BOARD, bad(name), bad("Good"), 2, out=tmp_path / "g.db", concurrency=1)
    assert not any(line.faults for line in result.tally.lines)
    assert played(tmp_path / "g.db") == honest


@pytest.mark.slow
def test_an_agent_that_babbles_where_it_is_listened_to_harms_only_itself(tmp_path: Path) -> None:
    result = match(BOARD, bad("Babbles"), bad("Good"), 2, out=tmp_path / "g.db", concurrency=1)
    assert result.tally.lines[0].faults == {"crash": 2} and not result.tally.lines[1].faults


class Rigs:
    """An agent in this process: it makes two in a row a win, wherever it gets hold of the game."""

    def __init__(self, game: Any) -> None:
        game.k = 2

    def step(self, state: Any) -> Any:
        state.game.k = 2
        return state.legal_actions()[0]


@pytest.mark.slow
def test_an_agent_in_this_process_does_not_get_hold_of_the_referees_game(honest: list[Any], tmp_path: Path) -> None:
    match(BOARD, Rigs, bad("Good"), 2, out=tmp_path / "g.db")
    assert played(tmp_path / "g.db") == honest
    match(load_game(BOARD), Rigs, bad("Good"), 2, out=tmp_path / "h.db")
    assert played(tmp_path / "h.db") == honest


def test_a_record_is_believed_only_if_its_moves_come_to_what_it_tells() -> None:
    event = Event("tictactoe", ("random", "random:seed=1"), openings="random:2", seed=3)
    game = load_game("tictactoe")
    judge, task = Judge(event, game), [4, [1, 0], 2, None]
    record = Referee(event, game).play(*task)
    assert judge.doubt(task, record) == ""
    other = {"returns": [3.0, -3.0], "scores": [0.25, 0.75], "seats": [0, 1], "seeds": [1, 1], "opening": 0}
    shorter = {"moves": record["moves"][:-1]}
    changes: list[dict[str, Any]] = [{key: value} for key, value in other.items()]
    changes += [shorter, {"moves": record["moves"][::-1]}, {"moves": []}, {"moves": None}, {"canon": "x"}]
    changes += [{"reason": "too long"}, {"reason": CRASH}, {"fault": 5, "reason": CRASH}, {"thoughts": [[]]}]
    for change in changes:
        assert judge.doubt(task, {**record, **change}) != "", change
    assert judge.doubt(task, [record]) != ""
    assert judge.doubt([5, [1, 0], 2, None], record) != ""


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel", "pig:target=30", "samegame:rows=5,columns=4,colours=3"])
def test_games_of_every_class_are_replayed(name: str) -> None:
    event, game = Event(name, ("random", "random:seed=1"), seed=2), plain(load_game(name))
    task = [1, list(range(game.players)), 0, None]
    record = Referee(event, game).play(*task)
    assert record["reason"] == FINISHED
    assert Judge(event, game).doubt(task, record) == ""


@pytest.mark.slow
def test_agents_in_their_own_processes_play_games_whose_actions_are_no_numbers(tmp_path: Path) -> None:
    result = match(broken("Pairs"), bad("Good"), bad("AnswersRubbish"), 2, out=tmp_path / "g.db", concurrency=1)
    assert result.tally.lines[1].faults == {"illegal move": 2} and not result.tally.lines[0].faults
    match(broken("Pairs"), bad("Good"), bad("Meddles"), 2, out=tmp_path / "h.db", concurrency=1)
    assert [game[-1] for game in played(tmp_path / "h.db")] == [FINISHED] * 2


@pytest.mark.slow
@linux
def test_programs_in_sessions_of_their_own_end_too(tmp_path: Path) -> None:
    before = sleepers()
    match("tictactoe", bad("LeavesHome"), bad("Good"), 2, out=tmp_path / "g.db", concurrency=1)
    wait_until(lambda: sleepers() <= before, pause=0.1)


def sleepers() -> set[str]:
    """The programs that LeavesHome has started; they have no environment to be known by."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"import time; time.sleep(600)" in (folder / "cmdline").read_bytes():
                found.add(folder.name)
        except OSError:
            continue
    return found


@pytest.mark.slow
@linux
def test_an_agent_that_holds_the_interpreter_ends_with_the_match(tmp_path: Path) -> None:
    mark, held = uuid.uuid4().hex, tmp_path / "held"
    command = [sys.executable, "-m", "ponderosa", "match", "tictactoe", bad("HoldsTheInterpreter"), "random"]
    environment = os.environ | {"PONDEROSA_MARK": mark, "PONDEROSA_HELD": str(held)}
    options: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with running([*command, "--out", str(tmp_path / "g.db")], env=environment, **options) as process:
        wait_until(held.exists, pause=0.05)
        process.kill()
        process.wait()
    assert_nothing_left(mark)


@pytest.mark.slow
def test_a_rule_that_hangs_ends_the_match_and_nobody_loses(tmp_path: Path) -> None:
    with pytest.raises(GameError, match=r"has not come back after 4 s, after the actions \d.*: it hangs"):
        match(broken("Counting", trouble=1), "random", "random:seed=1", 2, timeout=1.0, out=tmp_path / "g.db")
    assert stored(tmp_path) == 0


@pytest.mark.slow
def test_a_rule_that_hangs_before_the_first_move_ends_the_match_and_nobody_loses(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="has not come back after 4 s: it hangs"):
        match(broken("Counting", trouble=1, at=0), "random", "random:seed=1", 2, timeout=1.0, out=tmp_path / "g.db")
    assert stored(tmp_path) == 0


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["random", "mcts:iterations=20"])
def test_a_rule_that_raises_is_no_fault_of_an_agent(agent: str, tmp_path: Path) -> None:
    game = broken("Raising", trouble=2)
    with pytest.raises(GameError, match=r"raised RuntimeError: the dog ate it .*bad_games.py, line \d+"):
        match(game, agent, bad("Good"), 2, out=tmp_path / "g.db")
    assert stored(tmp_path) == 0


@pytest.mark.slow
def test_an_engine_that_cannot_be_started_is_told_before_the_first_game(tmp_path: Path) -> None:
    nowhere = [sys.executable, str(tmp_path / "no-such-brain.py")]
    for command, words in (("no-such-brain", "'no-such-brain' cannot be started"), (shlex.join(nowhere), "exit code")):
        with pytest.raises(EngineError, match=words):
            match("connect:m=6,n=7", f'engine:cmd="{command}"', "random", 2, out=tmp_path / "g.db")
    assert stored(tmp_path) == 0


def stored(tmp_path: Path) -> int:
    with Store(tmp_path / "g.db", readonly=True) as store:
        return store.count()


HANGING = """
    from ponderosa.system.interrupts import end_at_the_second
    from ponderosa.registry import load_game

    end_at_the_second()
    state = load_game({game!r}).new_initial_state()
    print(state.game.rules is None, flush=True)
    while True:
        try:
            state.is_terminal()
        except KeyboardInterrupt:
            continue
    """


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="signals of POSIX")
@pytest.mark.parametrize("command", [pytest.param("play", marks=pytest.mark.slow), "python"])
def test_a_second_ctrl_c_ends_a_rule_that_hangs(command: str) -> None:
    told = [command, broken("Counting", trouble=1), "--first", "ai"]
    code = textwrap.dedent(HANGING.format(game=broken("Counting", trouble=1, at=0)))
    arguments = ["-m", "ponderosa", *told] if command == "play" else ["-c", code]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with running([sys.executable, *arguments], text=True, **pipes) as process:
        next(line for line in process.stdout if "to move" in line or "False" in line)

        def interrupted() -> bool:
            process.send_signal(signal.SIGINT)
            return process.poll() is not None

        wait_until(interrupted, pause=0.5)
    assert process.returncode in (-signal.SIGINT, 130)


def test_a_mistake_of_an_agent_is_still_its_own(tmp_path: Path) -> None:
    result = match(broken("Raising"), bad("Raises"), "random", 2, out=tmp_path / "g.db")
    assert result.tally.lines[0].faults == {"crash": 2}


@pytest.mark.slow
def test_a_complaint_that_is_no_text_is_stored_all_the_same(tmp_path: Path) -> None:
    result = match(BOARD, bad("Stammers"), bad("Good"), 2, out=tmp_path / "g.db", concurrency=1)
    assert result.tally.lines[0].faults == {"crash": 2}
    with Store(tmp_path / "g.db", readonly=True) as store:
        assert store.game(store.games()[0].id)["detail"] == "ValueError: ??"


@pytest.mark.slow
@linux
def test_nobody_wins_by_ending_the_referee_while_the_other_thinks(tmp_path: Path) -> None:
    with pytest.raises(PonderosaError, match="was ended by somebody, its process was ended by signal 9, 3 times"):
        match(BOARD, bad("EndsTheReferee"), bad("Slow"), 2, out=tmp_path / "g.db", concurrency=1)
    with Store(tmp_path / "g.db", readonly=True) as store:
        assert store.count() == 0


def test_a_file_that_is_not_there_is_told_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(PonderosaError, match="there is no file"):
        match(BOARD, f"{tmp_path}/none.py:Agent", "random", 2, out=tmp_path / "g.db")
    assert not (tmp_path / "g.db").exists() or Store(tmp_path / "g.db", readonly=True).events() == []


@pytest.mark.slow
def test_a_rule_that_hangs_in_playouts_ends_the_match(tmp_path: Path) -> None:
    game = broken("Counting", trouble=1, at=6)
    try:
        found = match(game, "mcts:iterations=20", "random", 2, out=tmp_path / "g.db", timeout=2.0, concurrency=1)
        assert "hang" in found.tally.lines[0].faults
    except GameError as error:
        assert "hangs" in str(error)
