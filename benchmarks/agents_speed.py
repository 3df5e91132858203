"""Iterations/s of the named agents of the Connect family on boards of five sizes, k = 5. Start at main.

    python benchmarks/agents_speed.py --seconds 2

Every agent searches the empty board, in turn, several times; the table has the medians.
"""

from __future__ import annotations

import argparse
import statistics

from ponderosa import load_agent, load_game

AGENTS = ("slow", "medium", "fast", "clever", "lazy")
SIZES = (6, 9, 12, 15, 19)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each search takes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--agents", nargs="+", default=AGENTS)
    options = parser.parse_args()
    print(f"| iterations/s | {' | '.join(f'{size}x{size}' for size in options.sizes)} |")
    print(f"| --- |{' ---: |' * len(options.sizes)}", flush=True)
    columns = [speeds(size, options.agents, options.rounds, options.seconds) for size in options.sizes]
    for name in options.agents:
        print(f"| `{name}` | {' | '.join(f'{column[name]:,.0f}' for column in columns)} |")


def speeds(size: int, names: list[str], rounds: int, seconds: float) -> dict[str, float]:
    """Each agent's median speed on a board; the agents take turns, so that a slow moment hits all."""
    game = load_game(f"connect:m={size},n={size},k=5")
    measured: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            agent = load_agent(f"{name}:seconds={seconds},solve=false", game)
            agent.step(game.new_initial_state())
            measured[name].append(agent.last_report.iterations_per_second)
    return {name: statistics.median(values) for name, values in measured.items()}


if __name__ == "__main__":
    main()
