"""Copies and pickles of states, games and searches: at any time, of every game, and each goes on by itself."""

from __future__ import annotations

import copy
import functools
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyspiel
import pytest

from ponderosa import Game, PonderosaError, Search, load_game, rule
from ponderosa.agents.memory import FIELDS
from ponderosa.core.state import State
from ponderosa.mcts.policies.select.ucb import ucb1
from tests.helpers import (
    EVERY_GAME,
    LookAlike,
    Nim,
    PlainNim,
    first_decision,
    games,
    games_and_policies,
    loaded,
    others_slow,
)
from tests.small_games import FILE

EVERY = pytest.mark.parametrize("name", games())


def by_pickle(protocol: int, thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing, protocol))


WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle 2": functools.partial(by_pickle, 2),
    "pickle": functools.partial(by_pickle, pickle.HIGHEST_PROTOCOL),
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def elsewhere(program: str, thing: Any) -> Any:
    """What another process, in which texts have other hashes, makes of a thing: it is called `it`."""
    body = f"import pickle, sys; it = pickle.load(sys.stdin.buffer); pickle.dump({program}, sys.stdout.buffer)"
    ran = subprocess.run([sys.executable, "-c", body], input=pickle.dumps(thing), capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return pickle.loads(ran.stdout)


def seen(state: State) -> tuple[Any, ...]:
    """All that a state tells of itself."""
    return (state, str(state), state.history(), state.viewer, state.chosen(), state.legal_actions(), state.returns())


def played_on(state: Any, plies: int, seed: int = 1) -> Any:
    """The same state, so many random actions later."""
    draw = random.Random(seed)
    for _ in range(plies):
        if state.is_terminal():
            break
        state.apply_action(draw.choice(state.legal_actions()))
    return state


def trees(search: Search) -> list[bytes]:
    return [one.tree.nodes[: one.tree.used].tobytes() for one in getattr(search, "trees", [search])]


def answers(search: Search, iterations: int = 60) -> Any:
    """What a search says after going on, and what is in its trees then."""
    report = search.run(iterations=iterations)
    return report.actions, report.best_line, report.nodes, trees(search)


def check_goes_on(search: Search, way: Callable[[Any], Any], state: Any = None) -> None:
    """A copy of a search, as it is and after some iterations, and what the original would have grown."""
    twin = way(search)
    for one in (twin, search):
        one.run(state, iterations=40)
    assert trees(twin) == trees(search)
    later, before = way(search), trees(search)
    first = answers(later)
    assert trees(search) == before, "the copy shares something with its original"
    assert answers(search) == first
    assert answers(twin) == first


@EVERY_WAY
@EVERY
def test_a_state_can_be_copied_at_any_time_and_goes_on_by_itself(name, way):
    game = load_game(EVERY_GAME[name])
    assert seen(way(game.new_initial_state())) == seen(game.new_initial_state())
    for plies in (0, 1, 2, 3, 8):  # amidst dice, and of choices at once
        state = played_on(game.new_initial_state(), plies)
        before, twin = seen(state), way(state)
        assert type(twin) is type(state) and seen(twin) == before
        played_on(twin, 5, seed=2)
        assert seen(state) == before
        assert seen(played_on(state, 5, seed=2)) == seen(twin)


@pytest.mark.slow
@EVERY_WAY
@pytest.mark.parametrize("name", [name for name in EVERY_GAME if loaded(EVERY_GAME[name]).viewed])
def test_what_a_player_sees_can_be_copied(name, way):
    state = first_decision(loaded(EVERY_GAME[name]))
    for player in range(state.num_players()):
        assert seen(way(state.observation(player))) == seen(state.observation(player))


@EVERY_WAY
@EVERY
def test_a_game_can_be_copied_whether_it_was_used_or_not(name, way):
    game = load_game(EVERY_GAME[name])
    for _ in range(2):
        twin = way(game)
        assert (type(twin), twin.spec, twin.parameters) == (type(game), game.spec, game.parameters)
        assert played_on(twin.new_initial_state(), 5) == played_on(game.new_initial_state(), 5)


@EVERY_WAY
@pytest.mark.parametrize("name", games("connect4", "pig"))
def test_a_search_can_be_copied_at_any_time_and_goes_on_as_the_original(name, way):
    game = loaded(EVERY_GAME[name])
    check_goes_on(Search(game, seed=5), way, first_decision(game))


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [("connect4",), pytest.param(tuple(EVERY_GAME), marks=pytest.mark.slow)], ids=["one", "every game"]
)
def test_another_process_goes_on_with_states_games_and_searches(names):
    known = [loaded(EVERY_GAME[name]) for name in names]
    states = [played_on(game.new_initial_state(), 3) for game in known]
    found = elsewhere("[(s, str(s), s.legal_actions(), s.game.new_initial_state()) for s in it]", states)
    assert found == [(s, str(s), s.legal_actions(), s.game.new_initial_state()) for s in states]
    searches = [Search(game, seed=3) for game in known]
    for search in searches:
        search.run(first_decision(search.game), iterations=40)
    found = elsewhere("[(s.run(iterations=60).actions, s) for s in it]", searches)
    for search, (actions, later) in zip(searches, found, strict=True):
        assert search.run(iterations=60).actions == actions
        assert trees(later) == trees(search)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "phase", "policy"), games_and_policies("connect4", "samegame", "goofspiel", "kuhn_poker")
)
def test_a_search_with_any_policy_can_be_copied(name, phase, policy):
    game = loaded(name)
    for way in (copy.deepcopy, WAYS["pickle"]):
        check_goes_on(Search(game, seed=2, **{phase: policy}), way, first_decision(game))


