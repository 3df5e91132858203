"""What it is worth to make one node of equal positions: proofs, nodes and speed. Start at main.

    python benchmarks/transpositions.py [--seeds 3] [--iterations 3000000]

Small boards of Connect Four are searched until they are proven, with and without transpositions. Printed are the means
over the seeds of iterations, nodes and processor time; then the iterations a second from the empty board.
How much stronger it plays is said by benchmarks/enhancements.py --only transpositions.
"""

from __future__ import annotations

import argparse
import time
from statistics import mean

from ponderosa import Report, Search, load_game

BOARDS = ("connect4:rows=4,cols=4,k=3", "connect4:rows=4,cols=4", "connect4:rows=4,cols=5", "connect:m=3,n=5,k=3")
SPEED_ITERATIONS = 200_000
SPEED_ROUNDS = 5


def main() -> None:
    """Print two tables."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--seeds", type=int, default=3)
    reader.add_argument("--iterations", type=int, default=3_000_000)
    given = reader.parse_args()
    print("| board | transpositions | proven | iterations | nodes | positions | seconds |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: |", flush=True)
    for board in BOARDS:
        for on in (False, True):
            reports = [proof(board, on, seed, given.iterations) for seed in range(given.seeds)]
            found = sum(report.proven is not None for report in reports)
            positions = f"{mean(report.positions or 0 for report in reports):,.0f}" if on else "-"
            print(
                f"| {board} | {'yes' if on else 'no'} | {found} of {given.seeds} | "
                f"{mean(report.iterations for report in reports):,.0f} | "
                f"{mean(report.nodes for report in reports):,.0f} | {positions} | "
                f"{mean(report.seconds for report in reports):.2f} |",
                flush=True,
            )
    plain, graph = speeds()
    print(f"\nconnect4, iterations/s: {plain:,.0f} without, {graph:,.0f} with, a ratio of {graph / plain:.2f}")


def proof(board: str, on: bool, seed: int, iterations: int) -> Report:
    """The search of a board until its result is proven; its seconds are those of the processor."""
    search = Search(load_game(board), transpositions=on, seed=seed, clock=time.process_time)
    return search.run(iterations=iterations)


def speeds() -> tuple[float, float]:
    """The best iterations a second of several rounds in turns, without and with transpositions."""
    searches = [Search(load_game("connect4"), transpositions=on, clock=time.process_time) for on in (False, True)]
    best = [0.0, 0.0]
    for _ in range(SPEED_ROUNDS):
        for index, search in enumerate(searches):
            search.reset()
            best[index] = max(best[index], search.run(iterations=SPEED_ITERATIONS).iterations_per_second)
    return best[0], best[1]


if __name__ == "__main__":
    main()
