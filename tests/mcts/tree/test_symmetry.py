"""Actions at the root that are equal by symmetry are searched once, and the report tells the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Game, Search, check_game, load_agent, rule
from ponderosa.core.checks.symmetries import symmetry_problems
from ponderosa.errors import PonderosaError
from ponderosa.mcts.tree.node import ROOT
from ponderosa.mcts.tree.symmetry import equal_actions
from tests.helpers import (
    EVERY_GAME,
    LARGE,
    Exact,
    LookAlike,
    loaded,
    others_slow,
    position,
    random_game,
    random_position,
)

DECLARING = [spec for spec in [*EVERY_GAME.values(), "connect:m=4,n=4,k=3"] if loaded(spec).symmetries()]
QUICK = [spec for spec in DECLARING if spec not in LARGE]


class Coins(Game):
    """Two heaps of three coins: take one or two from either; whoever takes the last coin wins. In plain Python."""

    def setup(self, s: Any) -> None:
        s.heaps, s.player = [3, 3], 0

    def symmetries(self) -> Any:
        return [{f"{way} {count}": f"{other} {count}" for way, other in SIDES for count in (1, 2)}]

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        heaps = (("left", s.heaps[0]), ("right", s.heaps[1]))
        return [f"{way} {count}" for way, left in heaps for count in (1, 2) if count <= left]

    @rule
    def apply_action(s, a):
        way, count = a.split()
        s.heaps[way == "right"] -= int(count)
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return sum(s.heaps) == 0

    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)


SIDES = (("left", "right"), ("right", "left"))


def searched(report: Any) -> set[Any]:
    return {entry.name for entry in report.actions if entry.visits > 0}


def test_three_of_nine_first_moves_of_tictactoe_are_searched():
    report = Search(loaded("tictactoe"), symmetry=True, solve=False).run(iterations=3000)
    assert searched(report) == {"a1", "b1", "b2"}
    assert sum(entry.visits for entry in report.actions) == 3000
    same = {entry.name: entry.equal_to for entry in report.actions if entry.equal_to}
    assert same == dict.fromkeys(("a3", "c1", "c3"), "a1") | dict.fromkeys(("a2", "b3", "c2"), "b1")
    value = {entry.name: (entry.value, entry.proven) for entry in report.actions}
    assert all(value[name] == value[other] for name, other in same.items())
    everything = Search(loaded("tictactoe"), solve=False).run(iterations=3000)
    assert len(searched(everything)) == 9 and {entry.equal_to for entry in everything.actions} == {None}


@pytest.mark.parametrize("parallel", ["merge", "vote", "leaf"])
def test_threads_agree_which_actions_are_searched(parallel):
    report = Search(loaded("connect4"), symmetry=True, threads=2, parallel=parallel).run(iterations=2000)
    assert searched(report) == {"1", "2", "3", "4"}
    value = {entry.name: entry.value for entry in report.actions}
    assert [value[name] for name in "567"] == [value[name] for name in "321"]
    assert {entry.name: entry.equal_to for entry in report.actions if entry.equal_to} == {"5": "3", "6": "2", "7": "1"}


@pytest.mark.parametrize("options", [{}, {"transpositions": True}, {"expand": "all"}, {"threads": 2}])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), plies=st.integers(0, 4))
def test_what_is_proven_stays_right(options, seed, plies):
    game, exact = loaded("tictactoe"), Exact()
    state = random_position(game, seed, plies)
    report = Search(game, symmetry=True, seed=seed, **options).run(state, iterations=100_000)
    worth = exact.action_values(state)
    words = {1.0: "win", 0.0: "draw", -1.0: "loss"}
    assert report.proven == words[max(worth.values())]
    assert worth[report.best_action] == max(worth.values())
    for entry in report.actions:
        assert entry.proven in (None, words[worth[entry.action]])


@pytest.mark.parametrize("spec", others_slow(DECLARING, QUICK))
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_every_declared_symmetry_agrees_along_random_play(spec, seed):
    game = loaded(spec)
    assert list(symmetry_problems(game, random_game(game, seed)[-1].history())) == []


@pytest.mark.parametrize("spec", others_slow([spec for spec in DECLARING if not loaded(spec).viewed], QUICK))
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), plies=st.integers(0, 4))
def test_equal_actions_lead_to_equal_numbers_of_positions(spec, seed, plies):
    """Two plies further, as many positions follow, and as many of them are over."""
    game = loaded(spec)
    state = random_position(game, seed, plies)
    images = equal_actions(game, state)
    assert set(images) == set(state.legal_actions())

    def counts(action: Any) -> tuple[int, int]:
        after = state.child(action)
        further = [after.child(reply) for reply in after.legal_actions()[:400]]
        return len(further), sum(child.is_terminal() for child in further)

    for action, (first, _) in list(images.items())[:12]:
        assert counts(action) == counts(first)


@pytest.mark.parametrize(
    ("spec", "moves", "different"),
    [
        ("tictactoe", "", 3),
        ("tictactoe", "b2", 2),
        ("tictactoe", "a1", 5),
        ("tictactoe", "b1 b2", 4),
        ("tictactoe", "a1 b1", 7),
        ("tictactoe", "a1 c3 c1 a3", 4),
        ("connect4", "", 4),
        ("connect4", "4 4", 4),
        ("connect4", "1", 7),
        ("connect4", "1 2 7 6", 4),
        ("connect:m=4,n=4,k=3", "", 3),
        ("gomoku", "", 36),
    ],
)
def test_positions_have_so_many_different_actions(spec, moves, different):
    state = position(loaded(spec), moves)
    assert len({first for first, _ in equal_actions(loaded(spec), state).values()}) == different


def test_the_order_of_moves_does_not_matter():
    for moves in ("a1 b2 c3", "c3 b2 a1"):
        images = equal_actions(loaded("tictactoe"), position(loaded("tictactoe"), moves))
        assert sorted({first for first, _ in images.values()}) == [1, 2]


@pytest.mark.parametrize("transpositions", [False, True])
@pytest.mark.parametrize("action", [0, 6])
def test_the_tree_is_kept_over_moves_and_renamed_for_images(action, transpositions):
    game = loaded("connect4")
    search = Search(game, symmetry=True, solve=False, transpositions=transpositions)
    search.run(iterations=5000)
    assert searched(search.report()) == {"1", "2", "3", "4"}
    kept = int(search.tree.nodes[search.tree.child_with(0)]["visits"])
    search.advance(action)
    if transpositions and action == 6:
        assert search.tree.used == 1  # begins anew
    elif not transpositions:
        assert search.tree.nodes[ROOT]["visits"] == kept
        below = search.report()
        assert sum(entry.visits for entry in below.actions) <= kept and not any(e.equal_to for e in below.actions)
    twin = Search(game, symmetry=True, solve=False)
    twin.run(iterations=5000)
    twin.advance(6 - action)
    if not transpositions:
        images = {entry.name: entry.visits for entry in twin.report().actions}
        for entry in search.report().actions:
            assert images[str(8 - int(entry.name))] == entry.visits
    report = search.run(iterations=2000)
    assert report.iterations == 2000 and all(entry.visits > 0 for entry in report.actions)


def test_a_kept_root_that_is_its_own_image_gives_all_visits_to_one_of_equal_actions():
    search = Search(loaded("connect4"), symmetry=True, solve=False)
    search.run(iterations=20_000)
    search.advance(3)
    before = {entry.name: entry.visits for entry in search.report().actions}
    assert len(searched(search.report())) == 7
    report = search.run(iterations=1000)
    assert len(searched(report)) == 4
    evaluated = int(search.tree.nodes[ROOT]["visits"]) - sum(entry.visits for entry in report.actions)
    assert sum(entry.visits for entry in report.actions) == sum(before.values()) + 1000 and evaluated <= 1


def test_games_in_plain_python_and_agents_use_it():
    report = Search(Coins(), symmetry=True).run(iterations=2000)
    assert report.proven == "loss"
    assert {entry.name: entry.equal_to for entry in report.actions if entry.equal_to} == {
        "right 1": "left 1",
        "right 2": "left 2",
    }
    agent = load_agent("mcts:symmetry=true,iterations=300", loaded("tictactoe"))
    state = loaded("tictactoe").new_initial_state()
    while not state.is_terminal():
        state.apply_action(agent.step(state))
    assert state.returns() == [0.0, 0.0]


def test_a_saved_search_goes_on_in_the_same_way(tmp_path):
    search = Search(loaded("tictactoe"), symmetry=True, solve=False)
    search.run(iterations=500)
    search.save(tmp_path / "tree.npz")
    again = Search.load(tmp_path / "tree.npz")
    assert again.run(iterations=500).actions == search.run(iterations=500).actions
    assert len(searched(again.report())) == 3


def test_every_iteration_of_a_trace_can_be_played():
    steps: list[dict[str, Any]] = []
    Search(loaded("tictactoe"), symmetry=True, expand="all").run(iterations=200, trace=steps.append)
    for step in steps:
        state = loaded("tictactoe").new_initial_state()
        for move in step["moves"]:
            state.apply_action(state.game.parse_action(move["move"], state))


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        (loaded("tictactoe"), {"symmetry": 1}, "True or False"),
        (loaded("pig"), {}, "declares no symmetries"),
        (LookAlike(5), {}, "declares no symmetries"),
        (loaded("blind_tictactoe"), {}, "all see everything"),
        (loaded("connect4"), {"threads": 2, "parallel": "tree"}, "parallel='tree' and symmetry"),
        (loaded("connect4"), {"select": "gumbel"}, "does not go with symmetry"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(game, options, words):
    with pytest.raises(PonderosaError, match=words):
        Search(game, **{"symmetry": True, **options})


class Wrong(Coins):
    """Declares symmetries that are none."""

    def __init__(self, kind: str = "swap") -> None:
        self.kind = kind

    def symmetries(self) -> Any:
        if self.kind == "short":
            return [{"left 1": "right 1"}]
        turned = {"left 1": "left 2", "left 2": "left 1", "right 1": "right 1", "right 2": "right 2"}
        return [*super().symmetries(), turned if self.kind == "swap" else dict.fromkeys(turned, "left 1")]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("swap", r"symmetries\(\)\[1\] is none: after \d actions, 'left .' is not legal in both"),
        ("fold", r"symmetries\(\)\[1\] is none: after 0 actions, .* or has several images"),
        ("short", r"symmetries\(\)\[0\] is none: it has no image for an action"),
    ],
)
def test_check_game_names_a_symmetry_that_is_none(kind, words):
    problems = check_game(Wrong(kind), games=5)
    assert len(problems) == 1
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(problems[0])


class Forgetful(Coins):
    """Its keys do not tell whose turn it is, or change with the order of moves."""

    dtype = np.dtype([("heaps", "i1", 2), ("player", "i1"), ("last", "i1")])
    scratch = ("last",)

    def __init__(self, kind: str = "turn") -> None:
        self.kind = kind

    def setup(self, s: Any) -> None:
        s.heaps[:] = 3

    def symmetries(self) -> Any:
        return [[1, 0]]

    @rule
    def legal_actions(s):
        for heap in range(2):
            if s.heaps[heap] > 0:
                yield heap

    @rule
    def apply_action(s, a):
        s.heaps[a] -= 1 + (s.heaps[a] > 1 and s.player == 0)
        s.player = 1 - s.player
        s.last = a

    @rule
    def is_terminal(s):
        return s.heaps[0] + s.heaps[1] == 0

    @rule
    def key(s):
        return s.heaps[0] + 4 * s.heaps[1]


class Moody(Forgetful):
    """Its keys change with the order of moves."""

    @rule
    def key(s):
        return s.heaps[0] + 4 * s.heaps[1] + 16 * s.player + 32 * s.last


def test_check_game_names_a_wrong_key():
    assert any("to two positions with other legal actions" in problem for problem in check_game(Forgetful(), games=20))
    assert any("to one position" in problem for problem in check_game(Moody(), games=20))
