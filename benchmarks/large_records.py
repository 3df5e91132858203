"""How long a first search takes to compile, and how much memory, by the size of a state's record. Start at main.

    python benchmarks/large_records.py
    python benchmarks/large_records.py --sizes 16 4096 --source path/to/another/src

Every size has a process and an empty folder for machine code of its own; seconds are those of the processor. `--source`
measures another checkout's package.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (16, 1024, 4096, 16_384, 131_072, 1_048_576)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="bytes of the board in a state")
    parser.add_argument("--source", type=Path, help="the folder that holds the package to be measured")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        measure(options.one)
        return
    print("| bytes | seconds | MB |\n| ---: | ---: | ---: |", flush=True)
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            env = os.environ | {"PONDEROSA_CACHE_DIR": folder}
            if options.source is not None:
                env["PYTHONPATH"] = str(options.source)
            subprocess.run([sys.executable, __file__, "--one", str(size)], env=env, check=True)


def measure(size: int) -> None:
    """One row of the table: the first search of a game with a board of so many bytes."""
    import resource

    import numpy as np

    from ponderosa import Game, Search, rule

    class Row(Game):
        """Two players mark nine cells; the board has room for more."""

        dtype = np.dtype([("board", "i1", size), ("turns", "i4"), ("player", "i1")])
        max_game_length = max_actions = 9

        @rule
        def current_player(s):
            return s.player

        @rule
        def legal_actions(s):
            for cell in range(9):
                if s.board[cell] == 0:
                    yield cell

        @rule
        def apply_action(s, a):
            s.board[a] = s.player + 1
            s.turns += 1
            s.player = 1 - s.player

        @rule
        def is_terminal(s):
            return s.turns == 9

        @rule
        def returns(s):
            return (1.0, -1.0) if s.board[4] == 1 else (-1.0, 1.0)

    before = time.process_time()
    Search(Row()).run(iterations=100)
    seconds = time.process_time() - before
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    print(f"| {size:,} | {seconds:.1f} | {most:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
