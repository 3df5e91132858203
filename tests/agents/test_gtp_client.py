"""Programs of the Go Text Protocol as agents: one that is written here, ours, and GNU Go."""

from __future__ import annotations

import shlex
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ponderosa import load_agent, load_game, match
from ponderosa.agents.engine import EngineAgent
from ponderosa.core.clock import TimeControl
from ponderosa.errors import EngineError, ResignedError, SettingError
from tests.agents.programs import HEAD, assert_none_left, installed, noted
from tests.cli.conftest import Run, ponderosa  # noqa: F401  a fixture
from tests.helpers import loaded
from tests.plain_python import in_plain_python  # noqa: F401

GOOD = """
def answer(number, name, words):
    if name == "genmove":
        return "=", move(words)
    return "=", ""
places = ["C3", "D4", "B2"]
def move(words):
    return places.pop(0)
"""
LOOP = """
for line in heard():
    number, name, *words = line.split() if line != "quit" else ("", "quit")
    sign, text = answer(number, name, words)
    print(f"{sign}{number} {text}\\n", flush=True)
    if name == "quit":
        break
"""

MakeAgent = Callable[..., EngineAgent]


@pytest.fixture
def engine(tmp_path: Path) -> MakeAgent:
    """An agent for a program that is written here: HEAD, GOOD, what the test changes of it, and LOOP."""

    def make(changes: str = "", game: str = "go:size=5,komi=5.5", **options: Any) -> EngineAgent:
        file = tmp_path / "brain.py"
        file.write_text(HEAD + GOOD + textwrap.dedent(changes) + LOOP)
        command = shlex.join([sys.executable, str(file)])
        return EngineAgent(loaded(game), command, "gtp", **{"seconds": 2.0, "grace": 10.0, **options})

    return make


def after(*moves: str, game: str = "go:size=5,komi=5.5") -> Any:
    state = loaded(game).new_initial_state()
    for move in moves:
        state.apply_action(move)
    return state


def said(tmp_path: Path) -> list[str]:
    """What the program has heard, without the numbers."""
    return [line.partition(" ")[2] or line for line in noted(tmp_path, "heard")]


def test_tells_the_program_the_game_and_its_moves(engine: MakeAgent, tmp_path: Path) -> None:
    agent, state = engine(), after()
    for reply in ("A1", "pass"):
        state.apply_action(agent.step(state))
        state.apply_action(reply)
    assert state.action_to_string(agent.step(state)) == "B2"
    agent.close()
    assert said(tmp_path) == [
        *("boardsize 5", "clear_board", "komi 5.5", "time_settings 0 2 1", "genmove b"),
        *("play w A1", "genmove b", "play w pass", "genmove b", "quit"),
    ]
    assert_none_left(tmp_path)


