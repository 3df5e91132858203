"""What several Python threads share: one search at a time, and games, states and rules as they like."""

from __future__ import annotations

import contextlib
import copy
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ponderosa import Search
from ponderosa.errors import BusyError, PonderosaError
from ponderosa.mcts import turn
from tests.helpers import PATIENCE, loaded, position, run_python, untimed, visits

WAYS = [{}, {"threads": 4}, {"threads": 4, "parallel": "tree"}, {"threads": 3, "parallel": "leaf"}, {"trees": 3}]
CHANGES: dict[str, Any] = {
    "run": lambda search: search.run(iterations=10),
    "advance": lambda search: search.advance("4"),
    "touch": lambda search: search.touch(),
    "ponder": lambda search: search.ponder(lambda: False),
    "learn": lambda search: search.learn({"4": (0.0, 1.0)}),
    "settle": lambda search: search.settle([0], 0),
    "reset": lambda search: search.reset(),
}
LOOKS: dict[str, Any] = {
    "report": lambda search: search.report(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
}


@pytest.mark.slow
@pytest.mark.parametrize("settings", WAYS)
def test_every_thread_gets_its_own_answer(settings):
    game = loaded("connect4")
    search, states = Search(game, **settings), [position(game, moves) for moves in ("", "4 4 3", "", "1 7")]

    def searched(number: int) -> None:
        for _ in range(4):
            report = search.run(states[number], iterations=500)
            assert (report.proven, report.stopped, report.iterations) == (None, "iterations", 500)
            found = sum(entry.visits for entry in report.actions)
            assert found >= 499 and {entry.action for entry in report.actions} == set(states[number].legal_actions())

    with ThreadPoolExecutor(len(states)) as pool:
        list(pool.map(searched, range(len(states))))


@pytest.mark.parametrize("settings", WAYS)
def test_all_that_threads_may_do_with_a_search_leaves_it_whole(settings):
    """Nothing but sentences is raised, and at the end the search is as good as a new one."""
    game = loaded("connect4")
    search = Search(game, solve=False, **settings)
    search.run(iterations=200)
    deeds = [*CHANGES.values(), *LOOKS.values()]

    def doing(first: int) -> None:
        for number in range(24):
            try:
                deeds[(first + 5 * number) % len(deeds)](search)
            except PonderosaError:
                if search.root_state.is_terminal():
                    search.run(game.new_initial_state(), iterations=1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(doing, range(4)))
    search.reset(7)
    report = search.run(game.new_initial_state(), iterations=2000)
    if settings.get("parallel") != "tree":  # of which no two runs are the same
        assert visits(report) == visits(Search(game, solve=False, seed=7, **settings).run(iterations=2000))


@pytest.mark.parametrize("settings", [*WAYS[:2], *(pytest.param(way, marks=pytest.mark.slow) for way in WAYS[2:])])
@pytest.mark.parametrize("name", [*CHANGES, *LOOKS])
def test_another_thread_waits_until_the_run_has_ended(settings, name):
    search, told = Search(loaded("connect4"), **settings), []
    entered, other = threading.Event(), None

    def does() -> None:
        entered.set()
        with contextlib.suppress(PonderosaError):  # not all is for searches on several threads
            (CHANGES | LOOKS)[name](search)
        told.append("done")

    def progress(report: Any) -> bool:
        nonlocal other
        if other is None:
            other = threading.Thread(target=does)
            other.start()
            entered.wait(PATIENCE)
            return True
        told.append("progress")
        return len(told) < 2

    search.run(seconds=PATIENCE, progress=progress)
    told.append("ended")
    assert other is not None
    other.join(PATIENCE)
    assert told[:2] == ["progress", "progress"] and "done" in told[2:]


@pytest.mark.parametrize("settings", WAYS)
def test_a_callback_may_not_change_the_search_that_calls_it(settings):
    search, refused = Search(loaded("connect4"), solve=False, **settings), {}

    def progress(report: Any) -> bool:
        for name, change in CHANGES.items():
            with pytest.raises(BusyError, match=rf"at work.*cannot {name} it") as caught:
                change(search)
            refused[name] = caught.value
        return False

    report = search.run(seconds=PATIENCE, progress=progress)
    assert report.stopped == "progress" and list(refused) == list(CHANGES)
    search.advance("4")
    search.run(iterations=100)


@pytest.mark.parametrize("settings", WAYS)
def test_a_callback_may_look_where_nothing_grows_meanwhile(settings):
    search, seen = Search(loaded("connect4"), solve=False, **settings), []

    def progress(report: Any) -> bool:
        for look in LOOKS.values():
            if settings.get("parallel", "merge") == "leaf" or "threads" not in settings:
                seen.append(look(search))
            else:
                with pytest.raises(BusyError):
                    look(search)
        if seen:
            seen[1].run(iterations=10)  # a copy has turns of its own
        return False

    search.run(seconds=PATIENCE, progress=progress)
    assert len(seen) in (0, len(LOOKS))


def test_a_rule_may_not_search_with_the_search_that_calls_it():
    search = Search(loaded("tictactoe"), evaluator=lambda states: (None, search.run(iterations=1)))
    with pytest.raises(BusyError, match="at work"):
        search.run(iterations=10)


@pytest.mark.parametrize("settings", WAYS)
def test_a_search_that_ponders_without_an_end_is_not_waited_for(monkeypatch, settings):
    monkeypatch.setattr(turn, "PATIENCE", 0.01)
    search, over, begun = Search(loaded("connect4"), solve=False, **settings), threading.Event(), threading.Event()

    def keep_on() -> bool:
        begun.set()
        return not over.is_set()

    thinking = threading.Thread(target=search.ponder, args=(keep_on,))
    thinking.start()
    assert begun.wait(PATIENCE)
    with pytest.raises(BusyError, match="ponders in another thread"):
        search.run(iterations=1)
    over.set()
    thinking.join(PATIENCE)
    assert search.run(iterations=1).iterations == 1


def test_copies_do_not_wait_for_each_other():
    search = Search(loaded("connect4"), solve=False)
    twins = [
        copy.copy(search),
        pickle.loads(pickle.dumps(search)),
        copy.deepcopy(Search(loaded("connect4"), threads=2)),
    ]
    search.run(seconds=PATIENCE, progress=lambda report: any(twin.run(iterations=5).iterations != 5 for twin in twins))


def test_ctrl_c_ends_the_waiting():
    code = """
        import os, signal, threading
        from ponderosa import Search, load_game
        search, begun = Search(load_game("tictactoe"), solve=False), threading.Event()
        args = {"seconds": 600, "progress": lambda report: begun.set()}
        threading.Thread(target=search.run, kwargs=args, daemon=True).start()
        begun.wait()
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            search.run(iterations=1)
        except KeyboardInterrupt:
            print('"interrupted"', flush=True)
            os._exit(0)
    """
    assert run_python(code) == "interrupted"


def test_games_states_and_rules_are_shared_freely():
    game = loaded("connect4")
    state = position(game, "4 4 3")
    alone = [untimed(Search(game, seed=seed).run(state, iterations=1000)) for seed in range(4)]
    for _ in range(3):
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda seed: untimed(Search(game, seed=seed).run(state, iterations=1000)), range(4)))
        assert found == alone
    assert state == position(game, "4 4 3")


