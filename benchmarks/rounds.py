"""Timing two contenders in one run. Start at compare."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 5


@dataclass(frozen=True)
class Comparison:
    """Median speeds of two contenders that took turns."""

    ours: float
    """Iterations a second."""
    theirs: float
    """Iterations a second."""
    ratio: float
    """Median over the rounds of ours / theirs: a slow moment of the machine slows both of a round."""


def compare(
    ours: Callable[[], int], theirs: Callable[[], int], clock: Callable[[], float] = time.perf_counter
) -> Comparison:
    """Run both in turn, five times after a warm-up; each returns how many iterations it ran.

    For work of one thread, `time.process_time` is a clock that stands still while other programs run.
    """
    ours(), theirs()
    rounds = [(_speed(ours, clock), _speed(theirs, clock)) for _ in range(ROUNDS)]
    return Comparison(
        statistics.median(our for our, _ in rounds),
        statistics.median(their for _, their in rounds),
        statistics.median(our / their for our, their in rounds),
    )


def print_table(title: str, rows: list[tuple[str, Comparison, float]]) -> None:
    """Rows of a name, a comparison and the ratio to reach, as a Markdown table."""
    print(f"| {title} | Ponderosa, iterations/s | other, iterations/s | ratio | to reach |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, result, target in rows:
        print(f"| {name} | {result.ours:,.0f} | {result.theirs:,.0f} | {result.ratio:.1f} | {target:g} |")


def _speed(run: Callable[[], int], clock: Callable[[], float]) -> float:
    start = clock()
    iterations = run()
    return iterations / (clock() - start)
