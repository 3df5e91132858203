"""Fits the weights of connect/shapes/shape_weights.py to what comes of positions. Start at main.

    python benchmarks/shape_weights.py --game gomoku --games 3000 --positions 30000 --out weights

The search plays games against itself, half of them from even positions of earlier ones, so that there are late ones,
too. Positions a few plausible moves away from these are searched. For every stage of the game a logistic regression
explains by the shapes of both players what came of the positions of the games (later values and the result) and what
the search found in the others; its values are first bent so that, in the games, they agree with what came. The new
weights then play against those that the games were played with; --old takes weights of an earlier fit. Games and values
are kept in the folder, and the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa import load_game
from ponderosa.connect.evaluations import CELLS
from ponderosa.connect.shapes.player import POINTS, ShapePlayer
from ponderosa.connect.shapes.shape_board import FIVE, FOUR_THREE, KINDS, OPEN, THREE, WORTH
from ponderosa.connect.shapes.shape_table import SHAPES, WAYS, shape
from ponderosa.connect.shapes.shape_weights import CLASSES, WEIGHTS, Weights, Worth
from ponderosa.core.budget import Budget

STAGES = {1: [(0, 5, 20), (12, 14, 34), (28, 28, 52), (42, 42, 140)], 2: [(0, 3, 400)]}
"""By the stones of a turn: the stones with which each stage begins, and how many the positions have to which it is
fitted, from and below. Where a search ends there are more than where it begins."""
EVEN, OPEN_YET = (0.2, 0.8), (0.04, 0.96)
"""Values of positions with which a game may begin that was played until there, and of any first position."""
LATE = (16, 70)
"""So many stones have the positions of games with which others begin."""
PATIENCE = 0.94
"""What comes of a position: the next value of its game counts one minus this, and all that comes later this much."""
OWN = 0.1
"""How much the value of the position itself counts."""
LEAST = 500
"""A stage is fitted with so many positions of games, and as many others, or more."""
MOST_WEIGHT = 2.0
"""Weights larger than this, in logits, are those of what hardly ever occurs."""
PAIRS = [(low, high) for high in range(1, CLASSES) for low in range(1, high + 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--games", type=int, default=3_000)
    parser.add_argument("--positions", type=int, default=30_000, help="how many other positions are searched")
    parser.add_argument("--nodes", type=int, default=12_000, help="how many positions each search looks at")
    parser.add_argument("--matches", type=int, default=100, help="games against the old weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ridge", type=float, default=5e-4)
    parser.add_argument("--old", type=Path, help="weights of an earlier fit, weights.json in its folder")
    parser.add_argument("--out", type=Path, default=Path("weights"))
    options = parser.parse_args()
    options.out.mkdir(exist_ok=True)
    game = load_game(options.game)
    old = read(options.old) if options.old else WEIGHTS[game.p]
    shape_player, budget = (
        ShapePlayer(game, weights=old._replace(contempt=0)),
        Budget(iterations=options.nodes),
    )  # honest values
    games = kept(
        options.out / "games.jsonl",
        options.games,
        lambda rng, found: one_game(shape_player, rng, found, budget),
        options.seed,
    )
    values = kept(
        options.out / "values.jsonl",
        options.positions,
        lambda rng, found: one_value(shape_player, rng, games, budget),
        options.seed,
    )
    new = fitted(shape_player, games, values, options.ridge, old)
    (options.out / "weights.json").write_text(written(new))
    print(written(new))
    results = [duel(game, (new, old), number, options.seed, budget) for number in range(options.matches)]
    print(f"new against old: {results.count(1)} won, {results.count(0)} drawn, {results.count(-1)} lost")


def read(file: Path) -> Weights:
    """Weights that were written."""
    found = json.loads(file.read_text())
    return Weights(**found | {"stages": [Worth(**stage) for stage in found["stages"]]})


def written(weights: Weights) -> str:
    """Weights as text."""
    return json.dumps(weights._asdict() | {"stages": [stage._asdict() for stage in weights.stages]})


def kept(file: Path, count: int, make: Any, seed: int) -> list[dict[str, Any]]:
    """So many entries of a file; what is missing is made and added."""
    found = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    with file.open("a") as out:
        for number in range(len(found), count):
            found.append(make(random.Random(f"{seed} {number}"), found))
            out.write(json.dumps(found[-1]) + "\n")
            if len(found) % 100 == 0:
                print(f"{file.name}: {len(found)} of {count}", flush=True)
    return found


def one_game(shape_player: Any, rng: random.Random, games: list[dict[str, Any]], budget: Budget) -> dict[str, Any]:
    """Play from an open position until a side is won; values are for the players to move, the result for player 0."""
    while True:
        state = shape_player.game.new_initial_state()
        for cell in beginning(shape_player, rng, games):
            if not state.is_terminal():
                state.apply_action(cell)
        start, values = len(state.history()), []
        shape_player.forget()
        while not state.is_terminal():
            thought = shape_player.think(list(state.history()), budget)
            values.append(round(thought.value, 4))
            if thought.value == 1.0 or not OPEN_YET[0] < values[0] < OPEN_YET[1]:
                break
            state.apply_action(thought.best)
        if values and OPEN_YET[0] < values[0] < OPEN_YET[1]:
            result = state.returns()[0] if state.is_terminal() else 1 - 2 * state.current_player()
            moves = [int(move) for move in state.history()]
            return {"moves": moves, "start": start, "values": values, "result": result}


def beginning(shape_player: Any, rng: random.Random, games: list[dict[str, Any]]) -> list[int]:
    """Moves until an even position of an earlier game and a few plausible ones, or random stones near the middle."""
    game, played = shape_player.game, rng.choice(games) if games and rng.random() < 0.5 else None
    if played is None:
        edge = rng.choice([0, min(game.m, game.n) // 4, min(game.m, game.n) // 3])
        inner = [row * game.n + column for row in range(edge, game.m - edge) for column in range(edge, game.n - edge)]
        return rng.sample(inner, rng.randint(2, 7))
    even = [
        played["start"] + number
        for number, value in enumerate(played["values"])
        if EVEN[0] < value < EVEN[1] and LATE[0] <= played["start"] + number <= LATE[1]
    ]
    moves = played["moves"][: rng.choice(even)] if even else []
    return slipped(shape_player, rng, moves, rng.randint(0, 2), [12]) if moves else beginning(shape_player, rng, [])


def slipped(shape_player: Any, rng: random.Random, moves: list[int], count: int, widths: list[int]) -> list[int]:
    """So many plausible moves more, while nobody can win at once."""
    shape_player.place(moves)
    for _ in range(count):
        near = plausible(shape_player)[: rng.choice(widths)]
        if near and quiet(shape_player.record):
            moves = [*moves, rng.choice(near)]
            shape_player.place(moves)
    return moves


def one_value(shape_player: Any, rng: random.Random, games: list[dict[str, Any]], budget: Budget) -> dict[str, Any]:
    """A position near one of the games in which nobody can win at once, and its value for the player to move."""
    while True:
        played, (_, least, below) = rng.choice(games)["moves"], rng.choice(STAGES[shape_player.game.p])
        if len(played) < least:
            continue
        moves = played[: rng.randint(least, min(below, len(played)))]
        moves = slipped(shape_player, rng, moves, rng.choice((1, 1, 2, 2, 3, 4)), [4, 12, 30])
        if quiet(shape_player.record) and shape_player.record.left > 10:
            shape_player.forget()
            return {"moves": moves, "value": round(shape_player.think(moves, budget).value, 4)}


def plausible(shape_player: Any) -> list[int]:
    """The thirty cells near the stones that are tried first."""
    s = shape_player.record
    worth = (np.asarray(s.sums[:CELLS]) >> WORTH) + (np.asarray(s.sums[CELLS : 2 * CELLS]) >> WORTH)
    worth[np.asarray(s.taken) != 0] = 0
    return [int(cell) for cell in np.argsort(-worth, kind="stable")[:30] if worth[cell] > 0]


def quiet(s: Any) -> bool:
    """Whether nobody can complete a line next."""
    return not any(s.counts[side * KINDS + kind] for side in (0, 1) for kind in (OPEN, FIVE))


def fitted(
    shape_player: Any, games: list[dict[str, Any]], values: list[dict[str, Any]], ridge: float, old: Weights
) -> Weights:
    """The weights that explain best what came of the positions."""
    classes = np.zeros(SHAPES, int)
    for missing, row in enumerate(old.classes):
        for ways in range(WAYS):
            classes[shape(missing, ways)] = row[ways]
    turn = shape_player.game.turn
    played = [position for number, entry in enumerate(games) for position in positions_of(entry, number % 2, turn)]
    stages = []
    for begin, least, below in STAGES[shape_player.game.p]:
        on_path = [entry for entry in played if least <= len(entry["moves"]) < below]
        near = [entry for entry in values if least <= len(entry["moves"]) < below]
        if len(on_path) < LEAST or len(near) < LEAST:
            print(f"stage of {begin} stones: {len(on_path)} and {len(near)} positions, fewer than {LEAST}: as before")
            stages.append(old.at(begin)._replace(stones=begin))
            continue
        facts = [facts_about(shape_player, entry["moves"], classes) for entry in [*on_path, *near]]
        known = [fact is not None for fact in facts]
        came = np.array([entry["came"] for entry in on_path])
        found = bent(np.array([entry["value"] for entry in near]), np.array([e["value"] for e in on_path]), came)
        targets = np.concatenate([came, found])[known]
        weights = regression(np.array([fact for fact in facts if fact is not None]), targets, ridge)
        stages.append(worth_of(begin, weights))
    return old._replace(stages=stages)


def positions_of(game: dict[str, Any], odd: int, turn: Any) -> Iterator[dict[str, Any]]:
    """Every second position of a game, its value, and what came of it."""
    came = game["result"] / 2 + 0.5
    for number in reversed(range(len(game["values"]))):
        ply = game["start"] + number
        first = turn(ply)[0] == 0
        value = game["values"][number] if first else 1 - game["values"][number]
        if number % 2 == odd:
            mixed = (1 - OWN) * came + OWN * value
            sides = (value, mixed) if first else (1 - value, 1 - mixed)
            yield {"moves": game["moves"][:ply], "value": sides[0], "came": sides[1]}
        came = (1 - PATIENCE) * value + PATIENCE * came


def facts_about(shape_player: Any, moves: list[int], classes: Any) -> Any:
    """What explains a position: the stones left in the turn and the facts of both players; None if it is not quiet."""
    shape_player.place(moves)
    player, stones = shape_player.game.turn(len(moves))
    if not quiet(shape_player.record):
        return None
    return np.concatenate([[stones], *(facts_of(shape_player.record, side, classes) for side in (player, 1 - player))])


def bent(values: Any, known: Any, came: Any) -> Any:
    """Values of the search as they agree, where it is known, with what came; what is certain remains so."""

    def facts(of: Any) -> Any:
        return np.stack([np.ones(len(of)), np.log(of.clip(0.001, 0.999) / (1 - of).clip(0.001, 0.999))], axis=1)

    agreed = 1 / (1 + np.exp(-facts(values) @ regression(facts(known), came, 0.0)))
    return np.where((values <= 0) | (values >= 1), values, agreed)


def worth_of(begin: int, found: Any) -> Worth:
    """The weights of a stage."""
    points = np.rint(POINTS * np.clip(found, -MOST_WEIGHT, MOST_WEIGHT)).astype(int).tolist()
    half = (len(points) - 1) // 2
    moving, moving_kinds = tables(points[1 : 1 + half])
    waiting, waiting_kinds = tables([-number for number in points[1 + half :]])
    return Worth(begin, moving, waiting, points[0], moving_kinds, waiting_kinds)


def facts_of(s: Any, player: int, classes: Any) -> Any:
    """Of which kinds a player has cells, how many shapes of each class, and how many pairs that meet on a cell."""
    free = np.flatnonzero(np.asarray(s.taken[: s.rows * s.columns]) == 0)
    found = classes[np.asarray(s.shape).reshape(CELLS, 4)[free].astype(int) >> 8 * player & 255]
    pairs = np.zeros((CLASSES, CLASSES))
    for one, other in combinations(range(4), 2):
        np.add.at(pairs, (found[:, one], found[:, other]), 1)
    kinds = [float(s.counts[player * KINDS + kind] > 0) for kind in range(THREE, FOUR_THREE + 1)]
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
    """The weights of one side in the form of connect/shapes/shape_weights.py."""
    kinds, alone, met = points[:4], points[4 : 3 + CLASSES], dict(zip(PAIRS, points[3 + CLASSES :], strict=True))
    rows = [[alone[high - 1], *(met[low, high] for low in range(1, high + 1))] for high in range(1, CLASSES)]
    return rows, tuple(kinds)


def duel(game: Any, weights: tuple[Weights, Weights], number: int, seed: int, budget: Budget) -> int:
    """A game between two sets of weights from two random stones near the middle: 1 if the first one wins."""
    rng, state, seat = random.Random(f"{seed} {number // 2}"), game.new_initial_state(), number % 2
    players = [ShapePlayer(game, table=2**16, weights=each) for each in weights]
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
