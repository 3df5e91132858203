"""Policies from the literature: their limits, and that each does what it is for."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest

from ponderosa import Search, load_game
from ponderosa.core.rng import gamma, new_rng, uniform
from ponderosa.errors import SettingError
from ponderosa.mcts.engines.phases import Playout
from ponderosa.mcts.policies.expand.counts import widening
from ponderosa.mcts.policies.fitting import fitting_policies
from ponderosa.mcts.policies.playout.learned import last_good_reply, mast, nst
from ponderosa.mcts.policies.playout.playouts import decisive, epsilon
from ponderosa.mcts.policies.playout.playouts import random as random_playout
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.mcts.policies.select.grave import REFERENCES, grave
from ponderosa.mcts.policies.select.implicit_minimax import implicit_minimax
from ponderosa.mcts.policies.select.puct import progressive_bias, puct
from ponderosa.mcts.policies.select.rave import TABLE, rave
from ponderosa.mcts.policies.select.ucb import thompson, ucb1
from ponderosa.mcts.tree.node import layout
from tests.helpers import children, grown, hand_made, loaded, position, visits

CONNECT = "connect4"


def counts(**phases):
    return visits(Search(loaded(CONNECT), seed=3, **phases).run(iterations=3_000))


@pytest.mark.slow
def test_rave_that_trusts_nothing_is_ucb1():
    assert counts(select=rave(k=0, c=1.3)) == counts(select=ucb1(c=1.3))
    assert counts(select=rave(k=500, c=1.3)) != counts(select=ucb1(c=1.3))


@pytest.mark.slow
def test_widening_that_holds_nothing_back_is_plain_expansion():
    assert counts(expand=widening(k=1, alpha=1)) == counts()
    assert counts(expand=widening(k=1, alpha=0.5)) != counts()


@pytest.mark.slow
def test_implicit_minimax_that_trusts_no_static_value_is_ucb1():
    assert counts(select=implicit_minimax(alpha=0, c=1.3)) == counts(select=ucb1(c=1.3))
    assert counts(select=implicit_minimax(alpha=0.5, c=1.3)) != counts(select=ucb1(c=1.3))


@pytest.mark.slow
def test_static_values_are_carried_up_by_minimax():
    search = Search(loaded(CONNECT), select=implicit_minimax(), solve=False, seed=1)
    search.run(iterations=2_000)
    nodes = grown(search)
    for node in np.flatnonzero((nodes["first"] > 0) & (nodes["count"] > 0)):
        below = nodes[children(nodes, int(node))]
        best = below["static"][below["visits"] > 0].max()
        same = below[0]["mover"] == nodes[node]["mover"]
        assert nodes[node]["static"] == pytest.approx(best if same else 1 - best)


def played(policy, seed, drawn=0):
    """A playout of Connect Four: its length, its result, and the random numbers after it; `drawn` of them before it."""
    rng, state, values = new_rng(seed), loaded(CONNECT).new_initial_state(), np.zeros(2)
    for _ in range(drawn):
        uniform(rng)
    plies = Playout(loaded(CONNECT), policy)(state.data, rng, values)
    return plies, values.tolist(), rng.tolist()


@pytest.mark.slow
def test_a_mix_of_two_playouts_has_the_one_and_the_other_as_its_limits():
    one, other = decisive(), random_playout()
    for seed in range(30):
        assert played(epsilon(1.0, one, other), seed) == played(one, seed, drawn=1)
        assert played(epsilon(0.0, one, other), seed) == played(other, seed, drawn=1)
    mixed = [played(epsilon(0.5, one, other), seed) for seed in range(60)]
    assert all(found in (played(one, seed, drawn=1), played(other, seed, drawn=1)) for seed, found in enumerate(mixed))
    for limit in (one, other):
        assert mixed != [played(limit, seed, drawn=1) for seed in range(60)]
    with pytest.raises(SettingError, match="do not learn"):
        epsilon(0.5, mast(), "random")


@pytest.mark.slow
def test_without_a_playout_the_static_value_counts():
    assert counts(playout="static") == counts(playout=random_playout(max_length=0, at_cutoff="evaluate"))


@pytest.mark.slow
def test_a_bias_of_no_weight_is_no_bias():
    """At every node it takes a child that UCB1 takes, or one that is worth as much to the last digits."""
    search = Search(loaded(CONNECT), select=progressive_bias(weight=0, c=1.3), solve=False, seed=3)
    search.run(iterations=3_000)
    nodes = grown(search)
    inner = [int(node) for node in np.flatnonzero(nodes["count"] > 1)]
    assert len(inner) > 500
    assert all(best_by_ucb1(nodes, node, progressive_bias(weight=0, c=1.3)) for node in inner)
    assert not all(best_by_ucb1(nodes, node, progressive_bias(weight=9, c=1.3)) for node in inner)


def best_by_ucb1(nodes, node, policy):
    """Whether what a policy takes has the best score by UCB1 with c = 1.3."""
    below = nodes[children(nodes, node)]
    scores = below["value"] / below["visits"] + 1.3 * np.sqrt(np.log(nodes[node]["visits"]) / below["visits"])
    taken = int(policy.function(nodes, node, np.array(policy.params), new_rng(1))) - int(nodes[node]["first"])
    return scores[taken] == pytest.approx(scores.max(), abs=1e-12)


@pytest.mark.slow
def test_a_first_play_urgency_beyond_all_results_changes_nothing():
    assert counts(select=ucb1(fpu=10.0), expand="all") == counts(select=ucb1(fpu=None), expand="all")
    assert counts(select=ucb1(fpu=0.0), expand="all") != counts(select=ucb1(fpu=None), expand="all")
    few = visits(Search(loaded("gomoku"), select=ucb1(c=0.1, fpu=0.4), expand="all").run(iterations=200))
    assert sum(count > 0 for count in few.values()) < 200  # else every one of the 225 moves comes first


def test_widening_opens_as_many_children_as_it_says():
    search = Search(loaded("gomoku"), expand=widening(k=2, alpha=0.5), seed=1)
    search.run(iterations=400)
    nodes = grown(search)
    opened = nodes[nodes["count"] > 0]
    assert nodes[0]["count"] == math.ceil(2 * 400**0.5)
    assert (opened["count"] <= np.ceil(2 * np.maximum(opened["visits"], 1) ** 0.5)).all()


def amaf_by_hand(search, iterations):
    """Both statistics of the root's children, from a search that is run one iteration at a time."""
    wins, plays = {}, {}
    for _ in range(iterations):
        search.run(iterations=1)
        work = search.engine._work
        moves = work.played[1 : work.played[0] + 1].tolist()
        for action in {move // 2 for move in moves if move % 2 == 0}:
            plays[action] = plays.get(action, 0) + 1
            wins[action] = wins.get(action, 0.0) + float(work.values[0])
    return wins, plays


@pytest.mark.slow
def test_amaf_counts_every_game_in_which_the_move_came_later():
    search = Search(loaded("tictactoe"), select=rave(k=100), expand="all", solve=False, seed=4)
    search.run(iterations=1)  # the children are there from now on
    before = grown(search)[children(grown(search), 0)]
    known = {int(node["action"]): int(node["amaf_visits"]) for node in before}
    values = {int(node["action"]): float(node["amaf_value"]) for node in before}
    wins, plays = amaf_by_hand(search, 200)
    for node in grown(search)[children(grown(search), 0)]:
        action = int(node["action"])
        assert node["amaf_visits"] == known[action] + plays.get(action, 0)
        assert node["amaf_value"] == pytest.approx(values[action] + wins.get(action, 0.0))


@pytest.mark.slow
def test_grave_that_asks_every_node_itself_is_rave():
    own = counts(select=grave(ref=0, k=300, c=0.7))
    assert own == counts(select=rave(k=300, c=0.7), expand="all")
    assert own != counts(select=grave(ref=50, k=300, c=0.7))
    assert counts(select=grave(ref=50, k=0, c=1.3)) == counts(select=ucb1(c=1.3), expand="all")


def a_known_root_above_a_new_node(**amaf):
    """A root of 100 visits, a reply to its first move, and behind it a node of 2 visits that knows nothing."""
    policy = grave(**amaf)
    nodes = np.zeros(10, layout(policy.fields))
    nodes["mover"] = (0, 0, 0, 0, 1, 0, 0, 0, 0, 0)
    nodes["first"][[0, 1, 4]], nodes["count"][[0, 1, 4]] = (1, 4, 5), (3, 1, 3)
    nodes["visits"][:8] = (100, 90, 5, 5, 90, 1, 1, 0)
    nodes["action"][:8] = (0, 7, 8, 9, 6, 8, 9, 10)
    nodes["value"][5:7] = 0.5
    nodes["amaf_visits"][1:4], nodes["amaf_value"][1:4] = 50, (25, 10, 40)
    nodes["visits"][4] = 2
    params = np.concatenate([policy.params, np.zeros(policy.memory)])
    return [int(policy.function(nodes, node, params, new_rng(1))) for node in (0, 1, 4)], params


def test_grave_asks_an_ancestor_of_the_same_player_what_a_move_is_worth():
    """The root knows that action 9 is good; of action 10, which was never visited, nobody knows anything."""
    assert a_known_root_above_a_new_node(ref=50, c=0.0, fpu=0.3)[0][2] == 6
    assert a_known_root_above_a_new_node(ref=50, c=0.0)[0][2] == 7
    chosen, params = a_known_root_above_a_new_node(ref=1_000, c=0.0, fpu=0.3)  # nobody has so many: the first of all
    assert chosen[2] == 6
    assert params[REFERENCES : REFERENCES + 2].tolist() == [0, 1]
    chosen, params = a_known_root_above_a_new_node(ref=2, c=0.0, fpu=0.9)
    assert chosen[2] == 7 and params[REFERENCES] == 4  # the node itself has visits enough


@pytest.mark.slow
def test_recorded_moves_are_those_of_a_legal_game():
    search = Search(loaded("tictactoe"), playout="mast", solve=False, seed=2)
    for _ in range(50):
        search.run(iterations=1)
        work = search.engine._work
        state = search.game.new_initial_state()
        for move in work.played[1 : work.played[0] + 1].tolist():
            assert move % 2 == state.current_player()
            state.apply_action(move // 2)
        assert state.is_terminal()
        assert [(value + 1) / 2 for value in state.returns()] == work.values.tolist()


@pytest.mark.slow
def test_mast_remembers_what_each_move_brought():
    search = Search(loaded("tictactoe"), playout=mast(tau=0.2), solve=False, seed=2)
    sums, times = np.zeros(18), np.zeros(18)
    for _ in range(100):
        search.run(iterations=1)
        work = search.engine._work
        for move in work.played[1 : work.played[0] + 1].tolist():
            sums[move] += work.values[move % 2]
            times[move] += 1
    table = search.engine.learned()
    assert table[:18] == pytest.approx(sums)
    assert table[TABLE : TABLE + 18].tolist() == times.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("playout", [mast(), nst(), last_good_reply(1), last_good_reply(2)])
def test_what_a_playout_learned_is_forgotten_with_the_tree(playout):
    search = Search(loaded("tictactoe"), playout=playout, seed=2)
    first = search.run(iterations=300)
    search.reset()
    again = search.run(iterations=300)
    assert first.actions == again.actions
    assert counts(playout=playout) != counts()


@pytest.mark.slow
def test_mast_draws_moves_by_the_exponential_of_what_they_brought():
    tau = 0.3
    search = Search(loaded("tictactoe"), playout=mast(tau=tau), solve=False, seed=2)
    phases, work = search.engine._phases, search.engine._work
    means = np.linspace(0.1, 0.9, 9)
    search.engine.learned()[:18:2] = means  # the first player's nine moves, once each
    search.engine.learned()[TABLE : TABLE + 18 : 2] = 1.0
    drawn = np.zeros(9)
    for _ in range(6_000):
        work.state[: len(work.root)], work.played[0] = work.root, 0
        phases.functions["playout"](
            work.state, work.spare, work.actions, phases.params["playout"], work.rng, work.values
        )
        drawn[work.played[1] // 2] += 1
    shares = np.exp(means / tau) / np.exp(means / tau).sum()
    assert drawn / drawn.sum() == pytest.approx(shares, abs=0.02)


@pytest.mark.slow
def test_a_reply_that_won_is_played_again():
    search = Search(loaded("tictactoe"), playout=last_good_reply(1), solve=False, seed=2)
    search.run(iterations=200)
    replies = search.engine.learned()
    known = {place: int(reply) - 1 for place, reply in enumerate(replies[:18]) if reply}
    assert known  # something was learned
    assert all(place % 2 != reply % 2 for place, reply in known.items())  # the other player answers


@pytest.mark.slow
@pytest.mark.parametrize("select", ["puct", "progressive_bias"])
def test_priors_are_shares_and_guide_the_search(select):
    search = Search(loaded(CONNECT), select=select, expand="all", seed=1)
    search.run(iterations=200)
    nodes = grown(search)
    for node in np.flatnonzero((nodes["first"] > 0) & (nodes["count"] > 0))[:50]:
        assert nodes[children(nodes, int(node))]["prior"].sum() == pytest.approx(1)
    assert (nodes[children(nodes, 0)]["prior"] > 0).all()


@pytest.mark.slow
def test_puct_visits_by_the_priors_when_nothing_else_is_known():
    """With a huge c, visits are proportional to the priors."""
    search = Search(loaded(CONNECT), select=puct(c=1e6), solve=False, seed=1)
    search.run(iterations=5_000)
    nodes = grown(search)
    root = nodes[children(nodes, 0)]
    assert root["visits"] / root["visits"].sum() == pytest.approx(root["prior"], abs=0.02)


@pytest.mark.slow
def test_widening_by_priors_opens_the_most_promising_first():
    search = Search(loaded(CONNECT), select=progressive_bias(), expand=widening(k=1, alpha=0.3), seed=1)
    search.run(iterations=300)
    nodes = grown(search)
    opened = nodes[children(nodes, 0)]["prior"]
    assert 1 < len(opened) < 7
    assert (np.diff(opened) <= 0).all()


def test_thompson_samples_from_what_a_child_may_be_worth():
    rng = new_rng(1)
    drawn = np.array([gamma(rng, 4.5) for _ in range(20_000)])
    assert drawn.mean() == pytest.approx(4.5, abs=0.06)
    assert drawn.var() == pytest.approx(4.5, abs=0.2)
    tree = hand_made((40, 0.5), (40, 0.6))
    better = sum(thompson().function(tree, 0, np.zeros(0), rng) == 2 for _ in range(3_000)) / 3_000
    exact = np.random.default_rng(1).beta([[21], [25]], [[21], [17]], (2, 200_000))
    assert better == pytest.approx((exact[1] > exact[0]).mean(), abs=0.03)


@pytest.mark.parametrize(
    "options",
    [
        {"select": "puct"},
        {"select": "rave"},
        {"select": "grave"},
        {"select": "thompson"},
        {"playout": "mast"},
        {"playout": "nst"},
        {"playout": "last_good_reply"},
        {"expand": "widening"},
    ],
)
def test_a_win_at_once_is_found_all_the_same(options):
    report = Search(loaded(CONNECT), **options).run(position(loaded(CONNECT), "4 3 4 3 4 3"), iterations=500)
    assert (report.best_name, report.proven) == ("4", "win")


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("kuhn_poker", {"select": "rave"}, "moves that all can see"),
        ("kuhn_poker", {"select": "grave"}, "moves that all can see"),
        ("kuhn_poker", {"playout": "mast"}, "moves that all can see"),
        ("rps", {"select": "puct"}, "priors"),
        ("pig", {"select": "puct"}, "needs a game with the rule 'prior'"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(spec, options, words):
    with pytest.raises(SettingError, match=words):
        Search(load_game(spec), **options)


URGENT = {
    name: "samegame:rows=5,columns=4,colours=3" if name in ("sp_ucb", "scaled_ucb") else CONNECT
    for name, maker in NAMED["select"].items()
    if "fpu" in inspect.signature(maker).parameters and name not in ("available_ucb", "decoupled_ucb")
} | {"available_ucb": "blind_tictactoe", "decoupled_ucb": "rps"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "ucb1" else pytest.mark.slow) for name in URGENT]
)
def test_first_play_urgency_decides_when_a_child_gets_its_first_visit(name):
    """Worth ten, all children come before any comes again; worth nothing, one that brings something comes again."""
    blind = {"k": 0} if name in ("rave", "grave") else {}  # what other games say of an unvisited child comes before fpu
    manner = {"observers": "single"} if name == "available_ucb" else {}

    def tried(fpu):
        select = NAMED["select"][name](fpu=fpu, **blind)
        search = Search(loaded(URGENT[name]), select=select, expand="all", solve=False, seed=2, **manner)
        found = search.run(iterations=len(search.root_state.legal_actions()))
        return sum(entry.visits > 0 for entry in found.actions), len(found.actions)

    eager, actions = tried(10.0)
    assert eager == actions
    assert tried(0.0)[0] < actions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phase", "name"),
    [
        pytest.param(*policy, marks=() if policy[1] in ("rave", "all", "mast", "mean", "robust") else pytest.mark.slow)
        for policy in fitting_policies(loaded(CONNECT), NAMED)
    ],
)
def test_nothing_depends_on_what_a_policy_is_called(phase, name):
    policy = NAMED[phase][name]()
    renamed = replace(policy, name="mine")
    assert counts(**{phase: renamed}) == counts(**{phase: policy})
