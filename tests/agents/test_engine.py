"""Other programs as agents: good ones play, bad ones lose with an EngineError, and none is left behind."""

from __future__ import annotations

import functools
import os
import shlex
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ponderosa import Game, PonderosaError, load_agent, load_game, match
from ponderosa.agents.engine import EngineAgent
from ponderosa.errors import EngineError, SettingError, UnknownNameError
from ponderosa.games.connect import Connect
from ponderosa.protocols.gomocup import Board
from ponderosa.registry import split_spec
from tests.agents.programs import HEAD, alive, assert_none_left, noted
from tests.helpers import run_python

GOOD = """
def answer(line):
    if line.split()[0] in ("START", "RECTSTART", "RESTART"):
        say("OK")
    elif line in ("BEGIN", "DONE") or line.startswith("TURN"):
        move()
places = [f"{x},{y}" for y in range(6) for x in range(7)]
def move():
    say(places.pop(0))
"""
LOOP = """
for line in heard():
    if line == "END":
        break
    answer(line)
"""
HANG = "\ntime.sleep(600)\n"

MakeAgent = Callable[..., EngineAgent]


@functools.cache
def board_game(exact: bool = False) -> Connect:
    return Connect(6, 7, exact=exact)


@pytest.fixture
def engine(tmp_path: Path) -> MakeAgent:
    """An agent for a program that is written here: HEAD, GOOD, what the test changes of it, and LOOP."""

    def make(changes: str = "", *, head: str = "", game: Game | None = None, **options: Any) -> EngineAgent:
        file = tmp_path / "brain.py"
        file.write_text(HEAD + textwrap.dedent(head) + GOOD + textwrap.dedent(changes) + LOOP)
        command = shlex.join([sys.executable, str(file)])
        return EngineAgent(game or board_game(), command, **{"seconds": 0.1, "grace": 10.0, **options})

    return make


def state_after(*cells: str) -> Any:
    state = board_game().new_initial_state()
    for cell in cells:
        state.apply_action(Board(6, 7).read(cell))
    return state


