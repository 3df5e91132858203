"""The page under load: many tabs that analyse at once, and many games by the API. Start at main.

    python benchmarks/page_load.py                     50 tabs, --max-seconds 1
    python benchmarks/page_load.py --games 1000        a soak of a thousand games as well

A tab is a WebSocket that speaks the page's protocol: it opens the analysis, clicks a move, and waits for the answer. An
event's latency is the time from the click to the new board. Memory and threads are the server's, from /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import socketio

GAME = "connect4"
PATIENCE = 600.0


@dataclass
class Found:
    """What the tabs saw."""

    latencies: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class Server:
    """A server in a process of its own."""

    def __init__(self, port: int, max_seconds: float, sessions: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        options = ["--no-open", "--port", str(port), "--max-seconds", str(max_seconds), "--max-sessions", str(sessions)]
        command = [sys.executable, "-m", "ponderosa", "serve", *options, "--data", tempfile.mkdtemp()]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        print(self.process.stdout.readline().strip())

    def figure(self, name: str) -> int:
        """A number of /proc: VmRSS in MB, or Threads."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        number = int(re.search(rf"{name}:\s+(\d+)", text)[1])
        return number // 1024 if name == "VmRSS" else number

    def end(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


class Tab:
    """A browser's tab without the browser."""

    def __init__(self, address: str, found: Found) -> None:
        self.address, self.found = address, found
        self.link = socketio.AsyncClient()
        self.board, self.effort = "", ""
        self.changed = asyncio.Event()

    async def open(self, web: httpx.AsyncClient, path: str = f"/analysis?game={GAME}&a=mcts:seconds=1") -> None:
        """Load a page with a board, and connect."""
        page = (await web.get(f"{self.address}{path}")).text
        self.client = re.search(r"[\"']?client_id[\"']?: *[\"']([0-9a-f-]{36})", page)[1]
        elements = json.loads(_unescaped(re.search(r"parseElements\(String\.raw`(.*?)`\)", page, re.S)[1]))
        self.picture = next(e for e in elements.values() if "picture" in e.get("class", []))
        self.efforts = [key for key, e in elements.items() if "effort" in e.get("class", [])]
        self.picture_id = next(key for key, e in elements.items() if e is self.picture)
        self.link.on("update", self._update)
        query = {
            "client_id": self.client, "tab_id": str(uuid.uuid4()), "document_id": str(uuid.uuid4()),
            "next_message_id": "0", "implicit_handshake": "true",
        }  # fmt: skip
        url = f"{self.address}?" + "&".join(f"{key}={value}" for key, value in query.items())
        await self.link.connect(url, socketio_path="/_nicegui_ws/socket.io", transports=["websocket"])

    async def _update(self, message: dict[str, Any]) -> None:
        for key, element in message.items():
            content = (element.get("props") or {}).get("innerHTML", "") if isinstance(element, dict) else ""
            if key == self.picture_id:
                self.board = content
            elif key == self.efforts[0]:
                self.effort = content
        self.changed.set()

    async def until(self, question: Any) -> float:
        """Wait for something to be seen; how long it took."""
        begun = time.perf_counter()
        while not question():
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), PATIENCE)
        return time.perf_counter() - begun

    async def click(self, action: int, ply: int) -> None:
        """Click an action in the position after so many moves."""
        listener = next(e["listener_id"] for e in self.picture["events"] if e["type"] == "click")
        where = {"client_id": self.client, "id": int(self.picture_id), "listener_id": listener}
        await self.link.emit("event", where | {"args": [str(action), str(ply)]})

    async def live(self, rounds: int) -> None:
        """Click moves, and wait for what the search says of each position."""
        await self.until(lambda: 'data-ply="0"' in self.board and "ended by" in self.effort)
        for ply in range(1, rounds + 1):
            self.effort = ""
            await self.click(3, ply - 1)
            self.found.latencies.append(await self.until(lambda ply=ply: f'data-ply="{ply}"' in self.board))
            self.found.answers.append(await self.until(lambda: "ended by" in self.effort))


def _unescaped(text: str) -> str:
    for mark, letter in (("&lt;", "<"), ("&gt;", ">"), ("&#96;", "`"), ("&#36;", "$"), ("&amp;", "&")):
        text = text.replace(mark, letter)
    return text


async def tabs(server: Server, count: int, rounds: int) -> Found:
    """So many tabs at once."""
    found = Found()
    async with httpx.AsyncClient(timeout=PATIENCE) as web:

        async def one() -> None:
            tab = Tab(server.address, found)
            try:
                await tab.open(web)
                await tab.live(rounds)
            except Exception as error:
                found.failures.append(repr(error))
            finally:
                await tab.link.disconnect()

        await asyncio.gather(*(one() for _ in range(count)))
    return found


async def games(server: Server, count: int, at_once: int = 4) -> int:
    """So many games by the API, a random player against a short search; how many moves were made."""
    moves, waiting = 0, iter(range(count))
    async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE) as web:

        async def several() -> None:
            nonlocal moves
            for number in waiting:
                asked = {"game": "tictactoe", "players": [f"random:seed={number}", "mcts:iterations=50"]}
                name = (await web.post("/api/sessions", json=asked)).raise_for_status().json()["id"]
                over = False
                while not over:
                    answer = (await web.post(f"/api/sessions/{name}/play", json={})).raise_for_status().json()
                    moves, over = moves + 1, answer["over"]
                (await web.delete(f"/api/sessions/{name}")).raise_for_status()

        await asyncio.gather(*(several() for _ in range(at_once)))
    return moves


def settled(server: Server) -> tuple[int, int]:
    """Memory and threads, when nothing goes on any more."""
    time.sleep(12)
    return server.figure("VmRSS"), server.figure("Threads")


def told(what: str, found: Found) -> None:
    """The figures in words."""
    slow = sorted(found.latencies)
    print(
        f"{what}: {len(found.answers)} analyses answered, {len(found.failures)} failed; click to new board: "
        f"median {1000 * statistics.median(slow):.0f} ms, 95 % below {1000 * slow[int(0.95 * len(slow))]:.0f} ms, "
        f"slowest {1000 * slow[-1]:.0f} ms; click to answer: median {statistics.median(found.answers):.1f} s"
    )
    for failure in found.failures[:5]:
        print("  failed:", failure)


def main() -> None:
    """Run and print."""
    asking = argparse.ArgumentParser(description=__doc__)
    asking.add_argument("--tabs", type=int, default=50)
    asking.add_argument("--rounds", type=int, default=2)
    asking.add_argument("--max-seconds", type=float, default=1.0)
    asking.add_argument("--games", type=int, default=0)
    asking.add_argument("--port", type=int, default=8123)
    asked = asking.parse_args()
    server = Server(asked.port, asked.max_seconds, asked.tabs + 10)
    try:
        asyncio.run(tabs(server, 2, 2))
        print("start: {} MB, {} threads".format(*settled(server)), f"({os.cpu_count()} cores)")
        for turn in (1, 2):
            found = asyncio.run(tabs(server, asked.tabs, asked.rounds))
            peak = server.figure("VmRSS")
            told(f"{asked.tabs} tabs, turn {turn}", found)
            print("  at the end {} MB; after the tabs closed {} MB, {} threads".format(peak, *settled(server)))
        for part in range(4 if asked.games else 0):
            moves = asyncio.run(games(server, asked.games // 4))
            figures = settled(server)
            print(f"{(part + 1) * (asked.games // 4)} games ({moves} moves in this part): ", end="")
            print("{} MB, {} threads".format(*figures))
    finally:
        server.end()


if __name__ == "__main__":
    main()
