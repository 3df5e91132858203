"""What batches are worth: iterations/s with a small NumPy network on Connect Four, by the size of the batch.

python benchmarks/evaluators.py --seconds 1

The network has one hidden layer. How much faster larger batches are is a matter of the network; how many leaves a batch
really holds, and what the search costs beside the network, are a matter of the search. Start at main.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from ponderosa import Search, load_game, observed


class Network:
    """One hidden layer; it counts what it is asked, and how long it takes."""

    game = load_game("connect4")

    def __init__(self, hidden: int) -> None:
        random = np.random.default_rng(1)
        self.one = (random.normal(size=(84, hidden)) / 8).astype(np.float32)
        self.two = (random.normal(size=(hidden, 8)) / np.sqrt(hidden)).astype(np.float32)
        self.forget()

    def forget(self) -> None:
        self.leaves, self.calls, self.seconds = 0, 0, 0.0

    def __call__(self, states):
        begun = time.perf_counter()
        out = np.tanh(observed(self.game, states).reshape(len(states), -1) @ self.one) @ self.two
        priors, values = np.exp(out[:, :7]), np.tanh(out[:, 7])
        self.leaves, self.calls = self.leaves + len(states), self.calls + 1
        self.seconds += time.perf_counter() - begun
        return priors, values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each batch size is measured")
    options = parser.parse_args()
    game, network, rows = Network.game, Network(options.hidden), []
    Search(game, evaluator=network, solve=False).run(iterations=100)
    for batch in (1, 4, 16, 32, 64, 256):
        network.forget()
        report = Search(game, evaluator=network, batch=batch, solve=False, seed=1).run(seconds=options.seconds)
        speed = report.iterations / report.seconds
        rows.append((batch, speed, network.leaves / network.calls, 1 - network.seconds / report.seconds))
    print(f"| batch | iterations/s | ratio | leaves a batch | share of the search |\n{'| ---: ' * 5}|")
    for batch, speed, leaves, share in rows:
        print(f"| {batch} | {speed:,.0f} | {speed / rows[0][1]:.1f} | {leaves:.1f} | {share:.0%} |")


if __name__ == "__main__":
    main()
