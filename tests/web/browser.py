"""A real server and a real browser for tests, and for the pictures in docs. Start at serving and Browser."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 600_000
"""Milliseconds: on a busy machine the first search of a game compiles it, and others may do so beside it."""


def chromium() -> str | None:
    """The browser of this machine."""
    return os.environ.get("PONDEROSA_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def serving(
    data: Path, *arguments: str, host: str = "127.0.0.1", environment: dict[str, str] | None = None
) -> Iterator[str]:
    """A server of its own process; gives its address, and ends it."""
    port = free_port()
    command = [sys.executable, "-m", "ponderosa", "serve", "--no-open", "--port", str(port), "--data", str(data)]
    process = subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert "Ponderosa is at" in said, said + process.stdout.read()
        yield f"http://{host}:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError("the server did not end after Ctrl-C") from None


def wait_for(question: Any, seconds: float = 600.0) -> Any:
    """Ask until the answer is yes, also of a page that loads anew meanwhile; the last answer otherwise fails.

    What a page shows comes a little after what made it change: tests wait for all that they read of a page.
    """
    from playwright.sync_api import Error

    end = time.monotonic() + seconds
    while True:
        answer = None
        with contextlib.suppress(Error):
            answer = question()
        if answer or time.monotonic() > end:
            assert answer
            return answer
        time.sleep(0.05)


def fetch(address: str) -> str:
    """What a plain request gets."""
    with urllib.request.urlopen(address, timeout=600) as answer:
        return str(answer.read().decode())