MANNERS: dict[str, dict[str, Any]] = {
    "transpositions": {"transpositions": True},
    "symmetry": {"symmetry": True},
    "symmetric graph": {"symmetry": True, "transpositions": True},
    "bounded": {"solve": "bounded"},
    "without proofs": {"solve": False},
    "trees": {"threads": 3},
    "votes": {"threads": 2, "parallel": "vote"},
    "leaves": {"threads": 3, "parallel": "leaf"},
    "memory": {"select": replace(ucb1(), fields=FIELDS)},
    "settings": {"select": "ucb1:c=0.3", "playout": "epsilon:one=decisive,other=random", "expand": 3, "min_visits": 2},
}


@EVERY_WAY
@pytest.mark.parametrize("name", others_slow(MANNERS, ["symmetry", "without proofs", "trees", "settings"]))
def test_a_search_can_be_copied_whatever_its_manner(name, way):
    manner = MANNERS[name]
    search = Search(loaded("connect4"), seed=4, **manner)
    check_goes_on(search, way)
    search.advance(search.report().best_action)
    check_goes_on(search, way)
    if manner.get("threads", 1) == 1:
        search.learn(
            {search.root_state.legal_actions()[0]: (0.5, 1.0)}
        ) if search.solve and not search.settings.bounded else None
        check_goes_on(search, way)


@EVERY_WAY
def test_a_search_on_one_tree_of_several_threads_can_be_copied(way):
    search = Search(loaded("connect4"), threads=2, parallel="tree")
    search.run(iterations=300)
    twin, before = way(search), trees(search)
    assert (type(twin), trees(twin), twin.report()) == (type(search), before, search.report())
    assert twin.run(iterations=300).nodes > search.report().nodes
    assert trees(search) == before


def test_threads_at_work_are_not_copied():
    search, found = Search(loaded("connect4"), threads=2), []

    def look(report):
        for way in WAYS.values():
            with pytest.raises(PonderosaError, match="when it has ended"):
                way(search)
        found.append(report)
        return False

    search.run(seconds=60, progress=look)
    assert found and answers(copy.deepcopy(search)) == answers(search)


def even(states):
    """An evaluator that knows nothing."""
    return None, np.zeros((len(states), 2))