def test_a_position_that_does_not_follow_is_laid_out(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine()
    agent.step(after("A1"))
    agent.step(after("A2"))
    agent.close()
    assert said(tmp_path)[3:] == [
        *("play b A1", "time_settings 0 2 1", "genmove w"),
        *("boardsize 5", "clear_board", "komi 5.5", "play b A2", "genmove w", "quit"),
    ]
    assert len(noted(tmp_path, "pids")) == 1


def test_tells_the_program_its_clock(engine: MakeAgent, tmp_path: Path) -> None:
    agent, state = engine(), after("A1")
    clock = TimeControl.of("60+2x10").start()
    agent.reset(0)
    agent.prepare()
    agent.see_clocks([clock, clock.after(63) or clock], 1, 30)
    agent.step(state)
    agent.close()
    assert said(tmp_path)[4:-1] == ["time_settings 60 10 1", "time_left b 60 0", "time_left w 10 1", "genmove w"]


def test_other_games_are_named_and_written_as_the_protocol_has_them(engine: MakeAgent, tmp_path: Path) -> None:
    spec = "connect:m=12,n=12,k=5,p=1,q=1"
    agent = engine("places = ['J9']", game=spec)
    state = after("i8", game=spec)
    assert state.action_to_string(agent.step(state)) == "i9"
    agent.close()
    assert said(tmp_path)[:4] == ["set_game Gomoku", "boardsize 12", "clear_board", "play b J8"]


def test_two_stones_a_turn_are_asked_for_one_by_one(engine: MakeAgent, tmp_path: Path) -> None:
    spec = "connect:m=9,n=9,k=6,p=2,q=1"
    agent, state = engine("places = ['J9', 'A1']", game=spec), after("e5", "a9", "b9", game=spec)
    for _ in range(2):
        state.apply_action(agent.step(state))
    agent.close()
    assert [line for line in said(tmp_path) if line.split()[0] in ("set_game", "play", "genmove")] == [
        *("set_game Connect6", "play b E5", "play w A9", "play w B9", "genmove b", "genmove b")
    ]


def test_a_program_may_take_over_the_first_stone_of_hex(engine: MakeAgent) -> None:
    agent = engine("places = ['swap-pieces']", game="hex:size=4")
    state = after("b2", game="hex:size=4")
    assert state.action_to_string(agent.step(state)) == "swap"


def test_remarks_between_answers_are_passed_over(engine: MakeAgent) -> None:
    agent = engine("""
        def move(words):
            say("thinking")
            say("=999 A1")
            return "E5"
        """)
    state = after()
    assert state.action_to_string(agent.step(state)) == "E5"


BAD = {
    "refuses the size": (
        "def answer(number, name, words): return '?', 'unacceptable size'",
        "answers 'unacceptable size' to 'boardsize 5'",
    ),
    "plays on a stone": ("places = ['A1']", "plays 'A1', which is not legal"),
    "plays outside": ("places = ['Q16']", "plays 'Q16', which is not legal"),
    "says nonsense": ("places = ['hello world']", "plays 'hello world', which is not legal"),
    "fails": ("def move(words): os._exit(3)", "ended with exit code 3 instead of answering"),
    "hangs": ("def move(words): time.sleep(600)", "did not answer '.* genmove w' within"),
    "knows no genmove": (
        "def answer(number, name, words): return '?' if name == 'genmove' else '=', 'unknown command'",
        "answers 'unknown command' to 'genmove w'",
    ),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_program_fails_that(bad: str, engine: MakeAgent, tmp_path: Path) -> None:
    changes, message = BAD[bad]
    agent = engine(changes, **({"seconds": 0.1, "grace": 0.2} if bad == "hangs" else {}))
    with pytest.raises(EngineError, match=message):
        agent.step(after("A1"))
    assert_none_left(tmp_path)


@pytest.mark.slow
def test_a_program_that_resigns_has_lost_and_done_nothing_wrong(engine: MakeAgent, tmp_path: Path) -> None:
    agent = engine("places = ['resign']")
    with pytest.raises(ResignedError, match="resigns"):
        agent.step(after())
    command = shlex.join(agent.command)
    result = match("go:size=5", f'engine:protocol=gtp,cmd="{command}"', "random", 2, strict=True)
    assert result.tally.lines[0].faults == {"resignation": 2} and result.tally.lines[0].losses.total() == 2
    assert "resigned 2 of its games" in str(result) and "fault" not in str(result)


def test_a_program_that_plays_what_the_rules_forbid_loses_its_games_and_no_others(
    engine: MakeAgent, tmp_path: Path
) -> None:
    command = shlex.join(engine("def move(words): return 'A1'").command)
    result = match("go:size=5", f'engine:protocol=gtp,cmd="{command}"', "blind", 4)
    assert result.tally.games == 4
    assert result.tally.lines[0].losses.total() == 4 and result.tally.lines[0].faults == {"illegal move": 4}
    assert_none_left(tmp_path)


@pytest.mark.parametrize(
    ("places", "said", "code"),
    [("'A1', 'resign'", "resigns, and has lost.", 0), ("'A1', 'A1'", "has lost the game.", 1)],
)
def test_in_the_terminal_a_program_that_fails_has_lost(
    places: str,
    said: str,
    code: int,
    engine: MakeAgent,
    ponderosa: Run,  # noqa: F811
) -> None:
    command = shlex.join(engine(f"places = [{places}]").command)
    ran = ponderosa("watch", "go:size=5", f'engine:protocol=gtp,cmd="{command}"', "random")
    assert (ran.code, ran.moves.split()[0]) == (code, "A1") and said in ran.out
    assert ("which is not legal" in ran.err) == bool(code)


@pytest.mark.slow
def test_matches_by_the_clock_are_played_by_programs_too(engine: MakeAgent, tmp_path: Path) -> None:
    command = shlex.join(engine("def move(words): return 'pass'").command)
    result = match("go:size=5,max_moves=6", f'engine:protocol=gtp,cmd="{command}"', "blind", 2, time_control="30+2")
    assert result.tally.games == 2 and not result.tally.lines[0].faults
    assert "time_settings 30 0 0" in said(tmp_path) and any("time_left" in line for line in said(tmp_path))


@pytest.mark.parametrize("spec", ["chess", "connect4", "connect:m=6,n=7,k=5", "gomoku:exact=true"])
def test_games_without_words_in_the_protocol_are_refused(spec: str) -> None:
    with pytest.raises(SettingError, match="gtp is for the games go, othello, hex, gomoku, connect6"):
        EngineAgent(load_game(spec), "brain", "gtp")


OURS = shlex.join([sys.executable, "-m", "ponderosa", "engine", "gtp", "--agent", "random"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        "go:size=5,max_moves=40",
        *(pytest.param(spec, marks=pytest.mark.slow) for spec in ("othello:size=4", "hex:size=4", "gomoku")),
    ],
)
def test_our_program_plays_whole_games_with_our_client(spec: str) -> None:
    game = load_game(spec)
    agent, state = load_agent(f'engine:protocol=gtp,cmd="{OURS}",grace=60,startup=100', game), game.new_initial_state()
    for ply in range(60):
        if state.is_terminal():
            break
        state.apply_action(agent.step(state) if ply % 2 else state.legal_actions()[-1])
    agent.close()
    assert state.is_terminal() or spec == "gomoku"


GNU_GO = "--mode gtp --level 1 --min-level 1 --max-level 1 --chinese-rules --capture-all-dead --never-resign"


def test_gnu_go_plays_on_9x9() -> None:
    """Every move of it is legal by our rules, and every one of ours by its own."""
    agent = f'engine:protocol=gtp,cmd="{installed("gnugo")} {GNU_GO}",grace=100'
    result = match("go:size=9,max_moves=12", agent, "blind", 2)
    assert [line.faults for line in result.tally.lines] == [{}, {}]
    assert result.tally.lines[0].moves == 12


def test_gnu_go_is_shown_captures_and_passes() -> None:
    game = loaded("go:size=5,komi=0.5")
    agent = load_agent(f'engine:protocol=gtp,cmd="{installed("gnugo")} {GNU_GO}",grace=100', game)
    state = after("B1", "A1", "A2", "E5", "C2", "pass", game="go:size=5,komi=0.5")
    assert agent.step(state) in state.legal_actions()
    agent.close()
