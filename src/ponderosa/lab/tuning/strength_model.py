"""How strong an agent is at every setting, judged from all games at once. Start at Strength.fit.

A hill (height, slopes, curvatures) and a Gaussian process around it, with a logistic likelihood: games at neighbouring
settings support each other, so one lucky trial does not look like the best one. Settings are points of the unit cube
(lab/tuning/space.py). The posterior is Laplace's approximation (Rasmussen and Williams 2006, algorithms 3.1 and 5.1);
amplitude and length scales are those of the highest marginal likelihood, under weak priors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.arena.results.ratings import ELO

HEIGHT, SLOPE, CURVE, TWIST = 2.0, 3.0, 8.0, 2.0
"""The prior deviations of height, slopes, curvatures and twists of the hill, in logits over the unit cube."""
AMPLITUDE, SCALE = 0.25, 0.3
"""Where the priors of amplitude (logits) and length scales (of the unit cube) are centred; each is lognormal."""
SPREAD = 0.7
"""The deviation of the logarithms of amplitude and scales."""
NEWTON_STEPS = 30
JITTER = 1e-8

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Strength:
    """What games say about the strength at every setting, in Elo above the opponent of all of them."""

    points: Floats
    """Settings that were played (n x d)."""
    amplitude: float
    scales: Floats
    slope: Floats
    """The gradient of the log-likelihood at the posterior's mode."""
    root: Floats
    """The square root of its curvature."""
    factor: Floats
    """The Cholesky factor of the smoothed covariance."""

    @classmethod
    def fit(cls, settings: npt.ArrayLike, played: npt.ArrayLike, reached: npt.ArrayLike) -> Strength:
        """From how many games each setting played and how many points it got in them."""
        from scipy.optimize import minimize

        points, games, scores = (np.asarray(values, dtype=float) for values in (settings, played, reached))
        start = np.log([AMPLITUDE, *[SCALE] * points.shape[1]])

        def cost(logs: Floats) -> float:
            evidence, _ = _laplace(points, games, scores, np.exp(logs[0]), np.exp(logs[1:]))
            return float(-evidence + np.sum((logs - start) ** 2) / (2 * SPREAD**2))

        bounds = [(value - 3, value + 3) for value in start]
        found = minimize(cost, start, method="Nelder-Mead", bounds=bounds, options={"xatol": 0.05, "fatol": 0.02})
        amplitude, scales = float(np.exp(found.x[0])), np.exp(found.x[1:])
        return cls(points, amplitude, scales, *_laplace(points, games, scores, amplitude, scales)[1])

    def mean(self, settings: npt.ArrayLike) -> Floats:
        """The strength at settings, in Elo."""
        points = np.asarray(settings, dtype=float)
        found: Floats = ELO * _kernel(points, self.points, self.amplitude, self.scales) @ self.slope
        return found

    def deviation(self, settings: npt.ArrayLike) -> Floats:
        """How far the strength at settings may be off, in Elo: one standard deviation."""
        points = np.asarray(settings, dtype=float)
        across = _kernel(points, self.points, self.amplitude, self.scales)
        reduced = np.linalg.solve(self.factor, self.root[:, None] * across.T)
        own = (_trend(points) ** 2).sum(1) + self.amplitude**2
        found: Floats = ELO * np.sqrt(np.maximum(own - (reduced**2).sum(0), 0.0))
        return found


def _kernel(one: Floats, other: Floats, amplitude: float, scales: Floats) -> Floats:
    """A mean strength that nobody knows, and smooth differences from it."""
    away = ((one[:, None, :] - other[None, :, :]) / scales) ** 2
    found: Floats = _trend(one) @ _trend(other).T + amplitude**2 * np.exp(-0.5 * away.sum(-1))
    return found


def _trend(points: Floats) -> Floats:
    """What a hill is made of, times its prior deviation: a height, slopes, curvatures, twists."""
    middle = points - 0.5
    first, second = np.triu_indices(points.shape[1], 1)
    twists = TWIST * middle[:, first] * middle[:, second]
    return np.hstack([HEIGHT * np.ones((len(points), 1)), SLOPE * middle, CURVE * middle**2, twists])


def _laplace(
    points: Floats, games: Floats, scores: Floats, amplitude: float, scales: Floats
) -> tuple[float, tuple[Floats, Floats, Floats]]:
    """The log of the evidence, and slope, root and factor of the posterior."""
    kernel = _kernel(points, points, amplitude, scales) + JITTER * np.eye(len(points))
    latent = np.zeros(len(points))
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-latent))
        root = np.sqrt(games * chance * (1 - chance) + 1e-12)
        factor = np.linalg.cholesky(np.eye(len(points)) + root[:, None] * kernel * root)
        wanted = root**2 * latent + scores - games * chance
        inner = np.linalg.solve(factor.T, np.linalg.solve(factor, root * (kernel @ wanted)))
        weights = wanted - root * inner
        before, latent = latent, kernel @ weights
        if np.abs(latent - before).max() < 1e-4:
            break
    likelihood = np.sum(scores * latent - games * np.logaddexp(0, latent))
    evidence = likelihood - 0.5 * weights @ latent - np.log(np.diag(factor)).sum()
    chance = 1 / (1 + np.exp(-latent))
    return float(evidence), (scores - games * chance, root, factor)
