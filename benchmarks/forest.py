"""How fast a forest is, beside one search: `python benchmarks/forest.py [--seconds 2] [--rounds 5]`.

Ratios are of alternating runs in one process: the machine may be busy with other things.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa import Forest, Search, load_game, play_many
from ponderosa.forest.cores import core_count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=256)
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=2000)
    options = parser.parse_args()
    print(f"{core_count()} cores, {options.trees} trees x {options.iterations} iterations, {options.rounds} rounds")
    print("| what | iterations/s | over one search |\n| --- | --- | --- |")
    for spec in ("connect4", "tictactoe", "gomoku", "pig"):
        compare(spec, options)
    judge_leaves(options)
    play(options.games)


def compare(spec: str, options: Any) -> None:
    """A forest on one core, on all cores, and one search after the other."""
    game = load_game(spec)
    search = Search(game, seed=1, solve=False)
    forests = {cores: Forest(game, options.trees, cores=cores, solve=False) for cores in sorted({1, core_count()})}
    states = [game.new_initial_state()]
    if game.chance:
        import random

        from ponderosa.core.dice import roll_on

        roll_on(states[0], random.Random(1))
    total = options.trees * options.iterations
    runs: dict[str, Callable[[], Any]] = {"one search": lambda: one_by_one(search, states[0], options)}
    for cores, forest in forests.items():
        runs[f"forest, {cores} cores"] = lambda forest=forest: forest.run(states[0], iterations=options.iterations)
    for run in runs.values():
        run()
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            begun = time.perf_counter()
            run()
            taken[name].append(total / (time.perf_counter() - begun))
    base = taken["one search"]
    for name, speeds in taken.items():
        ratio = statistics.median(mine / other for mine, other in zip(speeds, base, strict=True))
        print(f"| {spec}, {name} | {statistics.median(speeds):,.0f} | {ratio:.2f} |", flush=True)


def one_by_one(search: Search, state: Any, options: Any) -> None:
    """As many trees, one after the other, by one search."""
    for tree in range(options.trees):
        search.reset(tree)
        search.run(state, iterations=options.iterations)


def judge_leaves(options: Any) -> None:
    """The share of a network's own speed that a forest reaches: a small dense network in NumPy."""
    game, trees = load_game("connect4"), 4096
    weights = np.random.default_rng(1)
    size = np.dtype(game.dtype).itemsize
    first, second = weights.standard_normal((size, 256)), weights.standard_normal((256, 8))

    def network(states: Any) -> tuple[Any, Any]:
        planes = np.frombuffer(states.tobytes(), np.uint8).reshape(len(states), size).astype(np.float64)
        out = np.tanh(planes @ first / 64) @ second / 64
        return np.exp(out[:, :7]), np.tanh(out[:, 7])

    forest = Forest(game, trees, evaluator=network, solve=False)
    forest.run(iterations=2)
    begun = time.perf_counter()
    report = forest.run(game.new_initial_state(), iterations=16)
    reached = report.iterations.sum() / (time.perf_counter() - begun)
    batch = forest.roots
    begun, rounds = time.perf_counter(), 16
    for _ in range(rounds):
        network(batch)
    alone = rounds * trees / (time.perf_counter() - begun)
    print(f"| connect4, {trees} trees, small network | {reached:,.0f} | {reached / alone:.2f} of the network's own |")


def play(games: int) -> None:
    """Whole games."""
    game = load_game("connect4")
    agents = [{"iterations": 100}, {"iterations": 100}]
    play_many(game, agents, games=4, openings=2)
    played = play_many(game, agents, games=games, openings=2)
    speed = played.iterations.sum() / played.seconds
    print(f"| connect4, {games} games of mcts:iterations=100 in {played.seconds:.1f} s | {speed:,.0f} | |")


if __name__ == "__main__":
    main()
