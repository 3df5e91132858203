"""Proven scores: what is called certain is exact, and what cannot matter is left alone."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Game, Search, load_agent, load_game, rule
from ponderosa.errors import SettingError
from ponderosa.mcts.policies.select.ucb import ucb1
from tests.helpers import Exact, LookAlike, grown, loaded, random_position, visits

COINS = 8
SMALL = "connect4:rows=4,cols=4"


class Coins(Game):
    """A row of coins: take one from either end; the score is how much more it is than the other's."""

    dtype = np.dtype([("coins", "i4", COINS), ("begin", "i4"), ("end", "i4"), ("ahead", "i4"), ("player", "i1")])
    min_utility, max_utility = -40.0, 40.0

    def __init__(self, coins: tuple[int, ...] = (3, 9, 1, 2, 7, 5)) -> None:
        self.coins = coins

    def setup(self, s: Any) -> None:
        s.coins[: len(self.coins)], s.end = self.coins, len(self.coins)

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        yield 0
        yield 1

    @rule
    def apply_action(s, a):
        coin = s.coins[s.begin] if a == 0 else s.coins[s.end - 1]
        s.begin += 1 - a
        s.end -= a
        s.ahead += coin if s.player == 0 else -coin
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.begin == s.end

    @rule
    def returns(s):
        return (float(s.ahead), float(-s.ahead))


class Pebbles(LookAlike):
    """Python states with scores: whoever takes the last pebble gets the number of moves as a score."""

    def __init__(self, stones: int = 5, player: int = 0, moves: int = 0) -> None:
        super().__init__(stones, player)
        self.moves = moves

    def apply_action(self, action: str) -> None:
        super().apply_action(action)
        self.moves += 1

    def returns(self) -> list[float]:
        return [-float(self.moves), float(self.moves)] if self.player == 0 else [float(self.moves), -float(self.moves)]

    def clone(self) -> Pebbles:
        return type(self)(self.stones, self.player, self.moves)


@functools.cache
def exact(coins: tuple[int, ...]) -> int:
    """How much more the player to move gets than the other one, when both play perfectly."""
    return max((coins[0] - exact(coins[1:]), coins[-1] - exact(coins[:-1]))) if coins else 0


ROWS = st.lists(st.integers(0, 9), min_size=2, max_size=COINS).map(tuple)


@pytest.mark.slow
@settings(max_examples=40)
@given(coins=ROWS, seed=st.integers(0, 1000), iterations=st.integers(1, 600))
def test_bounds_hold_the_exact_score_at_any_time_and_meet_when_it_is_solved(coins, seed, iterations):
    report = Search(Coins(coins), solve="bounded", seed=seed).run(iterations=iterations)
    assert report.bounds is not None
    least, most = report.bounds
    assert least - 1e-6 <= exact(coins) <= most + 1e-6
    worth = {0: coins[0] - exact(coins[1:]), 1: coins[-1] - exact(coins[:-1])}
    for entry in report.actions:
        if entry.bounds is not None:
            assert entry.bounds[0] - 1e-6 <= worth[entry.action] <= entry.bounds[1] + 1e-6
    if report.stopped == "solved":
        assert least == pytest.approx(most) and least == pytest.approx(exact(coins))
        assert worth[report.best_action] == exact(coins)
        assert report.proven == ("win" if least > 1e-6 else "draw" if least > -1e-6 else "loss")
        assert report.value == pytest.approx((exact(coins) + 40) / 80)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        *(
            pytest.param(options, marks=pytest.mark.slow)
            for options in ({"select": "rave"}, {"playout": "mast"}, {"select": "thompson"})
        ),
    ],
)
def test_scores_are_solved(options):
    game = Coins()
    report = Search(game, solve="bounded", **options).run(iterations=20_000)
    assert report.stopped == "solved" and report.bounds == pytest.approx((exact(game.coins),) * 2)


def test_wins_draws_and_losses_cannot_tell_a_score():
    assert Search(Coins(), solve=True).run(iterations=5_000).proven is None


