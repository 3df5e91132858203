"""What the arena itself costs: games a second with agents that answer at once, end to end into the store; and how long
it takes to list and filter a large store. Run: python benchmarks/arena_overhead.py [games]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from ponderosa import match
from ponderosa.arena.results.store import Store


def main(games: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one core for all processes
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        match("tictactoe", "random", "random", 200, out=path, concurrency=1, seed=1)  # compiled and warm
        before, begun = _work(), time.perf_counter()
        result = match("tictactoe", "random", "random", games, out=path, concurrency=1, seed=2)
        seconds, work = time.perf_counter() - begun, _work() - before
        assert result.tally.games == games
        print(f"{games:,} games in {seconds:.2f} s: {games / seconds:,.0f} games/s on one core, start included;")
        print(f"{games / work:,.0f} games a second of processor time (other load on the core left out)")
        _list(path)


def _work() -> float:
    """Processor seconds of this process and of those that it has ended."""
    mine, ended = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + ended.ru_utime + ended.ru_stime


def _list(path: Path) -> None:
    """Fill a copy of the store up to 100,000 games, and ask for pages of it."""
    with Store(path) as store:
        for copy in range(2, 100):
            missing = LARGE - store.count()
            if missing <= 0:
                break
            for table in ("games", "seats"):
                columns = [
                    row[1] for row in store._rows(f"PRAGMA table_info({table})") if row[1] not in ("id", "number")
                ]
                names = ", ".join(columns)
                store._connection.execute(
                    f"INSERT INTO {table} ({names}, number) SELECT {names}, number + {copy * 10_000_000} FROM {table} "
                    f"WHERE event = 2 AND number < {min(missing, 10_000_000)}"
                )
    with Store(path, readonly=True) as store:
        for words, filters in {
            "list": {},
            "an event's": {"event": 2},
            "an agent's wins": {"agent": "random", "result": "win"},
            "draws": {"result": "draw"},
            "nobody's": {"agent": "nobody"},
            "by reason": {"reason": "crash"},
        }.items():
            begun = time.process_time()
            found, total = len(store.games(**filters)), store.count(**filters)
            print(f"{words}: {found} of {total:,} games in {1000 * (time.process_time() - begun):.1f} ms")


LARGE = 100_000


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
