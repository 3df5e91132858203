"""The page in rough use, turn after turn, and the memory that the server has after each. Start at main.

    python benchmarks/page_soak.py                  twelve turns, with the machine code that is on the disk
    python benchmarks/page_soak.py --cold           no machine code is on the disk, and every turn has other games

In a turn, tabs open games of all kinds and sizes between machines and leave them in the middle, others analyse and
leave while two searches run, programs play and analyse by the API, and all of them look at a list. Four
different turns come in rotation: from the fifth on, the server has seen everything, and its memory should stay. With
--cold, games of ever new sizes must be compiled, as in a long life.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from typing import Any
from urllib.parse import quote

import httpx
from page_load import PATIENCE, Found, Server, Tab, settled

GAMES = (
    ("tictactoe", 2), ("connect4", 2), ("gomoku", 2), ("connect6", 2), ("samegame", 1), ("2048", 1), ("pig", 2),
    ("einstein", 2), ("kuhn_poker", 2), ("goofspiel", 2), ("liars_dice", 2), ("rps", 2), ("pacman", 1),
    ("connect:m={0},n={1},k=4", 2), ("connect4:rows={0},cols={1}", 2), ("tictactoe:n={0}", 2), ("2048:size={0}", 1),
    ("samegame:rows={0},columns={1}", 1), ("connect:m={0},n={0},k=4,players=3", 3),
)  # fmt: skip
"""The games with their numbers of players; sizes are drawn."""
SEATS = ("mcts:seconds=0.5", "puct:seconds=0.5", "rave:seconds=0.5", "mcts:iterations=2000", "random")
ROTATION = 4
"""So many different turns there are, with the machine code on the disk."""


def drawn(luck: random.Random) -> tuple[str, int]:
    """A game, of some size where it has one, and how many play it."""
    game, players = luck.choice(GAMES)
    return game.format(luck.randint(4, 8), luck.randint(4, 8)), players


async def watched(server: Server, web: httpx.AsyncClient, luck: random.Random) -> None:
    """Machines play in a tab, which is left in the middle of the game."""
    game, players = drawn(luck)
    seats = "|".join(luck.choice(SEATS) for _ in range(players))
    await visited(server, web, f"/play?game={quote(game)}&players={quote(seats)}", luck)


async def analysed(server: Server, web: httpx.AsyncClient, luck: random.Random) -> None:
    """Two agents look at a position in a tab, which is left while they search."""
    game, _ = drawn(luck)
    agents = f"a={quote(luck.choice(SEATS))}&b={quote(luck.choice(SEATS))}"
    await visited(server, web, f"/analysis?game={quote(game)}&{agents}", luck)


async def visited(server: Server, web: httpx.AsyncClient, path: str, luck: random.Random) -> None:
    """Open a page with a board, click about, and leave."""
    tab = Tab(server.address, Found())
    await tab.open(web, path)
    try:
        for ply in range(4):
            await asyncio.sleep(luck.uniform(0.1, 0.6))
            await tab.click(luck.randrange(4), ply)
    finally:
        await tab.link.disconnect()


async def played(web: httpx.AsyncClient, luck: random.Random) -> None:
    """A game of a program: some moves, and a question about each."""
    game, players = drawn(luck)
    asked = {"game": game, "players": [luck.choice(SEATS) for _ in range(players)]}
    answer = await web.post("/api/sessions", json=asked)
    if answer.status_code != 201:
        return
    name, over = answer.json()["id"], False
    for _ in range(6):
        if not over:
            answer = await web.post(f"/api/sessions/{name}/play", json={})
            over = answer.status_code != 200 or answer.json()["over"]
            await web.post(f"/api/sessions/{name}/analyse", json={"agent": "mcts", "seconds": 0.2})
    await web.delete(f"/api/sessions/{name}")


async def turn(server: Server, seed: int, visits: int) -> int:
    """So many visits, three at once; how many failed."""
    luck, failures = random.Random(seed), 0
    async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE) as web:

        async def one(number: int) -> None:
            nonlocal failures
            kinds: list[Any] = [
                lambda: watched(server, web, luck),
                lambda: analysed(server, web, luck),
                lambda: played(web, luck),
            ]
            try:
                await kinds[number % 3]()
                await web.get(luck.choice(("/saved", "/arena", "/lab")))
            except Exception as error:
                failures += 1
                print("  failed:", repr(error)[:200])

        for begin in range(0, visits, 3):
            await asyncio.gather(*(one(begin + number) for number in range(3)))
    return failures


def main() -> None:
    """Run and print."""
    asking = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asking.add_argument("--turns", type=int, default=12)
    asking.add_argument("--visits", type=int, default=24)
    asking.add_argument("--cold", action="store_true")
    asking.add_argument("--port", type=int, default=8124)
    asked = asking.parse_args()
    if asked.cold:
        os.environ["PONDEROSA_CACHE_DIR"] = tempfile.mkdtemp()
    server = Server(asked.port, max_seconds=2.0, sessions=200)
    try:
        print("start: {} MB, {} threads".format(*settled(server)), f"({os.cpu_count()} cores)")
        for number in range(1, asked.turns + 1):
            begun = time.perf_counter()
            failures = asyncio.run(turn(server, number if asked.cold else number % ROTATION, asked.visits))
            during = server.figure("VmRSS")
            left, threads = settled(server)
            print(
                f"turn {number}: {asked.visits} visits in {time.perf_counter() - begun:.0f} s, {failures} failed; "
                f"{during} MB at its end, {left} MB when all had left, {threads} threads",
                flush=True,
            )
    finally:
        server.end()


if __name__ == "__main__":
    main()
