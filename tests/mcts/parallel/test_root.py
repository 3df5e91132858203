"""Several trees at once: the same answer for the same seed, nothing lost, and proofs that count for all."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import PonderosaError, Search, load_agent, search
from ponderosa.core.bounds import DRAW, LOSS, NOT_LOSS, NOT_WIN, UNPROVEN, WIN, for_opponent
from ponderosa.core.budget import Budget
from ponderosa.mcts.parallel.root import View, look, merged, shares
from tests.helpers import (
    EXAMPLES,
    PATIENCE,
    Exact,
    LookAlike,
    Nim,
    PlainNim,
    examples,
    hand_made,
    loaded,
    others_slow,
    position,
    running,
    untimed,
    visits,
)

WAYS = ["merge", "vote"]


def view_of(nodes: np.ndarray, slots: int | None = None) -> View:
    """What is seen of a hand-made root."""
    count = len(nodes) - 2
    return View(None, nodes[:-1], nodes[1:-1]["action"].tolist(), count if slots is None else slots)


@pytest.mark.parametrize("name", examples())
@pytest.mark.parametrize("parallel", WAYS)
@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_seed_threads_and_iterations_give_the_same_report(name, parallel, threads):
    one, other = (Search(loaded(EXAMPLES[name]), threads=threads, parallel=parallel, seed=4) for _ in range(2))
    report = one.run(iterations=1000)
    assert untimed(report) == untimed(other.run(iterations=1000))
    assert untimed(one.run(iterations=500)) == untimed(other.run(iterations=500))


@pytest.mark.parametrize("name", examples())
def test_a_merged_report_is_the_sum_of_its_trees(name):
    many = Search(loaded(EXAMPLES[name]), threads=3, solve=False, seed=9)
    report = many.run(iterations=1001)
    alone = [Search(loaded(EXAMPLES[name]), seed=tree.seed, solve=False) for tree in many.trees]
    parts = [one.run(iterations=share) for one, share in zip(alone, (334, 334, 333), strict=True)]
    assert len({one.seed for one in alone}) == 3 and alone[0].seed == 9
    assert visits(report) == dict(
        sum((Counter(visits(part)) for part in parts), Counter({key: 0 for key in visits(report)}))
    )
    assert report.nodes == sum(part.nodes for part in parts)
    assert (report.iterations, report.threads, report.seed) == (1001, 3, 9)
    for entry in report.actions:
        known = [own for part in parts for own in part.actions if own.action == entry.action and own.visits]
        total = sum(own.value * own.visits for own in known)
        assert entry.value == (pytest.approx(total / entry.visits) if known else None)
        assert entry.votes == sum(part.best_action == entry.action for part in parts)
    most = [entry for entry in report.actions if entry.visits == report.actions[0].visits]
    assert report.value == max(entry.value for entry in most)
    assert report.best_action in [entry.action for entry in most]


@pytest.mark.parametrize("parallel", WAYS)
def test_one_thread_is_the_plain_search(parallel):
    one = Search(loaded("connect4"), threads=1, parallel=parallel, seed=3)
    assert type(one) is Search
    assert untimed(one.run(iterations=3000)) == untimed(Search(loaded("connect4"), seed=3).run(iterations=3000))


@pytest.mark.parametrize("parallel", WAYS)
@pytest.mark.parametrize("state", [LookAlike(9), PlainNim((1, 3)).new_initial_state()])
def test_python_states_are_searched_on_threads_too(parallel, state):
    report = search(state, threads=2, parallel=parallel, iterations=3000, solve=False)
    assert report.iterations == 3000
    assert report.best_name == {"LookAlike": "take 1"}.get(type(state).__name__, "2 from 1")


@pytest.mark.parametrize("parallel", WAYS)
@pytest.mark.parametrize("seed", range(3))
def test_a_game_is_solved_rightly(parallel, seed):
    report = Search(Nim((3, 4, 5)), threads=2, parallel=parallel, seed=seed).run(seconds=60)
    assert (report.stopped, report.proven, report.best_action) == ("solved", "win", 2)
    report = Search(loaded("tictactoe"), threads=2, parallel=parallel, seed=seed).run(iterations=10**6)
    assert (report.stopped, report.proven) == ("solved", "draw")


@pytest.mark.parametrize("parallel", WAYS)
def test_what_is_called_proven_is_true(parallel):
    exact = Exact()
    names = {1.0: "win", 0.0: "draw", -1.0: "loss"}
    for moves in ("", "a1", "b2", "a1 b2", "a1 b1 c3", "a1 b2 c3 c1"):
        state = position(loaded("tictactoe"), moves)
        values = exact.action_values(state)
        for iterations in (20, 60, 200, 1000):
            report = Search(loaded("tictactoe"), threads=3, parallel=parallel, seed=1).run(state, iterations=iterations)
            for entry in report.actions:
                assert entry.proven in (None, names[values[entry.action]])
            assert report.proven in (None, names[max(values.values())])
            assert report.proven is None or values[report.best_action] == max(values.values())


KNOWN = [UNPROVEN, NOT_LOSS, WIN, NOT_WIN, DRAW, LOSS]
SEEN = {WIN: [UNPROVEN, NOT_LOSS, WIN], DRAW: [UNPROVEN, NOT_LOSS, NOT_WIN, DRAW], LOSS: [UNPROVEN, NOT_WIN, LOSS]}
"""What trees may know of an action whose true result is this."""


@st.composite
def trees_of_one_root(draw: st.DrawFn) -> tuple[list[int], list[View]]:
    """The true results of some actions, and views of trees that each know a part of them."""
    truth = draw(st.lists(st.sampled_from([WIN, DRAW, LOSS]), min_size=1, max_size=5))
    row = st.tuples(st.integers(1, 50), st.floats(0, 1))
    views = [
        view_of(hand_made(*((*draw(row), draw(st.sampled_from(SEEN[result]))) for result in truth)))
        for _ in range(draw(st.integers(1, 4)))
    ]
    return truth, views


@given(trees_of_one_root())
def test_merged_bounds_are_the_tightest_of_all_and_the_root_follows(seen):
    truth, views = seen
    nodes, actions = merged(views, solve=True)
    assert actions == list(range(len(truth)))
    for child, result in enumerate(truth, 1):
        known = {int(view.nodes[child]["proven"]) for view in views}
        assert nodes[child]["visits"] == sum(view.nodes[child]["visits"] for view in views)
        assert (int(nodes[child]["proven"]) == result) == (result in known or {NOT_LOSS, NOT_WIN} <= known)
    proven = int(nodes[0]["proven"])
    rank = {LOSS: 0, DRAW: 1, WIN: 2}
    assert proven not in rank or rank[proven] == max(rank[result] for result in truth)
    if WIN in nodes[1:-1]["proven"]:
        assert proven == WIN


def chosen(parallel: str, *trees: np.ndarray) -> int:
    """The action that trees choose together."""
    crew = Search(loaded("connect4"), threads=len(trees), parallel=parallel)
    nodes, actions = merged([view_of(tree) for tree in trees], solve=True)
    votes = Counter(int(tree[crew.engine.choose(tree, 0)]["action"]) for tree in trees)
    return actions[crew._grown._best(nodes, actions, votes) - 1]


def test_the_majority_and_the_sum_may_differ():
    trees = [hand_made((90, 0.5), (10, 0.5)), hand_made((40, 0.5), (60, 0.5)), hand_made((45, 0.5), (55, 0.5))]
    assert chosen("merge", *trees) == 0
    assert chosen("vote", *trees) == 1


def test_equal_votes_are_decided_by_the_value():
    trees = [hand_made((60, 0.4), (40, 0.5)), hand_made((40, 0.4), (60, 0.5))]
    assert chosen("vote", *trees) == 1


@pytest.mark.parametrize("parallel", WAYS)
def test_a_win_proven_by_one_tree_is_played_and_a_loss_avoided(parallel):
    popular, lonely = hand_made((90, 0.9), (10, 0.1)), hand_made((99, 0.9), (1, 0.1, WIN))
    assert chosen(parallel, popular, popular, lonely) == 1
    warned = hand_made((50, 0.9, LOSS), (50, 0.1))
    assert chosen(parallel, popular, popular, warned) == 1


@pytest.mark.parametrize("parallel", WAYS)
def test_a_settled_root_plays_what_settles_it(parallel):
    drawn = hand_made((50, 0.5, DRAW), (50, 0.5, NOT_WIN), proven=DRAW)
    hopeful = hand_made((1, 0.5), (99, 0.9))
    assert chosen(parallel, hopeful, hopeful, drawn) == 0


def test_trees_prove_together_what_none_proves_alone():
    one, other = hand_made((5, 0.1, LOSS), (5, 0.1)), hand_made((5, 0.1), (5, 0.1, LOSS))
    assert merged([view_of(one), view_of(other)], solve=True)[0][0]["proven"] == LOSS
    assert merged([view_of(one, slots=3), view_of(other)], solve=True)[0][0]["proven"] == UNPROVEN
    one["mover"] = other["mover"] = 1
    one[0]["mover"] = other[0]["mover"] = 0
    assert merged([view_of(one), view_of(other)], solve=True)[0][0]["proven"] == for_opponent(LOSS)


@given(st.integers(1, 1000), st.integers(1, 9), st.integers(1, 1000))
def test_shares_add_up(iterations, threads, nodes):
    parts = shares(Budget(iterations=iterations, max_nodes=nodes), threads)
    assert sum(part.iterations for part in parts) == iterations and len(parts) == min(threads, iterations)
    assert sum(part.max_nodes for part in parts) <= max(nodes, threads)


def test_fewer_iterations_than_threads_are_still_exact():
    report = Search(loaded("connect4"), threads=4).run(iterations=3)
    assert (report.iterations, sum(entry.visits for entry in report.actions)) == (3, 3)
    assert sum(entry.votes for entry in report.actions) == 3


def test_a_limit_of_nodes_holds_for_all_trees_together():
    report = Search(loaded("connect4"), threads=3).run(max_nodes=3000)
    assert report.stopped == "nodes" and 2900 < report.nodes <= 3000
    report = Search(loaded("connect4"), threads=3).run(max_nodes=3000, iterations=9_000)
    assert (report.stopped, report.iterations) == ("iterations", 9_000) and report.nodes <= 3000


@pytest.mark.parametrize("game", [loaded("connect4"), LookAlike(30)])
@pytest.mark.parametrize("parallel", WAYS)
def test_advance_and_reset_reach_all_trees(game, parallel):
    crew = Search(game, threads=2, parallel=parallel, solve=False)
    report = crew.run(iterations=2000)
    crew.advance(report.best_action)
    kept = sum(entry.visits for entry in crew.report().actions)
    assert kept == report.actions[[entry.action for entry in report.actions].index(report.best_action)].visits - 2
    after = crew.root_state
    assert crew.run(after, iterations=100).iterations == 100
    crew.reset()
    assert sum(entry.visits for entry in crew.report().actions) == 0
    fresh = Search(game, threads=2, parallel=parallel, solve=False)
    assert untimed(crew.run(after, iterations=100)) == untimed(fresh.run(after, iterations=100))


def test_threads_that_only_take_turns_are_warned_of_or_refused():
    with pytest.warns(UserWarning, match="no faster than one") as told:
        report = Search(PlainNim(), threads=2).run(iterations=50)
    assert report.threads == 2 and told[0].filename == __file__
    for parallel in ("tree", "leaf"):
        with pytest.raises(PonderosaError, match="compiled games: Python states take turns"):
            Search(PlainNim(), threads=2, parallel=parallel)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Search(PlainNim())
        Search(loaded("tictactoe"), threads=2)


def test_trees_on_several_threads_cannot_be_saved(tmp_path):
    with pytest.raises(PonderosaError, match="threads=1"):
        Search(loaded("connect4"), threads=2).save(tmp_path / "tree.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "nonsense", [{"threads": 0}, {"threads": 1.5}, {"threads": True}, {"threads": 10**6}, {"threads": "2"}]
)
def test_impossible_numbers_of_threads_are_refused(nonsense):
    with pytest.raises(PonderosaError, match="threads must be a whole number from 1"):
        Search(loaded("connect4"), **nonsense)


def test_an_unknown_way_is_refused_with_the_nearest():
    with pytest.raises(PonderosaError, match="did you mean 'vote'"):
        Search(loaded("connect4"), threads=2, parallel="votes")


def test_progress_is_told_and_may_end_the_search():
    told = []

    def progress(report):
        told.append(report)
        return len(told) < 3

    report = Search(loaded("connect4"), threads=2, solve=False).run(seconds=600, progress=progress)
    assert (report.stopped, len(told)) == ("progress", 3)
    assert 0 < told[0].iterations < told[1].iterations < told[2].iterations <= report.iterations
    assert sum(entry.visits for entry in told[2].actions) == told[2].iterations
    assert sum(entry.visits for entry in report.actions) == report.iterations


def no_thread_is_left() -> bool:
    return not [thread for thread in threading.enumerate() if thread.name.startswith("ponderosa")]


def test_no_thread_is_left_after_a_search_or_an_error():
    class Bad(LookAlike):
        def num_players(self):
            return 2

        def legal_actions(self):
            if self.stones < 20:
                raise RuntimeError("no")
            return super().legal_actions()

    Search(loaded("connect4"), threads=3).run(iterations=100)
    assert no_thread_is_left()
    with pytest.raises(PonderosaError, match="a rule or phase raised RuntimeError: no"):
        Search(Bad(30), threads=2).run(seconds=600)
    assert no_thread_is_left()

    def complain(report):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        Search(loaded("connect4"), threads=2, solve=False).run(seconds=600, progress=complain)
    assert no_thread_is_left()


def test_ctrl_c_ends_all_threads_and_loses_nothing():
    code = """
        from ponderosa import Search, load_game
        search = Search(load_game("connect4"), threads=2, solve=False)
        search.run(iterations=10)
        report = search.run(seconds=3600, progress=lambda report: print("running", flush=True))
        total = sum(entry.visits for entry in report.actions)
        print(report.stopped, total == report.iterations + 10, report.iterations > 0, flush=True)
    """
    with running([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE)[0].splitlines()[-1] == "interrupted True True"
        assert process.returncode == 0


def test_a_view_is_not_changed_by_further_search():
    one = Search(loaded("connect4"))
    one.run(iterations=100)
    view = look(one.trees[0], 100, 0.0, "progress")
    before = view.nodes.copy()
    one.run(iterations=1000)
    assert np.array_equal(view.nodes, before)


@pytest.mark.parametrize("spec", others_slow(["mcts", "fast", "clever:near=2", "lazy"], ["mcts"]))
@pytest.mark.parametrize("parallel", WAYS)
def test_agents_take_threads(spec, parallel):
    game = loaded("connect:m=5,n=6,k=4")
    agent = load_agent(
        f"{spec}{',' if ':' in spec else ':'}threads=2,parallel={parallel},iterations=400,seconds=60", game
    )
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(agent.step(state))
        assert agent.last_report.threads == 2
        assert sum(entry.votes for entry in agent.last_report.actions) == 2
