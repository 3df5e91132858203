"""Backups from the best child: their limits, and whose interest decides."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import Search, load_game
from ponderosa.core.bounds import LOSS
from ponderosa.errors import SettingError
from ponderosa.mcts.policies.backup.mixmax import FIELDS, maximum, mixmax
from ponderosa.mcts.tree.node import layout
from tests.helpers import children, grown, loaded, position, visits


def searched(**phases):
    search = Search(loaded("tictactoe"), seed=3, **phases)
    return visits(search.run(iterations=1_000))


@pytest.mark.slow
def test_the_limits_of_the_mixture_are_the_mean_and_the_best_child():
    assert searched(backup=mixmax(0)) == searched()
    assert searched(backup=mixmax(1)) == searched(backup="max")
    assert len({tuple(searched(backup=mixmax(weight)).values()) for weight in (0, 0.5, 1)}) == 3


@pytest.mark.parametrize("weight", [0.3, 1.0])
def test_a_node_is_worth_so_much_of_its_mean_and_so_much_of_its_best_child(weight):
    search = Search(loaded("tictactoe"), backup=mixmax(weight), solve=False, seed=1)
    search.run(iterations=2_000)
    nodes = grown(search)
    for node in np.flatnonzero((nodes["first"] > 0) & (nodes["count"] > 0)):
        below = nodes[children(nodes, int(node))]
        below = below[below["visits"] > 0]
        best = below[np.argmax(below["backed"][:, below[0]["mover"]])]
        mean = nodes[node]["sums"] / nodes[node]["visits"]
        assert nodes[node]["backed"] == pytest.approx((1 - weight) * mean + weight * best["backed"])
        mover = nodes[node]["mover"]
        assert nodes[node]["value"] == pytest.approx(nodes[node]["backed"][mover] * nodes[node]["visits"])
    assert nodes[0]["sums"].sum() == pytest.approx(2_000)


def family(players: int) -> np.ndarray:
    """A root for player 0, its move, and two replies of player 1 to it."""
    nodes = np.zeros(5, layout(FIELDS, players))
    nodes["mover"] = (0, 0, 1, 1, 0)
    nodes["first"], nodes["count"] = (1, 2, 0, 0, 0), (1, 2, 0, 0, 0)
    return nodes


def back_up(policy, nodes, path, *values):
    policy.function(nodes, np.array(path), len(path) - 1, np.array(values), 0, np.array(policy.params))


def test_of_three_players_the_one_to_move_decides_and_all_get_what_comes_of_it():
    """Player 1 takes 0.5 rather than 0.2 for itself; that player 0 gets 0.4 and not 0.7 is nothing to it."""
    nodes = family(players=3)
    back_up(maximum(), nodes, (0, 1, 2), 0.7, 0.2, 0.1)
    assert nodes[0]["backed"].tolist() == pytest.approx([0.7, 0.2, 0.1])
    back_up(maximum(), nodes, (0, 1, 3), 0.4, 0.5, 0.1)
    assert nodes[0]["backed"].tolist() == pytest.approx([0.4, 0.5, 0.1])
    assert nodes[1]["value"] / nodes[1]["visits"] == pytest.approx(0.4)
    back_up(maximum(), nodes, (0, 1, 2), 0.7, 0.2, 0.1)
    assert nodes[0]["backed"].tolist() == pytest.approx([0.4, 0.5, 0.1])


def test_what_is_proven_of_a_child_is_believed():
    nodes = family(players=2)
    back_up(maximum(), nodes, (0, 1, 2), 0.1, 0.9)
    nodes[2]["proven"] = LOSS  # for player 1, who moved there
    back_up(maximum(), nodes, (0, 1, 3), 0.6, 0.4)
    assert nodes[0]["backed"].tolist() == pytest.approx([0.6, 0.4])
    nodes[3]["proven"] = LOSS
    back_up(maximum(), nodes, (0, 1, 3), 0.6, 0.4)
    assert nodes[0]["backed"].tolist() == pytest.approx([1.0, 0.0])


@pytest.mark.slow
def test_one_good_reply_among_many_counts_at_once():
    """With the mean, a move that loses to one reply of eight looks good for as long as all replies are tried alike."""
    state = position(loaded("tictactoe"), "a1 b2 c3")  # an edge holds the draw; a corner loses to the other one
    values = {}
    for backup in ("mean", "max"):
        search = Search(state, select="epsilon_greedy", backup=backup, solve=False, seed=2)
        values[backup] = {entry.name: entry.value for entry in search.run(state, iterations=3_000).actions}
    for name, exact in {"a3": 0.0, "c1": 0.0, "a2": 0.5, "b1": 0.5, "b3": 0.5, "c2": 0.5}.items():
        assert values["max"][name] == pytest.approx(exact, abs=0.01)
    assert values["mean"]["a3"] > 0.1 and values["mean"]["c1"] > 0.1


def test_a_tree_of_all_players_results_is_saved_and_loaded(tmp_path):
    search = Search(loaded("tictactoe"), backup=mixmax(0.4), seed=1)
    search.run(iterations=300)
    search.save(tmp_path / "tree.npz")
    again = Search.load(tmp_path / "tree.npz")
    assert visits(search.run(iterations=300)) == visits(again.run(iterations=300))


@pytest.mark.parametrize("spec", ["pig", "kuhn_poker", "rps"])
def test_dice_and_hidden_things_are_refused_in_words(spec):
    with pytest.raises(SettingError, match="without dice in which all see everything"):
        Search(load_game(spec), backup="mixmax")
