"""What ends a search, and that it ends there."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from ponderosa import Search
from ponderosa.errors import GameError
from ponderosa.mcts.policies.base import ChoosePolicy
from ponderosa.mcts.policies.choose.choices import robust
from ponderosa.mcts.policies.expand.counts import expand
from tests.helpers import EXAMPLES, PATIENCE, LookAlike, Nim, children, examples, grown, loaded, running, walk


class Ticks:
    """A clock that goes on by a step every time it is read."""

    def __init__(self, step: float) -> None:
        self.step, self.now, self.reads = step, 0.0, 0

    def __call__(self) -> float:
        self.reads += 1
        self.now += self.step
        return self.now


def clock_of(seconds_an_iteration: float):
    """A search of Connect Four that takes exactly so long for every iteration."""
    search = Search(loaded("connect4"), clock=lambda: int(search.tree.nodes[0]["visits"]) * seconds_an_iteration)
    return search


@pytest.mark.parametrize("name", examples())
@pytest.mark.parametrize("iterations", [1, 2, 3, 77, 1000])
def test_iterations_are_exact(name, iterations):
    search = Search(loaded(EXAMPLES[name]), solve=False)
    for run in (1, 2):
        report = search.run(iterations=iterations)
        assert (report.iterations, report.stopped) == (iterations, "iterations")
        assert search.tree.nodes[0]["visits"] == run * iterations


def test_iterations_are_exact_over_plain_states():
    search = Search(LookAlike(9), solve=False)
    assert search.run(iterations=123).iterations == 123
    assert search.tree.nodes[0]["visits"] == 123


@pytest.mark.parametrize("seconds", [0.05, 1.0, pytest.param(30.0, marks=pytest.mark.slow)])
def test_a_time_budget_ends_the_search_at_the_right_iteration(seconds):
    report = clock_of(0.0001).run(seconds=seconds)
    assert report.stopped == "seconds"
    assert seconds <= report.seconds <= seconds + 0.0002
    assert report.iterations == pytest.approx(seconds / 0.0001, abs=2)


def test_a_slow_clock_ends_the_search_after_the_first_reading_beyond_the_budget():
    clock = Ticks(1.0)
    report = Search(loaded("connect4"), clock=clock).run(seconds=10)
    assert (report.iterations, report.stopped) == (10, "seconds")
    assert clock.reads == 12  # at the start, after ten slices of one iteration each, and for the report


def test_whichever_limit_is_reached_first_ends_the_search():
    assert clock_of(0.001).run(seconds=1.0, iterations=200).stopped == "iterations"
    assert clock_of(0.001).run(seconds=0.1, iterations=200).stopped == "seconds"
    assert clock_of(0.001).run(max_nodes=100).stopped == "nodes"
    assert Search(Nim((1, 2))).run(seconds=100.0, iterations=10**9).stopped == "solved"


@pytest.mark.parametrize("name", examples())
@pytest.mark.parametrize("max_nodes", [1, 2, 50, 1000, 5000])
def test_max_nodes_is_never_exceeded_and_the_search_goes_on(name, max_nodes):
    search = Search(loaded(EXAMPLES[name]), solve=False)
    seen = []
    report = search.run(max_nodes=max_nodes, iterations=20_000, progress=lambda report: seen.append(report.nodes))
    assert max([report.nodes, *seen]) <= max_nodes
    assert report.nodes == search.tree.used == len(grown(search))
    assert (report.stopped, report.iterations == 20_000) in (("nodes", False), ("iterations", True))
    assert report.best_action in loaded(EXAMPLES[name]).new_initial_state().legal_actions()


def test_a_full_tree_gives_up_its_least_visited_parts():
    search = Search(loaded("connect4"), solve=False, seed=1)
    report = search.run(max_nodes=2_000, iterations=30_000)
    nodes = grown(search)
    assert (report.stopped, report.iterations) == ("iterations", 30_000)
    assert nodes[0]["visits"] == 30_000
    assert nodes[children(nodes, 0)]["visits"].sum() == 30_000  # what is kept is exact
    assert report.best_name == Search(loaded("connect4"), solve=False, seed=1).run(iterations=30_000).best_name
    for _, node in walk(nodes):
        below = nodes[children(nodes, node)]["visits"].sum() if nodes[node]["first"] > 0 else 0
        assert below <= nodes[node]["visits"]


@pytest.mark.parametrize("max_nodes", [pytest.param(300, marks=pytest.mark.slow), 1_000])
def test_proofs_outlive_what_was_given_up(max_nodes):
    report = Search(loaded("connect:m=3,n=4,k=3")).run(max_nodes=max_nodes, iterations=300_000)
    assert report.proven == "win"


def test_the_same_seed_gives_the_same_answer_with_little_room():
    runs = [Search(loaded("connect4"), seed=2).run(max_nodes=700, iterations=5_000).actions for _ in range(2)]
    assert runs[0] == runs[1]


def test_without_another_limit_a_full_tree_ends_the_search():
    assert Search(loaded("connect4")).run(max_nodes=500).stopped == "nodes"


def test_a_tree_that_is_full_for_one_budget_grows_with_a_larger_one():
    search = Search(loaded("connect4"))
    assert search.run(max_nodes=500).stopped == "nodes"
    full = search.tree.used
    assert 490 < full <= 500
    assert search.run(max_nodes=500).iterations == 0
    assert search.run(max_nodes=700).nodes > full
    assert search.run(iterations=100).iterations == 100


def test_an_iteration_that_finds_no_room_leaves_no_trace():
    whole, parts = Search(loaded("connect4"), seed=5), Search(loaded("connect4"), seed=5)
    done = sum(parts.run(max_nodes=limit).iterations for limit in (100, 200, 300, 1000))
    parts.run(iterations=2_000 - done)
    whole.run(iterations=2_000)
    assert np.array_equal(grown(whole), grown(parts))


@pytest.mark.parametrize("limit", ["seconds", "iterations"])
def test_the_progress_callback_gets_reports_and_may_end_the_search(limit):
    reports = []

    def progress(report):
        reports.append(report)
        return len(reports) < 3

    budget = {"seconds": {"seconds": 100.0}, "iterations": {"iterations": 10**6}}[limit]
    report = clock_of(0.001).run(**budget, progress=progress)
    assert (report.stopped, len(reports)) == ("progress", 3)
    assert [entry.stopped for entry in reports] == ["progress"] * 3
    assert reports[0].iterations < reports[1].iterations < reports[2].iterations == report.iterations
    assert reports[0].seconds == pytest.approx(0.1, abs=0.01)
    assert reports[1].seconds == pytest.approx(0.2, abs=0.02)


def test_a_progress_callback_that_returns_nothing_lets_it_go_on():
    report = clock_of(0.001).run(iterations=500, progress=lambda report: None)
    assert (report.iterations, report.stopped) == (500, "iterations")


def test_ctrl_c_in_the_callback_returns_the_report_so_far():
    def progress(report):
        raise KeyboardInterrupt

    search = clock_of(0.001)
    report = search.run(seconds=100.0, progress=progress)
    assert report.stopped == "interrupted"
    assert 90 <= report.iterations == search.tree.nodes[0]["visits"] <= 110


class Interrupted(LookAlike):
    """A state whose methods meet Ctrl-C after so many calls in all."""

    calls = 0
    left = 10**9

    def legal_actions(self):
        self.count()
        return super().legal_actions()

    def apply_action(self, action):
        self.count()
        super().apply_action(action)

    def is_terminal(self):
        self.count()
        return super().is_terminal()

    @classmethod
    def count(cls):
        cls.calls += 1
        if cls.calls == cls.left:
            raise KeyboardInterrupt


@pytest.mark.parametrize("stones", [pytest.param(1, marks=pytest.mark.slow), 6])
@pytest.mark.parametrize("expansion", [1, "all"])
def test_ctrl_c_at_any_moment_leaves_a_tree_that_can_be_searched_on(stones, expansion):
    for moment in range(1, 80):
        Interrupted.calls, Interrupted.left = 0, 10**9
        search = Search(Interrupted(stones), seed=1, solve=False, expand=expand(expansion))
        before = Interrupted.calls
        Interrupted.calls, Interrupted.left = 0, before + moment
        try:
            report = search.run(iterations=30)
        except KeyboardInterrupt:  # before the search began, or after it ended
            report = None
        Interrupted.left = 10**9
        assert report is None or report.stopped in ("interrupted", "iterations")
        again = search.run(iterations=100)
        assert (again.iterations, again.best_action) == (100, "take 1" if stones == 1 else "take 2")


def test_ctrl_c_during_compiled_search_returns_the_report_so_far():
    code = """
        from ponderosa import Search, load_game
        search = Search(load_game("connect4"))
        report = search.run(seconds=3600, progress=lambda report: print("running", flush=True))
        print(report.stopped, report.iterations > 0, report.best_action in range(7))
        print(search.run(iterations=10).stopped)
    """
    with running([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
    assert output.replace("running\n", "") == "interrupted True True\niterations\n"


def never_content(nodes, parent, params):
    return -1


def soon_content(nodes, parent, params):
    return nodes[parent]["first"] if nodes[parent]["visits"] >= params[0] else -1


def test_a_choose_policy_may_ask_for_a_quarter_more_at_most():
    insatiable = ChoosePolicy(never_content, may_search_on=True)
    assert Search(loaded("connect4"), choose=insatiable).run(iterations=1_000).iterations == 1_250
    modest = ChoosePolicy(soon_content, (1_100.0,), may_search_on=True)
    assert 1_100 <= Search(loaded("connect4"), choose=modest).run(iterations=1_000).iterations <= 1_125
    assert Search(loaded("connect4"), choose=robust()).run(iterations=1_000).iterations == 1_000
    report = Search(loaded("connect4"), choose="max_robust").run(iterations=1_000)
    assert 1_000 <= report.iterations <= 1_250


def test_a_choose_policy_that_asks_for_more_still_answers():
    report = Search(loaded("connect4"), choose=ChoosePolicy(never_content, may_search_on=True)).run(iterations=500)
    assert report.best_action == report.actions[0].action


def test_a_choose_policy_that_is_content_ends_a_time_budget_early():
    def run(policy):
        search = Search(loaded("connect4"), choose=policy, clock=lambda: int(search.tree.nodes[0]["visits"]) * 0.001)
        return search.run(seconds=1.0)

    assert run(ChoosePolicy(soon_content, (0.0,), may_search_on=True)).seconds == pytest.approx(0.75, abs=0.005)
    assert run(ChoosePolicy(never_content, may_search_on=True)).seconds == pytest.approx(1.0, abs=0.005)


def test_max_robust_is_the_same_however_the_clock_cuts_the_search():
    reports = set()
    for step in (1e-9, 0.0005, 0.1, 10.0):
        search = Search(loaded("connect4"), choose="max_robust", seed=2, clock=Ticks(step))
        reports.add(search.run(iterations=997).iterations)
    assert len(reports) == 1


def test_a_finished_game_is_not_searched():
    state = Nim((1,)).new_initial_state()
    state.apply_action(1)
    with pytest.raises(GameError, match="the game is over: there is nothing to search"):
        Search(Nim((1,))).run(state, iterations=10)


def test_reset_starts_anew():
    for game in (loaded("connect4"), LookAlike(12)):
        search = Search(game, seed=3)
        first = search.run(iterations=200)
        search.run(iterations=50)
        search.reset()
        assert search.tree.used == 1
        again = search.run(iterations=200)
        assert [(entry.action, entry.visits) for entry in again.actions] == [
            (entry.action, entry.visits) for entry in first.actions
        ]
