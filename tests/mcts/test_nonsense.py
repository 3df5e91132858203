"""Every door of the search with nonsense: always a PonderosaError that says what would be right."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import ponderosa
from ponderosa import PonderosaError, Search
from ponderosa.errors import GameError, IllegalActionError, SettingError, UnknownNameError
from ponderosa.games.connect4 import Connect4
from ponderosa.mcts.policies.backup import averages
from ponderosa.mcts.policies.choose import choices
from ponderosa.mcts.policies.expand import counts
from ponderosa.mcts.policies.playout import playouts
from ponderosa.mcts.policies.select import ucb
from ponderosa.policies import ChoosePolicy, Policy, SelectPolicy
from tests.helpers import LookAlike, Nim, PlainNim, loaded, position
from tests.plain_python import plain_and_compiled  # noqa: F401


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"select": "ucb"}, UnknownNameError, "unknown select policy 'ucb'; did you mean 'ucb1'"),
        ({"expand": "none"}, UnknownNameError, "unknown expand policy 'none'"),
        ({"playout": ""}, UnknownNameError, "unknown playout policy ''"),
        ({"backup": "average"}, UnknownNameError, "unknown backup policy 'average'; there is: mean, discounted"),
        ({"choose": "robustt"}, UnknownNameError, "did you mean 'robust'"),
        ({"select": choices.robust()}, SettingError, "robust() is for choose, not for select"),
        ({"choose": ucb.ucb1()}, SettingError, "is for select, not for choose"),
        ({"select": ucb.ucb1}, SettingError, "select=ucb1 lacks its brackets: write ucb1()"),
        ({"expand": counts.expand}, SettingError, "lacks its brackets: write expand()"),
        ({"playout": playouts.random}, SettingError, "lacks its brackets"),
        ({"select": lambda nodes, parent: 0}, SettingError, "takes 4 arguments (nodes, parent, params, rng)"),
        ({"backup": lambda: None}, SettingError, "takes 6 arguments"),
        ({"select": print}, SettingError, "select"),
        ({"select": 5}, SettingError, "select is a policy, its name, or a function of your own, not 5"),
        ({"backup": None}, SettingError, "backup is a policy, its name, or a function of your own, not None"),
        ({"select": ["ucb1"]}, SettingError, "select is a policy, its name"),
        ({"seed": -1}, SettingError, "seed must be a whole number of at least 0 and less than 2^128, not -1"),
        ({"seed": 10**5000}, SettingError, "not a number without end"),
        ({"seed": 1.5}, SettingError, "seed must be a whole number"),
        ({"seed": "1"}, SettingError, "seed must be a whole number"),
        ({"seed": None}, SettingError, "seed must be a whole number"),
        ({"seed": True}, SettingError, "seed must be a whole number"),
        ({"solve": "no"}, SettingError, "solve must be True, False or 'bounded', not 'no'"),
        ({"solve": None}, SettingError, "solve must be True, False or 'bounded'"),
        ({"clock": 5}, SettingError, "clock"),
        ({"clock": None}, SettingError, "clock"),
    ],
)
@pytest.mark.parametrize("game", [loaded("tictactoe"), LookAlike()], ids=["compiled", "plain"])
def test_a_search_with_nonsense_is_not_made(game, options, error, message):
    with pytest.raises(error) as caught:
        Search(game, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("utility", [(1, 1), (1, -1), (0,), (0, 1, 2), "ab", 5, (0, "x"), (0, math.nan), (0, math.inf)])
def test_a_utility_that_makes_no_sense_is_refused(utility):
    with pytest.raises(SettingError, match="utility"):
        Search(LookAlike(), utility=utility)


@pytest.mark.parametrize(
    "game", [None, 3, "connect4", object(), [], {}, print, Connect4, Nim, PlainNim, LookAlike, np.zeros(3)]
)
def test_what_is_not_a_game_is_not_searched(game):
    with pytest.raises(PonderosaError):
        Search(game)
    with pytest.raises(PonderosaError):
        ponderosa.search(game, iterations=10)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "10", True, [], 1.5j])
@pytest.mark.parametrize("limit", ["iterations", "seconds", "max_nodes"])
def test_a_budget_that_makes_no_sense_is_refused(limit, value):
    with pytest.raises(SettingError, match=f"{limit} must be"):
        Search(loaded("tictactoe")).run(**{limit: value})


def test_a_search_needs_a_budget():
    with pytest.raises(SettingError, match="a search needs a budget: iterations=1000"):
        Search(loaded("tictactoe")).run()
    with pytest.raises(SettingError, match="a search needs a budget"):
        ponderosa.search(loaded("tictactoe").new_initial_state())


@pytest.mark.parametrize("progress", [5, "often", True])
def test_a_progress_that_cannot_be_called_is_refused(progress):
    with pytest.raises(SettingError, match="progress"):
        Search(loaded("connect4"), clock=iter(range(100)).__next__).run(iterations=1_000, progress=progress)


@pytest.mark.parametrize("option", ["iteration", "selct", "playouts", "second"])
def test_an_option_that_does_not_exist_is_named(option):
    with pytest.raises(PonderosaError, match=option):
        ponderosa.search(loaded("tictactoe").new_initial_state(), iterations=10, **{option: 1})


@pytest.mark.parametrize(
    "state",
    ["text", 5, object(), LookAlike(), loaded("connect4"), loaded("connect4").new_initial_state()],
    ids=["text", "number", "object", "look-alike", "game", "other game"],
)
def test_a_state_of_another_kind_is_refused(state):
    search = Search(loaded("tictactoe"))
    search.run(iterations=5)
    with pytest.raises(PonderosaError):
        search.run(state, iterations=5)
    assert search.run(iterations=5).iterations == 5


def test_a_state_of_the_same_game_with_other_parameters_is_refused():
    with pytest.raises(GameError, match="this is a search of connect4, and the state is of connect4:rows=5"):
        Search(loaded("connect4")).run(loaded("connect4:rows=5").new_initial_state(), iterations=5)


@pytest.mark.parametrize("state", ["text", 5, object(), loaded("connect4")], ids=["text", "number", "object", "game"])
def test_a_plain_search_refuses_what_is_not_a_state(state):
    with pytest.raises(PonderosaError):
        Search(LookAlike()).run(state, iterations=5)


@pytest.mark.parametrize("action", [7, -1, 99, "8", None, 1.5, [1], {}, math.nan])
def test_an_illegal_advance_names_the_legal_actions(action):
    search = Search(loaded("connect4"))
    search.run(iterations=20)
    legal = "1, 2, 3, 4, 5, 6, 7" if isinstance(action, str) else "0 ('1'), 1 ('2'), 2 ('3')"
    with pytest.raises(IllegalActionError, match=re.escape(f"is not a legal action here; legal: {legal}")):
        search.advance(action)
    assert search.root_state.history() == []
    assert search.tree.nodes[0]["visits"] == 20


def test_a_search_goes_on_with_the_name_of_an_action():
    by_name, by_number = Search(loaded("connect4"), seed=1), Search(loaded("connect4"), seed=1)
    for search, action in ((by_name, "4"), (by_number, 3)):
        search.run(iterations=200)
        search.learn({action: (0.5, 1.0)})
        search.advance(action)
    assert by_name.root_state.history() == by_number.root_state.history() == [3]
    assert by_name.run(iterations=200).actions == by_number.run(iterations=200).actions
    search = Search(LookAlike())
    search.advance(" TAKE 2 ")
    assert search.root_state.stones == 3


@pytest.mark.parametrize("action", ["take 9", 1, None, ["take 1"], {}])
def test_an_illegal_advance_of_a_plain_search_names_the_legal_actions(action):
    with pytest.raises(IllegalActionError, match=r"legal: '?take 1'?, '?take 2'?, '?take 3"):
        Search(LookAlike()).advance(action)


@pytest.mark.parametrize("action", [7, -1, "0", None, 1.5, [1], {}, math.nan])
def test_an_illegal_action_of_a_state_is_refused(action):
    state = loaded("connect4").new_initial_state()
    legal = "1, 2, 3" if isinstance(action, str) else "0 ('1'), 1 ('2'), 2 ('3')"
    with pytest.raises(IllegalActionError, match=re.escape(f"is not a legal action here; legal: {legal}")):
        state.apply_action(action)
    assert state.history() == []


@pytest.mark.parametrize("action", [2, 2.0, np.int32(2), np.float64(2)])
def test_an_equal_number_of_another_type_is_the_same_action(action):
    state, search = loaded("connect4").new_initial_state(), Search(loaded("connect4"))
    state.apply_action(action)
    search.advance(action)
    assert state.history() == search.root_state.history() == [2]
    assert type(state.history()[0]) is int


def test_a_finished_game_cannot_be_advanced():
    search = Search(loaded("tictactoe"))
    search.run(position(loaded("tictactoe"), "a1 b1 a2 b2"), iterations=10)
    search.advance(loaded("tictactoe").parse_action("a3", search.root_state))
    with pytest.raises(IllegalActionError, match="none, the game is over"):
        search.advance(2)
    with pytest.raises(GameError, match="the game is over: there is nothing to search"):
        search.run(iterations=10)
    with pytest.raises(GameError, match="the game is over"):
        search.report()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ucb.ucb1(-1), "c must be a number of at least 0, not -1"),
        (lambda: ucb.ucb1("much"), "c must be a number of at least 0"),
        (lambda: ucb.ucb1(math.nan), "c must be a number of at least 0"),
        (lambda: ucb.ucb1(math.inf), "c must be a number"),
        (lambda: ucb.ucb1(None), "c must be a number"),
        (lambda: ucb.epsilon_greedy(1.5), "epsilon must be a number from 0 to 1, not 1.5"),
        (lambda: ucb.epsilon_greedy(True), "epsilon must be a number from 0 to 1"),
        (lambda: counts.expand(0), "expand: n must be a whole number from 1 to"),
        (lambda: counts.expand(1.5), "expand: n must be a whole number"),
        (lambda: counts.expand(10**6), "expand: n must be a whole number from 1 to 32767"),
        (lambda: counts.expand("some"), "n is a whole number or 'all', not 'some'"),
        (lambda: counts.expand(1, -1), "min_visits must be a whole number of at least 0"),
        (lambda: counts.expand(None), "expand: n must be"),
        (lambda: playouts.random(0), "rollouts must be a whole number from 1 to 10000"),
        (lambda: playouts.random(1, -1), "max_length must be a whole number of at least 0"),
        (lambda: playouts.random(at_cutoff="win"), 'at_cutoff is "draw" or "evaluate", not'),
        (lambda: playouts.random(at_cutoff=["draw"]), 'at_cutoff is "draw" or "evaluate", not'),
        (lambda: playouts.decisive("2"), "rollouts must be a whole number"),
        (lambda: averages.discounted(2.0), "per_ply must be a number from 0 to 1"),
        (lambda: averages.discounted(0.1, -0.1), "cap must be a number from 0 to 1"),
        (lambda: averages.late_weighted(-1), "rate must be a number of at least 0"),
        (lambda: choices.secure(-0.1), "a must be a number of at least 0"),
        (lambda: SelectPolicy(lambda nodes: 0), "a select function takes 4 arguments"),
        (lambda: Policy(lambda nodes, parent, params: 0), "Policy is one of SelectPolicy, "),
        (lambda: ChoosePolicy(lambda nodes, parent, params: 0, ("x",)), "must be numbers, not ('x',)"),
        (lambda: ChoosePolicy(5), "choose"),
    ],
)
def test_a_policy_with_nonsense_is_not_made(make, message):
    with pytest.raises(PonderosaError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Connect4(rows="6"),
        lambda: Connect4(rows=6.5),
        lambda: Connect4(rows=None),
        lambda: Connect4(k=4.0),
        lambda: Connect4(early_draw="no"),
        lambda: Connect4(6, 7, 4, False, 9),
        lambda: Connect4(row=6),
        lambda: Connect4(rows=True),
    ],
)
def test_a_game_with_nonsense_is_not_made(make):
    with pytest.raises(PonderosaError):
        make()


@pytest.mark.parametrize("text", ["", "8", "0", "-1", "d", "4 4", "four", None, 4.5, "\0"])
def test_text_that_names_no_action_is_refused(text):
    state = loaded("connect4").new_initial_state()
    with pytest.raises(IllegalActionError, match="is not a legal action here; legal: 1, 2, 3"):
        loaded("connect4").parse_action(text, state)


def raising(nodes, parent, params, rng):
    raise ValueError("a select function of the wrong kind")


def astray(nodes, parent, params, rng):
    return 10**9


def test_a_phase_that_fails_in_plain_python_says_so():
    class Failing(LookAlike):
        def returns(self):
            raise RuntimeError("no result")

        def num_players(self):
            return 2

    with pytest.raises(GameError, match="raised RuntimeError: no result"):
        Search(Failing()).run(iterations=10)
