"""Chess programs as agents: one that is written here, ours, Stockfish and GNU Chess."""

from __future__ import annotations

import shlex
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ponderosa import load_agent, load_game, match
from ponderosa.agents.engine import EngineAgent, read_options
from ponderosa.core.clock import TimeControl
from ponderosa.errors import EngineError, SettingError, UnknownNameError
from ponderosa.games.chess import Chess
from tests.agents.programs import HEAD, assert_none_left, installed, noted
from tests.helpers import loaded
from tests.plain_python import in_plain_python  # noqa: F401

GOOD = """
moves = ["e7e5", "b8c6", "g8f6", "d7d5"]
def answer(line):
    if line == "uci":
        say("option name Skill Level type spin default 20 min 0 max 20")
        say("uciok")
    elif line == "isready":
        say("readyok")
    elif line.startswith("go"):
        say("info depth 1 score cp 12 pv e7e5")
        best()
def best():
    say("bestmove " + moves.pop(0) + " ponder a2a3")
"""
LOOP = """
for line in heard():
    if line == "quit":
        break
    answer(line)
"""
ENDGAME = "chess:fen=6k1/8/4K3/6N1/8/3B4/8/8_w_-_-_88_60"
"""A draw by fifty moves is near."""

MakeAgent = Callable[..., EngineAgent]


@pytest.fixture
def engine(tmp_path: Path) -> MakeAgent:
    """An agent for a program that is written here: HEAD, GOOD, what the test changes of it, and LOOP."""

    def make(changes: str = "", game: str = "chess", **options: Any) -> EngineAgent:
        file = tmp_path / "brain.py"
        file.write_text(HEAD + GOOD + textwrap.dedent(changes) + LOOP)
        command = shlex.join([sys.executable, str(file)])
        return EngineAgent(loaded(game), command, "uci", **{"seconds": 0.5, "grace": 10.0, **options})

    return make


def after(*moves: str) -> Any:
    state = loaded("chess").new_initial_state()
    for move in moves:
        state.apply_action(move)
    return state


def test_shows_the_program_the_moves_of_a_game(engine: MakeAgent, tmp_path: Path) -> None:
    agent, state = engine(), after("e4")
    for reply in ("Nf3", "Bb5"):
        state.apply_action(agent.step(state))
        state.apply_action(reply)
    agent.step(state)
    agent.step(after("d4"))  # another game; e7e5 is played no more
    agent.close()
    start = "position startpos moves"
    assert noted(tmp_path, "heard") == [
        *("uci", "ucinewgame", "isready", f"{start} e2e4", "go movetime 500"),
        *(f"{start} e2e4 e7e5 g1f3", "go movetime 500", f"{start} e2e4 e7e5 g1f3 b8c6 f1b5", "go movetime 500"),
        *("ucinewgame", "isready", f"{start} d2d4", "go movetime 500", "quit"),
    ]
    assert_none_left(tmp_path)


