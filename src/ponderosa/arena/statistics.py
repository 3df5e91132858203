"""What results are worth: Elo with its interval, likelihood of superiority, the sequential test. Start at Clusters.

Games of a pair share their opening and are not independent, so a pair is one sample (the pentanomial model): its
variance is what pairs show, not what single games would.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from ponderosa.core.errors import SettingError

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The mean score of a pair: two losses, ..., two wins."""
ABSENT = 0.5
"""What stands for a result that no pair had, so that few pairs with one result do not look like certainty."""
H0, H1, UNDECIDED = "H0", "H1", "undecided"


@dataclass(frozen=True)
class Estimate:
    """How much stronger one agent is than another."""

    games: int
    """How many games were counted."""
    score: float
    """The mean score a game, from 0 to 1."""
    elo: float
    """The Elo difference that this score stands for; infinite when all was won or lost."""
    low: float
    """The lower end of its interval of 95 %."""
    high: float
    """The upper end."""
    los: float
    """The likelihood of superiority: how sure it is that the first agent is the stronger."""


def elo_of(score: float) -> float:
    """The Elo difference at which a score is expected."""
    if score <= 0.0:
        return -math.inf
    return math.inf if score >= 1.0 else 400.0 * math.log10(score / (1.0 - score))


def score_of(elo: float) -> float:
    """The score that is expected at an Elo difference."""
    return 0.0 if elo == -math.inf else 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


class Clusters:
    """Scores of games, those of one pair together, with the sums that an estimate needs."""

    def __init__(self) -> None:
        self.pairs = [0, 0, 0, 0, 0]
        """How many pairs of games gave 0, 1/2, 1, 3/2 and 2 points."""
        self._groups: dict[int, tuple[float, int]] = {}
        self._games, self._score = 0, 0.0
        self._squares, self._products, self._sizes = 0.0, 0.0, 0.0

    def add(self, group: int, score: float) -> None:
        """One game more of a pair."""
        total, size = self._groups.get(group, (0.0, 0))
        self._move(total, size, -1)
        total, size = total + score, size + 1
        self._move(total, size, +1)
        self._groups[group] = (total, size)
        self._games += 1
        self._score += score

    def _move(self, total: float, size: int, sign: int) -> None:
        self._squares += sign * total * total
        self._products += sign * total * size
        self._sizes += sign * size * size
        if size == 2:
            self.pairs[round(2 * total)] += sign

    def estimate(self) -> Estimate | None:
        """Elo, interval and likelihood of superiority; None without a game.

        The variance of the mean is that of sums over pairs; the interval is Wilson's for as many independent games as
        would have that variance, so it stays within 0 and 1, and an agent that won everything has a lower end.
        """
        if not self._games:
            return None
        count, mean = len(self._groups), self._score / self._games
        spread = self._squares - 2 * mean * self._products + mean * mean * self._sizes
        variance = max(spread, 0.0) / self._games**2 * count / max(count - 1, 1)
        certain = variance < 1e-12
        independent = count if certain else mean * (1 - mean) / variance
        low, high = wilson(mean, independent)
        deviation = math.sqrt(0.25 / count if certain else variance)
        los = NormalDist().cdf((mean - 0.5) / deviation)
        return Estimate(self._games, mean, elo_of(mean), elo_of(low), elo_of(high), los)


def wilson(mean: float, count: float) -> tuple[float, float]:
    """Wilson's interval for a mean of `count` independent results between 0 and 1."""
    square = Z * Z / count
    centre = (mean + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(mean * (1 - mean) / count + square / (4 * count))
    return (0.0 if mean <= 0 else max(centre - half, 0.0)), (1.0 if mean >= 1 else min(centre + half, 1.0))


@dataclass(frozen=True)
class Sprt:
    """A sequential test of normalised Elo differences: is it elo1 (H1) rather than elo0 (H0)?"""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often H1 may be accepted though H0 is true."""
    beta: float = 0.05
    """How often H0 may be accepted though H1 is true."""

    def __post_init__(self) -> None:
        if not all(math.isfinite(value) for value in (self.elo0, self.elo1)) or not self.elo0 < self.elo1:
            raise SettingError(f"a sequential test needs elo0 < elo1, as in 0,10, not {self.elo0:g},{self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise SettingError(f"alpha and beta must be between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")

    @classmethod
    def read(cls, text: str) -> Sprt:
        """The test that `elo0,elo1`, or `elo0,elo1,alpha,beta`, describes."""
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4):
            raise SettingError(f"a sequential test is written elo0,elo1, as in 0,10, not {text!r}")
        return cls(*numbers)

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is accepted below the first, H1 above the second value of the log-likelihood ratio."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[float]) -> float:
        """The log-likelihood ratio of H1 to H0 for the numbers of pairs with each of the five results."""
        count = sum(pairs)
        if count == 0:
            return 0.0
        mean, deviation = _pair_moments(pairs)
        t, t0, t1 = (mean - 0.5) / deviation, _t_of(self.elo0), _t_of(self.elo1)
        return count / 2 * math.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))

    def verdict(self, pairs: Sequence[float]) -> str:
        """H0, H1 or undecided."""
        low, high = self.bounds
        ratio = self.llr(pairs)
        return H1 if ratio >= high else H0 if ratio <= low else UNDECIDED


def normalised_elo(pairs: Sequence[float]) -> tuple[float, float]:
    """The normalised Elo difference and the half width of its interval of 95 %."""
    count = sum(pairs)
    if count == 0:
        return 0.0, math.inf
    mean, deviation = _pair_moments(pairs)
    unit = 800 / (math.sqrt(2) * math.log(10))
    return (mean - 0.5) / deviation * unit, Z / math.sqrt(count) * unit


def _t_of(elo: float) -> float:
    return math.sqrt(2) * elo * math.log(10) / 800


def _pair_moments(pairs: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation of the score of a pair."""
    weights = [number or ABSENT for number in pairs]
    total = sum(weights)
    mean = sum(weight * score for weight, score in zip(weights, PAIR_SCORES, strict=True)) / total
    variance = sum(weight * (score - mean) ** 2 for weight, score in zip(weights, PAIR_SCORES, strict=True)) / total
    return mean, math.sqrt(variance)
