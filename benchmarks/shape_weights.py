"""Fits the weights of games/shape_weights.py to what the search that uses them finds. Start at main.

    python benchmarks/shape_weights.py --game connect6 --games 300 --positions 20000 --out weights

The search plays games against itself. Positions a few plausible moves away from those are searched, and a logistic
regression explains the values that are found by the shapes of both players: what a search will find is what its
evaluation should say before. The new weights then play against those that the games were played with; --old takes
weights of an earlier fit. Games and values are kept in the folder, and the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa import load_game
from ponderosa.core.budget import Budget
from ponderosa.games.duelist import POINTS, Duelist
from ponderosa.games.evaluations import CELLS
from ponderosa.games.shape_weights import CLASSES, WEIGHTS, Weights
from ponderosa.games.shaped import FIVE, FOUR_THREE, KINDS, OPEN, THREE, WORTH
from ponderosa.games.shapes import SHAPES, WAYS, shape

MOST_MOVES = 120
SLIPS = 0.04
"""How often a random move near the stones is played instead of the best."""
MOST_WEIGHT = 2.0
"""Weights larger than this, in logits, are those of what hardly ever occurs."""
PAIRS = [(low, high) for high in range(1, CLASSES) for low in range(1, high + 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--positions", type=int, default=25_000, help="how many positions are searched for the fit")
    parser.add_argument("--nodes", type=int, default=5_000, help="how many positions each search looks at")
    parser.add_argument("--matches", type=int, default=100, help="games against the old weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ridge", type=float, default=1e-4)
    parser.add_argument("--old", type=Path, help="weights of an earlier fit, weights.json in its folder")
    parser.add_argument("--out", type=Path, default=Path("weights"))
    options = parser.parse_args()
    options.out.mkdir(exist_ok=True)
    game = load_game(options.game)
    old = Weights(**json.loads(options.old.read_text())) if options.old else WEIGHTS[game.p]
    duelist, budget = Duelist(game, weights=old._replace(eager=0)), Budget(iterations=options.nodes)  # honest values
    games = kept(options.out / "games.jsonl", options.games, lambda rng: one_game(duelist, rng, budget), options.seed)
    values = kept(
        options.out / "values.jsonl",
        options.positions,
        lambda rng: one_value(duelist, rng, games, budget),
        options.seed,
    )
    new = fitted(duelist, values, options.ridge, old)
    (options.out / "weights.json").write_text(json.dumps(new._asdict()))
    print(json.dumps(new._asdict()))
    results = [duel(game, (new, old), number, options.seed, budget) for number in range(options.matches)]
    print(f"new against old: {results.count(1)} won, {results.count(0)} drawn, {results.count(-1)} lost")


def kept(file: Path, count: int, make: Any, seed: int) -> list[dict[str, Any]]:
    """So many entries of a file; what is missing is made and added."""
    found = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    with file.open("a") as out:
        for number in range(len(found), count):
            found.append(make(random.Random(f"{seed} {number}")))
            out.write(json.dumps(found[-1]) + "\n")
    return found


def one_game(duelist: Any, rng: random.Random, budget: Budget) -> dict[str, Any]:
    """Play until a side is won."""
    game, state = duelist.game, duelist.game.new_initial_state()
    duelist.forget()
    edge = rng.choice([0, min(game.m, game.n) // 4, min(game.m, game.n) // 3])
    inner = [row * game.n + column for row in range(edge, game.m - edge) for column in range(edge, game.n - edge)]
    for cell in rng.sample(inner, rng.randint(2, 7)):
        state.apply_action(cell)
        if state.is_terminal():
            break
    while not state.is_terminal() and len(state.history()) < MOST_MOVES:
        thought = duelist.think(list(state.history()), budget)
        if thought.value in (0.0, 1.0):
            break
        near = plausible(duelist)
        state.apply_action(rng.choice(near) if near and rng.random() < SLIPS else thought.best)
    return {"moves": [int(move) for move in state.history()]}


def one_value(duelist: Any, rng: random.Random, games: list[dict[str, Any]], budget: Budget) -> dict[str, Any]:
    """A position near one of the games in which nobody can win at once, and its value for the player to move."""
    while True:
        played = rng.choice(games)["moves"]
        moves = played[: rng.randint(3, max(3, len(played)))]
        duelist.place(moves)
        for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
            near = plausible(duelist)[: rng.choice((4, 12, 30))]
            if near and quiet(duelist.record):
                moves = [*moves, rng.choice(near)]
                duelist.place(moves)
        if quiet(duelist.record) and duelist.record.left > 10:
            return {"moves": moves, "value": round(duelist.think(moves, budget).value, 4)}


def plausible(duelist: Any) -> list[int]:
    """The thirty cells near the stones that are tried first."""
    s = duelist.record
    worth = (np.asarray(s.sums[:CELLS]) >> WORTH) + (np.asarray(s.sums[CELLS : 2 * CELLS]) >> WORTH)
    worth[np.asarray(s.taken) != 0] = 0
    return [int(cell) for cell in np.argsort(-worth, kind="stable")[:30] if worth[cell] > 0]


def quiet(s: Any) -> bool:
    """Whether nobody can complete a line next."""
    return not any(s.many[side * KINDS + kind] for side in (0, 1) for kind in (OPEN, FIVE))


def fitted(duelist: Any, values: list[dict[str, Any]], ridge: float, old: Weights) -> Weights:
    """The weights that explain the values best."""
    classes = np.zeros(SHAPES, int)
    for missing, row in enumerate(old.classes):
        for ways in range(WAYS):
            classes[shape(missing, ways)] = row[ways]
    facts = []
    for entry in values:
        duelist.place(entry["moves"])
        player, stones = duelist.game.turn(len(entry["moves"]))
        sides = [facts_of(duelist.record, side, classes) for side in (player, 1 - player)]
        facts.append(np.concatenate([[stones], *sides]))
    found = regression(np.array(facts, np.float32), np.array([entry["value"] for entry in values]), ridge)
    points = np.rint(POINTS * np.clip(found, -MOST_WEIGHT, MOST_WEIGHT)).astype(int).tolist()
    half = (len(points) - 1) // 2
    moving, moving_kinds = tables(points[1 : 1 + half])
    waiting, waiting_kinds = tables([-number for number in points[1 + half :]])
    return old._replace(
        moving=moving, waiting=waiting, tempo=points[0], moving_kinds=moving_kinds, waiting_kinds=waiting_kinds
    )


def facts_of(s: Any, player: int, classes: Any) -> Any:
    """Of which kinds a player has cells, how many shapes of each class, and how many pairs that meet on a cell."""
    free = np.flatnonzero(np.asarray(s.taken[: s.rows * s.columns]) == 0)
    found = classes[np.asarray(s.shape).reshape(CELLS, 4)[free].astype(int) >> 8 * player & 255]
    pairs = np.zeros((CLASSES, CLASSES))
    for one, other in combinations(range(4), 2):
        np.add.at(pairs, (found[:, one], found[:, other]), 1)
    kinds = [float(s.many[player * KINDS + kind] > 0) for kind in range(THREE, FOUR_THREE + 1)]
    met = [pairs[low, high] + (pairs[high, low] if low < high else 0) for low, high in PAIRS]
    return np.array([*kinds, *np.bincount(found.ravel(), minlength=CLASSES)[1:], *met])


def regression(facts: Any, values: Any, ridge: float) -> Any:
    """The weights of all facts, by Newton's method with a ridge on standardised facts."""
    spread = facts.std(axis=0)
    spread[spread == 0] = np.inf
    spread[0] = 1.0
    scaled, weights = (facts / spread).astype(float), np.zeros(facts.shape[1])
    for _ in range(12):
        expected = 1 / (1 + np.exp(-np.clip(scaled @ weights, -30, 30)))
        slope = scaled.T @ (values - expected) / len(values) - 2 * ridge * weights
        bend = (scaled * (expected * (1 - expected))[:, None]).T @ scaled / len(values)
        weights += np.linalg.solve(bend + 2 * ridge * np.eye(len(weights)), slope)
    expected = np.clip(1 / (1 + np.exp(-np.clip(scaled @ weights, -30, 30))), 1e-9, 1 - 1e-9)
    loss, least = (
        -np.mean(values * np.log(p) + (1 - values) * np.log(1 - p)) for p in (expected, values.clip(1e-9, 1 - 1e-9))
    )
    print(f"{len(values)} positions, log loss {loss:.4f}, at least {least:.4f} with these values")
    return weights / spread


