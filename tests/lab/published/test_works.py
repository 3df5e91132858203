"""The agents of other works: set up as their texts describe them, and played by the experiments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import load_agent, load_game
from ponderosa.core.rng import new_rng
from ponderosa.lab.experiment import run_experiment
from ponderosa.lab.experiments import connect6, strength
from ponderosa.lab.experiments.rollouts import Rollouts
from ponderosa.lab.published import speed
from ponderosa.lab.published.duels import WHY
from ponderosa.lab.published.works import KIM_AGENT, LIKE_KIM, OUR_STYLE, OURS, STYLES, both_ways, capital, originals
from ponderosa.lab.sweeps.ranges import with_settings
from ponderosa.lab.sweeps.sweep import store_in
from ponderosa.mcts.policies.select.ucb import ucb1
from tests.helpers import hand_made, loaded, position, run_python

FIVE = ("slow", "medium", "fast", "clever", "lazy")
BOARD = "connect:m=8,n=8"


def settings_of(spec):
    """What matters of an agent: how it explores, proves, keeps, expands, chooses and plays out."""
    agent = load_agent(with_settings(spec, {"iterations": "3"}), load_game(BOARD))
    policies = agent.search.policies
    search = (
        policies.select.settings["c"],
        agent.search.solve,
        agent.reuse,
        policies.expand.settings["n"],
        policies.choose.name,
        agent.search.threads,
    )
    return search, [policies.playout.name, policies.playout.settings]


@pytest.fixture(scope="module")
def kenyon():
    """The settings of all agents, by name: from a process that compiles none of them."""
    code = """
        import json
        from tests.lab.published.test_works import FIVE, both_ways, settings_of
        print(json.dumps({name: settings_of(spec) for name, spec in both_ways(FIVE).items()}))
    """
    return run_python(code, NUMBA_DISABLE_JIT="1")


@pytest.mark.parametrize("name", FIVE)
def test_kenyons_agents_explore_with_half_prove_nothing_and_keep_no_tree(kenyon, name):
    assert kenyon[name][0] == [0.5, False, False, 1, "robust", 1]
    ours = kenyon[OURS + name][0]
    assert ours[0] == pytest.approx(math.sqrt(2)) and ours[2:] == [True, 1, "robust", 1]


def test_lazy_ends_its_playouts_after_ten_moves_and_clever_does_not(kenyon):
    (clever, its_settings), (lazy, lazy_settings) = kenyon["clever"][1], kenyon["lazy"][1]
    assert (its_settings["max_length"], lazy_settings["max_length"]) == (None, 10)
    assert clever == lazy == "informed" and lazy_settings["at_cutoff"] == "draw"


@given(
    st.lists(st.tuples(st.integers(1, 500), st.floats(0, 1)), min_size=2, max_size=8),
    st.floats(0.05, 3),
)
def test_a_constant_for_results_from_minus_one_to_one_is_twice_as_large_as_ours(children, theirs):
    nodes = hand_made(*children)
    policy = ucb1(c=theirs / 2)
    chosen = policy.function(nodes, 0, np.array(policy.params), new_rng(1)) - 1
    total = sum(visits for visits, _ in children)
    worth = [2 * mean - 1 + theirs * math.sqrt(math.log(total) / visits) for visits, mean in children]
    assert worth[chosen] == pytest.approx(max(worth), abs=1e-6)


def test_the_experiments_play_kenyons_agents_and_ours_beside_them():
    kenyon = both_ways(("fast", "clever", "lazy"))
    assert kenyon == strength.AGENTS
    assert kenyon | {"strong": "strong"} == connect6.AGENTS
    assert [what["agent"] for what in originals(speed.AGENTS).values()] == list(FIVE)
    assert all(what["settings"] == {"c": 0.5} for what in originals(speed.AGENTS).values())
    assert {name for name in speed.AGENTS if name.startswith(OURS)} == {"our fast", "our clever", "our lazy"}


def test_kims_agent_is_what_its_line_says():
    agent = load_agent(with_settings(KIM_AGENT, {"rollouts": "5", "iterations": "30", "c": "1.4"}), loaded("connect4"))
    policies = agent.search.policies
    assert (policies.select.name, policies.select.settings["c"]) == ("late_ucb1", 1.4)
    assert (policies.playout.name, policies.playout.settings["rollouts"]) == ("majority", 5)
    assert policies.playout.settings["win_first"] is True
    assert (policies.choose.name, policies.expand.settings["n"]) == ("decisive", "all")
    assert (agent.search.solve, agent.reuse) == (False, True)


def test_kims_agent_has_one_winner_an_iteration_and_takes_a_win():
    game = loaded("connect4")
    agent = load_agent(with_settings(KIM_AGENT, {"rollouts": "5", "iterations": "7"}), game)
    agent.step(game.new_initial_state())
    once = {entry.value for entry in agent.last_report.actions if entry.visits == 1}
    assert once and once <= {0.0, 0.5, 1.0}  # never a mean
    for seed in range(5):
        agent.reset(seed)
        assert game.action_to_string(None, agent.step(position(game, "4 3 4 3 4 3"))) == "4"


def test_kims_tree_is_kept():
    game = loaded("connect4")
    agent = load_agent(with_settings(KIM_AGENT, {"rollouts": "1", "iterations": "500"}), game)
    state = game.new_initial_state()
    state.apply_action(agent.step(state))
    state.apply_action(state.legal_actions()[3])
    agent.step(state)
    assert sum(entry.visits for entry in agent.last_report.actions) > 500


@pytest.mark.slow
def test_both_styles_are_played_and_told_apart(tmp_path):
    run_experiment(Rollouts(), "tiny", tmp_path, concurrency=1)
    said = (tmp_path / "report.md").read_text()
    assert "After Kim, rollouts=5 scored" in said and "Ours, rollouts=5 scored" in said
    assert KIM_AGENT in said and "as the original" not in said.lower()
    assert set(STYLES) == set(WHY) == {LIKE_KIM, OUR_STYLE}
    stored = store_in(tmp_path).read_bytes()
    assert b"playout=majority" in stored and b"win_first=true" in stored


def test_a_style_begins_a_sentence_without_losing_its_capitals():
    assert capital("after Kim") == "After Kim"