def test_tells_the_program_the_game_and_its_moves(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine(seconds=0.5)
    state = state_after()
    for reply in ("3,3", "4,4"):
        state.apply_action(agent.step(state))
        state.apply_action(Board(6, 7).read(reply))
    assert agent.step(state) == Board(6, 7).read("2,0")
    agent.close()
    info, rest = noted(tmp_path, "heard")[1:7], noted(tmp_path, "heard")[7:]
    assert noted(tmp_path, "heard")[0] == "RECTSTART 7,6"
    assert set(info) >= {"INFO timeout_turn 500", "INFO time_left 2147483647", "INFO timeout_match 0", "INFO rule 0"}
    assert rest == ["BEGIN", "TURN 3,3", "TURN 4,4", "END"]
    assert agent.last_report is None
    assert agent.last_seconds > 0
    assert_none_left(tmp_path)


def test_a_square_board_and_exactly_five_are_said(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine(game=Connect(7, 7, exact=True))
    agent.step(agent.game.new_initial_state())
    agent.close()
    assert noted(tmp_path, "heard")[0] == "START 7"
    assert "INFO rule 1" in noted(tmp_path, "heard")


def test_the_second_player_begins_with_a_turn(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine()
    agent.step(state_after("5,5"))
    agent.close()
    assert noted(tmp_path, "heard")[-2:] == ["TURN 5,5", "END"]


def test_a_position_that_does_not_follow_is_laid_out(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine()
    agent.step(state_after("5,5", "4,4", "3,3"))
    agent.step(state_after("5,5", "4,4"))
    agent.step(state_after())
    agent.close()
    assert [line for line in noted(tmp_path, "heard") if "INFO" not in line] == [
        *("RECTSTART 7,6", "BOARD", "5,5,2", "4,4,1", "3,3,2", "DONE"),
        *("RESTART", "BOARD", "5,5,1", "4,4,2", "DONE"),
        *("RESTART", "BEGIN", "END"),
    ]
    assert len(noted(tmp_path, "pids")) == 1
    assert_none_left(tmp_path)


def test_a_program_that_cannot_restart_is_started_again(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine("""
        known = answer
        def answer(line):
            say("UNKNOWN command") if line == "RESTART" else known(line)
        """)
    agent.step(state_after())
    assert agent.step(state_after()) == Board(6, 7).read("0,0")
    agent.close()
    assert len(noted(tmp_path, "pids")) == 2
    assert_none_left(tmp_path)


def test_remarks_are_passed_over(engine: MakeAgent) -> None:
    agent = engine("""
        def move():
            say("MESSAGE 1,1")
            say("")
            say("DEBUG depth 3")
            say("message 2,2")
            say("  4,3\\r")
        """)
    assert agent.step(state_after()) == Board(6, 7).read("4,3")
    agent.close()


def test_a_suggestion_is_accepted(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine("""
        known = answer
        def answer(line):
            say(line[5:]) if line.startswith("PLAY") else known(line)
        def move():
            say("SUGGEST 4,3")
        """)
    assert agent.step(state_after()) == Board(6, 7).read("4,3")
    agent.close()
    assert noted(tmp_path, "heard")[-2:] == ["PLAY 4,3", "END"]


IGNORE_SIGNALS = "\nimport signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
CHILD = """
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
note("pids", str(child.pid))
"""
STRAY = """
import subprocess
code = "import os, sys, time; sys.stdout.write(str(os.getpid())); sys.stdout.flush(); os.close(1); time.sleep(600)"
starting = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', sys.argv[1]], start_new_session=True)"
note("pids", subprocess.run([sys.executable, "-c", starting, code], stdout=subprocess.PIPE, text=True).stdout)
"""
BAD = {
    "hangs at the start": ({"head": HANG, "startup": 0.5}, "did not answer 'RECTSTART 7,6' within 0.5 s"),
    "crashes at the start": (
        {"head": "\nsys.exit('no weights found')\n"},
        "ended with exit code 1 .*: no weights found",
    ),
    "refuses the board": (
        {"changes": "def answer(line): say('ERROR too small')"},
        "answers 'ERROR too small' to RECTST",
    ),
    "hangs": ({"changes": "def move(): time.sleep(600)", "grace": 0.2}, "did not answer 'BEGIN' within 0.3 s"),
    "hangs and will not go": (
        {"head": IGNORE_SIGNALS, "changes": "def move(): time.sleep(600)", "grace": 0.2},
        "did not answer 'BEGIN'",
    ),
    "hangs with a child": ({"head": CHILD, "changes": "def move(): time.sleep(600)", "grace": 0.2}, "did not answer"),
    "hangs with a child that has left": (
        {"head": STRAY, "changes": "def move(): time.sleep(600)", "grace": 0.2},
        "did not answer",
    ),
    "talks without end": (
        {"changes": "def move():\n    while True: say('MESSAGE thinking')", "grace": 0.2},
        "did not answer 'BEGIN'|prints without end instead of answering 'BEGIN'",
    ),
    "talks without taking breath": (
        {"changes": "def move():\n    while True: sys.stdout.write('MESSAGE')"},
        "prints without end instead of answering 'BEGIN'",
    ),
    "crashes": ({"changes": "def move(): os._exit(3)"}, "ended with exit code 3 instead of answering 'BEGIN'"),
    "raises": ({"changes": "def move(): say(str(1 // 0))"}, "ended with exit code 1 .*: ZeroDivisionError"),
    "closes its output": ({"changes": "def move(): os.close(1); time.sleep(600)"}, "closed its output"),
    "talks rubbish": ({"changes": "def move(): say('hello')"}, "answers 'hello', which is no move"),
    "answers with bytes": ({"changes": "def move(): sys.stdout.buffer.write(b'\\xff\\xfe\\n'); say('')"}, "no move"),
    "plays outside": (
        {"changes": "def move(): say('7,0')"},
        "answers '7,0', which is no move: 7,0 is not on the board",
    ),
    "gives up": ({"changes": "def move(): say('ERROR no idea')"}, "answers 'ERROR no idea'"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_program_fails_that(bad: str, engine: MakeAgent, tmp_path: Path) -> None:
    options, message = BAD[bad]
    agent = engine(**options)
    with pytest.raises(EngineError, match=message) as caught:
        agent.step(state_after())
    assert isinstance(caught.value, PonderosaError)
    assert_none_left(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks into /proc")
def test_what_a_program_complains_of_is_kept_nowhere_but_its_end(engine: MakeAgent, tmp_path: Path) -> None:
    def kept() -> int:
        files = (file for file in Path("/proc/self/fd").iterdir() if file.is_file())
        return sum(os.stat(file).st_size for file in files)

    before = kept()
    agent = engine(
        """
        sys.stderr.write("word " * 1_000_000)
        def move():
            say('0,0') if len(places) == 42 else sys.exit("no idea")
            places.pop()
        """
    )
    state = state_after()
    state.apply_action(agent.step(state))
    assert kept() < before + 1_000_000
    state.apply_action(Board(6, 7).read("5,5"))
    with pytest.raises(EngineError, match=r"exit code 1 .*: .{,500}no idea$"):
        agent.step(state)


def test_an_occupied_cell_is_no_answer(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine("def move(): say(line[5:])")
    with pytest.raises(EngineError, match="plays 3,3, where there is a stone already"):
        agent.step(state_after("3,3"))
    assert_none_left(tmp_path)


def test_a_program_that_fails_later_can_be_started_again(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine("""
        known = move
        def move():
            known() if len(places) == 42 else os._exit(1)
        """)
    state = state_after()
    state.apply_action(agent.step(state))
    state.apply_action(Board(6, 7).read("5,5"))
    with pytest.raises(EngineError, match="instead of answering 'TURN 5,5'"):
        agent.step(state)
    assert_none_left(tmp_path)
    assert agent.step(state_after()) == Board(6, 7).read("0,0")
    agent.close()
    assert_none_left(tmp_path)


def test_a_program_that_is_slow_to_quit_is_ended(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine(
        """
        known = heard
        def heard():
            for line in known():
                if line == "END":
                    time.sleep(600)
                yield line
        """,
        head=IGNORE_SIGNALS,
    )
    agent.step(state_after())
    agent.close()
    assert_none_left(tmp_path)


def test_an_agent_that_is_forgotten_leaves_nothing_behind(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine()
    agent.step(state_after())
    assert all(alive(pid) for pid in noted(tmp_path, "pids"))
    del agent
    assert_none_left(tmp_path)
    assert noted(tmp_path, "heard")[-1] == "END"


def test_nothing_is_left_behind_when_python_ends(engine: MakeAgent, tmp_path: Path) -> None:
    command = shlex.join(engine().command)
    code = f"""
        from ponderosa import load_game, load_agent
        game = load_game("connect:m=6,n=7")
        agent = load_agent('engine:cmd="{command}"', game)
        print(agent.step(game.new_initial_state()))
        cycle = [agent]
        cycle.append(cycle)
        """
    assert run_python(code) == Board(6, 7).read("0,0")
    assert_none_left(tmp_path)
    assert noted(tmp_path, "heard")[-1] == "END"


DEAF = "def move(): say('0,0'); time.sleep(600)"
"""A program that makes a move and does not hear that nobody is there any more."""


def test_nothing_is_left_behind_when_python_is_killed(engine: MakeAgent, tmp_path: Path) -> None:
    command = shlex.join(engine(DEAF).command)
    code = f"""
        import os, signal
        from ponderosa import load_game, load_agent
        game = load_game("connect:m=6,n=7")
        load_agent('engine:cmd="{command}"', game).step(game.new_initial_state())
        os.kill(os.getpid(), signal.SIGKILL)
        """
    with pytest.raises(AssertionError):
        run_python(code)
    assert_none_left(tmp_path)


@pytest.mark.slow
def test_a_program_that_hangs_loses_a_match_and_is_not_left_behind(engine: MakeAgent, tmp_path: Path) -> None:
    command = shlex.join(engine(DEAF).command)
    result = match("connect:m=6,n=7", f'engine:cmd="{command}",seconds=1,grace=60', "random", 2)
    assert result.tally.lines[0].faults == {"hang": 2}
    assert_none_left(tmp_path)


def test_closing_twice_or_before_the_first_move_is_fine(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine()
    agent.close()
    assert noted(tmp_path, "pids") == []
    agent.step(state_after())
    agent.close()
    agent.close()
    assert_none_left(tmp_path)


def test_a_program_that_does_not_exist_is_named() -> None:
    agent = load_agent('engine:cmd="/no/such/brain --fast"', board_game())
    with pytest.raises(EngineError, match="'/no/such/brain' cannot be started: No such file"):
        agent.step(state_after())


@pytest.mark.parametrize("spec", ["connect4", "tictactoe", "connect6", "connect:m=6,n=7,k=4", "connect:m=6,n=7,p=2"])
def test_only_five_in_a_row_is_played(spec: str) -> None:
    with pytest.raises(SettingError, match="is for five in a row"):
        EngineAgent(load_game(spec), "brain")


@pytest.mark.parametrize(
    "options", [{"cmd": ""}, {"cmd": "'x"}, {"seconds": -1.0}, {"seconds": float("nan")}, {"grace": -1}]
)
def test_settings_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        EngineAgent(board_game(), **{"cmd": "brain", **options})


def test_another_protocol_is_unknown() -> None:
    with pytest.raises(UnknownNameError, match="unknown protocol 'gomokup'; did you mean 'gomocup'"):
        EngineAgent(board_game(), "brain", protocol="gomokup")


def test_a_command_in_quotes_may_have_commas() -> None:
    spec = 'engine:cmd="brain --agent mcts:c=0.2,rollouts=2 --board 9,9",protocol=gomocup,seconds=2'
    assert split_spec(spec) == (
        "engine",
        {"cmd": "brain --agent mcts:c=0.2,rollouts=2 --board 9,9", "protocol": "gomocup", "seconds": "2"},
    )
    agent = load_agent(spec, board_game())
    assert (agent.command[-1], agent.seconds) == ("9,9", 2.0)
    with pytest.raises(SettingError, match="a quotation mark is missing"):
        split_spec('engine:cmd="brain,seconds=2')


def brain_of_ours(game: Game) -> EngineAgent:
    command = shlex.quote(str(Path(sys.executable).with_name("pbrain-ponderosa")))
    agent = load_agent(f'engine:cmd="{command}",protocol=gomocup,seconds=0.1,grace=30,startup=100', game)
    assert isinstance(agent, EngineAgent)
    return agent


@pytest.mark.slow
def test_a_brain_of_ours_makes_its_moves() -> None:
    game = load_game("gomoku")
    agent, state = brain_of_ours(game), game.new_initial_state()
    for _ in range(2):
        state.apply_action(agent.step(state))  # raises when it is not legal
        state.apply_action(state.legal_actions()[0])
    agent.close()


@pytest.mark.slow
def test_two_brains_of_ours_play_a_game() -> None:
    game = load_game("gomoku")
    agents = [brain_of_ours(game) for _ in range(2)]
    state: Any = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(agents[state.current_player()].step(state))
    for agent in agents:
        agent.close()
    assert len(state.history()) >= 9
