"""Policies by name, by text, made beforehand, with settings beside them: the same search, whichever way it is said."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import ponderosa
from ponderosa import Search, load_agent
from ponderosa.errors import PonderosaError, SettingError, UnknownNameError
from ponderosa.mcts.policies.fitting import fitting_policies
from ponderosa.mcts.policies.playout.playouts import epsilon, random
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.mcts.policies.select.ucb import ucb1
from ponderosa.policies import Policy, SelectPolicy
from tests.helpers import games_and_policies, loaded, visits
from tests.plain_python import plain_and_compiled  # noqa: F401


def first_of_all(nodes, parent, params, rng):
    """The least visited child."""
    best = nodes[parent]["first"]
    for child in range(best, best + nodes[parent]["count"]):
        if nodes[child]["visits"] < nodes[best]["visits"]:
            best = child
    return best


def even() -> Policy:
    return SelectPolicy(first_of_all, name="even", whole=True)


def described(search: Search) -> dict[str, tuple[str, dict[str, Any]]]:
    return {phase: (policy.name, policy.settings) for phase, policy in search.policies.by_phase().items()}


def test_a_policy_of_ones_own_that_wants_all_children_gets_them_however_it_is_given(monkeypatch):
    monkeypatch.setitem(NAMED["select"], "even", even)
    game = loaded("tictactoe")
    searches = [Search(game, select="even"), Search(game, select=even()), load_agent("mcts:select=even", game).search]
    assert [str(search.policies.expand) for search in searches] == ["expand(n=all, min_visits=1)"] * 3
    first, *others = (visits(search.run(iterations=200)) for search in searches)
    assert others == [first, first]


@pytest.mark.parametrize(
    ("name", "phase", "policy"), games_and_policies("connect4", "samegame", "pig", "kuhn_poker", "goofspiel")
)
def test_a_name_and_a_call_make_the_same_search_of_every_policy(name, phase, policy):
    named, called = (Search(loaded(name), **{phase: given}) for given in (policy, NAMED[phase][policy]()))
    assert described(named) == described(called)


def settings_of_policies() -> list[tuple[str, str, str]]:
    """Phase, policy and setting of every setting that is a number."""
    return [
        (phase, name, parameter.name)
        for phase, name in fitting_policies(loaded("connect4"), NAMED)
        for parameter in inspect.signature(NAMED[phase][name]).parameters.values()
        if type(parameter.default) in (int, float) and parameter.name != "n" and name not in ("gumbel", "mixmax")
    ]


@pytest.mark.parametrize(("phase", "policy", "setting"), settings_of_policies())
def test_a_setting_may_stand_in_the_text_beside_it_or_in_an_agents_text(phase, policy, setting):
    game, value = loaded("connect4"), 1
    called = described(Search(game, **{phase: NAMED[phase][policy](**{setting: value})}))
    assert described(Search(game, **{phase: f"{policy}:{setting}={value}"})) == called
    assert described(Search(game, **{phase: policy, setting: value})) == called
    for text in (f"{phase}={policy}:{setting}={value}", f"{phase}={policy},{setting}={value}"):
        assert described(load_agent(f"mcts:iterations=9,{text}", game).search) == called


def test_settings_of_policies_that_are_left_out_are_given_to_what_fits():
    assert Search(loaded("connect4"), c=1.4).policies.select == ucb1(c=1.4)
    assert Search(loaded("samegame"), c=1.4).policies.select.settings["c"] == 1.4
    assert Search(loaded("connect4"), rollouts=3).policies.playout == random(rollouts=3)
    assert Search(loaded("connect4"), threads=2, c=1.4).policies.select == ucb1(c=1.4)
    state = loaded("connect4").new_initial_state()
    assert ponderosa.search(state, c=0.3, iterations=300).actions == Search(state, c=0.3).run(iterations=300).actions
    assert ponderosa.search(state, c=0.3, iterations=300).actions != Search(state).run(iterations=300).actions


def test_how_many_children_are_added_may_be_a_number():
    assert str(Search(loaded("connect4"), expand=3, min_visits=2).policies.expand) == "expand(n=3, min_visits=2)"
    assert str(Search(loaded("connect4"), expand="all").policies.expand) == "expand(n=all, min_visits=1)"


def test_a_setting_goes_to_all_policies_of_one_name():
    search = Search(loaded("connect4"), select="gumbel", c_visit=20)
    assert [policy.settings["c_visit"] for policy in (search.policies.select, search.policies.choose)] == [20, 20]


def test_a_text_may_name_policies_within_a_policy():
    mixed = Search(loaded("connect4"), playout="epsilon:epsilon=0.3,one=decisive").policies.playout
    assert str(mixed) == str(epsilon(0.3, "decisive"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cc": 1.4}, UnknownNameError, "unknown setting of a tree search with these policies 'cc'; did you mean 'c'"),
        ({"trheads": 2}, UnknownNameError, "did you mean 'threads'"),
        ({"epsilon": 0.1}, UnknownNameError, "no setting of the policies in use here, but of select=epsilon_greedy"),
        ({"select": ucb1(), "c": 1}, SettingError, "is made already: say c there, as in ucb1(c=...)"),
        ({"select": "ucb1:c=1", "c": 1}, SettingError, "c is given twice"),
        ({"select": "ucb1:c"}, SettingError, "not of the form key=value"),
        ({"select": "ucb1:c=much"}, SettingError, "c of select=ucb1 must be a number, not 'much'"),
        ({"select": "ucb1:c=-1"}, SettingError, "c must be a number of at least 0"),
        ({"select": "ucb1:k=1"}, UnknownNameError, "unknown parameter of select=ucb1 'k'; there is: c, fpu"),
        ({"select": "rave", "expand": "widening", "k": 3}, SettingError, "say which, as in select=rave:k=..."),
        ({"c": "much"}, SettingError, "c must be a number"),
        ({"n": 3}, SettingError, "is said by expand=3, not by n"),
        ({"expand": 0}, SettingError, "expand: n must be a whole number from 1"),
        ({"expand": "some"}, UnknownNameError, "unknown expand policy 'some'"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_what_there_is(options, error, message):
    with pytest.raises(error) as caught:
        Search(loaded("connect4"), **options)
    assert message in str(caught.value)


def test_an_option_that_search_does_not_have_is_refused_with_what_there_is():
    with pytest.raises(PonderosaError, match="did you mean 'iterations'"):
        ponderosa.search(loaded("tictactoe").new_initial_state(), iteration=5)


@pytest.mark.parametrize("given", [5, "c=1.4", None, [("c", 1)]])
def test_settings_of_policies_are_given_by_name(given):
    with pytest.raises(PonderosaError, match="policy_settings is a dict"):
        Search(loaded("tictactoe"), policy_settings=given)
