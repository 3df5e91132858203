"""How often the interval of 95 % of a match holds the true score: python benchmarks/coverage.py. Start at coverage.

Games are drawn from their chances. The true score of a match is drawn from a narrow range, because four games have few
results, and what is right at one score exactly jumps with the next digit.
"""

from __future__ import annotations

import argparse

import numpy as np

from ponderosa.arena.statistics import Clusters, score_of

RANGES = {"0.5": (0.45, 0.55), "0.6": (0.55, 0.65), "0.75": (0.7, 0.8), "0.9": (0.85, 0.95), "0.97": (0.95, 0.99)}
"""The true scores that are asked, and where each is drawn from."""
SINGLE, APART, ALIKE, OPENING = "single games", "pairs", "pairs, alike", "pairs, by opening"
KINDS = (SINGLE, APART, ALIKE, OPENING)
"""Games of a pair are independent; or the second ends like the first in 3 of 10 pairs; or the opening decides 3 of 10
games between equals, fewer between others, and each wins one."""
TOGETHER = 0.3
DRAWS = (0.0, 0.4)
"""Shares of the most draws that the true score leaves room for."""
GAMES = (4, 6, 10, 20, 40, 100, 400)


def game(random: np.random.Generator, truth: float, draws: float) -> float:
    """The result of one game."""
    drawn = draws * 2 * min(truth, 1 - truth)
    roll = random.random()
    return 0.5 if roll < drawn else float(roll < drawn + truth - drawn / 2)


def pair(random: np.random.Generator, kind: str, truth: float, draws: float) -> tuple[float, float]:
    """The results of two games with one opening."""
    if kind == OPENING:
        decided = TOGETHER * 2 * min(truth, 1 - truth)
        if random.random() < decided:
            return 1.0, 0.0
        truth = (truth - decided / 2) / (1 - decided)
    first = game(random, truth, draws)
    alike = kind == ALIKE and random.random() < TOGETHER
    return first, first if alike else game(random, truth, draws)


def held(random: np.random.Generator, kind: str, truth: float, draws: float, games: int) -> bool:
    """Whether the interval of one match has the truth in it."""
    clusters = Clusters()
    for group in range(games if kind == SINGLE else games // 2):
        for score in [game(random, truth, draws)] if kind == SINGLE else pair(random, kind, truth, draws):
            clusters.add(group, score)
    found = clusters.estimate()
    assert found is not None
    return score_of(found.low) <= truth <= score_of(found.high)


def coverage(kind: str, draws: float, games: int, near: str, matches: int, seed: int = 0) -> float:
    """The share of matches whose interval has the truth in it."""
    random = np.random.default_rng([seed, games, KINDS.index(kind), round(100 * draws), round(100 * float(near))])
    truths = random.uniform(*RANGES[near], size=matches)
    return float(np.mean([held(random, kind, truth, draws, games) for truth in truths.tolist()]))


def main() -> None:
    """A table for docs/arena.md: the least and the most over the true scores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=2000, help="for each number of games and true score")
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
