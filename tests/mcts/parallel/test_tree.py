"""One tree that several threads grow: nothing is lost, and the answers are those of one thread."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import Search
from ponderosa.compile.atomics import add_to_field, exchange_field
from ponderosa.errors import PonderosaError, UnknownNameError
from ponderosa.mcts.tree.node import NODE, UNTRIED
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


def test_a_tree_is_not_shared_by_one_search_alone():
    with pytest.raises(UnknownNameError):
        Search(loaded("tictactoe"), shared=True)
