"""What each choose policy picks, on trees made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import PonderosaError, Search
from ponderosa.core.bounds import DRAW, LOSS, NOT_LOSS, NOT_WIN, WIN
from ponderosa.mcts.policies.choose.choices import SEARCH_ON, max_robust, max_value, robust, secure
from ponderosa.mcts.policies.registry import NAMED
from tests.helpers import POLICIES, PlainNim, hand_made, loaded, position
from tests.plain_python import plain_and_compiled  # noqa: F401


def pick(policy, nodes) -> int:
    """The place of the child that a policy prefers among the rows of hand_made; -1: search on."""
    child = policy.function(nodes, 0, np.array(policy.params))
    return child if child == SEARCH_ON else child - 1


def test_robust_picks_the_most_visited():
    assert pick(robust(), hand_made((10, 0.9), (30, 0.4), (20, 0.6))) == 1


def test_robust_lets_the_mean_decide_between_equal_visits():
    assert pick(robust(), hand_made((30, 0.4), (30, 0.6), (30, 0.5))) == 1


def test_max_picks_the_best_mean():
    assert pick(max_value(), hand_made((10, 0.9), (30, 0.4), (20, 0.6))) == 0


def test_secure_picks_the_best_lower_bound():
    tree = hand_made((4, 0.9), (100, 0.8), (10_000, 0.5))
    assert pick(secure(0.0), tree) == 0
    assert pick(secure(1.0), tree) == 1  # 0.9 - 0.5, 0.8 - 0.1, 0.5 - 0.01
    assert pick(secure(10.0), tree) == 2


def test_max_robust_asks_for_more_while_the_two_differ():
    assert pick(max_robust(), hand_made((10, 0.9), (30, 0.4))) == SEARCH_ON
    assert pick(max_robust(), hand_made((10, 0.3), (30, 0.4))) == 1


@pytest.mark.parametrize("name", [name for phase, name in POLICIES if phase == "choose"])
def test_a_proven_win_is_always_taken(name):
    assert pick(NAMED["choose"][name](), hand_made((1_000, 0.99), (1, 0.0, WIN), (500, 0.9))) == 1


@pytest.mark.parametrize("name", [name for phase, name in POLICIES if phase == "choose"])
def test_a_proven_loss_is_never_taken_while_there_is_anything_else(name):
    policy = NAMED["choose"][name]()
    assert pick(policy, hand_made((1_000, 0.99, LOSS), (2, 0.01), (500, 0.9, LOSS))) == 1
    assert pick(policy, hand_made((1_000, 0.99, LOSS), (0, 0.0))) == 1
    assert pick(policy, hand_made((1_000, 0.99, LOSS), (2, 0.0, NOT_WIN))) == 1
    assert pick(policy, hand_made((9, 0.2, LOSS), (7, 0.1, LOSS))) == 0


@pytest.mark.parametrize("name", [name for phase, name in POLICIES if phase == "choose"])
def test_a_certain_draw_is_better_than_a_mean_below_it(name):
    tree = hand_made((1_000, 0.4), (3, 0.0, DRAW), proven=NOT_LOSS)
    assert pick(NAMED["choose"][name](), tree) == 1


def test_a_mean_above_a_certain_draw_is_tried():
    assert pick(robust(), hand_made((1_000, 0.7), (3, 0.0, DRAW), proven=NOT_LOSS)) == 0


@pytest.mark.parametrize("name", [name for phase, name in POLICIES if phase == "choose"])
def test_a_proven_draw_is_not_given_away_for_a_good_mean(name):
    tree = hand_made((1_000, 0.7), (3, 0.5, DRAW), (2_000, 0.9, NOT_WIN), proven=DRAW)
    assert pick(NAMED["choose"][name](), tree) == 1


def test_a_mean_beyond_what_is_possible_counts_as_what_is_possible():
    assert pick(max_value(), hand_made((10, 0.9, NOT_WIN), (10, 0.6))) == 1
    assert pick(max_value(), hand_made((10, 0.1, NOT_LOSS), (10, 0.4), proven=NOT_LOSS)) == 0


@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"threads": 2, "parallel": "vote"}], ids=str)
def test_decisive_plays_a_win_that_the_tree_knows_nothing_of(options):
    game = loaded("connect4")
    state = position(game, "4 3 4 3 4 3")
    for seed in range(5):
        search = Search(game, choose="decisive", solve=False, seed=seed, **options)
        report = search.run(state, iterations=2)
        assert (report.best_name, report.proven) == ("4", None)
    picked = {
        Search(game, choose="max", solve=False, seed=seed).run(state, iterations=2).best_name for seed in range(9)
    }
    assert len(picked) > 1  # the best of two means


def test_decisive_is_the_best_mean_where_nothing_wins_at_once():
    for seed in range(5):
        decided, best = (
            Search(loaded("connect4"), choose=name, seed=seed).run(iterations=40) for name in ("decisive", "max")
        )
        assert decided.best_action == best.best_action


def test_decisive_takes_the_win_of_a_python_state():
    report = Search(PlainNim((3,)), choose="decisive", solve=False).run(iterations=1)
    assert report.best_action == (0, 3)


@pytest.mark.parametrize("spec", ["samegame:rows=5,columns=4,colours=3", "pig:target=30", "kuhn_poker", "rps"])
def test_decisive_is_refused_where_a_win_at_once_cannot_be_told(spec):
    with pytest.raises(PonderosaError, match="choose=decisive is for games of several players without dice"):
        Search(loaded(spec), choose="decisive")
