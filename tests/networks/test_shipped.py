"""The networks that come with the package: each file is one of a game there is, plays it well, and is told of."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ponderosa import load_agent, load_game
from ponderosa.networks.file import found, load, read, shipped

pytest.importorskip("onnxruntime", reason='networks play with the extra "net"')
FILES = {path.name: path for path in shipped()}
MOST = 6_000_000
"""A package is downloaded: a network has no more bytes."""
DOCS = Path(__file__).parents[2] / "docs" / "learn.md"


@pytest.mark.parametrize("name", FILES)
def test_a_network_is_for_a_game_and_its_rules_as_they_are_and_is_found_for_it(name):
    about, _ = read(FILES[name])
    game = load_game(about.game)
    assert load(FILES[name], game).shape == about.shape and found(None, game) == FILES[name]
    assert FILES[name].stat().st_size <= MOST
    assert about.training["games"] > 0 and about.training["seconds"] > 0


@pytest.mark.parametrize("name", FILES)
def test_how_a_network_was_trained_and_how_it_plays_is_in_the_documentation(name):
    assert f"| `{name}` |" in DOCS.read_text()


@pytest.mark.parametrize("name", FILES)
def test_the_policy_alone_hardly_ever_loses_to_random_moves(name):
    game, luck, score = load_game(read(FILES[name])[0].game), random.Random(1), 0.0
    agent = load_agent("net:iterations=1", game)
    for number in range(12):
        state = game.new_initial_state()
        while not state.is_terminal():
            mine = state.to_move() == number % 2
            state.apply_action(agent.step(state) if mine else luck.choice(state.legal_actions()))
        score += 0.5 + 0.5 * state.returns()[number % 2]
    assert score >= 10.5
