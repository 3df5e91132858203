"""Does the Gomocup brain keep its time? Plays games between two processes of it, and prints the slowest moves.

    python benchmarks/gomocup_time.py [games=50] [milliseconds=100] [size=15] [agent]

A move's time is what the manager sees: from writing the command to reading the answer.
"""

from __future__ import annotations

import random
import shlex
import statistics
import sys

from ponderosa import load_agent, load_game


def main(games: int = 50, milliseconds: int = 100, size: int = 15, agent: str | None = None) -> None:
    """Play the games and print what their moves took."""
    game = load_game(f"connect:m={size},n={size},k=5")
    chosen = [] if agent is None else ["--agent", agent]
    command = shlex.join([sys.executable, "-m", "ponderosa", "engine", "gomocup", *chosen])
    spec = f'engine:cmd="{command}",seconds={milliseconds / 1000},grace=5,startup=120'
    agents = [load_agent(spec, game) for _ in range(2)]
    taken = [seconds for number in range(games) for seconds in moves_of(game, agents, random.Random(number))]
    for player in agents:
        player.close()
    taken.sort()
    late = sum(seconds > milliseconds / 1000 for seconds in taken)
    worst = ", ".join(f"{1000 * seconds:.1f}" for seconds in taken[-5:])
    print(f"{games} games of {milliseconds} ms a move on {size} x {size}: {len(taken)} moves, {late} of them late")
    print(f"median {1000 * statistics.median(taken):.1f} ms, the slowest {worst} ms")


def moves_of(game, agents, rng) -> list[float]:
    """The seconds of each move in one game, after two random stones."""
    state = game.new_initial_state()
    for _ in range(2):
        state.apply_action(rng.choice(state.legal_actions()))
    taken = []
    while not state.is_terminal():
        agent = agents[state.current_player()]
        state.apply_action(agent.step(state))
        taken.append(agent.last_seconds)
    return taken


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), *sys.argv[4:])
