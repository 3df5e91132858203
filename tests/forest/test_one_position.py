"""Many trees of one position, and many trees that judge the leaves of one: what they say is one report."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from ponderosa import Budget, Forest, PonderosaError, Search, load_game
from ponderosa.core.bounds import LOSS, NOT_LOSS, NOT_WIN, UNPROVEN, WIN
from ponderosa.forest import merging
from ponderosa.forest.card import fits
from ponderosa.forest.kernel import Found
from ponderosa.forest.merging import merged
from ponderosa.registry import load_agent
from tests.helpers import EVERY_GAME, Nim, first_decision, loaded, position, visits

TREES = 3
BOTH: list[dict[str, Any]] = [{"trees": TREES}, {"trees": TREES, "parallel": "leaf"}]
SEARCHED = [spec for spec in EVERY_GAME.values() if not loaded(spec).viewed]
QUICK = ("tictactoe",)
EVERY_KIND = [pytest.param(spec, marks=() if spec in QUICK else pytest.mark.slow) for spec in SEARCHED]


@pytest.mark.parametrize("spec", EVERY_KIND)
def test_the_report_has_the_sums_of_all_trees(spec: str) -> None:
    game = loaded(spec)
    state = first_decision(game)
    report = Search(game, seed=4, trees=TREES).run(state, iterations=TREES * 60)
    apart = Forest(game, TREES, seed=4).run(state, iterations=60)
    sums = apart.visits.sum(axis=0)
    assert {entry.action: entry.visits for entry in report.actions if entry.visits} == {
        int(action): int(sums[action]) for action in np.flatnonzero(sums)
    }
    assert report.nodes == apart.nodes.sum() and report.iterations == apart.iterations.sum()
    assert {entry.action for entry in report.actions} == set(state.legal_actions())


def test_values_are_means_by_visits() -> None:
    game = load_game("connect4")
    report = Search(game, seed=4, trees=TREES).run(iterations=TREES * 70)
    apart = Forest(game, TREES, seed=4).run(iterations=70)
    for entry in report.actions:
        column = apart.visits[:, entry.action]
        assert entry.value == pytest.approx((column * apart.values[:, entry.action]).sum() / column.sum())
    assert report.tree.root.visits == sum(entry.visits for entry in report.actions)


@pytest.mark.parametrize("iterations", [1, 2, 3, 100, 101])
def test_an_iteration_budget_is_shared_out_to_the_last_one(iterations: int) -> None:
    report = Search(load_game("connect4"), trees=TREES).run(iterations=iterations)
    assert (report.iterations, report.stopped) == (iterations, "iterations")
    assert sum(entry.visits for entry in report.actions) == iterations


def found_of(*proven: tuple[int, int]) -> Found:
    """What trees with two actions say, after a visit of each."""
    count = len(proven)
    ones, half = np.ones((count, 2), np.int32), np.full((count, 2), 0.5)
    actions = np.array([[2, 5]] * count, np.int32)
    return Found(actions, ones, half, np.array(proven, np.int32), half, half[:, 0], ones[:, 0])


def test_what_one_tree_has_proven_holds_in_all() -> None:
    known = merged(found_of((UNPROVEN, NOT_LOSS), (LOSS, UNPROVEN), (UNPROVEN, NOT_WIN)), [0, 2, 5])
    assert known.actions == [2, 5] and known.visits.tolist() == [3, 3]
    assert known.proven.tolist() == [LOSS, NOT_LOSS | NOT_WIN]


def test_proofs_of_several_trees_prove_the_root_together() -> None:
    tree = Search(load_game("connect4")).engine.new_tree()
    root, children = 0, [1, 2]
    nodes = np.zeros(3, tree.nodes.dtype)
    nodes[root]["first"], nodes[root]["count"], nodes["action"][children] = 1, 2, [2, 5]
    known = merged(found_of((LOSS, UNPROVEN), (UNPROVEN, LOSS)), [2, 5])
    merging.put_at_root(tree, nodes, known, solve=True)
    assert tree.nodes[root]["proven"] == LOSS
    merging.put_at_root(tree, nodes, known._replace(proven=np.array([WIN, LOSS])), solve=True)
    assert tree.nodes[root]["proven"] == WIN


def test_more_visits_than_a_node_counts_are_shares_of_them() -> None:
    tree = Search(load_game("connect4")).engine.new_tree()
    nodes = np.zeros(3, tree.nodes.dtype)
    nodes[0]["first"], nodes[0]["count"], nodes["action"][1:] = 1, 2, [2, 5]
    known = merged(found_of((UNPROVEN, UNPROVEN)), [2, 5])
    merging.put_at_root(tree, nodes, known._replace(visits=np.array([3 * 2**40, 2**40])), solve=True)
    first, second = (int(tree.nodes[child]["visits"]) for child in (1, 2))
    assert first == pytest.approx(3 * second, rel=1e-6) and first + second <= merging.MOST_VISITS


@pytest.mark.parametrize("settings", BOTH)
def test_a_search_without_an_end_stops_when_the_root_is_proven(settings: dict[str, Any]) -> None:
    report = Search(Nim((2, 3)), **settings).run(seconds=600)
    assert (report.stopped, report.proven) == ("solved", "win")


@pytest.mark.parametrize("settings", BOTH)
def test_a_win_at_once_is_seen(settings: dict[str, Any]) -> None:
    game = load_game("connect4")
    report = Search(game, **settings).run(position(game, "1 7 1 7 1 7"), iterations=600)
    assert (report.best_name, report.proven) == ("1", "win")


@pytest.mark.parametrize("settings", BOTH)
def test_the_same_seed_gives_the_same_report(settings: dict[str, Any]) -> None:
    search = Search(load_game("connect4"), seed=8, **settings)
    first = search.run(iterations=60)
    search.reset(8)
    assert visits(search.run(iterations=60)) == visits(first)
    assert visits(Search(load_game("connect4"), seed=8, **settings).run(iterations=60)) == visits(first)
    search.reset(9)
    assert visits(search.run(iterations=60)) != visits(first)


def test_the_trees_go_on_below_a_move() -> None:
    game = load_game("connect4")
    search, forest = Search(game, seed=4, trees=TREES), Forest(game, TREES, seed=4)
    action = search.run(iterations=TREES * 80).best_action
    forest.run(iterations=80)
    search.advance(action)
    forest.advance(action)
    kept = sum(entry.visits for entry in search.report().actions)
    report, apart = search.run(iterations=TREES * 40), forest.run(iterations=40)
    assert kept > 0 and sum(entry.visits for entry in report.actions) == apart.visits.sum() == kept + TREES * 40
    assert search.root_state.history() == [action]


def test_time_ends_a_search_and_progress_is_told() -> None:
    search, told = Search(load_game("connect4"), trees=TREES), []
    report = search.run(seconds=0.25, progress=lambda report: told.append(report.iterations))
    assert report.stopped == "seconds" and [*told, report.iterations] == sorted([*told, report.iterations])
    assert search.run(seconds=600, progress=lambda report: False).stopped == "progress"


def test_nodes_end_a_search_that_nothing_else_ends() -> None:
    report = Search(load_game("connect4"), trees=TREES).run(max_nodes=600)
    assert report.stopped == "nodes" and 300 < report.nodes <= 600
    assert Search(load_game("connect4"), trees=TREES).run(iterations=900, max_nodes=600).nodes <= 600


def test_ctrl_c_leaves_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Search(load_game("connect4"), trees=TREES)
    search.run(iterations=100)
    monkeypatch.setattr(type(search._grown), "_is_solved", lambda self, run: (_ for _ in ()).throw(KeyboardInterrupt))
    report = search.run(iterations=10**9)
    assert report.stopped == "interrupted" and report.iterations > 0


def test_copies_begin_anew_at_the_same_root() -> None:
    search = Search(load_game("connect4"), seed=3, trees=TREES)
    search.run(iterations=90)
    search.advance("4")
    fresh = Search(load_game("connect4"), seed=3, trees=TREES).run(search.root_state, iterations=90)
    for twin in (copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
        assert visits(twin.run(iterations=90)) == visits(fresh)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"trees": 0}, "trees"),
        ({"trees": 2.5}, "trees"),
        ({"device": "tpu"}, "unknown device"),
        ({"trees": 2, "parallel": "vote"}, "merge or root or leaf"),
        ({"trees": 2, "threads": 2}, "threads"),
        ({"trees": 2, "select": "gumbel"}, "plans the iterations"),
        ({"trees": 2, "transpositions": True}, "transpositions"),
        ({"trees": 2, "parallel": "leaf", "evaluator": len}, "leave one of them out"),
    ],
)
def test_what_many_trees_do_not_do_is_said(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(PonderosaError, match=words):
        Search(load_game("connect4"), **settings)


@pytest.mark.parametrize("settings", BOTH)
def test_python_states_and_hidden_things_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(PonderosaError):
        Search(loaded("kuhn_poker"), **settings)


def test_nothing_is_told_from_elsewhere_and_nothing_saved(tmp_path: Any) -> None:
    search = Search(load_game("connect4"), trees=TREES)
    search.run(iterations=30)
    for deed in (
        lambda: search.learn({"4": (1.0, 1.0)}),
        lambda: search.settle([0], 2),
        lambda: search.adopt(search.root_state, search.tree),
        lambda: search.save(tmp_path / "tree.npz"),
        lambda: search.run(iterations=5, trace=print),
        lambda: load_agent(f"mcts:trees=2,memory={tmp_path / 'm'}", load_game("connect4")),
    ):
        with pytest.raises(PonderosaError, match=r"leave|neither"):
            deed()


def test_without_a_card_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from ponderosa.compile import cuda

    monkeypatch.setattr(cuda, "missing", lambda: "there is no CUDA card that this process can use")
    with pytest.raises(PonderosaError, match=r"no CUDA card|needs the compiler"):
        Search(load_game("tictactoe"), device="cuda")


@pytest.mark.parametrize("settings", ["trees=3", "trees=3,parallel=leaf"])
def test_agents_are_made_of_many_trees_by_text(settings: str) -> None:
    game = load_game("tictactoe")
    agent, state = load_agent(f"mcts:iterations=60,{settings}", game), game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(agent.step(state))
    assert agent.last_report is not None


def test_a_slice_of_a_card_fits_into_the_time_that_is_left() -> None:
    assert fits(ran=64, took=0.02, seconds=10.0, most=128) == 128
    assert fits(ran=64, took=0.02, seconds=0.01, most=128) == 32
    assert fits(ran=64, took=0.02, seconds=-1.0, most=128) == 0
    assert fits(ran=64, took=0.0, seconds=float("inf"), most=128) == 128


def test_a_budget_is_taken_whole() -> None:
    assert Search(load_game("tictactoe"), trees=2).run(None, Budget(iterations=10)).iterations == 10


def test_a_root_whose_result_the_rules_know_gets_its_moves_all_the_same() -> None:
    game = load_game("tictactoe")
    search = Search(game, evaluator=lambda states: (None, np.zeros(len(states))), select="puct", batch=3)
    report = search.run(position(game, "b2 a3 a1 c3 b3 b1 c2 a2"), iterations=60)  # nobody can win any more
    assert (report.stopped, report.proven) == ("solved", "draw")
