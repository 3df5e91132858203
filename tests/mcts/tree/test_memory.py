"""Memory for trees: how much they may take, and that making room takes none."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import Search, load_agent
from ponderosa.errors import PonderosaError
from ponderosa.mcts.tree import memory as room
from ponderosa.mcts.tree.memory import Room, empty, reserved
from ponderosa.mcts.tree.node import NODE, layout
from tests.helpers import loaded, run_python

GIGABYTE = 2**30


@pytest.mark.parametrize("memory", [2**28, 2**29, GIGABYTE, 2 * GIGABYTE, 2**36])
def test_the_trees_of_a_few_players_and_all_else_fit_into_the_memory(monkeypatch, memory):
    monkeypatch.setattr(room, "most_memory", lambda: memory)
    tree = Room().nodes() * NODE.itemsize
    assert 0 < 4 * tree <= max(memory - room.REST, memory // 8)
    assert 2 * tree <= memory // 2


@given(st.integers(1, 256), st.integers(0, 200), st.integers(2**28, 2**45))
def test_trees_that_share_a_memory_take_no_more_than_one(trees, beside, memory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "most_memory", lambda: memory)
        shared = Room(trees, beside).nodes()
        assert shared >= 2 and trees * shared * (NODE.itemsize + beside) <= max(room.tree_memory(), 2 * trees * 300)
        assert Room(trees, beside).nodes(layout((("more", "f8"),))) <= shared <= 2**31 - 1


def test_searches_on_several_threads_reserve_no_more_than_one(monkeypatch):
    monkeypatch.setattr(room, "most_memory", lambda: GIGABYTE)
    one, several = Search(loaded("tictactoe")), Search(loaded("tictactoe"), threads=8)
    one.run(iterations=10)
    several.run(iterations=80)
    assert sum(len(tree.tree.nodes) for tree in several.trees) <= len(one.tree.nodes)
    assert len(Search(loaded("tictactoe"), threads=2, parallel="tree").tree.nodes) == len(one.tree.nodes)


@pytest.mark.slow
def test_tables_of_positions_are_a_part_of_the_room(monkeypatch):
    monkeypatch.setattr(room, "most_memory", lambda: GIGABYTE)
    tree, graph = Search(loaded("connect4")).tree, Search(loaded("connect4"), transpositions=True).tree
    views = Search(loaded("kuhn_poker")).tree
    for beside in (graph, views):
        assert len(beside.nodes) * (beside.nodes.dtype.itemsize + room.TABLE_BYTES) <= tree.nodes.nbytes


@given(st.integers(0, 3000), st.integers(0, 3000), st.booleans())
def test_emptied_nodes_are_as_new_and_others_stay(begin, count, gives_back):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "GIVES_BACK", room.GIVES_BACK and gives_back)
        nodes = reserved(6000)
    nodes["visits"] = np.arange(6000)
    nodes["proven"] = 3
    expected = nodes.copy()
    expected[begin : begin + count] = np.zeros(1, NODE)
    empty(nodes, begin, begin + count)
    assert np.array_equal(nodes, expected)


@pytest.mark.skipif(not room.GIVES_BACK, reason="the system takes no single pages back")
def test_memory_of_what_is_given_up_goes_back_to_the_system():
    code = """
        import json, os
        from ponderosa.mcts.tree.memory import empty, reserved
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        nodes = reserved(4_000_000)
        nodes["visits"] = 1
        before = resident()
        empty(nodes, 1000, 4_000_000)
        print(json.dumps([before - resident(), nodes.nbytes]))
    """
    given_back, size = run_python(code)
    assert given_back > 0.9 * size


def test_where_no_memory_is_left_a_sentence_says_so(monkeypatch):
    def mapped(length, layout):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(room, "GIVES_BACK", True)
    monkeypatch.setattr(room, "_mapped", mapped)
    with pytest.raises(PonderosaError, match="no memory left for a tree"):
        Search(loaded("tictactoe")).run(iterations=1)


@pytest.mark.slow
@pytest.mark.skipif(not room.GIVES_BACK, reason="the system does not tell how much address space is taken")
@pytest.mark.parametrize(
    ("settings", "beside"), [("", 0), pytest.param(", transpositions=True", 2**26, marks=pytest.mark.slow)]
)
def test_a_full_tree_goes_on_where_there_is_no_memory_for_another(settings, beside):
    """When the tree is there, the address space is limited to half a tree more, and what a table takes."""
    code = f"""
        import json, os, resource
        from ponderosa import Search, load_game
        from ponderosa.mcts.tree import memory as room
        room.most_memory = lambda: 448 * 2**20
        search = Search(load_game("connect4"), solve=False{settings})
        search.run(iterations=30_000, max_nodes=5_000)  # makes room for the first time: that is compiled, too
        nodes = len(search.tree.nodes)
        with open("/proc/self/statm") as file:
            limit = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") + search.tree.nodes.nbytes // 2 + {beside}
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        recycle, times = type(search.tree).recycle, []
        type(search.tree).recycle = lambda tree, most: times.append(tree.used) or recycle(tree, most)
        report = search.run(iterations=nodes)
        search.advance(report.best_action)
        search.run(iterations=1000)
        print(json.dumps([report.stopped, report.iterations == nodes, nodes / 2 < max(times) <= nodes, len(times)]))
    """
    stopped, all_done, full, times = run_python(code)
    assert (stopped, all_done, full) == ("iterations", True, True) and times >= 2


@pytest.mark.parametrize("spec", ["mcts:threads=9", "mcts:threads=9,parallel=tree", "mcts:threads=9,parallel=leaf"])
def test_threads_that_cannot_be_started_are_told_in_a_sentence_and_none_is_left(monkeypatch, spec):
    agent, start, started = load_agent(f"{spec},seconds=600", loaded("connect4")), threading.Thread.start, []

    def scarce(thread):
        if len(started) == 5:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    with pytest.raises(PonderosaError, match=r"cannot start [89] threads"):
        agent.step(loaded("connect4").new_initial_state())
    monkeypatch.undo()
    assert not any(thread.is_alive() for thread in started)
    agent.search.run(iterations=100)


@pytest.mark.slow
def test_companions_that_cannot_be_started_leave_none_behind(monkeypatch):
    agent, start, started = load_agent("strong:threads=4,seconds=600", loaded("gomoku")), threading.Thread.start, []

    def scarce(thread):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    state = loaded("gomoku").new_initial_state()
    state.apply_action(112)
    monkeypatch.setattr(threading.Thread, "start", scarce)
    with pytest.raises(PonderosaError, match="cannot start 3 threads"):
        agent.step(state)
    assert started and not started[0].is_alive()
