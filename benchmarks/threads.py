"""How much faster the search is on several threads: iterations/s on Gomoku 15x15, in one run. Start at main.

python benchmarks/threads.py --threads 2 --seconds 2 --parallel tree
"""

from __future__ import annotations

import argparse

from rounds import ROUNDS, compare

from ponderosa import Search, load_game


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each of the rounds takes")
    parser.add_argument("--parallel", default="merge", choices=["merge", "vote", "tree", "leaf"])
    options = parser.parse_args()
    game = load_game(options.game)

    def run(threads: int) -> int:
        return (
            Search(game, threads=threads, parallel=options.parallel, solve=False)
            .run(seconds=options.seconds)
            .iterations
        )

    result = compare(lambda: run(options.threads), lambda: run(1))
    print(f"| {game.spec}, median of {ROUNDS} rounds | iterations/s |")
    print("| --- | ---: |")
    print(f"| 1 thread | {result.theirs:,.0f} |")
    print(f"| {options.threads} threads, {options.parallel} | {result.ours:,.0f} |")
    print(f"| ratio | {result.ratio:.2f} |")


if __name__ == "__main__":
    main()
