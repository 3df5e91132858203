"""Connections that take their time are closed, all others are left alone; what visitors send fills no log."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from ponderosa.web.doors.doorkeeper import Doorkeeper, Patience
from ponderosa.web.doors.noise import QUIET_SECONDS, Noise
from ponderosa.web.views.lab_view import ADDRESS
from ponderosa.web.views.layout import STATIC_URL
from tests.web.browser import fetch, free_port, wait_for

HALF_HEADER = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
HALF_BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc"
CHUNKED = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
WHOLE = b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextlib.contextmanager
def served(http: Any, patience: Patience) -> Iterator[tuple[int, Doorkeeper, list[float], threading.Event]]:
    """A server whose answer to /slow waits, its doorkeeper, the doorkeeper's clock, and what the answer waits for."""
    now, answered = [0.0], threading.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return
        if scope["path"] == "/slow":
            await asyncio.to_thread(answered.wait)
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await send({"type": "http.response.body", "body": b"done"})

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", http=http, lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_for(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield port, Doorkeeper(server.server_state.connections, patience, lambda: now[0]), now, answered
    finally:
        answered.set()
        server.should_exit = True
        thread.join()


def connected(port: int, said: bytes) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), timeout=120)
    link.sendall(said)
    return link


def is_closed(link: socket.socket) -> bool:
    try:
        return link.recv(1000) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_who_does_not_finish_a_request_is_sent_away_and_who_waits_for_an_answer_is_not(http):
    with served(http, Patience(seconds=10)) as (port, keeper, now, answered):
        slow = [connected(port, said) for said in (b"", HALF_HEADER, HALF_BODY, CHUNKED)]
        patient = connected(port, WHOLE)
        wait_for(lambda: len(list(keeper._connections)) == 5 and keeper.look() == 0 and len(seen(keeper)) == 4)
        now[0] = 9.0
        for link in slow[1:]:
            link.sendall(b"x" if link is not slow[3] else b"1\r\nx\r\n")  # a little more of it does not help
        assert keeper.look() == 0
        now[0] = 11.0
        assert keeper.look() == 4
        assert all(is_closed(link) for link in slow)
        now[0] = 1000.0
        assert keeper.look() == 0
        answered.set()
        assert b"done" in patient.recv(1000)


def seen(keeper: Doorkeeper) -> list[object]:
    """What is waited for."""
    return [awaited for awaited, _ in keeper._since.values() if awaited is not None]


def test_of_too_many_that_wait_those_that_came_first_go_at_once():
    with served("h11", Patience(seconds=1000, waiting=5)) as (port, keeper, now, _):
        first = [connected(port, HALF_HEADER) for _ in range(20)]
        wait_for(lambda: keeper.look() == 0 and len(seen(keeper)) == 20)
        now[0] = 5.0
        last = connected(port, HALF_HEADER)
        wait_for(lambda: len(list(keeper._connections)) == 21)
        assert keeper.look() == 16
        last.sendall(b"\r\n\r\n")
        assert b"done" in last.recv(1000)
        for link in first:
            link.close()


@pytest.fixture
def noisy() -> Iterator[tuple[logging.Logger, list[logging.LogRecord], list[float]]]:
    now: list[float] = [0.0]
    heard: list[logging.LogRecord] = []
    logger = logging.Logger("test")
    logger.addFilter(Noise(lambda: now[0]))
    handler = logging.Handler()
    handler.emit = heard.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    yield logger, heard, now


def raised_in(module: str) -> Exception:
    """An error of a module."""
    try:
        exec("{}['client_id']", {"__name__": module})
    except KeyError as error:
        return error
    raise AssertionError


def test_nonsense_from_visitors_is_one_line_a_minute(noisy):
    logger, heard, now = noisy
    for _ in range(1000):
        logger.error("message async handler error", exc_info=raised_in("socketio.async_server"))
    assert [record.getMessage() for record in heard] == ["a visitor sent what is no message (KeyError)"]
    assert heard[0].exc_info is None
    now[0] = QUIET_SECONDS
    logger.error("message async handler error", exc_info=raised_in("socketio.async_server"))
    assert len(heard) == 2


def test_our_own_mistakes_keep_their_traceback(noisy):
    logger, heard, _ = noisy
    for _ in range(3):
        logger.error("oh", exc_info=raised_in("ponderosa.web.somewhere"))
    logger.error("another", exc_info=raised_in("elsewhere"))
    logger.info("as ever")
    logger.info("as ever")
    assert [bool(record.exc_info) for record in heard] == [True, True, False, False]


NO_EVENTS = [
    '42["event"]', '42["event",1]', '42["event",{}]', '42["event",{"client_id":[]}]', "42[[]]", "42{}", "42", "4", "4z",
    '42["handshake",{}]', '42["ack",null]', '42["log",5]', '42["javascript_response",[]]', "47", "9", '43["x"]',
]  # fmt: skip


@pytest.mark.slow
def test_no_event_makes_a_server_write_a_traceback(tmp_path):
    port, said = free_port(), tmp_path / "said"
    command = [sys.executable, "-m", "ponderosa", "serve", "--no-open", "--port", str(port), "--data", str(tmp_path)]
    where = f"ws://127.0.0.1:{port}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    with said.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            wait_for(lambda: "Ponderosa is at" in said.read_text())
            for text in NO_EVENTS * 3:
                with connect(where, origin=f"http://127.0.0.1:{port}") as link, contextlib.suppress(ConnectionClosed):
                    link.recv(), link.send("40"), link.recv(), link.send(text)
                    link.send("2")  # the next message is read when this one was understood, or not
            assert "open_games" in fetch(f"http://127.0.0.1:{port}/api/status")
        finally:
            process.send_signal(signal.SIGINT)
    told = said.read_text()
    assert "a visitor sent what is no message" in told
    assert "Traceback" not in told and len(told.splitlines()) < len(NO_EVENTS)


UPWARDS = ["/..", "/%2e%2e", "/..%2f..", "//", "/%2fetc", "/%00", "/....//"]


@pytest.mark.parametrize("folder", [STATIC_URL, ADDRESS, "/_nicegui/x/static", "/api/sessions", ""])
def test_no_address_leads_out_of_the_folders(address, folder):
    link = HTTPConnection(address.removeprefix("http://"), timeout=120)
    for steps in UPWARDS:
        for file in ("etc/passwd", "pyproject.toml"):
            link.request("GET", f"{folder}{steps * 8}/{file}")
            answer = link.getresponse()
            said = answer.read()
            assert answer.status < 500 and b"root:" not in said and b"[project]" not in said
