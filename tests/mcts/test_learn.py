"""What a search is told about its root counts as proven."""

from __future__ import annotations

import pytest

from ponderosa import PonderosaError, Search
from ponderosa.core.bounds import LOSS, UNPROVEN, WIN
from ponderosa.mcts.tree.node import ROOT
from tests.helpers import Exact, loaded, position


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_told_decides(threads):
    search = Search(loaded("connect4"), threads=threads)
    search.run(iterations=100)
    search.learn({5: (1.0, 1.0)})
    report = search.run(iterations=100)
    assert (report.best_action, report.proven, report.stopped) == (5, "win", "solved")


@pytest.mark.parametrize("iterations", [1, 4, 500])
def test_a_draw_that_was_never_looked_at_beats_losses(iterations):
    search = Search(loaded("connect4"))
    search.run(iterations=iterations)
    search.learn({action: (0.0, 0.0) for action in range(7) if action != 2} | {2: (0.5, 0.5)})
    report = search.report()
    assert (report.best_action, report.proven) == (2, "draw")


def test_bounds_are_only_made_tighter():
    search = Search(loaded("connect4"))
    search.run(iterations=100)
    search.learn({3: (0.5, 1.0)})
    search.learn({3: (0.0, 0.5)})
    assert {entry.action: entry.proven for entry in search.report().actions}[3] == "draw"
    assert search.report().proven is None


def test_learning_everything_solves_and_the_tree_stays_sound_after_a_move():
    state = position(loaded("tictactoe"), "a1 b2 c3 c1")
    exact = Exact()
    search = Search(state.game, seed=2)
    search.run(state, iterations=30)
    search.learn({action: 2 * ((value + 1) / 2,) for action, value in exact.action_values(state).items()})
    report = search.run(iterations=10)
    assert report.stopped == "solved" and report.best_action in exact.best_actions(state)
    search.advance(report.best_action)
    state.apply_action(report.best_action)
    report = search.run(iterations=10_000)  # it must prove by itself which reply it is
    assert report.stopped == "solved" and report.best_action in exact.best_actions(state)


@pytest.mark.parametrize("nonsense", [(0.3, 1.0), (1.0, 0.0), (0.0, 2.0), (-1.0, 1.0)])
def test_impossible_bounds_are_refused(nonsense):
    search = Search(loaded("connect4"))
    search.run(iterations=10)
    with pytest.raises(PonderosaError, match="what is certain of 3 is two of"):
        search.learn({3: nonsense})


def test_a_search_without_proofs_learns_none():
    with pytest.raises(PonderosaError, match="cannot learn"):
        Search(loaded("connect4"), solve=False).learn({3: (1.0, 1.0)})


@pytest.mark.parametrize("threads", [1, 2])
def test_a_reply_that_is_told_to_win_refutes_the_move_before_it(threads):
    search = Search(loaded("connect4"), threads=threads)
    search.run(iterations=400)
    nodes = search.tree.nodes
    move = int(nodes[ROOT]["first"])
    reply = int(nodes[move]["first"])
    search.settle((ROOT, move, reply), WIN)
    assert nodes[move]["proven"] == LOSS
    assert nodes[ROOT]["proven"] == UNPROVEN
