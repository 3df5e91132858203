"""How the tree widens."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import Search
from ponderosa.mcts.policies.expand.counts import expand
from ponderosa.mcts.tree.node import UNTRIED
from tests.helpers import grown, loaded


def opened(search: Search) -> list[int]:
    """How many children each expanded node has."""
    nodes = grown(search)
    return nodes["count"][nodes["first"] > 0].tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_n_children_are_opened_an_iteration_at_most(n):
    search = Search(loaded("connect4"), expand=expand(n))
    for iteration, expected in enumerate(([1, 2, 3, 4, 5, 6, 7], [2, 4, 6, 7], [3, 6, 7], [4, 7])[n - 1], 1):
        search.run(iterations=1)
        assert opened(search) == [expected]
        assert search.tree.nodes[0]["visits"] == iteration


@pytest.mark.parametrize("n", ["all", 7, 100])
def test_all_children_are_opened_at_once(n):
    search = Search(loaded("connect4"), expand=expand(n))
    search.run(iterations=1)
    assert opened(search) == [7]
    search.run(iterations=300)
    nodes = grown(search)
    assert not (nodes["first"] == UNTRIED).any()


def test_the_name_all_opens_all():
    named, given = Search(loaded("connect4"), expand="all"), Search(loaded("connect4"), expand=expand("all"))
    named.run(iterations=200)
    given.run(iterations=200)
    assert np.array_equal(grown(named), grown(given))


@pytest.mark.parametrize("min_visits", [1, 2, 5, 30])
def test_a_node_is_expanded_once_it_was_visited_min_visits_times(min_visits):
    search = Search(loaded("connect4"), expand=expand(1, min_visits), solve=False)
    search.run(iterations=2_000)
    nodes = grown(search)
    below_root = nodes[1:]
    expanded = below_root["first"] > 0
    assert expanded.any()
    assert below_root["visits"][expanded].min() > min_visits
    assert below_root["visits"][~expanded & (below_root["first"] != UNTRIED)].max() <= min_visits


def test_more_min_visits_saves_memory():
    sizes = []
    for min_visits in (1, 3, 10):
        search = Search(loaded("connect4"), expand=expand(1, min_visits))
        search.run(iterations=3_000)
        sizes.append(search.tree.used)
    assert sizes[0] > 2 * sizes[1] > 4 * sizes[2]


def test_the_root_has_moves_to_choose_from_whatever_min_visits_says():
    search = Search(loaded("connect4"), expand=expand(1, 10**6))
    report = search.run(iterations=50)
    assert opened(search) == [7]
    assert sum(entry.visits for entry in report.actions) == 50
