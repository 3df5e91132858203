"""Positions that several orders of moves lead to are one node: nothing is lost, and what is proven is right."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Game, Search, load_agent, rule
from ponderosa.errors import PonderosaError
from ponderosa.mcts.loops.graph import SHARED
from ponderosa.mcts.tree.node import NODE, ROOT, UNTRIED
from tests.helpers import Exact, LookAlike, Nim, PlainNim, grown, loaded, random_position, run_python, untimed, visits

SMALL_BOARD = "connect4:rows=4,cols=4,k=3"
POSITIONS_OF_TICTACTOE = 5478
"""Reachable, the empty board and finished games among them."""


class Tug(Game):
    """Pull a token along a line, from either side: three steps to the right are a win for one player, to the left for
    the other. Positions come again."""

    def setup(self, s: Any) -> None:
        s.token, s.player = 0, 0

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        return [-1, 1]

    @rule
    def apply_action(s, a):
        s.token += a
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return abs(s.token) == 3

    @rule
    def returns(s):
        return (1.0, -1.0) if s.token > 0 else (-1.0, 1.0)


def edges_of(nodes: Any, node: int) -> Any:
    first, count = int(nodes[node]["first"]), int(nodes[node]["count"])
    return nodes[first : first + count]


def check_sums(search: Search, circles: bool = False, kept: bool = False) -> None:
    """Every visit is accounted for: a position's are those of the edges into it, and of those out of it and its own."""
    nodes = grown(search)
    shared = np.flatnonzero(nodes["node"] == SHARED)
    into = np.zeros(len(nodes), np.int64)
    edges = nodes[nodes["node"] > 0]
    np.add.at(into, edges["node"], edges["visits"])
    if kept:  # edges from what was left behind are gone
        assert (into[shared] <= nodes[shared]["visits"]).all()
    elif circles:  # an edge that leads back is counted, and the position is not
        assert (into[shared] >= nodes[shared]["visits"]).all()
    else:
        assert (into[shared] == nodes[shared]["visits"]).all()
    assert set(edges["node"].tolist()) == set(shared.tolist())
    own = np.flatnonzero(nodes["node"] <= 0)
    for node in own[(nodes[own]["first"] > 0) & (nodes[own]["count"] > 0)].tolist():
        below = edges_of(nodes, node)
        assert below["visits"].sum() <= nodes[node]["visits"]
        assert len(set(below["action"].tolist())) == len(below)
    opened = nodes[nodes["first"] != UNTRIED]
    assert (opened["value"] >= -1e-9).all() and (opened["value"] <= opened["visits"] + 1e-6).all()


def test_tictactoe_has_as_many_nodes_as_positions_and_a_tree_has_more():
    graph = Search(loaded("tictactoe"), transpositions=True, solve=False)
    report = graph.run(iterations=200_000)
    assert report.positions == POSITIONS_OF_TICTACTOE
    check_sums(graph)
    tree = Search(loaded("tictactoe"), solve=False)
    assert tree.run(iterations=200_000).positions is None
    assert (grown(tree)["visits"] > 0).sum() > 2 * POSITIONS_OF_TICTACTOE
    assert report.nodes < tree.tree.used


@pytest.mark.parametrize("spec", ["tictactoe", pytest.param(SMALL_BOARD, marks=pytest.mark.slow)])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), plies=st.integers(0, 5))
def test_what_is_proven_is_what_an_exhaustive_search_finds(spec, seed, plies):
    game, exact = loaded(spec), Exact()
    state = random_position(game, seed, plies)
    reports = [Search(game, transpositions=on, seed=seed).run(state, iterations=100_000) for on in (True, False)]
    best = max(exact.action_values(state).values())
    assert [report.proven for report in reports] == [{1.0: "win", 0.0: "draw", -1.0: "loss"}[best]] * 2
    for entry in reports[0].actions:
        if entry.proven is not None:
            after = state.child(entry.action)
            value = exact.value(after) if state.current_player() == 0 else -exact.value(after)
            assert entry.proven == {1.0: "win", 0.0: "draw", -1.0: "loss"}[value]


