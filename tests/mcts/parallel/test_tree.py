"""One tree that several threads grow: nothing is lost, and the answers are those of one thread."""

from __future__ import annotations

import copy
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import Search
from ponderosa.compile.atomics import add_to_field, exchange_field
from ponderosa.errors import PonderosaError, UnknownNameError
from ponderosa.mcts.loops import shared_top
from ponderosa.mcts.tree.node import LEFT_OUT, NODE, UNTRIED
from tests.helpers import PlainNim, grown, loaded, position


def check_sums(search: Search, iterations: int) -> None:
    """Every visit and every result is accounted for, and every node in use hangs in the tree."""
    nodes = grown(search)
    assert nodes[0]["visits"] == iterations
    expanded = np.flatnonzero((nodes["first"] > 0) & (nodes["count"] > 0))
    slots = 1
    for node in expanded:
        first, count = int(nodes[node]["first"]), int(nodes[node]["count"])
        below = nodes[first : first + count]
        evaluated = int(nodes[node]["visits"]) - int(below["visits"].sum())
        assert evaluated >= 0
        same = below[0]["mover"] == nodes[node]["mover"]
        passed_on = float(below["value"].sum()) if same else float((below["visits"] - below["value"]).sum())
        assert -1e-6 <= float(nodes[node]["value"]) - passed_on <= evaluated + 1e-6
        assert (below["first"] >= 0).all() and len(set(below["action"].tolist())) == count
        slots += count
        while first + count < len(nodes) and nodes[first + count]["first"] == UNTRIED:
            slots, count = slots + 1, count + 1
    assert slots == len(nodes)


@pytest.mark.parametrize("spec", ["tictactoe", "connect4", "gomoku"])
@pytest.mark.parametrize("threads", [2, 8])
def test_no_visit_no_result_and_no_node_is_lost(spec, threads):
    iterations = 20_000 if spec == "gomoku" else 100_000
    search = Search(loaded(spec), threads=threads, parallel="tree", solve=False)
    report = search.run(iterations=iterations)
    assert (report.iterations, report.threads) == (iterations, threads)
    check_sums(search, iterations)


@pytest.mark.slow
def test_ten_million_iterations_on_eight_threads_lose_nothing():
    search = Search(loaded("connect4"), threads=8, parallel="tree", solve=False)
    search.run(iterations=10_000_000)
    check_sums(search, 10_000_000)


@pytest.mark.parametrize(
    ("spec", "policies"),
    [
        ("connect4", {"expand": "widening"}),  # children wait for long where many iterations pass
        ("connect4", {"expand": "all", "select": "greedy"}),  # and some are never visited
    ],
)
def test_nothing_is_lost_whatever_the_policies(spec, policies):
    search = Search(loaded(spec), threads=2, parallel="tree", solve=False, **policies)
    check_sums(search, search.run(iterations=6_000).iterations)


def test_nothing_is_lost_when_the_tree_is_full():
    search = Search(loaded("connect4"), threads=4, parallel="tree", solve=False)
    report = search.run(max_nodes=50_000)
    assert report.stopped == "nodes" and report.nodes == len(grown(search)) > 49_900
    check_sums(search, report.iterations)
    nodes = search.tree.nodes
    assert not nodes["visits"][report.nodes : report.nodes + 10_000].any()


def test_a_tree_that_several_have_grown_is_saved_copied_and_grown_further(tmp_path):
    search = Search(loaded("connect4"), threads=2, parallel="tree", solve=False)
    search.run(iterations=10_000)
    search.save(tmp_path / "tree.npz")
    alone, twin = Search.load(tmp_path / "tree.npz"), copy.deepcopy(search)
    assert (grown(alone)[1:] == grown(search)[1:]).all()
    for grows in (alone, twin, search):
        grows.run(iterations=10_000)
        check_sums(grows, 20_000)
        grows.advance(3)
        kept = int(grown(grows)[0]["visits"])
        grows.run(iterations=5_000)
        check_sums(grows, kept + 5_000)


def test_what_is_proven_is_right():
    for _ in range(3):
        report = Search(loaded("connect:m=3,n=4,k=3"), threads=4, parallel="tree").run(seconds=60)
        assert (report.proven, report.stopped) == ("win", "solved")
    state = position(loaded("connect4"), "4 3 4 3 4 3")
    assert Search(loaded("connect4"), threads=4, parallel="tree").run(state, iterations=4_000).best_name == "4"