def tables(points: list[int]) -> tuple[list[list[int]], Any]:
    """The weights of one side in the form of games/shape_weights.py."""
    kinds, alone, met = points[:4], points[4 : 3 + CLASSES], dict(zip(PAIRS, points[3 + CLASSES :], strict=True))
    rows = [[alone[high - 1], *(met[low, high] for low in range(1, high + 1))] for high in range(1, CLASSES)]
    return rows, tuple(kinds)


def duel(game: Any, weights: tuple[Weights, Weights], number: int, seed: int, budget: Budget) -> int:
    """A game between two sets of weights from two random stones near the middle: 1 if the first one wins."""
    rng, state, seat = random.Random(f"{seed} {number // 2}"), game.new_initial_state(), number % 2
    players = [Duelist(game, table=2**16, weights=each) for each in weights]
    row, column = (side // 2 + rng.randint(-3, 3) for side in (game.m, game.n))
    near = [(row + down) * game.n + column + right for down in range(-2, 3) for right in range(-2, 3)]
    for cell in (near[12], rng.choice(near[:12] + near[13:])):
        state.apply_action(cell)
    while not state.is_terminal():
        who = state.current_player() ^ seat
        thought = players[who].think(list(state.history()), budget)
        if thought.value == 1.0:
            return 1 - 2 * who
        state.apply_action(thought.best)
    return int(np.sign(state.returns()[seat]))


if __name__ == "__main__":
    main()