@pytest.mark.parametrize("game", [Nim((2, 3, 4)), PlainNim((1, 2, 3, 3)), PlainNim((1, 2, 3))])
def test_nim_is_won_and_lost_as_the_theory_says(game):
    report = Search(game, transpositions=True).run(iterations=20_000)
    nimbers = np.bitwise_xor.reduce(np.array(game.heaps))
    assert report.proven == ("win" if nimbers else "loss")
    assert report.positions <= 2 * np.prod([heap + 1 for heap in game.heaps])


@pytest.mark.slow
def test_a_small_board_is_proven_with_a_fraction_of_the_work():
    graph, tree = (Search(loaded("connect4:rows=4,cols=4"), transpositions=on, seed=3) for on in (True, False))
    with_it, without = graph.run(iterations=1_000_000), tree.run(iterations=1_000_000)
    assert with_it.proven == without.proven == "draw"
    assert 3 * with_it.iterations < without.iterations
    assert 3 * with_it.nodes < without.nodes
    assert with_it.positions <= with_it.iterations + 1
    check_sums(graph)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), iterations=st.integers(1, 3000))
def test_every_visit_is_counted_once(seed, iterations):
    search = Search(loaded("connect4"), transpositions=True, seed=seed, solve=False)
    report = search.run(iterations=iterations)
    assert sum(entry.visits for entry in report.actions) == iterations == grown(search)[ROOT]["visits"]
    assert report.positions <= iterations + 1
    check_sums(search)


def test_positions_that_come_again_are_not_counted_twice():
    search = Search(Tug(), transpositions=True, solve=False)
    search.run(iterations=2000)
    nodes = grown(search)
    assert nodes[ROOT]["visits"] == 2000 and nodes["visits"].max() == 2000
    assert search.tree.positions <= 7 + 7 + 1
    check_sums(search, circles=True)


def test_a_move_that_wins_at_once_is_proven_where_positions_come_again():
    state = Tug().new_initial_state()
    for step in (1, -1, 1, 1):
        state.apply_action(step)
    report = Search(Tug(), transpositions=True).run(state, iterations=1000)
    assert (report.proven, report.best_action) == ("win", 1)


def test_the_graph_is_kept_over_moves():
    search = Search(loaded("connect4"), transpositions=True, solve=False)
    search.run(iterations=20_000)
    before = grown(search)
    for action in (3, 3, 2):
        child = search.tree.child_with(action)
        shared = int(search.tree.nodes[child]["node"])
        kept = int(search.tree.nodes[shared if shared > 0 else child]["visits"])
        search.advance(action)
        assert grown(search)[ROOT]["visits"] == kept > 0
        check_sums(search, kept=True)
        search.run(iterations=1000)
        assert grown(search)[ROOT]["visits"] == kept + 1000
        check_sums(search, kept=True)
    assert len(grown(search)) < len(before)


def test_a_kept_graph_finds_its_positions_again():
    """Of tic-tac-toe after one move, all of which is known, nothing can be new."""
    search = Search(loaded("tictactoe"), transpositions=True, solve=False)
    search.run(iterations=200_000)
    search.advance(4)
    known = search.tree.positions
    search.run(iterations=20_000)
    assert search.tree.positions == known


def test_a_full_graph_is_recycled_and_goes_on():
    search = Search(loaded("connect4"), transpositions=True, solve=False)
    report = search.run(iterations=30_000, max_nodes=5_000)
    assert (report.iterations, report.stopped) == (30_000, "iterations") and report.nodes <= 5_000
    check_sums(search, kept=True)
    assert Search(loaded("connect4"), transpositions=True).run(max_nodes=500).stopped == "nodes"


def test_the_same_seed_gives_the_same_report_in_one_run_or_many():
    one, other = (Search(loaded("connect4"), transpositions=True, seed=5) for _ in range(2))
    at_once = one.run(iterations=6000)
    for _ in range(3):
        in_parts = other.run(iterations=2000)
    assert visits(at_once) == visits(in_parts)
    other.reset(5)
    assert untimed(other.run(iterations=6000)) == untimed(at_once)


