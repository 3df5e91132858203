"""Does `strong` keep the time of a stone? Plays games against itself, and prints the slowest moves.

    python benchmarks/stone_time.py [game=connect6] [seconds=0.5] [games=4] [slower=1]

Time is that of the processor, so that other work on the machine does not count; `slower=4` takes every second for four,
as a machine of a quarter of the speed would.
"""

from __future__ import annotations

import random
import statistics
import sys
import time

from ponderosa import load_game
from ponderosa.agents.connect.strong import Strong

LONGEST = 70
"""Stones of a game."""


def main(name: str = "connect6", seconds: float = 0.5, games: int = 4, slower: float = 1.0) -> None:
    """Play the games and print what their stones took."""

    def clock() -> float:
        return slower * time.process_time()

    game = load_game(name)
    agent, taken = Strong(game, seconds=seconds, clock=clock), []
    agent.step(game.new_initial_state())  # compiles
    for number in range(games):
        agent.reset(0)
        state, edge = game.new_initial_state(), min(game.m, game.n) // 3
        inner = [row * game.n + column for row in range(edge, game.m - edge) for column in range(edge, game.n - edge)]
        for cell in random.Random(number).sample(inner, 3):
            state.apply_action(cell)
        while not state.is_terminal() and len(state.history()) < LONGEST:
            begun = clock()
            state.apply_action(agent.step(state))
            taken.append(clock() - begun)
    taken.sort()
    late = sum(each > seconds for each in taken)
    print(f"{games} games of {name}, {seconds:g} s a stone: {len(taken)} stones, {late} of them late")
    print(f"median {statistics.median(taken):.3f} s, the slowest {', '.join(f'{each:.3f}' for each in taken[-5:])} s")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]), *map(int, sys.argv[3:4]), *map(float, sys.argv[4:5]))
