"""Self-play: every position of every game becomes a lesson once, with what its game came to."""

from __future__ import annotations

import numpy as np

from ponderosa.learning.selfplay import SelfPlay
from ponderosa.learning.settings import LearnSettings, settled
from tests.helpers import Nim


class Opinion:
    """An evaluator that thinks all actions alike."""

    sees = "planes"

    def __init__(self, actions):
        self._actions = actions

    def __call__(self, planes):
        return np.ones((len(planes), self._actions)), np.zeros(len(planes))


def player(tables=6, **more):
    given = LearnSettings(tables=tables, simulations=8, result_share=1.0, openings=0.0, **more)
    settings = settled(given, Nim((1, 2)), "cpu")
    return SelfPlay(Nim((1, 2)), Opinion(settings.actions), settings, "cpu")


def test_every_position_is_handed_out_once_when_its_game_has_ended_with_what_is_certain_or_the_result():
    play, waiting, told = player(), [[] for _ in range(6)], []
    play.tables.begin([0])  # without openings, as the first step will
    for turn in range(12):
        before, movers = play.tables.records.copy(), play.tables.rows.movers.copy()
        play.step()
        for table, game in enumerate(waiting):
            game.append((before[table].tobytes(), movers[table], play._log[-1].certain[table]))
            if play.tables.over[table]:
                results = play.tables.results[table]
                told += [(one, results[who] if np.isnan(known) else known) for one, who, known in game]
                game.clear()
        if turn % 4 == 3:
            lessons = play.harvest()
            values = ((0.5 + 0.5 * lessons.values).tolist(), (one.tobytes() for one in lessons.records))
            assert sorted(told) == sorted((one, value) for value, one in zip(*values, strict=True))
            assert np.allclose(lessons.policies.astype(float).sum(axis=1), 1.0, atol=2e-3)
            told = []
    assert len(play.harvest().records) == 0