def test_python_states_with_scores_are_solved():
    @functools.cache
    def best(stones: int, moves: int) -> int:
        return max(
            moves + 1 if take == stones else -best(stones - take, moves + 1) for take in range(1, min(3, stones) + 1)
        )

    for stones in (5, 8):
        report = Search(Pebbles(stones), utility=(-9, 9), solve="bounded").run(iterations=20_000)
        assert report.stopped == "solved" and report.bounds == pytest.approx((best(stones, 0),) * 2)


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), plies=st.integers(2, 8))
def test_wins_draws_and_losses_are_scores_too(seed, plies):
    state = random_position(loaded("tictactoe"), seed, plies)
    report = Search(state, solve="bounded", seed=seed).run(state, iterations=50_000)
    values = Exact().action_values(state)
    assert report.stopped == "solved" and report.bounds == (max(values.values()),) * 2
    assert values[report.best_action] == max(values.values())


@pytest.mark.parametrize(
    ("spec", "seeds", "share"),
    [
        ("tictactoe", 10, 0.95),
        pytest.param("connect:m=3,n=4,k=4", 3, 0.95, marks=pytest.mark.slow),
        pytest.param(SMALL, 1, 0.5, marks=pytest.mark.slow),
    ],
)
def test_what_is_certain_elsewhere_on_the_path_saves_iterations(spec, seeds, share):
    """Boards that are draws. The usual solver looks only one move up for what is certain already."""
    plain, bounded = (
        [Search(loaded(spec), select=ucb1(0.3), solve=solve, seed=seed).run(iterations=10**6) for seed in range(seeds)]
        for solve in (True, "bounded")
    )
    assert {report.proven for report in (*plain, *bounded)} == {"draw"}
    assert sum(report.iterations for report in bounded) < share * sum(report.iterations for report in plain)


@pytest.mark.slow
def test_a_tree_of_scores_is_kept_saved_and_loaded(tmp_path):
    game = Coins()
    search = Search(game, solve="bounded", seed=1)
    search.run(iterations=60)
    search.save(tmp_path / "tree.npz")
    again = Search.load(tmp_path / "tree.npz", game)
    assert again.settings.bounded and visits(again.run(iterations=30)) == visits(search.run(iterations=30))
    search.run(iterations=20_000)
    search.advance(1)
    report = search.run(iterations=20_000)
    assert report.bounds == pytest.approx((exact(game.coins[:-1]) - game.coins[-1],) * 2)


def test_only_who_asks_for_it_has_the_fields():
    usual = Search(loaded("tictactoe"))
    usual.run(iterations=10)
    assert "sure" not in grown(usual).dtype.names and usual.report().bounds is None
    agent = load_agent("mcts:solve=bounded,iterations=100", loaded("tictactoe"))
    agent.step(loaded("tictactoe").new_initial_state())
    assert agent.search.settings.bounded and "sure" in grown(agent.search).dtype.names


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("tictactoe", {"solve": "everything"}, "True, False or 'bounded'"),
        ("pig", {"solve": "bounded"}, "two players without dice"),
        ("kuhn_poker", {"solve": "bounded"}, "two players without dice"),
        ("connect4", {"solve": "bounded", "select": "puct"}, "does not go with puct"),
        ("connect4", {"solve": "bounded", "backup": "mixmax"}, "does not go with mixmax"),
        ("connect4", {"solve": "bounded", "threads": 2}, "threads=1"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(spec, options, words):
    with pytest.raises(SettingError, match=words):
        Search(load_game(spec), **options)


def test_what_others_prove_is_not_mixed_in():
    search = Search(loaded("tictactoe"), solve="bounded")
    search.run(iterations=10)
    with pytest.raises(SettingError, match="solve=True is"):
        search.learn({0: (1.0, 1.0)})
    with pytest.raises(SettingError, match="solve=True is"):
        search.settle([0], 2)
