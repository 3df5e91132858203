"""Solve all openings of Connect Four with so many stones, exactly, for the table that the package ships. Start at main.

    python benchmarks/connect4_openings.py --plies 8 --jobs 2 --results openings8.csv --ship
    python benchmarks/connect4_openings.py --plies 8 --results openings8.csv --device cuda --minutes 8
    python benchmarks/connect4_openings.py --plies 8 --sample 50 --results sample8.csv      # how long all would take

What is solved is appended to the results, line by line: after any end, the same command goes on where it was. When all
is solved, `--ship` writes the table. Each job is a thread; all share one table of the solver, whose entries are written
at once and hold their key. A CUDA card solves all at once, a thread each (`connect4_crowd`), and leaves the longest to
cores when its minutes are over.
"""

from __future__ import annotations

import argparse
import queue
import random
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
from connect4_crowd import Card, Crowd

from ponderosa.compile.annotations import Ints
from ponderosa.connect.connect4_distances import exact_worth
from ponderosa.connect.connect4_openings import SHIPPED, Openings, moves, position_of, positions
from ponderosa.connect.connect4_solver import MIRRORED_STONES, Board, aligned, key_of, new_table

TABLE_LENGTH, CARD_TABLE_LENGTH = 2**26, 2**32
FEW = 20_000
"""A card solves what follows, when fewer positions than these are left."""
LINE = re.compile(r"(\d+),(-?\d+),(\d+\.\d{3})")
"""A result: the position's key, its worth, and how many seconds of a core it took; 0 if a card found it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    stones = range(1, MIRRORED_STONES + 1)
    parser.add_argument(
        "--plies", type=int, default=8, choices=stones, metavar="N", help="stones on the board, 1 to 14"
    )
    parser.add_argument("--jobs", type=int, default=1, help="threads")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="how long a card searches")
    parser.add_argument("--results", type=Path, required=True, help="the file of what is solved")
    parser.add_argument("--sample", type=int, help="only so many of the positions, drawn at random")
    parser.add_argument("--ship", type=Path, nargs="?", const=SHIPPED, help="write the table; alone: the package's")
    parser.add_argument("--rows", type=int, default=6)
    parser.add_argument("--cols", type=int, default=7)
    options = parser.parse_args()
    board = Board.of(options.rows, options.cols)
    every = sorted(positions(board, options.plies))
    count = len(every) if options.sample is None else min(options.sample, len(every))
    keys = sorted(random.Random(0).sample(every, count))
    known = solved(options.results)
    todo = [key for key in keys if key not in known]
    print(f"{len(keys):,} positions with {options.plies} stones, {len(keys) - len(todo):,} solved before", flush=True)
    try:
        if options.device == "cuda":
            solve_on_card(board, todo, options.minutes, options.results)
        else:
            solve(board, todo, options.jobs, options.results)
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {options.results}")
        sys.exit(130)
    known = solved(options.results)
    seconds = [known[key][1] for key in keys if key in known]
    if seconds and min(seconds) > 0:
        hours = len(every) * float(np.mean(seconds)) / 3600
        print(f"{np.mean(seconds):.2f} s of the processor a position, {max(seconds):.1f} at most; all: {hours:.1f} h")
    if missing := sum(key not in known for key in keys):
        print(f"{missing:,} positions are open: the same command goes on")
    elif options.ship is not None and options.sample is None:
        worths = np.array([known[key][0] for key in keys], np.int64)
        Openings(board, options.plies, np.array(keys, np.int64), worths).save(options.ship)
        print(f"{options.ship}: {options.ship.stat().st_size:,} bytes")


def solve_on_card(board: Board, todo: list[int], minutes: float, results: Path) -> None:
    """Solve positions on a card, and write each down; those that are not solved in time stay open.

    When few are left, which are the longest, what follows them is solved: the card needs many questions at once.
    """
    start, known = time.monotonic(), {key: worth for key, (worth, _) in solved(results).items()}
    after = {key: following(board, key) for key in todo} if len(todo) < FEW else {}
    asked = sorted({child for children in after.values() for child in children} - known.keys()) if after else todo
    with appended(results) as file:
        if asked:
            places = [position_of(key, board) for key in asked]
            crowd = Crowd(board, asked, places, Card(board, 2 * len(asked), CARD_TABLE_LENGTH))
            for done, (key, worth) in enumerate(crowd.solve(start + 60 * minutes), 1):
                known[key] = worth
                file.write(f"{key},{worth},0.000\n")
                if done % 1000 == 0:
                    spent = (time.monotonic() - start) / 60
                    print(f"\r{done:,} of {len(asked):,} in {spent:.1f} min   ", end="", flush=True)
        for key, children in after.items():
            if children and children.keys() <= known.keys():
                file.write(f"{key},{max(-known[child] for child in children)},0.000\n")
    print()


def following(board: Board, key: int) -> dict[int, tuple[int, int]]:
    """What follows a position, by key; nothing where a move wins at once, which is found at once."""
    own, mask = position_of(key, board)
    places = [(own ^ mask, after) for after in moves(mask, board)]
    if any(aligned(after ^ mask | own, board.rows) for _, after in places):
        return {}
    return {int(key_of(*place, board)): place for place in places}


def appended(results: Path) -> TextIO:
    """A file to append lines to, each written down at once; what was cut off stands in a line of its own."""
    cut_off = results.exists() and not results.read_text().endswith("\n")
    file = results.open("a", buffering=1)
    file.write("\n" if cut_off else "")
    return file


def solve(board: Board, todo: list[int], jobs: int, results: Path) -> None:
    """Solve positions, and write each down."""
    table, waiting, found = new_table(TABLE_LENGTH), iter(todo), queue.SimpleQueue()
    for _ in range(jobs):
        threading.Thread(target=_work, args=(board, table, waiting, found), daemon=True).start()
    start = time.monotonic()
    with appended(results) as file:
        for done in range(1, len(todo) + 1):
            key, worth, seconds = found.get()
            file.write(f"{key},{worth},{seconds:.3f}\n")
            passed = (time.monotonic() - start) / 60
            left = (len(todo) - done) * passed / done
            print(f"\r{done:,} of {len(todo):,} in {passed:.1f} min, {left:.0f} to go   ", end="", flush=True)
    print()


def _work(board: Board, table: Ints, waiting: Iterator[int], found: queue.SimpleQueue[tuple[int, int, float]]) -> None:
    """Solve one position after the other, while the machine code lets other threads run."""
    for key in waiting:
        start = time.thread_time()
        worth = exact_worth(board, *position_of(key, board), table)
        found.put((key, worth, time.thread_time() - start))


def solved(results: Path) -> dict[int, tuple[int, float]]:
    """Worth and seconds of every position that is written down; a line that was cut off is none."""
    lines = results.read_text().splitlines() if results.exists() else []
    fields = [found.groups() for found in map(LINE.fullmatch, lines) if found]
    return {int(key): (int(worth), float(seconds)) for key, worth, seconds in fields}


if __name__ == "__main__":
    main()
