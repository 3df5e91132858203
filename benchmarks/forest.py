"""How fast a forest is, beside one search: `python benchmarks/forest.py [--seconds 2] [--rounds 5]`.

Ratios are of alternating runs in one process: the machine may be busy with other things.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa import Forest, Search, load_game, play_many
from ponderosa.forest.cores import core_count

JUDGED = 4096
"""Trees with an evaluator."""
ON_CARD = (("connect4", 131_072, 500), ("connect4", 32_768, 1000), ("gomoku", 32_768, 100))
"""Games, trees and iterations."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=256)
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="cuda: what there is of it for a card")
    parser.add_argument("--only", choices=("card", "judge", "play"), help="one part of it; card: many trees on a card")
    options = parser.parse_args()
    parts = {
        "card": lambda: many_trees(options.rounds),
        "judge": judge_on_card if options.device == "cuda" else judge_leaves,
        "play": lambda: play(options.games, options.device),
    }
    if options.only or options.device == "cuda":
        for part in [options.only] if options.only else parts:
            parts[part]()
        return
    print(f"{core_count()} cores, {options.trees} trees x {options.iterations} iterations, {options.rounds} rounds")
    print("| what | iterations/s | over one search |\n| --- | --- | --- |")
    for spec in ("connect4", "tictactoe", "gomoku", "pig"):
        compare(spec, options)
    judge_leaves()
    play(options.games, options.device)


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


def many_trees(rounds: int) -> None:
    """Whole runs on a card, as Python sees them: the median and the best of some, and the first of a process."""
    print("| game, one card | trees x iterations | median, million/s | best | first run, s |")
    print("| --- | --- | ---: | ---: | ---: |")
    for spec, trees, iterations in ON_CARD:
        game = load_game(spec)
        state, taken = game.new_initial_state(), []
        forest = Forest(game, trees, device="cuda", seed=1)
        for _ in range(rounds + 3):  # the first ones find out how much may be done at once
            begun = time.perf_counter()
            forest.run(state, iterations=iterations)
            taken.append(time.perf_counter() - begun)
        speeds = [trees * iterations / seconds / 1e6 for seconds in taken[3:]]
        shape = f"{trees:,} x {iterations}"
        row = f"| {statistics.median(speeds):.1f} | {max(speeds):.1f} | {taken[0]:.2f} |"
        print(f"| {spec} | {shape} {row}", flush=True)


def judge_leaves() -> None:
    """The share of a network's own speed that a forest reaches: a small dense network in NumPy."""
    game = load_game("connect4")
    weights, size = np.random.default_rng(1), np.dtype(game.dtype).itemsize
    first, second = weights.standard_normal((size, 256)), weights.standard_normal((256, 8))

    def network(states: Any) -> tuple[Any, Any]:
        planes = np.frombuffer(states.tobytes(), np.uint8).reshape(len(states), size).astype(np.float64)
        out = np.tanh(planes @ first / 64) @ second / 64
        return np.exp(out[:, :7]), np.tanh(out[:, 7])

    share_of(Forest(game, JUDGED, evaluator=network, solve=False), lambda states: network(states), "dense network")


def judge_on_card() -> None:
    """The same on a card: 64 channels, 5 residual blocks, bf16, in JAX."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the trees need memory, too
    import jax
    import jax.numpy as jnp

    game = load_game("connect4")
    places: dict[str, int] = {}

    def planes(rows: Any) -> Any:
        begin, span = places["lines"], places["span"]
        lines = rows[:, begin : begin + 8 * span].reshape(-1, 2, 4, span)[:, :, 0, :6]
        stones = (lines[..., None] >> jnp.arange(7, dtype=jnp.uint8)) & 1
        first = rows[:, places["player"]].reshape(-1, 1, 1, 1) == 0
        return jnp.where(first, stones, stones[:, ::-1]).transpose(0, 2, 3, 1).astype(jnp.bfloat16)

    def weights(*shape: int) -> Any:
        scale = np.sqrt(2 / np.prod(shape[:-1]))
        return jnp.asarray(np.random.default_rng(sum(shape)).normal(size=shape) * scale, jnp.bfloat16)

    def convolved(board: Any, kernel: Any) -> Any:
        return jax.lax.conv_general_dilated(board, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    inner = [weights(3, 3, 2, 64), *[weights(3, 3, 64, 64) for _ in range(10)]]
    heads = weights(6 * 7 * 64, 8)

    @jax.jit
    def network(rows: Any) -> tuple[Any, Any]:
        board = jax.nn.relu(convolved(planes(rows), inner[0]))
        for one, other in zip(inner[1::2], inner[2::2], strict=True):
            board = jax.nn.relu(board + convolved(jax.nn.relu(convolved(board, one)), other))
        out = (board.reshape(len(rows), -1) @ heads).astype(jnp.float32)
        return jax.nn.softmax(out[:, :7]), jnp.tanh(out[:, 7])

    for trees in (JUDGED, 8 * JUDGED):
        forest = Forest(game, trees, device="cuda", evaluator=lambda states: network(jnp.asarray(states)), solve=False)
        fields = forest.record.fields or {}
        places |= {name: int(fields[name][1]) for name in ("lines", "player")}
        places["span"] = fields["lines"][0].shape[0] // 8
        rows = jnp.asarray(np.zeros((trees, forest.record.itemsize), np.uint8))
        share_of(forest, lambda states, rows=rows: jax.block_until_ready(network(rows)), "64 x 5 in JAX, bf16")


def share_of(forest: Forest, alone: Callable[[Any], Any], name: str) -> None:
    """How many positions a second a forest has judged, beside the network alone, by turns."""
    state, iterations, shares, speeds = forest.game.new_initial_state(), 32, [], []
    forest.run(state, iterations=iterations)
    batch = forest.roots
    for _ in range(5):
        begun = time.perf_counter()
        done = int(forest.run(state, iterations=iterations).iterations.sum()) + forest.trees  # the roots, too
        reached = done / (time.perf_counter() - begun)
        begun = time.perf_counter()
        for _ in range(iterations):
            alone(batch)
        own = iterations * forest.trees / (time.perf_counter() - begun)
        shares.append(reached / own)
        speeds.append((reached, own))
    reached, own = np.median(speeds, axis=0)
    share = statistics.median(shares)
    print(f"| connect4, {forest.trees} trees, {name}: {own:,.0f}/s alone | {reached:,.0f} | {share:.2f} of that |")


def play(games: int, device: str) -> None:
    """Whole games, and the time of the thread that hands out the work: what they cost beside the search."""
    game = load_game("connect4")
    agents = [{"iterations": 100}, {"iterations": 100}]
    play_many(game, agents, games=4, device=device)
    busy = time.thread_time()
    played = play_many(game, agents, games=games, device=device)
    busy = time.thread_time() - busy
    moves, iterations = played.lengths.sum(), played.iterations.sum()
    print(f"connect4, mcts:iterations=100 against itself, {device}\n")
    print("| games | seconds | moves/s | iterations/s | seconds of Python |\n| ---: | ---: | ---: | ---: | ---: |")
    speeds = f"{moves / played.seconds:,.0f} | {iterations / played.seconds:,.0f}"
    print(f"| {games:,} | {played.seconds:.2f} | {speeds} | {busy:.2f} |")


if __name__ == "__main__":
    main()