def test_another_first_position_is_said_as_it_is(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine("moves = ['g5f7']", game=ENDGAME)
    state = agent.game.new_initial_state()
    assert state.action_to_string(agent.step(state)) == "Nf7"
    agent.close()
    assert noted(tmp_path, "heard")[3] == "position fen 6k1/8/4K3/6N1/8/3B4/8/8 w - - 88 60"


def test_options_nodes_and_depth_are_said(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine(options="skill level=3", nodes=50, depth=4, seconds=None)
    assert agent.seconds == 60
    agent.step(after("e4"))
    agent.close()
    assert noted(tmp_path, "heard")[1] == "setoption name Skill Level value 3"
    assert noted(tmp_path, "heard")[-2] == "go nodes 50 depth 4"


@pytest.mark.parametrize(
    ("control", "used", "told"),
    [
        ("60+2", 10, "go wtime 60000 btime 52000 winc 2000 binc 2000"),
        ("60", 10, "go wtime 60000 btime 50000"),
        ("60+3x10", 10, "go wtime 70000 btime 60000"),
        ("60+3x10", 65, "go wtime 70000 btime 10000 movestogo 1"),
    ],
)
def test_tells_the_program_its_clock(control: str, used: float, told: str, engine: MakeAgent, tmp_path: Path) -> None:
    agent, clock = engine(), TimeControl.of(control).start()
    own = clock.after(used)
    assert own is not None
    agent.see_clocks([clock, own], 1, 30)
    agent.step(after("e4"))
    agent.close()
    assert noted(tmp_path, "heard")[-2] == told


BAD = {
    "plays what the rules forbid": ("moves = ['e7e4']", "answers 'bestmove e7e4 ponder a2a3', which is not legal"),
    "moves the other's pieces": ("moves = ['e2e4']", "'bestmove e2e4 ponder a2a3', which is not legal"),
    "says nothing": ("moves = ['(none)']", r"'bestmove \(none\) ponder a2a3', which is not legal"),
    "fails": ("def best(): os._exit(3)", "ended with exit code 3 instead of answering 'position"),
    "hangs": ("def best(): time.sleep(600)", "did not answer 'position startpos moves e2e4' within"),
    "does not know the protocol": ("def answer(line): say('Error: unknown command')", "did not answer 'uci' within"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_program_fails_that(bad: str, engine: MakeAgent, tmp_path: Path) -> None:
    changes, message = BAD[bad]
    fast = {"seconds": 0.1, "grace": 0.2} if bad == "hangs" else {"startup": 0.5} if "protocol" in bad else {}
    agent = engine(changes, **fast)
    with pytest.raises(EngineError, match=message):
        agent.step(after("e4"))
    assert_none_left(tmp_path)


@pytest.mark.parametrize(("bad", "fault"), [("plays what", "illegal move"), ("fails", "crash"), ("hangs", "time")])
def test_a_program_that_fails_loses_its_games_and_no_others(
    bad: str, fault: str, engine: MakeAgent, tmp_path: Path
) -> None:
    changes = next(changes for name, (changes, _) in BAD.items() if name.startswith(bad))
    command = shlex.join(engine(changes).command)
    result = match("chess", f'engine:protocol=uci,cmd="{command}",seconds=0.1,grace=0.2', "random", 2)
    assert (result.tally.games, result.tally.lines[0].faults) == (2, {fault: 2})
    assert_none_left(tmp_path)


def test_an_option_that_the_program_does_not_have_is_an_error(engine: MakeAgent) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown option of .* 'Skil Level'; did you mean 'Skill Level'"):
        engine(options="Skil Level=3").step(after("e4"))


def test_options_as_people_write_them() -> None:
    assert read_options("") == {}
    assert read_options("Skill Level=3; Hash = 64;") == {"Skill Level": "3", "Hash": "64"}
    for text in ("Skill Level", "=3", "a=1; b"):
        with pytest.raises(SettingError, match="options are written like"):
            read_options(text)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("engine:cmd=brain,nodes=5", "gomocup has no words for options, nodes and depth; uci does"),
        ('engine:cmd=brain,protocol=gtp,options="a=1"', "gtp has no words for options"),
        ("engine:cmd=brain,protocol=uci,nodes=0", "nodes of an engine must be a whole number"),
    ],
)
def test_settings_that_mean_nothing_are_refused(spec: str, message: str) -> None:
    game = load_game("go:size=5" if "gtp" in spec else "chess" if "uci" in spec else "gomoku")
    with pytest.raises(SettingError, match=message):
        load_agent(spec, game)


@pytest.mark.parametrize("spec", ["go", "gomoku", "checkers"])
def test_only_chess_is_played(spec: str) -> None:
    with pytest.raises(SettingError, match="uci is for chess, not"):
        EngineAgent(load_game(spec), "brain", "uci")


OURS = shlex.join([sys.executable, "-m", "ponderosa", "engine", "uci", "--agent", "random"])


@pytest.mark.slow
def test_our_program_plays_a_whole_game_with_our_client() -> None:
    game = load_game(ENDGAME)
    agent, state = load_agent(f'engine:protocol=uci,cmd="{OURS}",grace=60,startup=100', game), game.new_initial_state()
    for ply in range(20):
        if state.is_terminal():
            break
        state.apply_action(agent.step(state) if ply % 2 == 0 else state.legal_actions()[-1])
    agent.close()
    assert state.is_terminal()


@pytest.mark.parametrize(
    ("program", "arguments", "settings"),
    [
        ("stockfish", "", 'options="Skill Level=0; Threads=1",nodes=200'),
        ("gnuchess", " --uci", "depth=1"),
    ],
)
def test_a_program_of_the_system_mates(program: str, arguments: str, settings: str, tmp_path: Path) -> None:
    """With a queen more and a move from a mate; all moves of the game are legal by both rules."""
    agent = f'engine:protocol=uci,cmd="{installed(program)}{arguments}",{settings},grace=100,startup=100'
    game = Chess("6k1/5ppp/8/8/8/8/8/Q3R1K1 w - - 0 1")
    player, state = load_agent(agent, game), game.new_initial_state()
    while not state.is_terminal() and len(state.history()) < 40:
        state.apply_action(player.step(state) if state.current_player() == 0 else state.legal_actions()[0])
    player.close()
    assert state.returns() == [1.0, -1.0]


@pytest.mark.slow
def test_stockfish_wins_a_match_against_random() -> None:
    agent = f'engine:protocol=uci,cmd="{installed("stockfish")}",nodes=300,grace=100'
    result = match("chess", agent, "random", 2)
    assert result.tally.lines[0].wins.total() == 2 and not result.tally.lines[1].faults
