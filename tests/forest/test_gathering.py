"""What is written down of a root's children is in the order of their actions."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa.forest.kernel import put_in_order
from ponderosa.mcts.tree.node import NODE


@pytest.mark.parametrize(
    "actions",
    [[0], [3, 1, 2, 0], [6, 0, 3], [7, 900, 2, 400], [5, 4, 5], list(range(40, 0, -1))],
    ids=["one", "all", "some", "high", "one of them twice", "many"],
)
@pytest.mark.parametrize("more", [0, 5])
def test_actions_are_put_in_order_with_the_nodes_that_they_are_of(actions: list[int], more: int) -> None:
    begin, count = 3, len(actions)
    nodes = np.zeros(begin + count + 1, NODE)
    nodes["action"][begin : begin + count] = actions
    known, places = (np.full(count + more, -7, np.int32) for _ in range(2))
    put_in_order(nodes, begin, count, known, places)
    assert known[:count].tolist() == sorted(actions)
    assert sorted(places[:count].tolist()) == list(range(count))
    assert [actions[place] for place in places[:count]] == sorted(actions)