class Judge:
    """An evaluator with something of its own."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __call__(self, states):
        return None, np.full((len(states), 2), self.value)


@EVERY_WAY
@pytest.mark.slow
@pytest.mark.parametrize("evaluator", [even, Judge(0.1)], ids=["function", "object"])
def test_a_search_with_an_evaluator_can_be_copied(evaluator, way):
    check_goes_on(Search(loaded("connect4"), evaluator=evaluator, batch=4), way)


@EVERY_WAY
@pytest.mark.parametrize("transpositions", [False, True])
@pytest.mark.parametrize("state", [PlainNim((2, 3, 4)), PlainNim((2, 3)).new_initial_state()], ids=["game", "state"])
def test_searches_of_plain_games_can_be_copied(state, transpositions, way):
    check_goes_on(Search(state, transpositions=transpositions, seed=1, solve=False), way)


@EVERY_WAY
@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker", "leduc_poker", "matrix_pd", "pig", "2048"])
def test_searches_of_other_peoples_states_can_be_copied(name, way):
    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    check_goes_on(Search(state, seed=1), way)
    check_goes_on(Search(LookAlike(9), seed=1, solve=False), way)


def test_a_graph_of_plain_states_goes_on_in_another_process():
    search = Search(PlainNim((3, 3, 2)), transpositions=True, solve=False, seed=1)
    search.run(iterations=300)
    positions, actions = elsewhere("(it.run(iterations=300).positions, it.report().actions)", search)
    assert (search.run(iterations=300).positions, search.report().actions) == (positions, actions)


@EVERY_WAY
def test_what_is_in_a_file_of_ones_own_can_be_copied(way, tmp_path):
    one = load_game(f"{FILE}:Doubling")
    state = played_on(one.new_initial_state(), 1)
    assert seen(way(state)) == seen(state)
    check_goes_on(Search(one, seed=1), way)


@pytest.mark.slow
def test_another_process_finds_what_is_in_a_file_of_ones_own(tmp_path):
    from ponderosa.core.user_files import function_in_file

    file = tmp_path / "net.py"
    file.write_text("import numpy as np\ndef judge(states):\n    return None, np.full((len(states), 2), 0.2)\n")
    game = load_game(f"{FILE}:Doubling")
    assert elsewhere("[it.spec, it.new_initial_state().legal_actions()]", game) == ["doubling", [0, 1]]
    search = Search(loaded("tictactoe"), evaluator=function_in_file(f"{file}:judge", "an evaluator"), batch=2)
    search.run(iterations=20)
    assert elsewhere("it.run(iterations=20).actions", search) == search.run(iterations=20).actions


def test_two_files_of_one_name_are_told_apart(tmp_path):
    games = []
    for stones in (3, 5):
        file = tmp_path / str(stones) / "nim.py"
        file.parent.mkdir()
        file.write_text(f"from tests.helpers import Nim as N\nclass Nim(N):\n    players = 2\n    stones = {stones}\n")
        games.append(load_game(f"{file}:Nim"))
    assert [pickle.loads(pickle.dumps(game)).stones for game in games] == [3, 5]


def local_game() -> Game:
    class Local(Nim):
        pass

    return Local((1, 2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (local_game, "local_game.<locals>.Local cannot be pickled: pickle finds a class by its name"),
        (lambda: Search(Nim(), clock=lambda: 0.0), "<lambda> cannot be pickled: pickle finds a function by its name"),
        (lambda: Search(Nim(), evaluator=lambda states: even(states)), "<lambda> cannot be pickled"),
        (lambda: Search(Nim(), choose=lambda nodes, parent, params: nodes[parent]["first"]), "copy.deepcopy copies it"),
    ],
)
def test_what_has_no_name_is_refused_by_pickle_in_words_and_copied(make, words):
    thing = make()
    with pytest.raises(PonderosaError) as caught:
        pickle.dumps(thing)
    assert words in str(caught.value)
    twin = copy.deepcopy(thing)
    if isinstance(thing, Search):
        assert answers(twin) == answers(thing)
    else:
        assert played_on(twin.new_initial_state(), 2) == played_on(thing.new_initial_state(), 2)


def test_a_copy_of_a_game_is_one_of_its_own():
    game = Nim([1, 2])
    game.heaps = [1, 2]
    twin = copy.deepcopy(game)
    twin.heaps.append(3)
    assert game.heaps == [1, 2]
    assert copy.deepcopy([game, game])[0] is not game


class Remembers(Nim):
    """A game that says itself what a pickle of it holds."""

    def __getstate__(self):
        return super().__getstate__() | {"packed": True}

    @rule
    def is_terminal(s):
        return s.heaps.sum() == 0


@EVERY_WAY
def test_a_game_may_add_to_what_is_pickled(way):
    assert way(Remembers((1, 2))).packed
