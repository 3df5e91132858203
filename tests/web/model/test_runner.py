"""Searches of many visitors: everybody gets a turn, and none goes on after its time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.errors import LimitError
from ponderosa.system.delegation import errand
from ponderosa.system.watchdog import Endable, OverrunError
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.runner import Job, Runner, Thinker
from ponderosa.web.model.shares import Shares, Visitor
from tests.helpers import loaded
from tests.web.browser import wait_for

PATIENCE = 120
AGENTS = '''
import threading

AT_IT, BACK, LET_GO = threading.Event(), threading.Event(), threading.Event()

class Deaf:
    """Never ends, and hears nobody."""

    last_report = None

    def __init__(self, game):
        pass

    def step(self, state):
        AT_IT.set()
        try:
            while True:
                try:
                    sum(range(1000))
                except Exception:
                    pass
        finally:
            BACK.set()

class Stone(Deaf):
    """Never ends, and runs no Python meanwhile, as machine code does."""

    def step(self, state):
        AT_IT.set()
        LET_GO.wait()
        BACK.set()
        return state.legal_actions()[0]
'''


@dataclass(frozen=True, eq=False)
class Wish:
    visitor: Visitor


VISITORS = [Visitor("a", "1"), Visitor("a", "2"), Visitor("b", ""), Visitor("c", "1")]


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(1, 4), st.integers(1, 2), st.data())
def test_nobody_waits_while_there_is_room_and_nobody_is_forgotten(asked, places, spare, data):
    shares: Shares[Wish] = Shares(places, spare, most_waiting=100)
    wishes, running, served = [Wish(VISITORS[number]) for number in asked], [], []
    for wish in wishes:
        shares.ask(wish)
    while len(served) < len(wishes):
        while (begun := shares.next()) is not None:
            running.append(begun)
            served.append(begun)
        assert running and len(running) <= places + spare
        assert len(running) >= min(places, len(wishes) - len(served) + len(running))
        waiting = [wish for wish in wishes if wish not in served]
        if len(running) < places + spare:
            assert all(any(wish.visitor == other.visitor for other in running) for wish in waiting)
        shares.done(running.pop(data.draw(st.integers(0, len(running) - 1))))
    for number in range(4):  # each visitor's own come in their order
        mine = [wish for wish in wishes if wish.visitor == VISITORS[number]]
        assert [wish for wish in served if wish.visitor == VISITORS[number]] == mine


def test_who_asks_for_much_does_not_come_before_who_asks_for_little():
    shares: Shares[Wish] = Shares(1, 1, most_waiting=100)
    greedy, modest = Visitor("a", "1"), Visitor("b", "1")
    for visitor in [greedy] * 30 + [modest]:
        shares.ask(Wish(visitor))
    first, beside = shares.next(), shares.next()
    assert first is not None and first.visitor == greedy
    assert beside is not None and beside.visitor == modest  # at once, though all places are taken
    assert shares.next() is None


def test_one_address_under_many_names_is_one_address():
    shares: Shares[Wish] = Shares(1, 0, most_waiting=100)
    for number in range(20):
        shares.ask(Wish(Visitor("a", str(number))))
    shares.ask(Wish(Visitor("b", "")))
    first = shares.next()
    assert first is not None
    shares.done(first)
    second = shares.next()
    assert second is not None and second.visitor.address == "b"


def test_nobody_takes_all_the_room_to_wait():
    shares: Shares[Wish] = Shares(1, 1, most_waiting=10)
    greedy, modest = Visitor("a", "1"), Visitor("b", "1")
    while shares.may_ask(greedy):
        shares.ask(Wish(greedy))
    assert shares.may_ask(modest)


@pytest.fixture
def runner() -> Iterator[Runner]:
    found = Runner(Limits(max_seconds=0.2, overrun_seconds=0.2, max_searches=1))
    yield found
    found.close()


def asked(runner: Runner, spec: str, visitor: Visitor = VISITORS[0]) -> Job:
    game = loaded("tictactoe")
    return runner.submit(Thinker(spec, game), game.new_initial_state(), visitor)


def agents_in(folder: Path) -> Path:
    file = folder / "agents.py"
    file.write_text(AGENTS)
    return file


def test_python_that_does_not_end_is_ended(runner: Runner, tmp_path: Path) -> None:
    file = agents_in(tmp_path)
    job = asked(runner, f"{file}:Deaf")
    assert job.finished.wait(PATIENCE) and "took longer than the 0.2 s" in str(job.error)
    again = asked(runner, "random")
    assert again.finished.wait(PATIENCE) and again.error is None
    wait_for(lambda: threads_of("search") == 0)
    assert runner.busy == 0


def test_machine_code_that_does_not_end_keeps_nobody_waiting(runner: Runner, tmp_path: Path) -> None:
    file = agents_in(tmp_path)
    job = asked(runner, f"{file}:Stone")
    behind = runner.submit(job.thinker, job.state, VISITORS[0])
    waiting = asked(runner, "random")
    assert job.finished.wait(PATIENCE) and "took longer" in str(job.error)
    assert behind.finished.wait(PATIENCE) and "does not come to an end" in str(behind.error)
    assert waiting.finished.wait(PATIENCE) and waiting.error is None
    assert runner.busy == 0 and runner._shares._running == {}
    runner.forget(job.thinker)  # nobody hangs with it
    with pytest.raises(LimitError, match="has not come to an end"):
        asked(runner, f"{file}:Stone")
    job.thinker.agent.own.step.__globals__["LET_GO"].set()
    wait_for(lambda: threads_of("search") == 0 and job.thinker.agent is None)  # what it had is free again
    assert job.error is not None and runner.busy == 0
    assert asked(runner, f"{file}:Stone").finished.wait(PATIENCE)  # it has come back: it may be asked again


def threads_of(name: str) -> int:
    return sum(thread.name == name for thread in threading.enumerate())


def test_an_import_is_never_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would leave half a module behind, for everybody."""
    module = "import os, time\nwhile not os.path.exists(__file__ + '.go'): time.sleep(0.01)\nDONE = True\n"
    (tmp_path / "slow_to_import.py").write_text(module)
    monkeypatch.syspath_prepend(str(tmp_path))
    work, ended = Endable(), []

    def run() -> None:
        try:
            work.run(lambda: ended.append(__import__("slow_to_import").DONE))
        except OverrunError:
            ended.append(False)

    thread = threading.Thread(target=run)
    thread.start()
    wait_for(lambda: work.prepares)
    for _ in range(100):
        work.interrupt()
    (tmp_path / "slow_to_import.py.go").touch()
    thread.join()
    assert ended == [True]


def test_the_time_that_is_spent_compiling_does_not_count(tmp_path: Path) -> None:
    now = [0.0]
    runner = Runner(Limits(max_seconds=1, overrun_seconds=1, max_searches=1), clock=lambda: now[0])
    job = asked(runner, f"{agents_in(tmp_path)}:Stone")
    wait_for(lambda: job.thinker.agent is not None and job.phase == "thinking")
    errand.workers.add(job.work._thread)
    now[0] = 1000.0
    runner._look()
    errand.workers.discard(job.work._thread)
    runner._look()
    assert not job.over
    now[0] = 1004.0
    wait_for(lambda: job.over)
    job.thinker.agent.own.step.__globals__["LET_GO"].set()
    runner.close()
