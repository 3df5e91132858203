"""What must hold for every game, every policy and every seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Search
from ponderosa.core.bounds import DRAW, LOSS, NOT_LOSS, NOT_WIN, UNPROVEN, WIN, is_settled
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.mcts.tree.node import UNTRIED
from ponderosa.policies import BackupPolicy, Policy, SelectPolicy
from tests.helpers import EACH_RULES, EXAMPLES, POLICIES, children, grown, loaded, random_position, untimed, walk

ROUNDING = 1e-6

SEEDS = st.integers(0, 2**32)
SETTINGS: dict[str, dict[str, Any]] = {
    "ucb1": {"c": st.floats(0, 5)},
    "epsilon_greedy": {"epsilon": st.floats(0, 1)},
    "expand": {"n": st.sampled_from([1, 2, 5, "all"]), "min_visits": st.integers(0, 4)},
    "random": {"rollouts": st.integers(1, 3), "max_length": st.none() | st.integers(0, 30)},
    "informed": {"rollouts": st.integers(1, 3), "max_length": st.none() | st.integers(0, 30)},
    "decisive": {"rollouts": st.integers(1, 2)},
    "majority": {"rollouts": st.integers(1, 3), "win_first": st.booleans()},
    "discounted": {"per_ply": st.floats(0, 1), "cap": st.floats(0, 1)},
    "mixmax": {"weight": st.floats(0, 1)},
    "late_weighted": {"rate": st.floats(0, 3)},
    "secure": {"a": st.floats(0, 10)},
}
"""What the parameters of the policies are drawn from."""


def keeps_more(policy: Policy) -> bool:
    """Whether a policy keeps more in the nodes than usual."""
    return isinstance(policy, SelectPolicy | BackupPolicy) and bool(policy.fields)


@st.composite
def policies(draw, mixed: bool = True, **fixed: str):
    """One policy for each phase, with drawn parameters; some of them given by name.

    At most one of them keeps more in the nodes than usual: every mix of such fields would be compiled anew. With
    `mixed` off it is one that is given, and the usual policies go with it: so is every function for its nodes.
    """
    chosen = {}
    wide = any(keeps_more(NAMED[phase][name]()) for phase, name in fixed.items())
    for phase, makers in NAMED.items():
        names = [name for fit, name in POLICIES if fit == phase]
        if not mixed and wide:
            names = names[:1]
        elif not mixed or wide:
            names = [name for name in names if not keeps_more(makers[name]())]
        name = fixed.get(phase) or draw(st.sampled_from(names))
        wide = wide or keeps_more(makers[name]())
        drawn = {} if (phase, name) == ("choose", "decisive") else SETTINGS.get(name, {})
        chosen[phase] = makers[name](**draw(st.fixed_dictionaries(drawn)))
    return chosen


@st.composite
def starts(draw, name: str):
    """A position of a game that is not over: most of them early, so that there is something to search."""
    game = loaded(EXAMPLES[name])
    return random_position(game, draw(SEEDS), draw(st.integers(0, min(game.max_game_length or 40, 40))))


def check_tree(search: Search, iterations: int) -> None:
    """All that must hold for a tree that grew from nothing."""
    nodes = grown(search)
    policy, backup = search.policies.expand.settings, search.policies.backup.name
    least = max(1, policy.get("min_visits", 1))
    assert nodes[0]["visits"] == iterations
    assert (nodes["visits"] >= 0).all()
    assert (nodes["value"] >= -ROUNDING).all()
    assert (nodes["value"] <= nodes["visits"] + ROUNDING).all()
    assert np.isin(nodes["proven"], (UNPROVEN, NOT_LOSS, WIN, NOT_WIN, DRAW, LOSS)).all()
    assert search.solve or not nodes["proven"].any()
    untried = nodes["first"] == UNTRIED
    assert not nodes["visits"][untried].any()
    for index in np.flatnonzero(~untried):
        node, below = nodes[index], nodes[children(nodes, index)]
        ended = int(node["visits"] - below["visits"].sum())  # iterations whose playout began at this node
        settled = bool(is_settled(node["proven"]))
        if index == 0:
            assert ended == 0
        elif node["first"] > 0:
            assert ended == least or (settled and ended > least)
        elif search.solve and not settled:  # neither expanded nor over
            assert ended <= least
        # what is left of the node's value without its children's came from the iterations that ended here;
        # a child's value is the mover's at this node, and in a zero-sum game the other player got the rest
        if backup not in ("late_weighted", "best", "max", "mixmax"):
            same = below["mover"] == node["mover"]
            passed_up = np.where(same, below["value"], below["visits"] - below["value"]).sum()
            assert -ROUNDING <= node["value"] - passed_up <= ended + ROUNDING


def check_blocks(nodes: Any) -> None:
    """Every slot but the root belongs to one node: first its children, then what is untried, and no action twice."""
    owners = np.flatnonzero(nodes["first"] > 0)
    owners = owners[np.argsort(nodes["first"][owners])]
    edges = [*nodes["first"][owners], len(nodes)]
    assert edges[0] == 1
    for owner, begin, end in zip(owners, edges[:-1], edges[1:], strict=True):
        block, opened = nodes[begin:end], nodes[owner]["count"]
        assert 1 <= opened <= len(block)
        assert (block["first"][:opened] != UNTRIED).all()
        assert (block["first"][opened:] == UNTRIED).all()
        assert len(set(block["action"])) == len(block)
        assert len(set(block["mover"])) == 1


def quick_and_mixed(*names: str) -> pytest.MarkDecorator:
    """Connect Four in every run; these games, with every mix of policies, among the slow tests."""
    mixes = [pytest.param(name, True, marks=pytest.mark.slow, id=f"{name}-mixed") for name in names]
    return pytest.mark.parametrize(("name", "mixed"), [pytest.param("connect4", False, id="connect4"), *mixes])


@pytest.mark.parametrize(("phase", "policy"), POLICIES, ids=lambda value: value)
@quick_and_mixed(*EACH_RULES)
@settings(max_examples=6)
@given(data=st.data(), seed=SEEDS, iterations=st.integers(1, 400), solve=st.booleans())
def test_visits_add_up_and_values_stay_in_range(name, mixed, phase, policy, data, seed, iterations, solve):
    state = data.draw(starts(name))
    search = Search(state, seed=seed, solve=solve, **data.draw(policies(mixed, **{phase: policy})))
    report = search.run(state, iterations=iterations)
    assert report.iterations >= iterations or report.stopped == "solved"
    check_tree(search, report.iterations)
    check_blocks(grown(search))


@quick_and_mixed(*EXAMPLES)
@given(data=st.data(), seed=SEEDS, iterations=st.integers(1, 400))
def test_a_report_speaks_of_every_legal_action(name, mixed, data, seed, iterations):
    state = data.draw(starts(name))
    report = Search(state, seed=seed, **data.draw(policies(mixed))).run(state, iterations=iterations)
    assert sorted(entry.action for entry in report.actions) == state.legal_actions()
    assert [entry.visits for entry in report.actions] == sorted((e.visits for e in report.actions), reverse=True)
    assert sum(entry.visits for entry in report.actions) == report.iterations
    assert all(entry.value is None or -ROUNDING <= entry.value <= 1 + ROUNDING for entry in report.actions)
    assert (report.best_name, report.player) == (state.action_to_string(report.best_action), state.current_player())
    for entry in report.actions[:3]:  # the expected line can be played
        after = state.child(entry.action)
        assert entry.pv[0] == entry.name
        for text in entry.pv[1:]:
            after.apply_action(after.game.parse_action(text, after))


@quick_and_mixed(*EXAMPLES)
@settings(max_examples=10)
@given(data=st.data(), seed=SEEDS, before=st.integers(0, 300), later=st.integers(1, 300), solve=st.booleans())
def test_a_saved_search_comes_back_and_goes_on_the_same(tmp_path, name, mixed, data, seed, before, later, solve):
    state = data.draw(starts(name))
    playout = data.draw(st.sampled_from(["random", "informed", "decisive"]))  # those that learn are not kept
    search = Search(state, seed=seed, solve=solve, **data.draw(policies(mixed, playout=playout)))
    search.run(state, iterations=before + 1)
    search.save(tmp_path / "tree.npz")
    twin = Search.load(tmp_path / "tree.npz")
    assert np.array_equal(grown(search), grown(twin))
    assert (twin.root_state, twin.root_state.history()) == (search.root_state, search.root_state.history())
    assert (twin.policies, twin.seed, twin.solve) == (search.policies, search.seed, search.solve)
    assert untimed(twin.report()) == untimed(search.report())
    assert untimed(twin.run(iterations=later)) == untimed(search.run(iterations=later))
    assert np.array_equal(grown(search), grown(twin))


def by_path(nodes: Any, begin: tuple[int, ...] = ()) -> dict[tuple[int, ...], tuple[Any, ...]]:
    """All that a tree knows below a line of actions, by the actions from there on."""
    facts = ("visits", "value", "count", "mover")
    return {
        path[len(begin) :]: tuple(nodes[node][fact] for fact in facts) + ((nodes[node]["proven"],) * (path != begin))
        for path, node in walk(nodes)
        if path[: len(begin)] == begin
    }


@quick_and_mixed(*EXAMPLES)
@settings(max_examples=10)
@given(data=st.data(), seed=SEEDS, iterations=st.integers(1, 500), solve=st.booleans())
def test_an_advance_keeps_all_that_is_known_below(name, mixed, data, seed, iterations, solve):
    state = data.draw(starts(name))
    search = Search(state, seed=seed, solve=solve, **data.draw(policies(mixed)))
    search.run(state, iterations=iterations)
    for step in range(3):
        state = search.root_state
        if state.is_terminal():
            return
        action, before = data.draw(st.sampled_from(state.legal_actions()), label=f"step {step}"), grown(search)
        search.advance(action)
        assert search.root_state == state.child(action)
        known = by_path(before, (action,))
        if known and not search.root_state.is_terminal():
            assert by_path(grown(search)) == known
            check_blocks(grown(search))
        else:
            assert (search.tree.used, search.tree.nodes[0]["visits"]) == (1, 0)
    if not search.root_state.is_terminal():
        visits = int(search.tree.nodes[0]["visits"])
        report = search.run(iterations=iterations)
        assert search.tree.nodes[0]["visits"] == visits + report.iterations