def test_the_tree_is_kept_over_moves():
    search = Search(loaded("connect4"), threads=2, parallel="tree", solve=False)
    search.run(iterations=20_000)
    search.advance(3)
    kept = int(grown(search)[0]["visits"])
    assert 1_000 < kept < 20_000
    search.run(iterations=5_000)
    assert grown(search)[0]["visits"] == kept + 5_000


def test_a_limit_of_nodes_ends_it():
    report = Search(loaded("connect4"), threads=4, parallel="tree").run(max_nodes=3_000)
    assert report.stopped == "nodes" and 2_900 < report.nodes <= 3_000


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("connect4", {"backup": "late_weighted"}),
        ("connect4", {"select": "rave"}),
        ("connect4", {"playout": "mast"}),
        ("connect4", {"select": "puct"}),
        ("kuhn_poker", {}),
        ("pig", {}),
        ("samegame", {}),
    ],
)
def test_what_cannot_share_a_tree_is_refused_in_words(game, options):
    with pytest.raises(PonderosaError, match="parallel='tree' is for"):
        Search(loaded(game), threads=2, parallel="tree", **options)


def test_python_states_are_refused_in_words():
    with pytest.raises(PonderosaError, match="compiled games"):
        Search(PlainNim(), threads=2, parallel="tree")


def test_atomic_changes_are_ordinary_changes_for_one_thread():
    nodes = np.zeros(3, NODE)
    assert add_to_field("visits")(nodes, 1, 5) == 0
    assert add_to_field("value")(nodes, 1, 0.5) == 0.0
    assert add_to_field("visits")(nodes, 1, -2) == 5
    assert (nodes[1]["visits"], nodes[1]["value"]) == (3, 0.5)
    assert exchange_field("first")(nodes, 2, 0, 7)
    assert not exchange_field("first")(nodes, 2, 0, 8)
    assert nodes[2]["first"] == 7


def small_tree() -> np.ndarray:
    """A root with two children; the first has two, and one action left out, and the second one that still waits."""
    nodes = np.zeros(12, NODE)
    nodes["visits"][:8] = 1_000, 600, 400, 300, 300, 0, 400, 0
    nodes["first"][:8] = 1, 3, 6, 0, 0, UNTRIED, 0, UNTRIED
    nodes["count"][:3] = 2, 2, 1
    nodes["action"][:8] = 8, 0, 1, 0, 1, LEFT_OUT, 0, 1
    nodes["mover"][:8] = 0, 0, 0, 1, 1, 1, 1, 1
    return nodes


def thread_on(nodes: np.ndarray) -> SimpleNamespace:
    """What a thread works with that has copied the top of a tree."""
    work = SimpleNamespace(share=shared_top.new_share(2, NODE), values=np.zeros(2), path=[0] * 4, parents=[0] * 4)
    shared_top.copy_top(nodes, work)
    return work


def test_the_top_is_copied_as_far_as_nothing_waits_there():
    work = thread_on(small_tree())
    top, part = work.share.top, work.share.part
    assert part["copied"] == 6
    assert top["first"][:7].tolist() == [1, 3, 0, 0, 0, UNTRIED, 0]
    assert top["visits"][:6].tolist() == [1_000, 600, 400, 300, 300, 0]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([(0, 2), (0, 1, 3), (0, 1, 4)]), st.booleans()), max_size=30))
def test_what_threads_count_in_their_copies_adds_up_in_the_tree(iterations):
    nodes = small_tree()
    before, crew = nodes.copy(), [thread_on(nodes), thread_on(nodes)]
    counted = np.zeros(len(nodes), np.int64)
    for second, places, exchanges in iterations:
        work = crew[second]
        work.share.part["inside"] = len(places) - 1
        work.parents[: len(places)] = places  # here, copies are where their nodes are
        work.values[:] = 1.0, 0.0
        shared_top.count_in_top(work)
        counted[list(places[:-1])] += 1  # the last one is counted in the tree itself
        if exchanges:
            shared_top.exchange(nodes, work)
    for work in (*crew, *crew):
        shared_top.exchange(nodes, work)
    assert (nodes["visits"] - before["visits"]).tolist() == counted.tolist()
    assert (nodes["value"] == np.where(nodes["mover"] == 0, counted, 0)).all()
    for work in crew:
        assert work.share.top["visits"][:5].tolist() == nodes["visits"][:5].tolist()


def test_a_tree_is_not_shared_by_one_search_alone():
    with pytest.raises(UnknownNameError):
        Search(loaded("tictactoe"), shared=True)
