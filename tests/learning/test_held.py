"""Training learns the same from positions that are on a card as from those that it is handed batch by batch."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import load_game
from ponderosa.learning import held, training
from ponderosa.learning.replay import Replay
from ponderosa.learning.selfplay import Lessons
from ponderosa.learning.settings import LearnSettings, settled
from ponderosa.learning.training import Trainer, named_arrays
from ponderosa.networks.file import shape_for
from ponderosa.networks.residual import Dense
from tests.helpers import random_game

pytest.importorskip("jax", reason='learning needs the extra "learn"')
pytest.importorskip("optax", reason='learning needs the extra "learn"')


def lessons_of(game, actions, count, seed):
    luck = np.random.default_rng(seed)
    states = [state for number in range(count) for state in random_game(game, seed=seed + number)][:count]
    records = np.array([np.array(state.data, np.uint8) for state in states]).view(game.dtype).reshape(-1)
    policies = luck.dirichlet(np.ones(actions), count).astype(np.float16)
    values = (count,) if game.players <= 2 else (count, game.players)
    return Lessons(records, policies, luck.uniform(-1, 1, values).astype(np.float32))


@pytest.mark.parametrize("spec", ["tictactoe", "connect:m=3,n=2,k=2,players=3"])
def test_training_on_a_card_takes_the_same_steps(spec, monkeypatch):
    monkeypatch.setattr(held, "CHUNK", 16)
    game, weights, losses = load_game(spec), [], []
    settings = settled(LearnSettings(network=Dense(8, 1), batch=8, window=64), game, "cpu")
    shape = shape_for(game, settings.actions)
    for on_card in (False, True):
        monkeypatch.setattr(training, "is_card", lambda device, answer=on_card: answer)
        trainer, replay = Trainer(settings.network, shape, game, settings), Replay(game, settings.actions, 64)
        for seed, count in enumerate((20, 33, 1, 50)):  # in the end, the oldest have gone
            replay.add(lessons_of(game, settings.actions, count, 100 * seed))
            losses.append(trainer.train(replay, 3, 1e-2))
        weights.append(named_arrays(trainer.weights.params))
        assert trainer.steps == 12
    assert np.allclose(losses[:4], losses[4:], atol=1e-6)
    assert all(np.allclose(weights[0][name], weights[1][name], atol=1e-6) for name in weights[0])


def test_a_window_that_was_there_before_is_taken_over_as_far_as_it_is_drawn_from(monkeypatch):
    monkeypatch.setattr(held, "CHUNK", 16)
    import jax

    game = load_game("tictactoe")
    replay, shape = Replay(game, 9, 64), shape_for(game, 9)
    for seed, count in enumerate((40, 60)):
        replay.add(lessons_of(game, 9, count, 100 * seed))
    new = held.Held(game, shape, replay.size, jax.devices("cpu")[0], np.float32)
    new.follow(replay)
    numbers = np.arange(replay.total - replay.reach, replay.total)
    expected = replay.at(numbers)
    assert np.array_equal(np.asarray(new.rows.policies)[numbers % 64], expected.policies)
    assert np.array_equal(np.asarray(new.rows.values)[numbers % 64], expected.values)
