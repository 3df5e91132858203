"""Three players and more: everybody for themselves, or all against one."""

from __future__ import annotations

import random
from functools import cache

import pytest

from ponderosa import Search, load_agent
from tests.helpers import loaded, others_slow

SMALL = "connect:m=3,n=3,k=3,players=3"


class MaxN:
    """The exact value of every state for all players, each of whom maximises its own; ties are broken in all ways."""

    def __init__(self, game):
        self.game = game
        self.values = cache(self._values)

    def _values(self, state):
        """All vectors of returns that rational players may reach."""
        if state.is_terminal():
            return frozenset([tuple(state.returns())])
        player = state.current_player()
        options = [self.values(state.child(action)) for action in state.legal_actions()]
        floor = max(min(vector[player] for vector in vectors) for vectors in options)
        return frozenset(vector for vectors in options for vector in vectors if vector[player] >= floor)


def test_values_agree_with_an_exact_solver_where_everybody_is_for_themselves():
    game, exact = loaded(SMALL), MaxN(loaded(SMALL))
    rng, asked = random.Random(3), 0
    while asked < 12:
        state = game.new_initial_state()
        for _ in range(rng.randrange(3, 7)):
            if not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
        vectors = set() if state.is_terminal() else exact.values(state)
        if len(vectors) != 1 or len(state.legal_actions()) < 2:
            continue  # where ties decide, nobody knows what the others do
        asked += 1
        player = state.current_player()
        report = Search(game, seed=asked).run(state, iterations=20_000)
        best = next(entry for entry in report.actions if entry.action == report.best_action)
        (vector,) = vectors
        assert vector in exact.values(state.child(report.best_action))
        assert best.expected == pytest.approx(vector[player], abs=0.1)


def test_paranoid_values_agree_with_minimax_against_all_others():
    game = loaded(SMALL)

    @cache
    def worth(state, me):
        if state.is_terminal():
            return state.returns()[me]
        results = [worth(state.child(action), me) for action in state.legal_actions()]
        return max(results) if state.current_player() == me else min(results)

    rng = random.Random(5)
    for seed in range(8):
        state = game.new_initial_state()
        for _ in range(4):
            state.apply_action(rng.choice(state.legal_actions()))
        if state.is_terminal():
            continue
        me = state.current_player()
        report = Search(game, paranoid=True, seed=seed).run(state, iterations=20_000)
        assert worth(state.child(report.best_action), me) == worth(state, me)


@pytest.mark.parametrize(
    ("paranoid", "seat"),
    others_slow([(paranoid, seat) for paranoid in ("false", "true") for seat in range(3)], [("false", 0), ("true", 2)]),
)
def test_it_beats_two_random_players(seat, paranoid):
    game = loaded("connect:m=6,n=5,k=4,players=3")
    agents = [load_agent("random", game) for _ in range(3)]
    agents[seat] = load_agent(f"mcts:iterations=1000,paranoid={paranoid}", game)
    wins = 0
    for number in range(20):
        for place, agent in enumerate(agents):
            agent.reset(10 * number + place)
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(agents[state.current_player()].step(state))
        wins += state.returns()[seat] == 1
    assert wins >= 18
