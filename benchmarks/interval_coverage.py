"""How often the interval of 95 % of a match holds the true score. Start at coverage.

    python benchmarks/interval_coverage.py

The true score of a match is drawn from a narrow range, because four games have few results, and what is right at one
score exactly jumps with the next digit. Up to 40 games every possible result is weighed with its chance; of more games
some thousand matches are drawn.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from ponderosa.arena.results.statistics import Clusters, score_of

RANGES = {"0.5": (0.45, 0.55), "0.6": (0.55, 0.65), "0.75": (0.7, 0.8), "0.9": (0.85, 0.95), "0.97": (0.95, 0.99)}
"""The true scores that are asked, and where each is drawn from."""
STEPS = 25
"""Of a range, so many scores are tried."""
SINGLE, APART, ALIKE, OPENING = "single games", "pairs", "pairs, alike", "pairs, by opening"
KINDS = (SINGLE, APART, ALIKE, OPENING)
"""Games of a pair are independent; or the second ends like the first in 3 of 10 pairs; or the opening decides 3 of 10
games between equals, fewer between others, and each wins one."""
TOGETHER = 0.3
DRAWS = (0.0, 0.4)
"""Shares of the most draws that the true score leaves room for."""
GAMES = (4, 6, 10, 20, 40, 100, 400)
EXACT, MATCHES = 40, 2000
"""Up to how many games all results are weighed, and how many matches are drawn of more."""
SCORES = (0.0, 0.5, 1.0)
PAIRS = tuple(itertools.combinations_with_replacement(SCORES, 2))

Counts = tuple[int, ...]
"""How many games, or pairs, of each result."""


def chances(kind: str, truth: float, draws: float) -> np.ndarray:
    """Of each result of a single game, or of each pair of results."""
    decided = TOGETHER * 2 * min(truth, 1 - truth) if kind == OPENING else 0.0
    truth = (truth - decided / 2) / (1 - decided)
    drawn = draws * 2 * min(truth, 1 - truth)
    one = np.array([1 - truth - drawn / 2, drawn, truth - drawn / 2])
    if kind == SINGLE:
        return one
    same = TOGETHER if kind == ALIKE else 0.0
    two = (1 - decided) * ((1 - same) * np.outer(one, one) + same * np.diag(one))
    both = [two[i, j] + (two[j, i] if i != j else 0.0) for i, j in itertools.combinations_with_replacement(range(3), 2)]
    both[PAIRS.index((0.0, 1.0))] += decided
    return np.array(both)


@cache
def interval(counts: Counts) -> tuple[float, float]:
    """What a match with these results says of the true score."""
    clusters = Clusters()
    results: Sequence[tuple[float, ...]] = PAIRS if len(counts) == len(PAIRS) else [(score,) for score in SCORES]
    groups = [result for result, count in zip(results, counts, strict=True) for _ in range(count)]
    for group, scores in enumerate(groups):
        for score in scores:
            clusters.add(group, score)
    found = clusters.estimate()
    assert found is not None
    return score_of(found.low), score_of(found.high)


@cache
def matches(groups: int, results: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All matches of so many games or pairs, the logarithm of how many ways lead to each, and their intervals."""
    bars = itertools.combinations(range(groups + results - 1), results - 1)
    counts = np.array([np.diff([-1, *places, groups + results - 1]) - 1 for places in bars])
    rows = counts.tolist()
    ways = [math.lgamma(groups + 1) - sum(math.lgamma(count + 1) for count in row) for row in rows]
    return counts, np.array(ways), np.array([interval(tuple(row)) for row in rows])


def coverage(kind: str, draws: float, games: int, near: str, drawn: int = MATCHES, seed: int = 0) -> float:
    """The share of matches whose interval has the truth in it."""
    low, high = RANGES[near]
    groups, results = (games, len(SCORES)) if kind == SINGLE else (games // 2, len(PAIRS))
    random = np.random.default_rng([seed, games, KINDS.index(kind), round(100 * draws), round(100 * low)])
    held = []
    for truth in low + (high - low) * (np.arange(STEPS) + 0.5) / STEPS:
        shares = chances(kind, truth, draws)
        if games <= EXACT:
            counts, ways, ends = matches(groups, results)
            weights = np.exp(ways + counts @ np.log(np.maximum(shares, 1e-300)))
            held.append(weights @ ((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
        else:
            rows = random.multinomial(groups, shares / shares.sum(), size=drawn // STEPS).tolist()
            found = [interval(tuple(row)) for row in rows]
            held.append(np.mean([begin <= truth <= end for begin, end in found]))
    return float(np.mean(held))


def main() -> None:
    """A table for docs/arena.md: the least and the most over the true scores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=MATCHES, help="how many are drawn, of many games")
    parser.add_argument("--single", action="store_true", help="every true score for itself")
    asked = parser.parse_args()
    print("| games | draws |", " | ".join(str(games) for games in GAMES), "|")
    print("| --- | --- |", " | ".join("---" for _ in GAMES), "|", flush=True)
    for kind in KINDS:
        for draws in DRAWS:
            cells = []
            for games in GAMES:
                shares = [100 * coverage(kind, draws, games, near, asked.matches) for near in RANGES]
                each = ", ".join(f"{share:.1f}" for share in shares)
                cells.append(each if asked.single else f"{min(shares):.1f} to {max(shares):.1f}")
            print(f"| {kind} | {draws:.0%} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
