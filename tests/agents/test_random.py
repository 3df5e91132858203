"""The agent that plays any legal move."""

from __future__ import annotations

from collections import Counter

from ponderosa import load_agent
from tests.helpers import loaded, position
from tests.plain_python import plain_and_compiled  # noqa: F401


def test_plays_every_legal_action_equally_often():
    game = loaded("connect4")
    state = position(game, "1 1 1 1 1 1")
    agent = load_agent("random", game)
    counts = Counter(agent.step(state) for _ in range(6_000))
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    assert all(abs(count - 1_000) < 130 for count in counts.values())
    assert agent.last_report is None


def test_repeats_itself_with_the_same_seed():
    state = loaded("gomoku").new_initial_state()
    games = [[load_agent(f"random:seed={seed}", state.game).step(state) for _ in range(3)] for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]
