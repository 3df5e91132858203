"""How much faster the search is on several threads: iterations/s, and ratios to one thread. Start at main.

python benchmarks/threads.py --game connect4,gomoku --threads 1,2,4,8,16 --parallel tree,merge
"""

from __future__ import annotations

import argparse
import statistics
from typing import NamedTuple

from ponderosa import Search, load_game


class Way(NamedTuple):
    """A way to search: what a row of the table is about."""

    game: str
    parallel: str
    threads: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect4,gomoku")
    parser.add_argument("--threads", default="1,2", help="the first is what the others are compared with")
    parser.add_argument("--parallel", default="tree,merge", help="of merge, vote, tree, leaf")
    parser.add_argument("--seconds", type=float, default=0.6, help="how long each search takes")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is run, in turn")
    options = parser.parse_args()
    threads = [int(number) for number in options.threads.split(",")]
    games, kinds = options.game.split(","), options.parallel.split(",")
    ways = [way for game in games for way in ways_of(game, kinds, threads)]
    for game in games:
        for kind in kinds:
            speed(Way(game, kind, max(threads)), 0.2)
    rounds = [{way: speed(way, options.seconds) for way in ways} for _ in range(options.rounds)]
    print(f"| median of {options.rounds} rounds of {options.seconds} s | threads | iterations/s | ratio | of rounds |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for way in ways:
        print(
            row(
                way, [found[way] for found in rounds], [found[ways_of(way.game, kinds, threads)[0]] for found in rounds]
            )
        )


def ways_of(game: str, kinds: list[str], threads: list[int]) -> list[Way]:
    """How a game is searched, first by what the others are compared with."""
    first = Way(game, kinds[0], threads[0])
    return [first, *(Way(game, kind, number) for kind in kinds for number in threads[1:])]


def speed(way: Way, seconds: float) -> float:
    """Iterations a second of one search from the initial state."""
    search = Search(load_game(way.game), threads=way.threads, parallel=way.parallel, solve=False)
    report = search.run(seconds=seconds)
    return report.iterations / report.seconds


def row(way: Way, found: list[float], first: list[float]) -> str:
    """A line of the table: medians, and how far the ratios of single rounds lie apart."""
    ratios = [one / other for one, other in zip(found, first, strict=True)]
    name = way.game if way.threads == 1 else f"{way.game}, {way.parallel}"
    median = statistics.median
    apart = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return f"| {name} | {way.threads} | {median(found):,.0f} | {median(ratios):.2f} | {apart} |"


if __name__ == "__main__":
    main()