@pytest.mark.parametrize(("parallel", "iterations"), [("merge", 6400), ("vote", 6400), ("tree", 6400), ("leaf", 300)])
def test_sums_are_exact_on_64_threads(parallel, iterations):
    report = Search(loaded("connect4"), threads=64, parallel=parallel, solve=False).run(iterations=iterations)
    assert (report.iterations, report.threads) == (iterations, 64)
    assert sum(entry.visits for entry in report.actions) == iterations


@pytest.mark.parametrize("settings", [{}, {"threads": 2}])
def test_a_time_budget_is_kept_beside_busy_loops(settings):
    """However slow the machine is, no thread thinks on after it has seen that the time is up."""
    readings, over = [], threading.Event()

    def clock() -> float:
        now = time.perf_counter()
        readings.append(now)
        return now

    def busy() -> None:
        while not over.is_set():
            sum(range(1000))

    loops = [threading.Thread(target=busy, daemon=True) for _ in range(4)]
    for loop in loops:
        loop.start()
    search = Search(loaded("connect4"), solve=False, clock=clock, **settings)
    report = search.run(seconds=0.3)
    over.set()
    late = [reading for reading in readings if reading - readings[0] >= 0.3]
    assert report.stopped == "seconds" and report.seconds >= 0.3 and report.iterations > 0
    assert len(late) <= 2 * search.threads + 1  # each sees it, or looks up once more; one is for the report
