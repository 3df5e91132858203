"""What results are worth: Elo with its interval, likelihood of superiority, the sequential test. Start at Clusters.

Games of a pair share their opening and are not independent. How much they go together is learned from the pairs: the
more there are, the more a pair is one sample (the pentanomial model) rather than two games.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from ponderosa.arena.results.posterior import CONFIDENCE, interval, superiority
from ponderosa.errors import SettingError

Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The mean score of a pair: two losses, ..., two wins."""
FEW_PAIRS = 2
"""The number of pairs at which half of what they show of how their games go together is believed."""
ABSENT = 0.5
"""In the sequential test, what stands for a result that no pair had: few pairs with one result are no certainty."""
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
    """Scores of games, those of one pair together, counted by their kind."""

    def __init__(self) -> None:
        self.pairs = [0, 0, 0, 0, 0]
        """How many pairs of games gave 0, 1/2, 1, 3/2 and 2 points."""
        self._groups: dict[int, tuple[float, int]] = {}
        self._kinds: Counter[tuple[float, int]] = Counter()
        self._scores: Counter[float] = Counter()
        self._games = 0

    def add(self, group: int, score: float) -> None:
        """One game more of a pair."""
        total, size = self._groups.get(group, (0.0, 0))
        self._move(total, size, -1)
        total, size = round(total + score, 9), size + 1
        self._move(total, size, +1)
        self._groups[group] = (total, size)
        self._scores[score] += 1
        self._games += 1

    def add_both(self, group: int, score: float) -> None:
        """Two games with one result between them, as of two who played the same game alone."""
        self.add(group, score)
        self.pairs[round(4 * score)] += 1
        self._games += 1

    def _move(self, total: float, size: int, sign: int) -> None:
        if size:
            self._kinds[total, size] += sign
        if size == 2:
            self.pairs[round(2 * total)] += sign

    def estimate(self) -> Estimate | None:
        """Elo, interval and likelihood of superiority; None without a game.

        The weight of a game is in part its own, in part one that it shares with its pair: all that is learned of how
        the games of a pair go together comes from the shared part, which grows with the number of pairs.
        """
        results = self._scores.total()
        if not results:
            return None
        shared = shared_weight(len(self._groups))
        shapes: defaultdict[tuple[float, float], float] = defaultdict(float)
        for kind, number in self._kinds.items():
            shapes[kind] += shared * number
        for score, number in self._scores.items():
            shapes[score, 1] += (1 - shared) * number
        mean = sum(score * number for score, number in self._scores.items()) / results
        low, high = interval(shapes)
        return Estimate(self._games, mean, elo_of(mean), elo_of(low), elo_of(high), superiority(shapes))


def shared_weight(groups: int) -> float:
    """How much of the weight of a game belongs to its pair, by the number of pairs."""
    return groups / (groups + FEW_PAIRS)


def share_interval(scores: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The interval of 95 % of a mean of independent scores between 0 and 1, each given with how often it came."""
    shapes: dict[tuple[float, float], float] = {}
    for score, number in scores:
        shapes[score, 1] = shapes.get((score, 1), 0.0) + number
    return interval(shapes)


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
