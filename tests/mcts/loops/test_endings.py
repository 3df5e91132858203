"""Games that do not end: playouts do, and a search says so."""

from __future__ import annotations

import itertools

import pytest

from ponderosa import Search
from ponderosa.core.game import LONGEST
from ponderosa.core.rules import jit_enabled
from ponderosa.errors import GameError
from ponderosa.mcts.loops.endings import LOOK
from ponderosa.mcts.policies.playout.playouts import epsilon, random, several
from ponderosa.mcts.search import search
from ponderosa.policies import PlayoutPolicy
from tests.endless_games import (
    Alone,
    AtOnce,
    Costly,
    Countdown,
    Dice,
    Fork,
    ForkAhead,
    HiddenDice,
    LongAlone,
    PlainCostly,
    PlainToAndFro,
    Still,
    ToAndFro,
)
from tests.helpers import others_slow
from tests.plain_python import plain_and_compiled  # noqa: F401


def first_moves(game, state, spare, actions, params, rng, values):
    """A playout as an author writes one, who knows of no limit."""
    plies = 0
    while not game.is_terminal(state):
        game.apply_action(state, 2 * (plies % 2))
        plies += 1
    game.scores(state, values)
    return plies


def of_one_ply(game, state, spare, actions, params, rng, values):
    """Looks at every reply, on a state to try things on, and plays one move."""
    for reply in range(3):
        game.copy(spare[0], state)
        game.apply_action(spare[0], reply)
    game.apply_action(state, 0)
    values[:] = 0.5
    return 1


PLAYOUTS = {
    "random": random(),
    "rollouts": random(rollouts=3),
    "informed": "informed",
    "decisive": "decisive",
    "mast": "mast",
    "nst": "nst",
    "last_good_reply": "last_good_reply",
    "epsilon": epsilon(0.5, "random", "decisive"),
    "several": several(2),
    "own": first_moves,
    "epsilon of an own one": epsilon(0.5, "random", PlayoutPolicy(first_moves)),
}


@pytest.mark.parametrize("playout", others_slow(PLAYOUTS, ["random", "rollouts", "decisive", "own"]))
def test_a_search_whose_playouts_never_end_ends_and_says_so(playout):
    with pytest.raises(GameError, match=r"playouts do not end: none of 5 was over after 50 moves, as max_game_length"):
        Search(ToAndFro(), playout=PLAYOUTS[playout]).run(iterations=5)


@pytest.mark.parametrize("game", [Dice, HiddenDice, AtOnce, Alone, PlainToAndFro], ids=lambda game: game.__name__)
@pytest.mark.parametrize("playout", ["random", pytest.param("decisive", marks=pytest.mark.slow)])
def test_so_it_is_in_every_class_of_games(game, playout):
    with pytest.raises(GameError, match=r"playouts do not end: none of 5 was over after 50 moves"):
        Search(game(), playout=playout).run(iterations=5)


