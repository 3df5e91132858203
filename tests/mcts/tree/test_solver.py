"""What a search calls proven is true."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Search, search
from ponderosa.core.bounds import (
    UNPROVEN,
    lower_bound,
    upper_bound,
)
from ponderosa.mcts.policies.expand.counts import expand
from ponderosa.mcts.policies.playout.playouts import decisive, random
from tests.helpers import POLICIES, Exact, Nim, grown, loaded, others_slow, position, random_position, walk

SMALL = ["tictactoe", "connect:m=3,n=4,k=3", "connect4:rows=3,cols=4,k=3", "connect:m=4,n=3,k=3,p=2,q=1"]
"""Games that exhaustive search can do; in the last one a player moves twice in a row."""
QUICK = others_slow(SMALL, ["tictactoe", "connect:m=4,n=3,k=3,p=2,q=1"])
RESULTS = {1.0: "win", 0.0: "draw", -1.0: "loss"}
YARDSTICKS = {spec: Exact() for spec in SMALL}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("spec", "result"),
    [
        ("tictactoe", "draw"),
        ("connect:m=3,n=4,k=3", "win"),
        ("connect:m=4,n=4,k=3", "win"),
        ("connect:m=3,n=4,k=4", "draw"),
    ],
)
def test_known_games_are_solved(spec, result, seed):
    report = Search(loaded(spec), seed=seed).run(iterations=2_000_000)
    assert (report.proven, report.stopped) == (result, "solved")


@pytest.mark.slow
def test_four_in_a_row_on_4_x_4_is_a_draw():
    report = Search(loaded("connect:m=4,n=4,k=4"), select="greedy", symmetry=True).run(iterations=40_000_000)
    assert (report.proven, report.stopped) == ("draw", "solved")


@pytest.mark.parametrize("heaps", [(1, 1), (1, 2), (2, 2), (1, 2, 3), (1, 3, 3), (2, 3, 4), (1, 4, 5)])
def test_nim_is_lost_for_the_player_to_move_when_the_heaps_add_up_to_0_without_carrying(heaps):
    lost = 0
    for heap in heaps:
        lost ^= heap
    report = Search(Nim(heaps)).run(iterations=1_000_000)
    assert report.proven == ("loss" if lost == 0 else "win")


@pytest.mark.parametrize("spec", QUICK)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    plies=st.integers(0, 8),
    iterations=st.integers(1, 1_500),
    select=st.sampled_from([name for phase, name in POLICIES if phase == "select"]),
    playout=st.sampled_from([random(), random(3), random(2, 1), random(max_length=1), decisive(), decisive(2)]),
    n=st.sampled_from([1, 3, "all"]),
    min_visits=st.integers(0, 3),
)
def test_proven_results_agree_with_exhaustive_search(spec, seed, plies, iterations, select, playout, n, min_visits):
    state, exact = random_position(loaded(spec), seed, plies), YARDSTICKS[spec]
    tree = Search(state, select=select, playout=playout, expand=expand(n, min_visits), seed=seed)
    report = tree.run(state, iterations=iterations)
    values = exact.action_values(state)
    for entry in report.actions:
        assert entry.proven in (None, RESULTS[values[entry.action]])
    assert report.proven in (None, RESULTS[max(values.values())])
    nodes = grown(tree)
    for path, node in itertools.islice(walk(nodes), 400):  # every node's bounds hold what is true
        if nodes[node]["proven"] == UNPROVEN:
            continue
        after = state.clone()
        for action in path:
            after.apply_action(action)
        value = exact.value(after) * (1 if nodes[node]["mover"] == 0 else -1)
        assert lower_bound(nodes[node]["proven"]) <= value + 1 <= upper_bound(nodes[node]["proven"])


@pytest.mark.parametrize("choose", [name for phase, name in POLICIES if phase == "choose"])
@pytest.mark.parametrize("spec", QUICK)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), plies=st.integers(2, 9), iterations=st.integers(1, 3_000))
def test_the_best_action_keeps_what_is_proven(spec, choose, seed, plies, iterations):
    state = random_position(loaded(spec), seed, plies)
    report = Search(state, choose=choose, seed=seed).run(state, iterations=iterations)
    if report.proven is not None:
        assert RESULTS[YARDSTICKS[spec].action_values(state)[report.best_action]] == report.proven


@pytest.mark.parametrize("plies", range(7))
def test_what_is_proven_is_kept_while_a_game_is_played_on(plies):
    """A search that is advanced move by move never says anything false, and every run ends."""
    game, exact = loaded("tictactoe"), YARDSTICKS["tictactoe"]
    for seed in range(20):
        tree = Search(game, seed=seed)
        tree.run(random_position(game, seed, plies), iterations=100 + 20 * seed)
        while not tree.root_state.is_terminal():
            state = tree.root_state
            report = tree.run(iterations=50)
            values = exact.action_values(state)
            assert report.proven in (None, RESULTS[max(values.values())])
            assert all(entry.proven in (None, RESULTS[values[entry.action]]) for entry in report.actions)
            tree.advance(state.legal_actions()[seed % len(state.legal_actions())])


def test_a_root_that_was_proven_before_it_had_moves_is_searched():
    """No line is open after these moves, so the leaf was a draw at once; as a root it still needs moves."""
    tree = Search(loaded("tictactoe"), seed=7)
    calls = iter(range(1_000))
    tree._clock = lambda: next(calls) * 0.001  # a search that never ends runs out of calls
    while not tree.root_state.is_terminal():
        tree.run(iterations=200)
        moves = [5, 2, 4, 8, 0, 1, 7, 3, 6]
        tree.advance(moves[len(tree.root_state.history())])
    assert tree.root_state.returns() == [0.0, 0.0]


def test_prefers_a_proven_win_over_a_popular_move():
    """X to move wins at a3 only.

    3  . . .
    2  X O .
    1  X O .
       a b c
    """
    report = search(position(loaded("tictactoe"), "a1 b1 a2 b2"), iterations=2_000)
    assert (report.best_name, report.proven, report.value) == ("a3", "win", 1.0)


def test_nothing_is_proven_with_solve_off():
    state = position(loaded("tictactoe"), "a1 b1 a2 b2")
    report = search(state, iterations=2_000, solve=False)
    assert (report.best_name, report.proven, report.iterations) == ("a3", None, 2_000)
    assert all(entry.proven is None for entry in report.actions)
