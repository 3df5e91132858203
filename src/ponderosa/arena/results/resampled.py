"""Ratings as they might have been: the fit of Bradley and Terry's model under random weights. Start at rating_ends.

The weights are those of posterior.py, for many agents at once, so the ends are found by drawing. The same draws belong
to the same games, and a better result never lowers an agent's ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.arena.results.posterior import CONFIDENCE, FAR, NEAR

PRIOR = (NEAR + FAR) / 2
"""How many games won, and how many lost, are added to every pairing."""
MOST_DRAWS, LEAST_DRAWS, SHARED_DRAWS = 4000, 200, 40_000
"""With more agents there are fewer draws, because each solves more equations."""
MANY_GAMES = 1000
"""Of more games, those of one pairing with one result have their weights drawn as one sum."""
ROUNDS, LARGEST_STEP, NEAR_ENOUGH = 60, 2.0, 1e-4

Floats = npt.NDArray[np.float64]
Played = tuple[int, int, float, int]
"""One agent, another, the score of the first against the second, and the group of the game."""


def rating_ends(results: Sequence[Played], agents: int, shared: float) -> tuple[Floats, Floats]:
    """The ends of the agents' intervals of 95 %, in natural units around a mean of 0.

    `shared` is how much of a game's weight belongs to its group.
    """
    pairings = sorted({(min(first, second), max(first, second)) for first, second, _, _ in results})
    draws = min(max(SHARED_DRAWS // agents, LEAST_DRAWS), MOST_DRAWS)
    fits = _fits(pairings, *_sums(results, pairings, shared, draws), agents)
    tail = (1 - CONFIDENCE) / 2
    return np.quantile(fits, tail, axis=0), np.quantile(fits, 1 - tail, axis=0)


def _sums(results: Sequence[Played], pairings: list[tuple[int, int]], shared: float, draws: int) -> tuple[Any, Any]:
    """The weight of every pairing's games, and the points that its first agent has under it (draws x pairings)."""
    random = np.random.default_rng(0)
    won, lost = random.gamma(PRIOR, size=(2, draws, len(pairings)))
    weight, points = won + lost, won.copy()
    places = {pairing: place for place, pairing in enumerate(pairings)}
    groups: dict[tuple[int, int], list[float]] = {}
    games = []
    for first, second, score, group in results:
        place = places[min(first, second), max(first, second)]
        got = score if first < second else 1 - score
        games.append((place, got, 1))
        total = groups.setdefault((group, place), [0.0, 0])
        total[0], total[1] = total[0] + got, total[1] + 1
    together = [(place, got, size) for (_, place), (got, size) in groups.items()]
    for shape, parts in ((1 - shared, games), (shared, together)):
        counted = sorted(Counter(parts).items()) if len(results) > MANY_GAMES else [(part, 1) for part in parts]
        for (place, got, size), count in counted:
            drawn = random.gamma(shape * count, size=draws)
            weight[:, place] += size * drawn
            points[:, place] += got * drawn
    return weight, points


def _fits(pairings: list[tuple[int, int]], weight: Floats, points: Floats, agents: int) -> Floats:
    """The best ratings for every draw (draws x agents), by Newton's method from those of the mean weights."""
    meets = np.zeros((len(pairings), agents))
    one, other = np.array(pairings).T
    each = np.arange(len(pairings))
    meets[each, one], meets[each, other] = 1.0, -1.0
    usual = _newton(meets, weight.mean(0)[None], points.mean(0)[None], np.zeros((1, agents)))
    return _newton(meets, weight, points, np.repeat(usual, len(weight), axis=0))


def _newton(meets: Floats, weight: Floats, points: Floats, ratings: Floats) -> Floats:
    """Ratings from which no step leads up, in steps that are not too large."""
    one, other, each = meets.argmax(1), meets.argmin(1), np.arange(meets.shape[1])
    for _ in range(ROUNDS):
        expected = 1 / (1 + np.exp(-ratings @ meets.T))
        curve = weight * expected * (1 - expected)
        bend = np.ones((len(weight), len(each), len(each)))  # ones: the mean stays 0
        bend[:, one, other] -= curve
        bend[:, other, one] -= curve
        bend[:, each, each] += curve @ np.abs(meets)
        step = np.linalg.solve(bend, ((points - weight * expected) @ meets)[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        ratings = ratings + step * np.minimum(1.0, LARGEST_STEP / np.maximum(largest, 1e-300))
        if largest.max() < NEAR_ENOUGH:
            break
    return ratings