WAYS = [
    {"solve": "bounded"},
    pytest.param({"select": "rave"}, marks=pytest.mark.slow),
    {"transpositions": True},
    {"threads": 2},
    pytest.param({"threads": 2, "parallel": "leaf"}, marks=pytest.mark.slow),
    pytest.param({"threads": 2, "parallel": "leaf", "playout": first_moves}, marks=pytest.mark.slow),
    {"threads": 2, "parallel": "tree"},
    pytest.param({"select": "rave", "playout": first_moves}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(
    "way", WAYS, ids=lambda way: " ".join(getattr(value, "__name__", str(value)) for value in way.values())
)
def test_so_it_is_in_every_kind_of_search(way):
    if way.get("parallel") == "tree" and not jit_enabled():
        pytest.skip("parallel='tree' is for compiled games")
    with pytest.raises(GameError, match="playouts do not end: none of 8 was over after 50 moves"):
        Search(ToAndFro(), **way).run(iterations=8)


def test_views_of_a_game_of_ones_own_playout_are_told_apart_as_ever():
    with pytest.raises(GameError, match="playouts do not end"):
        Search(AtOnce(), playout=first_moves).run(iterations=200)


@pytest.mark.parametrize("game", [Still, ToAndFro], ids=lambda game: game.__name__)
def test_where_no_length_is_declared_a_great_many_moves_are_enough(game, monkeypatch):
    monkeypatch.setattr(game, "max_game_length", None)
    with pytest.raises(GameError, match=rf"none of 2 was over after {LONGEST:,} moves or"):
        Search(game()).run(iterations=2)


def test_playouts_that_do_not_end_count_as_draws_and_the_report_tells_how_many():
    report = Search(Fork(), solve=False).run(iterations=100)
    values = {entry.action: entry.value for entry in report.actions}
    visits = {entry.action: entry.visits for entry in report.actions}
    assert values == {0: 1.0, 1: 0.5, 2: 0.5}
    assert report.endless == visits[1] + visits[2] > 0
    assert f"100 iterations, {report.endless} of them to no end of the game" == report.effort
    assert Search(Fork(), solve=False, threads=2).run(iterations=100).endless > 0


def test_a_limit_that_a_person_sets_is_no_fault_of_the_game():
    assert Search(ToAndFro(), playout=random(max_length=20)).run(iterations=100).endless == 0
    assert Search(ToAndFro(), playout=of_one_ply).run(iterations=100).endless == 0
    assert Search(PlainToAndFro(), playout=random(max_length=20)).run(iterations=100).endless == 0


def test_a_game_that_ends_with_its_last_move_is_over():
    report = Search(Countdown(), solve=False).run(iterations=300)
    assert report.endless == 0
    assert Search(Countdown(), solve=False, playout=first_moves).run(iterations=300).endless == 0


def test_after_a_playout_without_end_somebody_looks_at_the_clock():
    """A slice is sized by what iterations took before; one that takes a thousand times as long must end it."""
    endless = Search(ToAndFro())
    assert endless.engine.grow(1000, endless.tree, endless.tree.limit(None), True) == 1
    ending = Search(Countdown(), solve=False)
    assert ending.engine.grow(1000, ending.tree, ending.tree.limit(None), False) == 1000


def test_playouts_over_python_states_end_when_the_time_is_up(monkeypatch):
    monkeypatch.setattr(PlainToAndFro, "max_game_length", None)
    looks = itertools.count()
    report = Search(PlainToAndFro(), clock=lambda: 0.1 * next(looks)).run(seconds=1)
    assert report.stopped == "seconds" and report.endless == report.iterations == 1
    assert next(looks) < 20, f"{LOOK} moves are one look at the clock: a thousand looks would be a whole playout"


class Foreign:
    """Somebody's own states, which never end."""

    def __init__(self, player=0):
        self.player = player

    def current_player(self):
        return self.player

    def num_players(self):
        return 2

    def legal_actions(self):
        return [0, 1]

    def apply_action(self, action):
        self.player = 1 - self.player

    def is_terminal(self):
        return False

    def returns(self):
        return [0.0, 0.0]

    def clone(self):
        return Foreign(self.player)


def test_states_of_any_class_are_watched_too():
    looks = itertools.count()
    report = search(Foreign(), seconds=1, clock=lambda: 0.1 * next(looks))
    assert report.endless == report.iterations == 1


def always_the_first(nodes, parent, params, rng):
    return nodes[parent]["first"]


def one_at_most(nodes, node, params):
    return 1 if nodes[node]["count"] == 0 else 0


def test_a_tree_is_no_deeper_than_the_longest_game():
    depths = []
    straight = Search(ToAndFro(), select=always_the_first, expand=one_at_most, playout=random(max_length=0))
    straight.run(iterations=200, trace=lambda entry: depths.append(len(entry["moves"])))
    assert max(depths) == ToAndFro.max_game_length


@pytest.mark.parametrize("game", [Costly, PlainCostly], ids=lambda game: game.__name__)
@pytest.mark.parametrize("options", [{}, {"select": "scaled_ucb"}, {"choose": "robust"}], ids=str)
def test_no_end_is_no_way_out_for_a_player_whose_scores_are_below_0(game, options):
    for seed in range(5):
        report = Search(game(), seed=seed, **options).run(iterations=300)
        visits = {entry.action: entry.visits for entry in report.actions}
        assert visits[0] < min(visits[1], visits[2]) and report.endless == visits[0]
        assert report.best_action != 0
        assert report.best_score == -5.0 and len(report.best_line) == 1


def test_compiled_and_plain_count_no_end_alike():
    """As nothing before any score is known, then as twice the least one."""
    for game in (Costly, PlainCostly):
        told = []
        Search(game()).run(iterations=100, trace=told.append)
        scores = [(entry["moves"][0]["move"], *entry["result"]) for entry in told]
        first = next(place for place, (_, score) in enumerate(scores) if score == -5.0)
        assert {score for move, score in scores[:first]} <= {0.0}
        assert {(move, score) for move, score in scores[first:]} == {("0", -10.0), ("1", -5.0), ("2", -5.0)}


@pytest.mark.parametrize("one", ["random", pytest.param("decisive", marks=pytest.mark.slow)])
def test_one_of_several_playouts_that_does_not_end_is_a_draw(one):
    for seed in range(5):
        report = Search(ForkAhead(), playout=several(3, one), solve=False, seed=seed).run(iterations=3)
        assert [entry.value for entry in report.actions] == pytest.approx([2 / 3] * 3)


def test_a_game_that_ends_is_not_blamed_when_the_time_is_up():
    """Each tree has time for a part of a playout: a hundred moves or so of two hundred."""
    looks = itertools.count()
    report = Search(LongAlone(), restarts=4, clock=lambda: 0.1 * next(looks)).run(seconds=1)
    assert report.stopped == "seconds" and report.endless == report.iterations == 5
    assert "5 of them to no end of the game" in report.effort


def test_a_python_game_that_never_ends_is_told_when_its_time_is_up():
    looks = itertools.count()
    with pytest.raises(GameError, match="playouts do not end"):
        Search(PlainToAndFro(), clock=lambda: 0.1 * next(looks)).run(seconds=3)
