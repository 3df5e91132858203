"""The matches of strength.py on a busy machine: seconds of the processor, one game after the other. Start at main.

    python benchmarks/strength_busy.py --games 20 --seconds 1 --only gomoku --out games.jsonl

Colours alternate, and every pair of games begins with two random stones of its own (--near 2: near the middle, and near
each other, so that both count). Each game is added to the file with its moves, and the same command goes on where it
was stopped. Threads count together. The interval is Wilson's for the share of wins plus half the draws, games taken as
independent.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from pathlib import Path
from typing import Any

from strength import MATCHES, opening

from ponderosa import load_game
from ponderosa.registry import agent_class, split_spec


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("strength.jsonl"))
    parser.add_argument(
        "--near", type=int, choices=(1, 2), help="the first stone near the middle, the second so near to it at most"
    )
    parser.add_argument("--only", nargs="*", choices=MATCHES, default=list(MATCHES))
    options = parser.parse_args()
    for name in options.only:
        key = {"match": name, "seconds": options.seconds, "seed": options.seed, "near": options.near}
        played = [game for game in stored(options.out) if key.items() <= game.items()]
        game, *specs, wanted = MATCHES[name]
        agents = [new_agent(spec, game, options.seconds) for spec in specs]
        for number in range(len(played), options.games):
            played.append(key | one_game(game, agents, options.seed, options.near, number))
            with options.out.open("a") as file:
                file.write(json.dumps(played[-1]) + "\n")
            print(f"{row(played, game, specs, options.seconds)} {wanted} |", flush=True)


def stored(path: Path) -> list[dict[str, Any]]:
    """The games that were played before."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def new_agent(spec: str, game: str, seconds: float) -> Any:
    """An agent whose clock counts the processor's time."""
    name, texts = split_spec(spec)
    settings = {key: int(text) if text.isdigit() else text for key, text in texts.items()}
    return agent_class(name).for_game(load_game(game), seconds=seconds, clock=time.process_time, **settings)


def one_game(spec: str, agents: list[Any], seed: int, near: int | None, number: int) -> dict[str, Any]:
    """Play a game; the first agent has the first seat in games of an even number."""
    rng, state = random.Random(f"{seed} {number // 2}"), load_game(spec).new_initial_state()
    for cell in opening(state.game, near, rng):
        state.apply_action(cell)
    for agent in agents:
        agent.reset(number)
    seat = number % 2
    while not state.is_terminal():
        state.apply_action(agents[state.current_player() ^ seat].step(state))
    return {"number": number, "result": state.returns()[seat], "moves": [int(move) for move in state.history()]}


def row(played: list[dict[str, Any]], game: str, specs: list[str], seconds: float) -> str:
    """A line of the table in docs/strength.md; its last column but one has the results as first and second player."""
    results = [entry["result"] for entry in played]
    seats = [" ".join(f"{wins}" for wins in counts(results[seat::2])) for seat in (0, 1)]
    won, drawn, lost = counts(results)
    low, high = wilson((won + drawn / 2) / len(results), len(results))
    return (
        f"| {game} | `{specs[0]}` against `{specs[1]}` | {seconds:g} s | {won} | {drawn} | {lost} "
        f"| {100 * (won + drawn / 2) / len(results):.0f} % | {100 * low:.0f} to {100 * high:.0f} % "
        f"| first {seats[0]}, second {seats[1]} |"
    )


def counts(results: list[float]) -> tuple[int, int, int]:
    """Won, drawn, lost."""
    return sum(r > 0 for r in results), sum(r == 0 for r in results), sum(r < 0 for r in results)


def wilson(share: float, n: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half


if __name__ == "__main__":
    main()
