"""Making room in trees and graphs, in place: what stays is what it was, wherever it lies."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Search
from ponderosa.mcts.tree.node import NODE, ROOT, UNTRIED
from ponderosa.mcts.tree.pruning import compiled_slide, slide
from ponderosa.mcts.tree.soundness import _separate
from tests.helpers import grown, loaded, run_python

OWN = ("visits", "value", "action", "mover", "proven")
"""What a record tells of itself, and not of others."""


def slots(nodes: Any, node: int) -> range:
    """The slots of a node that has some, those that wait too."""
    begin, end = int(nodes[node]["first"]), int(nodes[node]["first"] + nodes[node]["count"])
    while nodes[end]["first"] == UNTRIED:
        end += 1
    return range(begin, end)


def picture(nodes: Any, node: int, least: int = 0, top: bool = True) -> Any:
    """A tree without its places: each node, its children in the tree, and what waits beside them."""
    own = tuple(nodes[node][name].item() for name in OWN)
    if nodes[node]["first"] <= 0 or (not top and nodes[node]["visits"] < least):
        return own, min(int(nodes[node]["first"]), 0), 0, ()
    below = tuple(picture(nodes, slot, least, top=False) for slot in slots(nodes, node))
    return own, 1, int(nodes[node]["count"]), below


def size(drawn: Any) -> int:
    """How many nodes a picture has."""
    return 1 + sum(size(below) for below in drawn[3])


def random_tree(seed: int, blocks: int) -> tuple[Any, int]:
    """A tree that has grown and lost some of its blocks, and how much of its array is used."""
    draw = random.Random(seed)
    nodes, used, leaves = np.zeros(8 * blocks + 16, NODE), 1, [ROOT]
    nodes[ROOT]["visits"] = 99
    for _ in range(blocks):
        total, parent = draw.randint(1, 6), leaves.pop(draw.randrange(len(leaves)))
        opened = draw.randint(1, total)
        for slot in range(used, used + total):
            first = 0 if slot < used + opened else UNTRIED
            nodes[slot] = (draw.randint(0, 12), first, draw.random(), draw.randint(-1, 9), 0, draw.randint(0, 1), 0)
        if parent == ROOT or draw.random() < 0.9:
            nodes[parent]["first"], nodes[parent]["count"] = used, opened
            leaves += range(used, used + opened)
        else:
            leaves.append(parent)  # nothing leads to the block
        used += total
    return nodes, used


@pytest.mark.parametrize("how", [slide, compiled_slide(NODE)])
@settings(max_examples=200)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(0, 15), st.data())
def test_what_stays_is_what_it_was_and_lies_side_by_side(how, seed, blocks, least, data):
    nodes, used = random_tree(seed, blocks)
    reached = [ROOT, *(place for place in range(1, used) if nodes[place]["first"] > 0)]
    node = data.draw(st.sampled_from(reached))
    expected = picture(nodes, node, least)
    left = how(nodes, node, used, least)
    assert left == size(expected) <= used
    nodes[left:] = np.zeros(1, NODE)
    assert picture(nodes, ROOT) == expected
    assert (nodes["visits"] >= 0).all() and (nodes["first"] < left).all()


@given(st.integers(0, 10**6), st.integers(0, 9))
def test_pruning_again_and_again_is_pruning_once(seed, least):
    once, used = random_tree(seed, 30)
    again, left = once.copy(), used
    for fewer in range(least + 1):
        left = slide(again, ROOT, left, fewer)
        again[left:] = np.zeros(1, NODE)
    assert left == slide(once, ROOT, used, least)
    assert np.array_equal(once[:left], again[:left])


@pytest.mark.parametrize("name", ["connect4", "tictactoe", "pig"])
def test_a_move_leaves_what_was_below_it(name):
    search = Search(loaded(name), seed=3)
    search.run(iterations=3000)
    before, action = grown(search), search.report().best_action
    child = search.tree.child_with(search.engine.number(action))
    copied = search.tree.subtree(child)
    before = np.append(before, np.zeros(1, before.dtype))
    search.advance(action)
    assert picture(search.tree.nodes, ROOT)[1:] == picture(before, child)[1:]
    assert picture(copied.nodes, ROOT) == picture(search.tree.nodes, ROOT) and copied.used == search.tree.used
    assert not search.tree.nodes[search.tree.used : search.tree.used + 10_000].view(np.uint8).any()


def test_a_tree_that_has_moved_on_leaves_an_empty_one():
    search = Search(loaded("connect4"))
    report = search.run(iterations=1000)
    old = search.tree
    search.advance("4")
    assert old.used == 1 and search.tree.used > 1 and search.tree is not old
    with pytest.raises(Exception, match="gone"):
        report.top()


def positions(nodes: Any, start: int, least: int = 0) -> list[Any]:
    """A graph without its places: its positions in the order in which they are met, each with its edges."""
    found, order = {start: 0}, [start]
    drawn = []
    for place in order:
        node, edges = nodes[place], []
        pruned = place != start and node["visits"] < least
        for slot in slots(nodes, place) if node["first"] > 0 and not pruned else ():
            target = int(nodes[slot]["node"]) if nodes[slot]["node"] > 0 else slot
            leads = nodes[slot]["first"] != UNTRIED and target != start
            if leads and target not in found:
                found[target] = len(order)
                order.append(target)
            edges.append((*(nodes[slot][name].item() for name in OWN), found[target] if leads else None))
        own = tuple(node[name].item() for name in OWN)
        drawn.append((own, 0 if pruned else int(node["count"]), edges))
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize("least", [0, 2, 5, 40])
def test_a_graph_keeps_its_positions_and_all_ways_to_them(least):
    search = Search(loaded("connect4"), transpositions=True, solve=False, seed=least)
    search.run(iterations=4000)
    expected = positions(search.tree.nodes, ROOT, least)
    search.tree._shrink(ROOT, least)
    assert positions(search.tree.nodes, ROOT) == expected
    assert any(search.tree.nodes["node"][: search.tree.used] > 0)
    places = search.tree.places[search.tree.places != 0]
    assert len(places) == search.tree.counters["entries"] == len({*places.tolist()}) and places.max() < search.tree.used
    search.run(iterations=1000)


@pytest.mark.slow
def test_a_graph_moves_on_with_its_positions():
    search = Search(loaded("connect4"), transpositions=True, solve=False)
    search.run(iterations=4000)
    nodes = search.tree.nodes
    child = search.tree.child_with(3)
    expected = positions(nodes, int(nodes[child]["node"]) if nodes[child]["node"] > 0 else child)
    search.advance(3)
    assert positions(search.tree.nodes, ROOT) == expected
    search.run(iterations=1000)


def test_slots_that_belong_to_two_nodes_are_no_tree() -> None:
    nodes = np.zeros(8, NODE)
    nodes["visits"] = 9
    nodes[ROOT]["first"], nodes[ROOT]["count"] = 1, 2
    nodes[1]["first"], nodes[1]["count"] = 3, 2
    assert _separate(nodes)
    for first, count in ((3, 2), (4, 1), (2, 2)):
        wrong = nodes.copy()
        wrong[2]["first"], wrong[2]["count"] = first, count
        assert not _separate(wrong)
    nodes[4]["first"] = UNTRIED
    assert not _separate(nodes)


def with_little_room() -> list[Any]:
    """What searches say that had to make room, and moved on."""
    found = []
    for manner in ({}, {"transpositions": True}, {"symmetry": True}):
        search = Search(loaded("tictactoe"), seed=2, solve=False, **manner)
        search.run(iterations=80, max_nodes=60)
        search.advance(search.report().best_action)
        report = search.run(iterations=60, max_nodes=60)
        found.append([[entry.action, entry.visits, entry.value] for entry in report.actions])
    return found


def test_compiled_and_plain_python_make_the_same_room():
    code = """
        import json
        from tests.mcts.tree.test_pruning import with_little_room
        print(json.dumps(with_little_room()))
    """
    assert run_python(code, NUMBA_DISABLE_JIT="1") == with_little_room()
