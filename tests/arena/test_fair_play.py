"""Agents that cheat, hang, crash, print rubbish or eat memory lose their games and harm nothing else."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from ponderosa import PonderosaError, match, tournament
from ponderosa.arena.results.store import Store
from tests.cli.conftest import Run, ponderosa  # noqa: F401  a fixture

BAD = Path(__file__).parent / "bad_agents.py"
FAULTS = {
    "Cheats": "illegal move",
    "AnswersRubbish": "illegal move",
    "AnswersNothing": "illegal move",
    "Raises": "crash",
    "Leaves": "crash",
    "EndsTheProcess": "crash",
    "ReadsNowhere": "crash",
    "Recurses": "crash",
    "Hangs": "hang",
    "Sleeps": "hang",
    "EatsMemory": "out of memory",
    "Noisy": None,
    "Meddles": None,
}


def bad(name: str) -> str:
    return f"{BAD}:{name}"


@pytest.mark.skipif(sys.platform == "win32", reason="memory is limited on POSIX only")
@pytest.mark.slow
def test_bad_agents_lose_their_games_and_harm_nothing_else(tmp_path: Path) -> None:
    agents = [bad("Good"), *map(bad, FAULTS)]
    result = tournament(
        "connect:m=4,n=4,k=4", agents, 2, kind="gauntlet", out=tmp_path / "g.db", timeout=5.0, memory=3.0
    )  # whoever only misbehaves must be found out sooner than that, beside busy processes too
    assert result.tally.games == 2 * len(FAULTS)
    for line, (name, reason) in zip(result.tally.lines[1:], FAULTS.items(), strict=True):
        assert line.faults == ({} if reason is None else {reason: 2}), name
        assert reason is None or line.losses.total() == 2, name
    assert not result.tally.lines[0].faults
    with Store(tmp_path / "g.db", readonly=True) as store:
        assert {game.reason for game in store.games()} == {"finished", *FAULTS.values()} - {None}
        hung = store.game(store.games(reason="hang")[0].id)
        assert len(hung["moves"]) >= 1 and "no move after" in hung["detail"]
        raised = store.game(store.games(agent=bad("Raises"))[0].id)
        assert raised["detail"] == "RuntimeError: bang"


@pytest.mark.slow
def test_a_move_that_takes_longer_than_its_limit_and_the_tolerance_loses(tmp_path: Path) -> None:
    limits = {"seconds": 0.05, "out": tmp_path / "g.db"}
    lost = match("tictactoe", bad("Slow"), "random", 2, tolerance=2.0, **limits)
    slow, good = lost.tally.lines
    assert slow.faults.total() == 2 and not good.faults
    assert set(slow.faults) <= {"time", "hang"}  # a busy machine may have waited for its answer in vain
    tolerated = match("tictactoe", bad("Slow"), "random", 2, tolerance=60.0, **limits)
    assert not tolerated.tally.lines[0].faults


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the growth of a process is known on Linux only")
def test_the_agent_that_filled_the_memory_is_blamed_not_the_one_that_got_none(tmp_path: Path) -> None:
    board = "connect:m=10,n=10,k=10"
    result = match(board, bad("Leaks"), bad("NeedsALittle"), 2, out=tmp_path / "g.db", memory=2.0, concurrency=1)
    leaking, modest = result.tally.lines
    assert leaking.faults == {"out of memory": 2} and not modest.faults


@pytest.mark.slow
def test_a_strict_match_stops_at_the_first_fault(tmp_path: Path) -> None:
    with pytest.raises(PonderosaError, match="Raises: crash"):
        match("tictactoe", bad("Raises"), bad("Good"), 50, strict=True, out=tmp_path / "g.db", concurrency=1)
    with Store(tmp_path / "g.db", readonly=True) as store:
        assert 1 <= store.count(reason="crash") < 50


def test_an_agent_that_cannot_be_made_is_told_before_the_first_game(tmp_path: Path) -> None:
    with pytest.raises(PonderosaError, match=r"agent .*CannotBeMade cannot be made: ValueError: no"):
        match("tictactoe", bad("CannotBeMade"), "random", 2, out=tmp_path / "g.db")
    with pytest.raises(PonderosaError, match="Good"):
        match("tictactoe", bad("Goood"), "random", 2, out=tmp_path / "g.db")


@pytest.mark.slow
def test_it_is_said_when_moves_are_timed_on_too_few_cores(ponderosa: Run, tmp_path: Path) -> None:  # noqa: F811
    out = ("--out", str(tmp_path / "g.db"))
    command = ("match", "tictactoe", "random", "random:seed=1", "--games", "2", "--seconds", "1", *out)
    assert "threads think on" in ponderosa(*command, "--concurrency", "500").err
    assert "threads think on" not in ponderosa(*command).err
    with pytest.warns(UserWarning, match="threads think on"):
        match("tictactoe", "random", "random:seed=1", 2, seconds=1, concurrency=500)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match("tictactoe", "random", "random:seed=1", 2, iterations=10, concurrency=500)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"games": 0}, "from 2 to"),
        ({"concurrency": 0}, "from 1 to 1024"),
        ({"memory": -1}, "gigabytes"),
        ({"memory": 0.05}, "too little to begin with"),
        ({"seed": -1}, "seed"),
        ({"iterations": 0}, "iterations"),
        ({"seconds": float("nan")}, "seconds"),
        ({"tolerance": -1}, "tolerance"),
        ({"openings": "random:0"}, "random:PLIES"),
        ({"openings": "no such file"}, "cannot be read"),
        ({"openings": "random:9"}, "take fewer"),
        ({"cluster": "nowhere"}, "local:N"),
        ({"sprt": "5"}, "elo0,elo1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(PonderosaError, match=words):
        match("tictactoe", "random", "random:seed=1", **{"games": 2, **settings})  # type: ignore[arg-type]


def test_an_opening_that_is_illegal_is_named(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("a1 b2\na1 a1\n")
    with pytest.raises(PonderosaError, match="the opening 'a1 a1': move 2"):
        match("tictactoe", "random", "random:seed=1", 4, openings=str(file))


@pytest.mark.slow
def test_the_exit_codes_of_a_sequential_test_differ(ponderosa: Run, tmp_path: Path) -> None:  # noqa: F811
    out = ("--openings", "random:1", "--count-repeats", "--out", str(tmp_path / "g.db"))
    strong, weak = "mcts:iterations=100", "random"
    won = ponderosa("match", "tictactoe", strong, weak, "--sprt", "0,150", *out)
    assert won.code == 0 and "H1 accepted" in won.out
    again = ponderosa("games-db", "result", "1", "--sprt", "0,150", "--count-repeats", "--store", out[-1])
    assert [line for line in again.out.splitlines() if "LLR" in line] == [
        line for line in won.out.splitlines() if "LLR" in line
    ]
    lost = ponderosa("match", "tictactoe", weak, strong, "--sprt", "0,150", *out)
    assert lost.code == 3 and "H0 accepted" in lost.out
    short = ponderosa("match", "tictactoe", strong, weak, "--sprt", "0,1", "--games", "4", *out)
    assert short.code == 4 and "undecided" in short.out


def test_a_sequential_test_that_gets_nothing_new_ends(tmp_path: Path) -> None:
    class First:
        def __init__(self, game: Any) -> None:
            pass

        def step(self, state: Any) -> Any:
            return state.legal_actions()[0]

    result = match("tictactoe", First, First, sprt=(0, 5), out=tmp_path / "g.db")
    assert result.verdict == "undecided" and result.tally.repeats >= 400