def test_compiled_and_plain_python_agree():
    code = """
        import json
        from ponderosa import Search, load_game
        report = Search(load_game("tictactoe"), transpositions=True, seed=2).run(iterations=300)
        print(json.dumps([[entry.action, entry.visits, entry.value] for entry in report.actions]))
    """
    report = Search(loaded("tictactoe"), transpositions=True, seed=2).run(iterations=300)
    found = run_python(code, NUMBA_DISABLE_JIT="1")
    assert found == [[entry.action, entry.visits, entry.value] for entry in report.actions]


@pytest.mark.slow
def test_priors_know_graphs():
    assert Search(loaded("connect4"), select="puct", transpositions=True).run(iterations=2000).best_name == "4"


def test_threads_agents_traces_and_pictures_know_graphs():
    game = loaded("connect4")
    report = Search(game, transpositions=True, threads=2).run(iterations=2000)
    assert (report.threads, report.iterations) == (2, 2000) and report.positions <= 2002
    agent = load_agent("mcts:transpositions=true,iterations=200", game)
    state = game.new_initial_state()
    for _ in range(4):
        state.apply_action(agent.step(state))
    assert agent.last_report.positions is not None
    steps: list[dict[str, Any]] = []
    report = Search(loaded("tictactoe"), transpositions=True).run(iterations=500, trace=steps.append)
    assert len(steps) == 500 and report.to_graphviz(depth=3).startswith("digraph")
    for step in random.Random(1).sample(steps, 50):
        state = loaded("tictactoe").new_initial_state()
        for move in step["moves"]:
            state.apply_action(state.game.parse_action(move["move"], state))


def test_what_is_taught_spreads_like_what_is_proven():
    search = Search(loaded("connect4"), transpositions=True)
    search.run(iterations=5000)
    search.learn({action: (0.0, 0.0) for action in range(7) if action != 3})
    search.learn({3: (0.5, 0.5)})
    report = search.run(iterations=100)
    assert (report.proven, report.best_action) == ("draw", 3)


class Told(LookAlike):
    """A Python state that tells positions apart."""

    def key(self) -> int:
        return 2 * self.stones + self.player


def test_python_states_must_tell_positions_apart():
    assert Search(Told(7), transpositions=True).run(iterations=500).proven == "win"
    with pytest.raises(PonderosaError, match="can be told apart: LookAlike has neither a method key"):
        Search(LookAlike(7), transpositions=True)


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        ("connect4", {"transpositions": "yes"}, "True or False"),
        ("kuhn_poker", {}, "without dice, who see everything"),
        ("pig", {}, "without dice, who see everything"),
        ("samegame", {}, "several players"),
        ("connect4", {"select": "rave"}, "learns from the way"),
        ("connect4", {"playout": "mast"}, "learns from the way"),
        ("connect4", {"backup": "best"}, "nodes are averages"),
        ("connect4", {"paranoid": True}, "paranoid=True and transpositions"),
        ("connect4", {"solve": "bounded"}, "and transpositions do not go"),
        ("connect4", {"threads": 2, "parallel": "tree"}, "parallel='tree' and transpositions"),
        ("connect4", {"threads": 2, "parallel": "leaf"}, "parallel='leaf' and transpositions"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(game, options, words):
    with pytest.raises(PonderosaError, match=words):
        Search(loaded(game), **{"transpositions": True, **options})


def test_a_graph_is_not_saved(tmp_path):
    search = Search(loaded("tictactoe"), transpositions=True)
    search.run(iterations=100)
    with pytest.raises(PonderosaError, match="without transpositions can be saved"):
        search.save(tmp_path / "graph.npz")


def test_nobody_else_pays_for_it():
    assert Search(loaded("connect4")).tree.nodes.dtype == NODE and NODE.itemsize == 24
