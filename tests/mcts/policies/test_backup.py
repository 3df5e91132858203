"""What each backup policy makes of results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import Game, Search, rule
from ponderosa.core.bounds import LOSS
from ponderosa.mcts.policies.backup.averages import best, discounted, late_weighted, mean
from ponderosa.mcts.tree.node import NODE
from tests.plain_python import plain_and_compiled  # noqa: F401


def line() -> np.ndarray:
    """A path of three nodes: the root for player 0, then moves of 0 and 1."""
    nodes = np.zeros(3, NODE)
    nodes["mover"] = (0, 0, 1)
    return nodes


def back_up(policy, nodes, *results: tuple[float, float], plies: int = 0) -> np.ndarray:
    for values in results:
        policy.function(nodes, np.arange(3), 2, np.array(values), plies, np.array(policy.params))
    return nodes


def test_mean_adds_the_result_of_each_nodes_mover():
    nodes = back_up(mean(), line(), (1.0, 0.0), (0.5, 0.5), (1.0, 0.0))
    assert nodes["visits"].tolist() == [3, 3, 3]
    assert nodes["value"].tolist() == [2.5, 2.5, 0.5]


def test_a_node_off_the_path_is_left_alone():
    nodes = line()
    mean().function(nodes, np.array([0, 2]), 1, np.array([1.0, 0.0]), 0, np.array([]))
    assert nodes["visits"].tolist() == [1, 0, 1]


def test_discounted_takes_a_share_a_ply_from_the_root_to_the_end():
    nodes = back_up(discounted(0.01, 0.5), line(), (1.0, 0.0), plies=8)  # two plies in the tree, eight in the playout
    assert nodes["value"] == pytest.approx([0.95, 0.95, 0.05])
    nodes = back_up(discounted(0.01, 0.5), line(), (1.0, 0.0), plies=98)
    assert nodes["value"] == pytest.approx([0.75, 0.75, 0.25])
    nodes = back_up(discounted(0.3, 1.0), line(), (0.5, 0.5), plies=8)
    assert nodes["value"].tolist() == [0.5, 0.5, 0.5]


def family() -> np.ndarray:
    """A root for player 0 with two children, its moves, the second with a child, a move of player 1."""
    nodes = np.zeros(5, NODE)
    nodes["mover"] = (0, 0, 0, 1, 0)
    nodes["first"], nodes["count"] = (1, 0, 3, 0, 0), (2, 0, 1, 0, 0)
    return nodes


def test_best_gives_a_node_the_value_of_its_best_child():
    nodes, params = family(), np.array([])
    best().function(nodes, np.array([0, 1]), 1, np.array([0.4, 0.6]), 0, params)
    best().function(nodes, np.array([0, 2]), 1, np.array([0.9, 0.1]), 0, params)
    assert nodes[0]["value"] / nodes[0]["visits"] == pytest.approx(0.9)
    best().function(nodes, np.array([0, 2, 3]), 2, np.array([0.2, 0.8]), 0, params)  # the reply refutes it
    assert (nodes["value"][:4] / nodes["visits"][:4]).tolist() == pytest.approx([0.4, 0.4, 0.2, 0.8])
    assert nodes["visits"][:4].tolist() == [3, 1, 2, 1]


def test_best_believes_what_is_proven_of_a_child():
    nodes, params = family(), np.array([])
    best().function(nodes, np.array([0, 1]), 1, np.array([0.4, 0.6]), 0, params)
    best().function(nodes, np.array([0, 2]), 1, np.array([0.9, 0.1]), 0, params)
    nodes[2]["proven"] = LOSS
    best().function(nodes, np.array([0, 1]), 1, np.array([0.3, 0.7]), 0, params)
    assert nodes[0]["value"] / nodes[0]["visits"] == pytest.approx(0.35)


def test_late_weighted_weighs_the_newest_result_with_1_plus_rate_in_n():
    nodes = back_up(late_weighted(1.0), line(), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, 0.0))
    assert nodes["visits"].tolist() == [4, 4, 4]
    assert nodes["value"] / nodes["visits"] == pytest.approx([0.5, 0.5, 0.5])  # a share of 2/4 for the newest


def test_late_weighted_is_at_first_the_newest_result():
    nodes = back_up(late_weighted(3.0), line(), (0.0, 1.0), (0.0, 1.0), (1.0, 0.0))
    assert (nodes["value"] / nodes["visits"]).tolist() == [1.0, 1.0, 0.0]


@given(results=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=200))
def test_late_weighted_with_rate_0_is_the_mean(results):
    values = [(result, 1.0 - result) for result in results]
    plain, weighted = back_up(mean(), line(), *values), back_up(late_weighted(0.0), line(), *values)
    assert plain["visits"].tolist() == weighted["visits"].tolist()
    assert plain["value"] == pytest.approx(weighted["value"])


@given(rate=st.floats(0, 20), results=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=100))
def test_late_weighted_leans_to_what_came_later(rate, results):
    """Sorted results: the better half comes last, and then first."""
    rising = [(result, 1.0 - result) for result in sorted(results)]
    up, down = (back_up(late_weighted(rate), line(), *values) for values in (rising, rising[::-1]))
    average = np.mean(results)
    assert down["value"][0] / len(results) - 1e-9 <= average <= up["value"][0] / len(results) + 1e-9


class Detour(Game):
    """One player may win at once or after ten forced moves; the other only passes."""

    dtype = np.dtype([("left", "i1"), ("player", "i1"), ("begun", "i1")])

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        yield 0
        if s.begun == 0:
            yield 1

    @rule
    def apply_action(s, a):
        if s.begun == 0:
            s.begun = 1
            s.left = 10 * a
        else:
            s.left -= 1
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.begun == 1 and s.left == 0

    @rule
    def returns(s):
        return 1.0, -1.0


def test_discounted_prefers_the_quicker_win():
    values = {}
    for policy in (mean(), discounted(0.05)):
        report = Search(Detour(), backup=policy, solve=False).run(iterations=400)
        values[policy.name] = {entry.action: entry.value for entry in report.actions}
    assert values["mean"] == {0: 1.0, 1: 1.0}
    assert values["discounted"][0] == pytest.approx(0.975)  # one ply
    assert values["discounted"][1] == pytest.approx(0.75)  # eleven plies: the cap of a half
    assert report.best_action == 0
