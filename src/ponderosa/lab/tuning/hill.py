"""Which settings to try next, and which are best, by all games so far: a sampler for Optuna. Start at HillSampler.

The most games are needed where it is not yet clear whether a setting is the best, so new settings come from anywhere
that may still be within SLACK of the top, and not only from the top itself: a hill's top is found by its flanks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from ponderosa.arena.event import draw
from ponderosa.lab.tuning.space import Space
from ponderosa.lab.tuning.strength_model import Strength

SLACK = 100.0
"""Elo below the best at which a setting is still worth games."""
CANDIDATES = 400
FEW = 8
FINALISTS = 3000
RESULT = "result"
"""What a trial keeps under that name, written at once: see TrialResult."""

Values = dict[str, Any]


@dataclass(frozen=True)
class TrialResult:
    """What a trial has reached."""

    games: int
    """That count."""
    points: float
    """In these games."""
    played: int
    """Games, repeated ones too."""
    slow: float | None
    """The seconds that 95 % of its moves kept."""
    faulty: bool
    """Whether it lost a game by its own fault."""

    @classmethod
    def of(cls, trial: FrozenTrial) -> TrialResult:
        """What is written down of a trial."""
        return cls(
            **trial.user_attrs.get(RESULT, {"games": 0, "points": 0.0, "played": 0, "slow": None, "faulty": False})
        )

    def within(self, slowest: float | None) -> bool:
        """Whether the trial kept a limit on the time of a move, and the rules."""
        return not self.faulty and (slowest is None or (self.slow is not None and self.slow <= slowest))


class HillSampler(BaseSampler):
    """Proposes settings that may be the best."""

    def __init__(self, space: Space, seed: int, first: int, slowest: float | None = None) -> None:
        """The `first` settings are spread over the space; `slowest` is the most seconds that a move may take."""
        self._space, self._seed, self._first, self._slowest = space, seed, first, slowest
        self._known: tuple[int, Strength, Values] | None = None

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """All settings are chosen together."""
        return {param.name: param.distribution() for param in self._space.params}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> Values:
        """The settings of the next trial."""
        played = played_trials(study)
        random = np.random.default_rng(draw(self._seed, "trial", trial.number))
        if trial.number < self._first or len(played) < 2:
            return self._spread(trial.number)
        model, best = self.model(played)
        anywhere, near = self._space.draw(random, CANDIDATES), self._space.near(best, random, CANDIDATES // 8)
        hopeful = self._hopeful(model, played, best, anywhere)
        if len(hopeful) < FEW:  # a small top in a large space
            hopeful += self._hopeful(model, played, best, near)
        return hopeful[int(random.integers(len(hopeful)))] if hopeful else best

    def _hopeful(self, model: Strength, played: list[FrozenTrial], best: Values, values: list[Values]) -> list[Values]:
        """Those of the settings that may still be within SLACK of the best."""
        values = quick_enough(self._space, played, values, self._slowest)
        points = [self._space.encode(entry) for entry in (best, *values)]
        hope = model.mean(points) + model.deviation(points)
        top = model.mean(points[:1])[0]
        return [entry for entry, most in zip(values, hope[1:], strict=True) if most >= top - SLACK]

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Never asked: all settings are chosen together."""
        raise NotImplementedError

    def model(self, played: list[FrozenTrial]) -> tuple[Strength, Values]:
        """What the trials say, and the best settings by that, found once for as many trials."""
        if self._known is None or self._known[0] != len(played):
            found, random = fitted(self._space, played), np.random.default_rng(draw(self._seed, "best", len(played)))
            self._known = len(played), found, best_of(found, self._space, played, random, self._slowest)
        return self._known[1:]

    def _spread(self, number: int) -> Values:
        """Points that are evenly spread: Sobol's sequence."""
        from scipy.stats import qmc

        sequence = qmc.Sobol(len(self._space.params), rng=np.random.default_rng(draw(self._seed, "spread")))
        return self._space.decode(sequence.random_base2(max(number.bit_length(), 3))[number])


def played_trials(study: Study) -> list[FrozenTrial]:
    """The trials that have games, finished or cut off, in order."""
    states = (TrialState.COMPLETE, TrialState.PRUNED)
    return [trial for trial in study.get_trials(deepcopy=False, states=states) if TrialResult.of(trial).games]


def fitted(space: Space, played: list[FrozenTrial]) -> Strength:
    """What trials say about every setting."""
    results = [TrialResult.of(trial) for trial in played]
    points = [space.encode(trial.params) for trial in played]
    return Strength.fit(points, [result.games for result in results], [result.points for result in results])


def best_of(
    model: Strength,
    space: Space,
    played: list[FrozenTrial],
    random: np.random.Generator | None,
    slowest: float | None = None,
) -> Values:
    """The settings of which the model is most sure that they are strong: its mean less one deviation.

    With a limit on the time of a move, only settings that were measured to keep it; if there are none, the quickest.
    """
    tried = [trial.params for trial in played if TrialResult.of(trial).within(slowest)]
    if slowest is not None:
        return _top(model, space, tried) if tried else min(played, key=_slowness).params
    assert random is not None  # the settings that were measured need no others
    top = _top(model, space, tried + space.draw(random, FINALISTS))
    return _top(model, space, [top, *space.near(top, random, CANDIDATES, step=0.03)])


def _top(model: Strength, space: Space, values: list[Values]) -> Values:
    points = [space.encode(entry) for entry in values]
    return values[int(np.argmax(model.mean(points) - model.deviation(points)))]


def _slowness(trial: FrozenTrial) -> float:
    return TrialResult.of(trial).slow or np.inf


def quick_enough(space: Space, played: list[FrozenTrial], values: list[Values], slowest: float | None) -> list[Values]:
    """Those of the settings that are expected to keep the limit: log time as a plane over the settings."""
    timed = [trial for trial in played if TrialResult.of(trial).slow]
    if slowest is None or len(timed) < 4:
        return values
    logs = np.log([_slowness(trial) for trial in timed])
    plane, *_ = np.linalg.lstsq(_with_ones(space, [trial.params for trial in timed]), logs, rcond=None)
    expected = _with_ones(space, values) @ plane
    return [entry for entry, log in zip(values, expected, strict=True) if log <= np.log(slowest)]


def _with_ones(space: Space, values: list[Values]) -> npt.NDArray[np.float64]:
    return np.array([[1.0, *space.encode(entry)] for entry in values])
