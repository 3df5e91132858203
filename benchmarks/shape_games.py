"""Positions of Gomoku or Connect6, with values and results, for benchmarks/shape_network.py. Start at main.

    python benchmarks/shape_games.py --seconds 3600 --jobs 16 --out positions

The fast player plays games against itself from a few stones near the middle that leave both sides a chance, and slips
now and then. Of every position in which nobody can complete a line, and of one a few plausible moves aside, the stones
are kept, the value that its search finds, and how the game ended; not where fours win at once, which the search sees
without a judge. Each process writes a file every minute, so that nothing is lost when it is stopped, and the same
command with another --seed adds to the folder. --network plays with a network that was trained before.
"""

from __future__ import annotations

import argparse
import random
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from shape_positions import UNKNOWN, Position, save
from shape_weights import plausible, quiet

from ponderosa import load_game
from ponderosa.connect.shapes.player import ShapePlayer
from ponderosa.connect.shapes.pvs import static_value
from ponderosa.connect.shapes.shape_network import read_network
from ponderosa.connect.shapes.shape_weights import WEIGHTS
from ponderosa.core.budget import Budget

TABLE = 2**13
"""Few positions are remembered: the searches are short, and a large table takes its time to be emptied."""
OPEN_YET = (0.15, 0.85)
"""Values of positions with which a game may begin."""
SLIPS = 0.06
"""The share of moves that are any of the plausible ones."""
LONGEST = 150
"""With so many stones a game ends undecided."""
SAVE_SECONDS = 60.0
AT_ONCE = 200
"""A position that is decided after looking at so few others needs no judge."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--nodes", type=int, default=3_000, help="how many positions each search looks at")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes that play, each with a seed of its own")
    parser.add_argument("--network", type=Path, help="a network that corrects the values of the searches")
    parser.add_argument("--out", type=Path, default=Path("positions"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    player_of(options).think([], Budget(iterations=1))  # compiled once, before the others start
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
    player = player_of(options)
    began = saved = time.monotonic()
    found: list[Position] = []
    number = written = 0
    while True:
        over = time.monotonic() - began >= options.seconds
        if found and (over or time.monotonic() - saved > SAVE_SECONDS):
            save(options.out / f"{seed}-{number}.npz", found)
            written, saved, found = written + len(found), time.monotonic(), []
            print(f"{written:,} positions of {number:,} games, {written / (saved - began):.0f} a second", flush=True)
        if over:
            break
        found += one_game(
            player, random.Random(f"{seed} {number}"), seed << 32 | number, Budget(iterations=options.nodes)
        )
        number += 1


def player_of(options: argparse.Namespace) -> ShapePlayer:
    """The player, with honest values."""
    game = load_game(options.game)
    network = read_network(options.network) if options.network else None
    return ShapePlayer(game, table=TABLE, weights=WEIGHTS[game.p]._replace(contempt=0), network=network)


def one_game(player: Any, rng: random.Random, number: int, budget: Budget) -> list[Position]:
    """Play a game, and look aside at every position; nothing, if the first one is decided already."""
    moves, played, aside = opening(player.game, rng), [], []
    player.forget()
    while True:
        thought = player.think(moves, budget)
        if not played and not OPEN_YET[0] < thought.value < OPEN_YET[1]:
            return []
        player.place(moves)
        calm = quiet(player.record) and not decided_at_once(thought)
        played.append((position(player, moves, thought.value, number), calm))
        if thought.value in (0.0, 1.0) or len(moves) >= LONGEST:
            break
        near = plausible(player)
        if near:
            beside = [*moves, *rng.sample(near[:12], min(rng.randint(1, 3), len(near[:12])))]
            player.place(beside)
            if quiet(player.record) and not decided_at_once(glance := player.think(beside, budget)):
                aside.append(position(player, beside, glance.value, number))
        slip = near and rng.random() < SLIPS
        moves = [*moves, rng.choice(near[:8]) if slip else thought.best]
    last = played[-1][0].value
    if last not in (0.0, 1.0):
        last = 0.5
    movers = [player.game.turn(len(moves) - ago)[0] for ago in reversed(range(len(played)))]
    ends = [last if mover == movers[-1] else 1.0 - last for mover in movers]
    rows = [row._replace(result=end) for (row, calm), end in zip(played, ends, strict=True) if calm]
    return rows + aside


def decided_at_once(thought: Any) -> bool:
    """Whether a search has found a certain result without looking far."""
    return thought.value in (0.0, 1.0) and thought.positions < AT_ONCE


def opening(game: Any, rng: random.Random) -> list[int]:
    """One to nine stones near the middle."""
    edge = rng.choice([3, 4, 5])
    inner = [row * game.n + column for row in range(edge, game.m - edge) for column in range(edge, game.n - edge)]
    return rng.sample(inner, rng.randint(1, 9))


def position(player: Any, moves: list[int], value: float, number: int) -> Position:
    """What is kept of the position after these moves, before anything is known of how it went on."""
    player.enter_stage(len(moves))
    player.place(moves)
    stones = np.zeros((2, player.game.m * player.game.n), bool)
    for ply, cell in enumerate(moves):
        stones[player.game.turn(ply)[0], cell] = True
    mover, left = player.game.turn(len(moves))
    known = int(static_value(player.record, mover, left))
    return Position(np.packbits(stones[mover]), np.packbits(stones[1 - mover]), known, value, UNKNOWN, number)


if __name__ == "__main__":
    main()
