"""Positions of Gomoku with their values and what came of them, for benchmarks/shape_network.py. Start at main.

    python benchmarks/shape_games.py --seconds 3600 --jobs 16 --out positions

The fast player plays games against itself from a few stones near the middle that leave both sides a chance, and slips
now and then. Of every position in which nobody can complete a line, and of one a few plausible moves aside, the stones
are kept, the value that its search finds, and how the game ended. A file is written every minute, so that nothing is
lost when it is stopped, and the same command with another --seed adds to the folder.
"""

from __future__ import annotations

import argparse
import random
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from shape_weights import plausible, quiet

from ponderosa import load_game
from ponderosa.connect.shapes.player import ShapePlayer
from ponderosa.connect.shapes.shape_weights import WEIGHTS
from ponderosa.core.budget import Budget
from ponderosa.system.files import writing

TABLE = 2**13
"""Few positions are remembered: the searches are short, and a large table takes its time to be emptied."""
OPEN_YET = (0.15, 0.85)
"""Values of positions with which a game may begin."""
SLIPS = 0.06
"""The share of moves that are any of the plausible ones."""
LONGEST = 150
"""With so many stones a game ends undecided."""
SAVE_SECONDS = 60.0
UNKNOWN = -1.0
"""The result for a position that was not played on from."""


class Position(NamedTuple):
    """What is kept of a position, for the player to move."""

    own: Any
    """A bit for each cell with a stone of theirs."""
    other: Any
    value: float
    result: float
    game: int


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--nodes", type=int, default=2_000, help="how many positions each search looks at")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes that play, each with a seed of its own")
    parser.add_argument("--out", type=Path, default=Path("positions"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    seeds = range(options.seed, options.seed + options.jobs)
    others = [get_context("spawn").Process(target=play, args=(options, seed)) for seed in seeds[1:]]
    for other in others:
        other.start()
    try:
        play(options, options.seed)
    finally:
        for other in others:
            other.join()  # they have the same time, and Ctrl-C reaches them too


def play(options: argparse.Namespace, seed: int) -> None:
    """Play games until the time is over."""
    game = load_game(options.game)
    player = ShapePlayer(game, table=TABLE, weights=WEIGHTS[game.p]._replace(contempt=0))  # honest values
    began = saved = time.monotonic()
    found: list[Position] = []
    number = written = 0
    while time.monotonic() - began < options.seconds:
        if found and time.monotonic() - saved > SAVE_SECONDS:
            file = options.out / f"{seed}-{number}.npz"
            save(file, found)
            written, saved, found = written + len(found), time.monotonic(), []
            print(f"{written:,} positions of {number:,} games, {written / (saved - began):.0f} a second", flush=True)
        found += one_game(
            player, random.Random(f"{seed} {number}"), seed << 32 | number, Budget(iterations=options.nodes)
        )
        number += 1


def save(file: Path, found: list[Position]) -> None:
    """Write positions, an array for each of their facts."""
    with writing(file) as out:
        np.savez_compressed(
            out,
            own=np.array([each.own for each in found]),
            other=np.array([each.other for each in found]),
            value=np.array([each.value for each in found], np.float32),
            result=np.array([each.result for each in found], np.float32),
            game=np.array([each.game for each in found], np.int64),
        )


def one_game(player: Any, rng: random.Random, number: int, budget: Budget) -> list[Position]:
    """Play a game, and look aside at every position; nothing, if the first one is decided already."""
    moves, played, aside = opening(player.game, rng), [], []
    player.forget()
    while True:
        thought = player.think(moves, budget)
        if not played and not OPEN_YET[0] < thought.value < OPEN_YET[1]:
            return []
        player.place(moves)
        played.append((list(moves), thought.value, quiet(player.record)))
        if thought.value in (0.0, 1.0) or len(moves) >= LONGEST:
            break
        near = plausible(player)
        if near:
            beside = [*moves, *rng.sample(near[:12], min(rng.randint(1, 3), len(near[:12])))]
            player.place(beside)
            if quiet(player.record):
                aside.append(position(player.game, beside, player.think(beside, budget).value, UNKNOWN, number))
        slip = near and rng.random() < SLIPS
        moves = [*moves, rng.choice(near[:8]) if slip else thought.best]
    last, value, _ = played[-1]
    if value not in (0.0, 1.0):
        value = 0.5
    rows = []
    for stones, found, calm in played:
        result = value if (len(last) - len(stones)) % 2 == 0 else 1.0 - value
        if calm:
            rows.append(position(player.game, stones, found, result, number))
    return rows + aside


def opening(game: Any, rng: random.Random) -> list[int]:
    """One to nine stones near the middle."""
    edge = rng.choice([3, 4, 5])
    inner = [row * game.n + column for row in range(edge, game.m - edge) for column in range(edge, game.n - edge)]
    return rng.sample(inner, rng.randint(1, 9))


def position(game: Any, moves: list[int], value: float, result: float, number: int) -> Position:
    """What is kept of the position after these moves."""
    stones = np.zeros((2, game.m * game.n), bool)
    for ply, cell in enumerate(moves):
        stones[game.turn(ply)[0], cell] = True
    mover = game.turn(len(moves))[0]
    return Position(np.packbits(stones[mover]), np.packbits(stones[1 - mover]), value, result, number)


if __name__ == "__main__":
    main()
