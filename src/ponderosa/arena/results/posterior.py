"""Where a true score may lie after some results, honest at few of them. Start at interval.

Every result gets a random weight, a gamma variable of its own, and the score is the mean under these weights (Rubin's
Bayesian bootstrap, 1981), together with a few results that nobody played, so that three wins do not look like
certainty. A better result makes every weighted mean larger, and so neither end of the interval, nor the likelihood, can
fall: swap sides, and all is mirrored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
FAR, NEAR = 1.0, 0.5
"""What is added to the results: for the lower end FAR games lost and NEAR won, for the upper end the other way round.

Between Jeffreys' prior (a half of both) and Clopper and Pearson's exact interval (one and none);
`ponderosa docs arena` has more.
"""
FLAT = 1.0
"""For the likelihood of superiority, one of each: a prior that thinks all scores equally likely."""

Shapes = Mapping[tuple[float, float], float]
"""How much weight there is on results, by the points reached and the most that there were."""

NOTHING = 1e-11
"""Chances below this are none."""
FAR_OUT = 4.0
"""How many standard deviations from the mean a chance may be none."""
MANY = 100
"""The weight from which on the inversion takes smaller steps: many wins and no loss make it oscillate."""
_STEPS = {False: 0.15, True: 0.03}
_ACROSS = {many: np.exp(np.arange(-24.0, 20.0, step)) for many, step in _STEPS.items()}
_TILTS = np.concatenate([np.geomspace(1e-6, 0.5, 60), 1.0 - np.geomspace(0.5, 1e-4, 40)[1:]])
_NORMAL = NormalDist()
_ROUNDS, _EXACT = 60, 1e-10


def interval(shapes: Shapes) -> tuple[float, float]:
    """The ends of the interval of 95 % for a score, which lie in 0 to 1 and hold the mean between them."""
    points = sum(weight * got for (got, _), weight in shapes.items())
    mean = points / sum(weight * of for (_, of), weight in shapes.items())
    upper = _lower_end(_frozen({(of - got, of): weight for (got, of), weight in shapes.items()}))
    return min(_lower_end(_frozen(shapes)), mean), max(1.0 - upper, mean)


def superiority(shapes: Shapes) -> float:
    """How likely the true score is more than a half."""
    return 1.0 - _below(_with(_frozen(shapes), FLAT, FLAT), 0.5)


Frozen = tuple[tuple[tuple[float, float], float], ...]


def _frozen(shapes: Shapes) -> Frozen:
    return tuple(sorted((key, weight) for key, weight in shapes.items() if weight > 0))


def _with(shapes: Frozen, won: float, lost: float) -> Frozen:
    """The results, and some games that nobody played."""
    return (*shapes, ((1.0, 1.0), won), ((0.0, 1.0), lost))


@lru_cache(maxsize=1 << 16)
def _lower_end(shapes: Frozen) -> float:
    """Where the score lies below with a chance of 2.5 %: a secant on the normal scale, within a shrinking bracket."""
    if not any(got for (got, _), _ in shapes):
        return 0.0
    known, wanted = _with(shapes, NEAR, FAR), _NORMAL.inv_cdf((1 - CONFIDENCE) / 2)
    low, high = 0.0, 1.0
    at, before, slope = _guess(known, wanted), None, 1.0
    for _ in range(_ROUNDS):
        value = _NORMAL.inv_cdf(min(max(_below(known, at), 1e-15), 1 - 1e-15)) - wanted
        low, high = (at, high) if value < 0 else (low, at)
        if before is not None and at != before[0]:
            slope = (value - before[1]) / (at - before[0])
        before, step = (at, value), at - value / slope if before is not None and slope > 0 else (low + high) / 2
        at = step if low < step < high else (low + high) / 2
        if abs(at - before[0]) < _EXACT:
            break
    return at


def _guess(shapes: Frozen, deviations: float) -> float:
    """About where a number of standard deviations from the mean is."""
    size = sum(weight * of for (_, of), weight in shapes)
    mean = sum(weight * got for (got, _), weight in shapes) / size
    spread = sum(weight * (got - mean * of) ** 2 for (got, of), weight in shapes)
    return min(max(mean + deviations * math.sqrt(spread) / size, 0.01), 0.99)


def _below(shapes: Frozen, score: float) -> float:
    """The chance that the weighted mean is below a score.

    It is that of sum(weight * (points - score * size)) < 0, a sum of gamma variables with known characteristic
    function, inverted as Imhof does (1961); on a logarithmic scale the trapezoidal rule takes few steps.
    """
    gaps = np.array([got - score * of for (got, of), _ in shapes])
    weights = np.array([weight for _, weight in shapes])
    gaps /= math.sqrt(float(weights @ gaps**2))
    if _bound(weights, gaps) < NOTHING:
        return 0.0
    if _bound(weights, -gaps) < NOTHING:
        return 1.0
    many = bool(weights.sum() > MANY)
    across = np.outer(gaps, _ACROSS[many])
    angle, length = weights @ np.arctan(across), weights @ np.log1p(across * across) / 2
    found = 0.5 - float(np.sum(np.sin(angle) * np.exp(-length))) * _STEPS[many] / math.pi
    return min(max(found, 0.0), 1.0)


def _bound(weights: npt.NDArray[np.float64], gaps: npt.NDArray[np.float64]) -> float:
    """More than the chance that sum(weight * gap) < 0, after Chernoff: far out, the inversion would oscillate."""
    if weights @ gaps < FAR_OUT:
        return 1.0
    tilts = _TILTS / -gaps.min()
    return math.exp(min(float((weights @ -np.log1p(np.outer(gaps, tilts))).min()), 0.0))
