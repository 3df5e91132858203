"""Hidden things and choices at once: what the searches of views find, against exact answers."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from scipy.optimize import linprog

from ponderosa import CHANCE, PonderosaError, Search, load_agent
from tests.helpers import first_decision, loaded

PASS, BET = 0, 1
JACK, QUEEN, KING = 0, 1, 2


def equilibrium(payoffs: np.ndarray) -> np.ndarray:
    """The first player's equilibrium strategy of a zero-sum matrix game, by linear programming."""
    rows, columns = payoffs.shape
    bounds = [(0, 1)] * rows + [(None, None)]
    result = linprog(
        [*[0.0] * rows, -1.0],
        A_ub=np.hstack([-payoffs.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[*[1.0] * rows, 0.0]],
        b_eq=[1.0],
        bounds=bounds,
    )
    return np.asarray(result.x[:rows])


@pytest.mark.slow
@pytest.mark.parametrize("wins", ["1,1,1", "3,1,1", "1,2,4"])
@pytest.mark.parametrize("select", ["regret_matching", "exp3"])
@pytest.mark.parametrize("player", [0, 1])
def test_the_average_strategy_is_the_equilibrium(select, wins, player):
    game = loaded(f"rps:wins={wins}")
    actions = game.new_initial_state().legal_actions(0)
    payoffs = np.zeros((3, 3))
    for one, other in itertools.product(range(3), repeat=2):
        state = game.new_initial_state()
        state.apply_actions([actions[one], actions[other]])
        payoffs[one, other] = state.returns()[0]
    report = Search(game, select=select, seed=player).run(iterations=200_000, player=player)
    found = {entry.action: entry.strategy for entry in report.actions}
    assert report.player == player
    assert sum(found.values()) == pytest.approx(1)
    assert [found[action] for action in actions] == pytest.approx(equilibrium(payoffs), abs=0.05)


def kuhn(cards, moves):
    """A deal and what was done since."""
    state = loaded("kuhn_poker").new_initial_state()
    for action in (*cards, *moves):
        state.apply_action(action)
    return state


@pytest.mark.parametrize("observers", ["multiple", "single"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("card", "moves", "right"),
    [
        (KING, (BET,), BET),  # the second player must call
        (KING, (PASS,), BET),  # and must not check behind
        (KING, (PASS, BET), BET),  # the first player must call
        (JACK, (BET,), PASS),  # the second player must fold
        (JACK, (PASS, BET), PASS),  # the first one too
    ],
)
def test_no_dominated_play_in_kuhn_poker(card, moves, right, seed, observers):
    player = len(moves) % 2
    cards = (card, QUEEN) if player == 0 else (QUEEN, card)
    state = kuhn(cards, moves)
    assert state.to_move() == player
    report = Search(loaded("kuhn_poker"), seed=seed, observers=observers).run(state, iterations=5_000)
    assert report.best_action == right


@pytest.mark.parametrize("observers", ["multiple", "single"])
def test_what_is_hidden_does_not_change_the_search(observers):
    game = loaded("kuhn_poker")
    runs = [
        Search(game, seed=2, observers=observers).run(kuhn((QUEEN, other), (PASS, BET)), iterations=2_000)
        for other in (JACK, KING)
    ]
    assert runs[0].actions == runs[1].actions


def play(game, agents, seed):
    """One game between agents that see only what they may."""
    rng, state = random.Random(seed), game.new_initial_state()
    for seat, agent in enumerate(agents):
        agent.reset(100 * seed + seat)
    while not state.is_terminal():
        player = state.to_move()
        if player == CHANCE:
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, weights)[0])
        else:
            state.apply_action(agents[player].step(state.observation(player)))
    return state.returns()


def won(spec, first, second, games):
    """The share of the games that the first agent wins, draws half, as first player."""
    game = loaded(spec)
    agents = [load_agent(text, game) for text in (first, second)]
    results = [play(game, agents, seed) for seed in range(games)]
    return sum((one > other) + (one == other) / 2 for one, other in results) / games


@pytest.mark.parametrize("observers", ["multiple", "single"])
def test_it_beats_random_at_blind_tic_tac_toe(observers):
    assert won("blind_tictactoe", f"mcts:iterations=1000,observers={observers}", "random", 60) >= 0.85


@pytest.mark.parametrize(("iterations", "games"), [(1000, 10), pytest.param(3000, 30, marks=pytest.mark.slow)])
def test_it_beats_random_at_goofspiel(iterations, games):
    assert won("goofspiel:cards=13", f"mcts:iterations={iterations},c=5", "random", games) >= 0.9


def test_every_seat_of_a_game_of_many_is_searched():
    for spec, players in (("pacman:turns=10", 3), ("liars_dice", 3)):
        game = loaded(spec)
        state = first_decision(game)
        for player in range(players if state.is_simultaneous_node() else 1):
            report = Search(game, paranoid=player == 1).run(state.observation(player), iterations=500)
            assert report.player == player
            assert report.best_action in state.legal_actions(player)
            assert sum(entry.visits for entry in report.actions) == 500


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("tictactoe", {"select": "regret_matching"}, "hidden things or choices at once"),
        ("rps", {"choose": "mixed"}, "regret_matching or exp3"),
        ("rps", {"observers": "single"}, "observers='multiple'"),
        ("kuhn_poker", {"observers": "one"}, "multiple, single"),
        ("kuhn_poker", {"select": "available_ucb"}, "go together"),
        ("kuhn_poker", {"backup": "best"}, "see everything"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(spec, options, words):
    with pytest.raises(PonderosaError, match=words):
        Search(loaded(spec), **options)


def test_the_table_of_nodes_grows_without_losing_any():
    search = Search(loaded("goofspiel:cards=13"), seed=1)
    report = search.run(first_decision(search.game), iterations=30_000)
    nodes = search.tree.nodes[: search.tree.used]
    assert report.nodes > 40_000
    assert nodes[0]["visits"] == 30_000
    assert sum(entry.visits for entry in report.actions) == 30_000


@pytest.mark.parametrize("parallel", ["merge", "vote"])
def test_several_threads_search_one_view(parallel):
    report = Search(loaded("kuhn_poker"), threads=2, parallel=parallel).run(
        kuhn((KING, JACK), (PASS, BET)), iterations=2_000
    )
    assert (report.best_action, report.threads, report.iterations) == (BET, 2, 2_000)
    mixed = Search(loaded("rps:wins=3,1,1"), threads=2, parallel=parallel, select="regret_matching").run(
        iterations=100_000
    )
    assert sorted(entry.strategy for entry in mixed.actions) == pytest.approx([0.2, 0.2, 0.6], abs=0.05)


def test_a_tree_of_views_is_not_saved(tmp_path):
    search = Search(loaded("rps"))
    search.run(iterations=10)
    with pytest.raises(PonderosaError, match="lives in memory only"):
        search.save(tmp_path / "tree.npz")
    with pytest.raises(PonderosaError, match="begins anew every turn"):
        search.advance(0)
