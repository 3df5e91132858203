"""A forest's trees are those of single searches, whatever their number and the cores."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from ponderosa import Forest, PonderosaError, Search, load_game
from ponderosa.core.rng import seed_of
from ponderosa.forest import cores
from ponderosa.forest.report import ForestReport
from tests.helpers import EVERY_GAME, first_decision, loaded

SEED = 3
SEARCHED = [spec for spec in EVERY_GAME.values() if not loaded(spec).viewed]
"""Games without hidden things and choices at once."""
QUICK = ("tictactoe",)
EVERY_KIND = [pytest.param(spec, marks=() if spec in QUICK else pytest.mark.slow) for spec in SEARCHED]
POLICIES: list[dict[str, Any]] = [
    {"select": "rave"},
    {"select": "gumbel"},
    {"select": "puct", "backup": "discounted"},
    {"select": "thompson", "playout": "decisive"},
    {"playout": "mast"},
    {"select": "ucb1_tuned", "playout": "informed", "rollouts": 3},
]
"""Compositions that need more than the usual loop: moves that are noted, plans, priors, memories."""


def visits_of(report: ForestReport, tree: int) -> dict[int, int]:
    """The visits of a tree, by action."""
    return {action: int(count) for action, count in enumerate(report.visits[tree]) if count}


def assert_same(game: Any, state: Any, forest: ForestReport, iterations: int, **settings: Any) -> None:
    """Every tree of a forest is what a search with its seed finds."""
    for tree in range(len(forest)):
        found = Search(game, seed=seed_of(SEED, tree), **settings).run(state, iterations=iterations)
        assert visits_of(forest, tree) == {entry.action: entry.visits for entry in found.actions if entry.visits}
        assert forest.best_actions[tree] == found.best_action
        assert forest.nodes[tree] == found.nodes
        assert forest.best_values[tree] == pytest.approx(found.value)
        whole = max(sum(entry.visits for entry in found.actions), 1)
        for entry in found.actions:
            share = entry.visits / whole if entry.strategy is None else entry.strategy
            assert not entry.visits or forest.improved[tree, entry.action] == pytest.approx(share)


@pytest.mark.parametrize("spec", EVERY_KIND)
def test_each_tree_is_the_one_of_a_search_with_its_seed(spec: str) -> None:
    game = loaded(spec)
    state = first_decision(game)
    report = Forest(game, trees=3, seed=SEED).run(state, iterations=80)
    assert_same(game, state, report, 80)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [pytest.param(each, marks=pytest.mark.slow if i > 0 else ()) for i, each in enumerate(POLICIES)]
)
def test_every_kind_of_policy_grows_the_same_trees(settings: dict[str, Any]) -> None:
    game = loaded("connect4")
    report = Forest(game, trees=2, seed=SEED, **settings).run(iterations=60)
    assert_same(game, game.new_initial_state(), report, 60, **settings)


def judge(states: Any) -> tuple[Any, Any]:
    """An evaluator that thinks little, and always the same."""
    marks = np.frombuffer(states.tobytes(), np.uint8).reshape(len(states), -1) @ (np.arange(states.itemsize) % 7 + 1.0)
    return np.abs(np.cos(np.outer(marks, np.arange(1, 10)))) + 0.01, np.sin(marks)


@pytest.mark.slow
@pytest.mark.parametrize("select", ["puct", pytest.param("gumbel", marks=pytest.mark.slow)])
def test_an_evaluator_judges_the_leaves_of_all_trees_together(select: str) -> None:
    game = loaded("tictactoe")
    batches = []

    def judging(states: Any) -> tuple[Any, Any]:
        batches.append(len(states))
        return judge(states)

    report = Forest(game, trees=4, seed=SEED, select=select, evaluator=judging).run(iterations=40)
    assert max(batches) == 4 and len(batches) <= 41
    assert_same(game, game.new_initial_state(), report, 40, select=select, evaluator=judge, batch=1)


@pytest.mark.parametrize(("trees", "cores"), [(1, 1), (2, 2), (5, 3)])
def test_a_tree_follows_from_seed_and_number_alone(trees: int, cores: int) -> None:
    game = loaded("tictactoe")
    whole = Forest(game, trees=5, seed=SEED).run(iterations=50)
    part = Forest(game, trees=trees, seed=SEED, cores=cores).run(iterations=50)
    assert (part.visits == whole.visits[:trees]).all()


def test_trees_that_do_not_fit_into_memory_together_are_searched_in_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    game = loaded("tictactoe")
    whole = Forest(game, trees=5, seed=SEED)
    expected = whole.run(iterations=50)
    capacity = 2 + 50 * (game.max_actions + 1)
    monkeypatch.setattr(cores, "tree_memory", lambda: capacity * 24)  # of which a forest may take twice as much
    rounds = Forest(game, trees=5, seed=SEED)
    found = rounds.run(iterations=50)
    assert (found.visits == expected.visits).all() and (found.best_actions == expected.best_actions).all()
    with pytest.raises(PonderosaError, match="fit into memory"):
        rounds.advance(found.best_actions)


@pytest.mark.parametrize(
    "spec", ["tictactoe", pytest.param("samegame:rows=5,columns=4,colours=3", marks=pytest.mark.slow)]
)
def test_an_advance_keeps_what_lies_below_the_action(spec: str) -> None:
    game = loaded(spec)
    forest = Forest(game, trees=3, seed=SEED)
    first = forest.run(iterations=200)
    forest.advance(first.best_actions)
    second = forest.run(iterations=100)
    for tree in range(3):
        search = Search(game, seed=seed_of(SEED, tree))
        search.advance(search.run(iterations=200).best_action)
        found = search.run(iterations=100)
        assert visits_of(second, tree) == {entry.action: entry.visits for entry in found.actions if entry.visits}
        assert second.best_actions[tree] == found.best_action


def test_trees_grow_on_when_no_states_are_given() -> None:
    game = loaded("tictactoe")
    forest = Forest(game, trees=2, seed=SEED)
    forest.run(iterations=60)
    further = forest.run(iterations=60)
    assert (further.visits.sum(axis=1) == 120).all()
    assert_same(game, game.new_initial_state(), Forest(game, trees=2, seed=SEED).run(iterations=120), 120)


def test_a_full_tree_gives_up_what_it_visited_least_and_goes_on() -> None:
    game = loaded("connect4")
    forest = Forest(game, trees=2, seed=SEED)
    report = forest.run(iterations=600, max_nodes=500)
    larger = Forest(game, trees=2, seed=SEED)
    larger.run(iterations=600)
    assert (larger.run(game.new_initial_state(), iterations=600, max_nodes=500).nodes <= 500).all()
    assert (report.nodes <= 500).all() and (report.iterations == 600).all()
    for tree in range(2):
        found = Search(game, seed=seed_of(SEED, tree)).run(iterations=600, max_nodes=500)
        assert visits_of(report, tree) == {entry.action: entry.visits for entry in found.actions if entry.visits}


def test_finished_games_are_left_alone_and_each_state_has_a_tree() -> None:
    game = loaded("tictactoe")
    states, chance = [], random.Random(1)
    for plies in (0, 9, 3):
        state = game.new_initial_state()
        while plies and not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            plies -= 1
        states.append(state)
    assert states[1].is_terminal()
    by_list = Forest(game, trees=3, seed=SEED).run(states, iterations=60)
    assert by_list.best_actions[1] == -1 and by_list.visits[1].sum() == 0 and np.isnan(by_list.best_values[1])
    records = np.concatenate([state.data[: game.dtype.itemsize].view(game.dtype) for state in states])
    by_array = Forest(game, trees=3, seed=SEED).run(records, iterations=60)
    assert (by_list.visits == by_array.visits).all()


def test_what_is_proven_is_told_by_action() -> None:
    game = loaded("tictactoe")
    state = game.new_initial_state()
    for action in (0, 3, 1, 4):  # X wins at 2, O threatens 5
        state.apply_action(action)
    report = Forest(game, trees=2).run(state, iterations=500)
    assert (
        (report.best_actions == 2).all() and (report.proven[:, 2] == 1.0).all() and (report.certain_values == 1.0).all()
    )
    assert np.isnan(report.proven[:, 0]).all() and (report.iterations < 500).all()


def test_progress_is_told_and_may_end_a_run() -> None:
    told = []

    def progress(done: int, todo: int) -> bool:
        told.append((done, todo))
        return len(told) < 2

    forest = Forest(loaded("connect4"), trees=64)
    report = forest.run(iterations=20_000, progress=progress)
    assert report.stopped == "progress" and report.iterations.sum() < 64 * 20_000
    assert told[0][1] == 64 * 20_000 and told[0][0] <= told[1][0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Forest(load_game("kuhn_poker"), trees=2), "hidden"),
        (lambda: Forest(loaded("tictactoe"), trees=0), "trees"),
        (lambda: Forest(loaded("tictactoe"), trees=2, threads=2), "threads"),
        (lambda: Forest(loaded("tictactoe"), trees=2, transpositions=True), "transpositions"),
        (lambda: Forest(loaded("tictactoe"), trees=2, device="tpu"), "device"),
        (lambda: Forest(loaded("tictactoe"), trees=2, device="cuda"), "numba-cuda|no CUDA card|NUMBA_DISABLE_JIT"),
        (lambda: Forest(loaded("tictactoe"), trees=2).run(iterations=0), "iterations"),
        (
            lambda: Forest(loaded("tictactoe"), trees=2).run([loaded("tictactoe").new_initial_state()], iterations=1),
            "2 trees",
        ),
        (
            lambda: Forest(loaded("tictactoe"), trees=2).run(loaded("connect4").new_initial_state(), iterations=1),
            "another",
        ),
        (lambda: Forest(loaded("tictactoe"), trees=2).run(np.zeros(2), iterations=1), "dtype"),
        (lambda: Forest(loaded("tictactoe"), trees=2).advance([0, 0]), "run first"),
        (lambda: Forest(object(), trees=2), "dtype"),
    ],
)
def test_what_a_forest_does_not_do_is_refused_in_words(make: Any, words: str) -> None:
    with pytest.raises(PonderosaError, match=words):
        make()


def test_an_illegal_action_is_refused_and_nothing_is_played() -> None:
    forest = Forest(loaded("tictactoe"), trees=2)
    forest.run(iterations=10)
    before = forest.roots
    with pytest.raises(PonderosaError, match="tree 1"):
        forest.advance([0, 9])
    assert (forest.roots == before).all()


@pytest.mark.slow
def test_dice_that_decide_at_a_root_are_told() -> None:
    game = loaded("pig:target=30")
    state = first_decision(game)
    forest = Forest(game, trees=2)
    report = forest.run(state, iterations=50)
    rolling = next(action for action in state.legal_actions() if leads_to_dice(state, action))
    forest.advance(rolling)
    with pytest.raises(PonderosaError, match="no legal action"):
        forest.advance(7)  # dice have six faces
    forest.advance(3)
    assert (forest.run(iterations=20).visits.sum(axis=1) >= 20).all() and report.visits.sum() == 100


def leads_to_dice(state: Any, action: Any) -> bool:
    after = state.clone()
    after.apply_action(action)
    return bool(after.is_chance_node())


def test_actions_are_drawn_by_their_visits() -> None:
    report = Forest(loaded("connect4"), trees=400, seed=SEED).run(iterations=60)
    drawn = np.bincount(report.sample(seed=1), minlength=7)
    expected = report.policy.sum(axis=0)
    assert np.abs(drawn - expected).max() < 4 * np.sqrt(expected.max())
    cold = report.sample(temperature=0.001)
    most = report.visits.max(axis=1)
    assert (report.visits[np.arange(400), cold] == most).all()
