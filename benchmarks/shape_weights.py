"""Fits the weights of games/shape_weights.py to games of the search against itself. Start at main.

    python benchmarks/shape_weights.py --game connect:m=15,n=15,k=6,p=2,q=1 --games 300 --out games.jsonl

Each game begins with a few random stones and ends when the search takes it for won. A logistic regression explains the
results by the shapes of every quiet position. Games are added to the file; --games 0 fits to those that are there.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa import load_game
from ponderosa.core.budget import Budget
from ponderosa.games.duelist import POINTS, Duelist
from ponderosa.games.evaluations import CELLS
from ponderosa.games.shaped import FIVE, FOUR_THREE, KINDS, OPEN, THREE
from ponderosa.games.shapes import SHAPES, WAYS, shape

MOST_MOVES = 120
SLIPS = 0.04
"""How often a random move near the stones is played instead of the best."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ridge", type=float, default=3e-4)
    parser.add_argument("--out", type=Path, default=Path("shapes.jsonl"))
    options = parser.parse_args()
    duelist = Duelist(load_game(options.game))
    for number in range(options.games):
        played = one_game(duelist, random.Random(f"{options.seed} {number}"), options.positions)
        with options.out.open("a") as file:
            file.write(json.dumps(played) + "\n")
    games = [json.loads(line) for line in options.out.read_text().splitlines()]
    examples = [example for game in games for example in examples_of(duelist, game)]
    print_weights(duelist.game.k, *fit(examples, options.ridge))


def one_game(duelist: Any, rng: random.Random, positions: int) -> dict[str, Any]:
    """Play until a side is won; the result is that of the first player."""
    game, state = duelist.game, duelist.game.new_initial_state()
    duelist.forget()
    edge = rng.choice([0, min(game.m, game.n) // 4, min(game.m, game.n) // 3])
    inner = [row * game.n + column for row in range(edge, game.m - edge) for column in range(edge, game.n - edge)]
    opening = rng.sample(inner, rng.randint(2, 7))
    for cell in opening:
        state.apply_action(cell)
        if state.is_terminal():
            break
    result = 0.0
    while not state.is_terminal() and len(state.history()) < MOST_MOVES:
        thought = duelist.think(list(state.history()), Budget(iterations=positions))
        if thought.value in (0.0, 1.0):
            result = (2 * thought.value - 1) * (1 if state.current_player() == 0 else -1)
            break
        near = [cell for cell in state.legal_actions() if duelist.worth(cell) > 0]
        state.apply_action(rng.choice(near) if near and rng.random() < SLIPS else thought.best)
    if state.is_terminal():
        result = state.returns()[0]
    return {"moves": [int(move) for move in state.history()], "opening": len(opening), "result": result}


def examples_of(duelist: Any, game: dict[str, Any]) -> list[tuple[Any, float]]:
    """The shapes of every position in which nobody can complete a line next, and what the player to move got."""
    examples = []
    for ply in range(max(4, game["opening"]), len(game["moves"]) + 1):
        duelist.place(game["moves"][:ply])
        player, stones = duelist.game.turn(ply)
        s = duelist.record
        if not any(s.many[side * KINDS + kind] for side in (0, 1) for kind in (OPEN, FIVE)):
            facts = [stones, *facts_of(s, player), *facts_of(s, 1 - player)]
            examples.append((facts, game["result"] * (1 if player == 0 else -1) / 2 + 0.5))
    return examples


def facts_of(s: Any, player: int) -> list[float]:
    """How many of each shape a player has, and of which kinds."""
    free = np.flatnonzero(np.asarray(s.taken[: s.rows * s.columns]) == 0)
    shapes = np.asarray(s.shape).reshape(CELLS, 4)[free].astype(int) >> 8 * player & 255
    counts = np.bincount(shapes.ravel(), minlength=SHAPES)[1:SHAPES]
    return [*counts, *(float(s.many[player * KINDS + kind] > 0) for kind in range(THREE, FOUR_THREE + 1))]


def fit(examples: list[tuple[Any, float]], ridge: float) -> tuple[Any, Any]:
    """The weights of all facts, by Newton's method with a ridge on standardised facts, and how often each occurred."""
    facts = np.array([example for example, _ in examples], float)
    results = np.array([result for _, result in examples])
    spread = facts.std(axis=0)
    spread[spread == 0] = np.inf
    scaled, weights = facts / spread, np.zeros(facts.shape[1])
    for _ in range(30):
        expected = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (results - expected) / len(results) - 2 * ridge * weights
        bend = (scaled * (expected * (1 - expected))[:, None]).T @ scaled / len(results)
        weights += np.linalg.solve(bend + 2 * ridge * np.eye(len(weights)), slope)
    expected = 1 / (1 + np.exp(-scaled @ weights))
    loss = -np.mean(results * np.log(expected + 1e-9) + (1 - results) * np.log(1 - expected + 1e-9))
    print(f"{len(results)} positions, log loss {loss:.3f} (0.693: nothing is known)")
    return POINTS * weights / spread, facts.sum(axis=0)


def print_weights(k: int, weights: Any, counts: Any) -> None:
    """The weights in the form of games/shape_weights.py."""
    half = (len(weights) - 1) // 2
    print("tempo", round(weights[0]))
    for name, sign, begin in (("moving", 1, 1), ("waiting", -1, 1 + half)):
        for missing in range(k - 1):
            places = [begin + shape(missing, ways) - 1 for ways in range(WAYS)]
            print(name, missing, [round(sign * weights[p]) for p in places], [int(counts[p]) for p in places])
        print(name, "kinds", [round(sign * weight) for weight in weights[begin + half - 4 : begin + half]])


if __name__ == "__main__":
    main()
